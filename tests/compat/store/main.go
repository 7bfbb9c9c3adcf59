// Makes successive profiles of one process, for tests/compat/store.t: CPU with labels, heap, goroutine, mutex and block.
//
//	main FOLDER CPU OTHERS
//
// CPU is the number of CPU profiles, OTHERS that of each other kind. Files are FOLDER/KIND-NNNN.pb.gz.
package main

import (
	"bytes"
	"context"
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"runtime"
	"runtime/pprof"
	"strconv"
	"sync"
	"time"
)

var (
	kept  [][]byte
	lock  sync.Mutex
	total uint64
)

func parse(n int) uint64 {
	h := fnv.New64a()
	for i := 0; i < n; i++ {
		h.Write([]byte(strconv.Itoa(i)))
	}
	return h.Sum64()
}

func render(n int) uint64 {
	var b bytes.Buffer
	for i := 0; i < n; i++ {
		fmt.Fprintf(&b, "%d:%x,", i, i*i)
	}
	return uint64(b.Len())
}

func deep(n, work int) uint64 {
	if n == 0 {
		return parse(work) + render(work/4)
	}
	return deep(n-1, work) + 1
}

func serve(route string, n int) {
	pprof.Do(context.Background(), pprof.Labels("route", route, "tenant", "t"+strconv.Itoa(n%5)), func(context.Context) {
		v := deep(n%13, 400+n%7*100)
		lock.Lock()
		total += v
		if n%40 == 0 {
			kept = append(kept, make([]byte, 1000+n%3000))
			if len(kept) > 2000 {
				kept = kept[1000:]
			}
		}
		time.Sleep(10 * time.Microsecond)
		lock.Unlock()
	})
}

func work(until time.Time, id int) {
	for n := id; time.Now().Before(until); n++ {
		serve([]string{"/cart", "/pay", "/find", "/home"}[n%4], n)
	}
}

func run(d time.Duration) {
	var group sync.WaitGroup
	for i := 0; i < 3; i++ {
		group.Add(1)
		go func() { defer group.Done(); work(time.Now().Add(d), i*7) }()
	}
	group.Wait()
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func create(folder, kind string, i int) *os.File {
	f, err := os.Create(filepath.Join(folder, fmt.Sprintf("%s-%04d.pb.gz", kind, i)))
	check(err)
	return f
}

func main() {
	folder := os.Args[1]
	nCPU, _ := strconv.Atoi(os.Args[2])
	nOthers, _ := strconv.Atoi(os.Args[3])
	runtime.MemProfileRate = 4096
	runtime.SetMutexProfileFraction(1)
	runtime.SetBlockProfileRate(1000)
	for i := 0; i < nCPU; i++ {
		f := create(folder, "cpu", i)
		check(pprof.StartCPUProfile(f))
		run(25 * time.Millisecond)
		pprof.StopCPUProfile()
		check(f.Close())
		if nCPU/nOthers == 0 || i%(nCPU/nOthers) != 0 {
			continue
		}
		runtime.GC()
		for _, kind := range []string{"heap", "goroutine", "mutex", "block"} {
			f := create(folder, kind, i)
			check(pprof.Lookup(kind).WriteTo(f, 0))
			check(f.Close())
		}
	}
}
