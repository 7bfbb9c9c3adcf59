// SPDX-License-Identifier: Apache-2.0

// Shop runs a parcel depot over HTTP, sends itself requests and writes every
// kind of profile the Go runtime has into the folder given as argument.
package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"runtime/pprof"
	"sync"
	"time"

	"shop/depot"
)

const (
	memRate  = 256 << 10 // bytes between heap samples
	warmUp   = time.Second
	cpuTime  = 4 * time.Second // at the default 100 Hz
	nClients = 8
)

func init() { runtime.MemProfileRate = memRate }

// client asks one thing after another until ctx ends.
func client(ctx context.Context, base string, n int) {
	tenant := []string{"north", "south", "islands"}[n%3]
	path := []string{"/accept?", "/quote?km=%d&", "/accept?", "/tour?stops=8&", "/export?", "/tour?stops=9&", "/pickup?", "/pickup?"}[n]
	for i := 0; ctx.Err() == nil; i++ {
		url := base + path
		if n == 1 {
			url = fmt.Sprintf(url, i%900)
		}
		resp, err := http.Get(url + "tenant=" + tenant)
		if err != nil {
			return
		}
		io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
		if n != 5 {
			time.Sleep(2 * time.Millisecond)
		}
	}
}

func write(dir, name, kind string, debug int) {
	f, err := os.Create(filepath.Join(dir, name))
	if err != nil {
		log.Fatal(err)
	}
	defer f.Close()
	if err := pprof.Lookup(kind).WriteTo(f, debug); err != nil {
		log.Fatal(err)
	}
}

func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: shop FOLDER")
	}
	dir := os.Args[1]
	runtime.SetBlockProfileRate(int(20 * time.Microsecond))
	runtime.SetMutexProfileFraction(5)

	srv := httptest.NewServer(depot.New().Routes())
	ctx, stop := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	for i := 0; i < nClients; i++ {
		wg.Add(1)
		go func(n int) { defer wg.Done(); client(ctx, srv.URL, n) }(i)
	}

	time.Sleep(warmUp)
	runtime.GC()
	write(dir, "go-heap.txt", "heap", 1) // first, and early: the text form grows with every stack ever seen
	write(dir, "go-heap1.pb.gz", "heap", 0)

	cpu, err := os.Create(filepath.Join(dir, "go-cpu.pb.gz"))
	if err != nil {
		log.Fatal(err)
	}
	if err := pprof.StartCPUProfile(cpu); err != nil {
		log.Fatal(err)
	}
	time.Sleep(cpuTime)
	pprof.StopCPUProfile()
	cpu.Close()

	write(dir, "go-goroutine.pb.gz", "goroutine", 0) // while the clients still run
	write(dir, "go-goroutine.txt", "goroutine", 1)
	stop()
	wg.Wait()
	runtime.GC()
	for _, kind := range []string{"heap", "allocs", "block", "mutex", "threadcreate"} {
		name := "go-" + kind
		if kind == "heap" {
			name = "go-heap2"
		}
		write(dir, name+".pb.gz", kind, 0)
		if kind != "heap" && kind != "allocs" {
			write(dir, "go-"+kind+".txt", kind, 1)
		}
	}
	srv.Close()
}
