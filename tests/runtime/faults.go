// faults.go - programs with a known fault for cpa doctor
// SPDX-License-Identifier: Apache-2.0
//
// usage: faults FAULT, one of the names in main. Prints the address of its /debug/pprof.
package main

import (
	"fmt"
	"net"
	"net/http"
	_ "net/http/pprof"
	"os"
	"runtime"
	"runtime/debug"
	"sort"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

var sink atomic.Value

func spin(n int) uint64 {
	x := uint64(n) | 1
	for i := 0; i < n; i++ {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
	}
	return x
}

//go:noinline
func hotLoop() {
	for {
		sink.Store(spin(1 << 20))
	}
}

type order struct {
	id    int
	name  *string
	lines []int
}

//go:noinline
func makeOrder(i int) *order {
	name := strings.Repeat("x", 8+i%8)
	return &order{i, &name, make([]int, 4)}
}

func churn() {
	for i := 0; ; i++ {
		sink.Store(makeOrder(i))
	}
}

var seen = map[int][]byte{}

//go:noinline
func remember(i int) {
	b := make([]byte, 16<<10)
	for at := 0; at < len(b); at += 4096 {
		b[at] = 1
	}
	seen[i] = b
}

func leakMap() {
	for i := 0; ; i++ {
		remember(i)
		time.Sleep(2 * time.Millisecond)
	}
}

var shared sync.Mutex

//go:noinline
func holdLock() {
	shared.Lock()
	time.Sleep(2 * time.Millisecond)
	shared.Unlock()
}

func convoy() {
	for i := 0; i < 8; i++ {
		go func() {
			for {
				holdLock()
			}
		}()
	}
}

var results = make(chan int)

//go:noinline
func sendResult(i int) {
	results <- i
}

func blockedChannel() {
	for i := 0; i < 5; i++ {
		go sendResult(i)
	}
}

var never = make(chan int)

//go:noinline
func waitForever() {
	<-never
}

func leakThreads() {
	for {
		go waitForever()
		time.Sleep(20 * time.Millisecond)
	}
}

//go:noinline
func writeRecord(f *os.File, block []byte) {
	f.WriteAt(block, 0)
	f.Sync()
}

func slowDisk() {
	for i := 0; i < 4; i++ {
		f, err := os.CreateTemp(os.Getenv("TMPDIR"), "record")
		if err != nil {
			panic(err)
		}
		os.Remove(f.Name())
		go func() {
			for block := make([]byte, 64<<10); ; {
				writeRecord(f, block)
			}
		}()
	}
}

type node struct{ left, right *node }

func tree(depth int) *node {
	if depth == 0 {
		return nil
	}
	return &node{tree(depth - 1), tree(depth - 1)}
}

var kept []*node

// A large heap of pointers is marked again and again, because little may be allocated until the next collection.
func gcPressure() {
	debug.SetGCPercent(5)
	kept = append(kept, tree(20))
	for i := 0; ; i++ {
		sink.Store(make([]byte, 1<<10))
		spin(1 << 12)
	}
}

var taken atomic.Bool

//go:noinline
func spinLock() {
	for !taken.CompareAndSwap(false, true) {
		runtime.Gosched()
	}
}

func spinLocks() {
	for i := 0; i < 4; i++ {
		go func() {
			for {
				spinLock()
				time.Sleep(time.Millisecond)
				taken.Store(false)
			}
		}()
	}
}

// --- no fault: a server whose work is spread over functions, and which mostly waits for requests ---

var cacheLock sync.Mutex
var cache = map[int]string{}
var text = []int{3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5}
var page [16000]uint32

//go:noinline
func parse(i int) int {
	n := 0
	for at := 0; at < 20000; at++ {
		n += text[at%len(text)] & (i >> (at & 3))
	}
	return n
}

//go:noinline
func price(i int) int {
	sum := 1.0
	for k := 1; k < 5000; k++ {
		sum += float64(i) / (float64(k) + sum)
	}
	return int(sum)
}

//go:noinline
func render(i int) int {
	for at := range page {
		page[at] = page[at]*31 + uint32(i)
	}
	return int(page[i%len(page)])
}

//go:noinline
func tax(i int) int {
	x := uint32(i)
	for k := 0; k < 15000; k++ {
		x = x<<5 ^ x>>3 ^ uint32(k)
	}
	return int(x)
}

//go:noinline
func lookUp(i int) string {
	cacheLock.Lock()
	defer cacheLock.Unlock()
	if cache[i%100] == "" {
		cache[i%100] = fmt.Sprint(i)
	}
	return cache[i%100]
}

//go:noinline
func sortItems(i int) int {
	items := make([]int, 256)
	for k := range items {
		items[k] = int(spin(8)) ^ k*i
	}
	sort.Ints(items)
	return items[0]
}

func healthy() {
	requests := make(chan int)
	for w := 0; w < 8; w++ {
		go func() {
			for i := range requests {
				sink.Store(parse(i) + price(i) + render(i) + tax(i) + sortItems(i) + len(lookUp(i)))
			}
		}()
	}
	for i := 0; ; i++ {
		requests <- i
		if i%4 == 0 {
			time.Sleep(time.Millisecond)
		}
	}
}

func main() {
	faults := map[string]func(){
		"hot": hotLoop, "churn": churn, "leak": leakMap, "convoy": convoy, "channel": blockedChannel,
		"threads": leakThreads, "disk": slowDisk, "gc": gcPressure, "spin": spinLocks, "none": healthy,
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil || len(os.Args) != 2 || faults[os.Args[1]] == nil {
		fmt.Fprintln(os.Stderr, "usage: faults FAULT", err)
		os.Exit(2)
	}
	fmt.Println(listener.Addr())
	go faults[os.Args[1]]()
	http.Serve(listener, nil)
}
