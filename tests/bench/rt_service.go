// rt_service.go - rt_service.cc in Go, for the same measurements
//
// SPDX-License-Identifier: Apache-2.0
//
// usage: rt_service WAITING BUSY
// Prints "ready ADDRESS", and exits at the end of standard input.
package main

import (
	"fmt"
	"io"
	"net"
	"net/http"
	_ "net/http/pprof"
	"os"
	"runtime"
	"strconv"
	"sync"
	"time"
)

const depth, maxEntries = 20, 20000

var (
	lock  sync.Mutex
	kept  = map[uint32]string{}
	sinks [64]uint64
)

//go:noinline
func wait(depth int, never chan int) {
	if depth > 0 {
		wait(depth-1, never)
	} else {
		<-never
	}
}

//go:noinline
func remember(draw uint32) {
	lock.Lock()
	defer lock.Unlock()
	kept[draw%maxEntries] = string(make([]byte, 16+draw%2000))
	if draw%64 == 0 {
		time.Sleep(100 * time.Microsecond)
	}
}

//go:noinline
func work(draw uint32, depth uint32, sink *uint64) {
	if depth > 0 {
		work(draw, depth-1, sink)
		*sink++
		return
	}
	for i := uint64(0); i < 20000; i++ {
		*sink += i
	}
	remember(draw)
}

func busy(seed uint32) {
	sink := &sinks[seed%64]
	for {
		seed = seed*1664525 + 1013904223
		work(seed>>8, seed>>28, sink)
	}
}

func main() {
	waiting, _ := strconv.Atoi(os.Args[1])
	working, _ := strconv.Atoi(os.Args[2])
	runtime.SetBlockProfileRate(10000)
	runtime.SetMutexProfileFraction(1)
	never := make(chan int)
	for i := 0; i < waiting; i++ {
		go wait(i%depth, never)
	}
	for i := 0; i < working; i++ {
		go busy(uint32(i))
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	go http.Serve(l, nil)
	time.Sleep(200 * time.Millisecond)
	fmt.Println("ready http://" + l.Addr().String())
	io.Copy(io.Discard, os.Stdin)
}
