// store_load writes successive profiles of a program with many routes: input of script/bench store.
//
// SPDX-License-Identifier: Apache-2.0
//
// usage: store_load FOLDER PROFILES SECONDS [heap | few]     SECONDS of CPU time per profile; few: five routes instead of 21
package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"hash/crc32"
	"math/big"
	"math/rand"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/pprof"
	"sort"
	"strconv"
	"strings"
	"syscall"
	"text/template"
	"time"
)

type order struct {
	ID    int
	Name  string
	Items []item
	Tags  map[string]string
}

type item struct {
	SKU   string
	Price float64
	Count int
}

func makeOrder(r *rand.Rand) order {
	o := order{ID: r.Int(), Name: strings.Repeat("n", 5+r.Intn(20)), Tags: map[string]string{}}
	for i := 0; i < 5+r.Intn(10); i++ {
		o.Items = append(o.Items, item{strconv.Itoa(r.Int()), r.Float64(), r.Intn(9)})
		o.Tags["t"+strconv.Itoa(i)] = o.Name
	}
	return o
}

var (
	sink  any
	kept  [][]byte
	words = strings.Fields(strings.Repeat("the quick brown fox jumps over the lazy dog while profiles grow ", 30))
	rx    = regexp.MustCompile(`([a-z]+)-(\d+)-([a-f0-9]{4,})`)
	tmpl  = template.Must(template.New("x").Parse(`{{.Name}}: {{range .Items}}{{.SKU}} {{printf "%.2f" .Price}}, {{end}}`))
)

func route(i int, r *rand.Rand) {
	switch i {
	case 0:
		b, _ := json.Marshal(makeOrder(r))
		sink = b
	case 1:
		b, _ := json.Marshal(makeOrder(r))
		var o order
		_ = json.Unmarshal(b, &o)
		sink = o
	case 2:
		w := append([]string(nil), words...)
		r.Shuffle(len(w), func(a, b int) { w[a], w[b] = w[b], w[a] })
		sort.Strings(w)
		sink = w
	case 3:
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		fmt.Fprint(z, words)
		z.Close()
		sink = b
	case 4:
		s := sha256.Sum256([]byte(strings.Join(words, " ")))
		sink = base64.StdEncoding.EncodeToString(s[:])
	case 5:
		sink = rx.FindAllString(strings.Repeat("abc-123-deadbeef xyz ", 20), -1)
	case 6:
		var b strings.Builder
		_ = tmpl.Execute(&b, makeOrder(r))
		sink = b.String()
	case 7:
		x := big.NewInt(r.Int63())
		for k := 0; k < 30; k++ {
			x.Mul(x, big.NewInt(r.Int63()))
		}
		sink = x.String()
	case 8:
		m := map[string]int{}
		for _, w := range words {
			m[w+strconv.Itoa(r.Intn(50))]++
		}
		sink = m
	case 9:
		b, _ := xml.Marshal(makeOrder(r).Items)
		sink = b
	case 10:
		u, _ := url.Parse("https://example.com/a/b?x=1&y=2&z=" + strconv.Itoa(r.Int()))
		sink = u.Query()
	case 11:
		sink = strings.Map(func(c rune) rune { return c ^ 1 }, strings.Join(words, ","))
	case 12:
		sink = crc32.ChecksumIEEE([]byte(fmt.Sprintf("%v", makeOrder(r))))
	case 13:
		o := make([]item, 300)
		for k := range o {
			o[k] = item{strconv.Itoa(r.Int()), r.Float64(), k}
		}
		sort.Slice(o, func(a, b int) bool { return o[a].Price < o[b].Price })
		sink = o
	case 14:
		sink = strings.Split(strings.Replace(strings.Join(words, " "), "fox", "wolf", -1), " ")
	case 15:
		t := time.Unix(r.Int63n(1<<31), 0)
		s := t.Format(time.RFC3339Nano)
		p, _ := time.Parse(time.RFC3339Nano, s)
		sink = p
	case 16:
		c := make(chan int, 10)
		done := make(chan int)
		go func() {
			n := 0
			for v := range c {
				n += v
			}
			done <- n
		}()
		for k := 0; k < 100; k++ {
			c <- k
		}
		close(c)
		sink = <-done
	case 17:
		sink = fib(12 + r.Intn(8))
	case 18:
		sink = strings.ToUpper(fmt.Sprintf("%08x %q %v", r.Int(), words[:9], r.Float64()))
	case 19:
		v := make([]float64, 500)
		for k := range v {
			v[k] = r.NormFloat64()
		}
		sort.Float64s(v)
		sink = v
	case 20:
		kept = append(kept, make([]byte, 100+r.Intn(1000)))
		if len(kept) > 5000 {
			kept = kept[1000:]
		}
	}
}

func fib(n int) int {
	if n < 2 {
		return n
	}
	return fib(n-1) + fib(n-2)
}

func cpuTime() float64 {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
}

// load runs routes for so many seconds of CPU time.
func load(seconds float64, routes uint64, r *rand.Rand) {
	z := rand.NewZipf(r, 1.2, 3, routes-1)
	for until := cpuTime() + seconds; cpuTime() < until; {
		i := int(z.Uint64())
		labels := pprof.Labels("route", "/api/v1/r"+strconv.Itoa(i), "tenant", "t"+strconv.Itoa(int(r.ExpFloat64()*2)%6))
		pprof.Do(context.Background(), labels, func(context.Context) {
			for k := 0; k < 20; k++ {
				route((i*8+3)%21, r)
			}
		})
	}
}

func main() {
	n, _ := strconv.Atoi(os.Args[2])
	seconds, _ := strconv.ParseFloat(os.Args[3], 64)
	r := rand.New(rand.NewSource(1))
	heap := len(os.Args) > 4 && os.Args[4] == "heap"
	routes := uint64(21)
	if len(os.Args) > 4 && os.Args[4] == "few" {
		routes = 5
	}
	runtime.GOMAXPROCS(2)
	if heap {
		runtime.MemProfileRate = 4096
	}
	for i := 0; i < n; i++ {
		var b bytes.Buffer
		kind := "cpu"
		if heap {
			kind = "heap"
			load(seconds, routes, r)
			_ = pprof.WriteHeapProfile(&b)
		} else {
			runtime.SetCPUProfileRate(250) // of the timer of the kernel; StartCPUProfile then complains and keeps it
			_ = pprof.StartCPUProfile(&b)
			load(seconds, routes, r)
			pprof.StopCPUProfile()
		}
		if err := os.WriteFile(filepath.Join(os.Args[1], fmt.Sprintf("%s-%05d.pb.gz", kind, i)), b.Bytes(), 0o600); err != nil {
			panic(err)
		}
	}
}
