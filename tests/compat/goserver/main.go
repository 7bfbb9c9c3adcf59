// main.go - a server with net/http/pprof, whose answers are compared with ours
//
// SPDX-License-Identifier: Apache-2.0
package main

import (
	"fmt"
	"net"
	"net/http"
	_ "net/http/pprof"
	"runtime"
	"runtime/pprof"
	"sync"
	"time"
)

type thing struct{ room [8]byte }

// contend makes a goroutine wait for a held lock.
func contend() {
	var lock sync.Mutex
	done := make(chan bool)
	lock.Lock()
	go func() {
		lock.Lock()
		lock.Unlock()
		done <- true
	}()
	time.Sleep(20 * time.Millisecond)
	lock.Unlock()
	<-done
}

func main() {
	runtime.SetBlockProfileRate(1)
	runtime.SetMutexProfileFraction(1)
	p := pprof.NewProfile("my.custom")
	for i := 0; i < 3; i++ {
		p.Add(new(thing), 0)
	}
	contend()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	fmt.Println(l.Addr().(*net.TCPAddr).Port, runtime.Version())
	panic(http.Serve(l, nil))
}
