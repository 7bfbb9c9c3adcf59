// golib.go - a library in Go that a program in C loads: it works, panics, handles a signal, profiles itself
//
// SPDX-License-Identifier: Apache-2.0

package main

/*
#include <stdint.h>
*/
import "C"

import (
	"os"
	"os/signal"
	"runtime"
	"runtime/pprof"
	"sync"
	"syscall"
	"time"
)

func own_go_work(n int) (x uint64) {
	for i := 0; i < n; i++ {
		x = x*2862933555777941757 + 3037000493
	}
	return
}

//export go_sum
func go_sum(workers C.int, n C.int) C.uint64_t {
	var wait sync.WaitGroup
	out := make(chan uint64, int(workers))
	for i := 0; i < int(workers); i++ {
		wait.Add(1)
		go func() {
			defer wait.Done()
			out <- own_go_work(int(n))
			runtime.GC()
		}()
	}
	wait.Wait()
	close(out)
	var sum uint64
	for x := range out {
		sum += x
	}
	return C.uint64_t(sum)
}

//export go_panics
func go_panics() (got C.int) {
	defer func() {
		if recover() != nil {
			got = 1
		}
	}()
	var p *int
	return C.int(*p)
}

//export go_signal
func go_signal() C.int {
	came := make(chan os.Signal, 1)
	signal.Notify(came, syscall.SIGUSR1)
	syscall.Kill(os.Getpid(), syscall.SIGUSR1)
	select {
	case <-came:
		return 1
	case <-time.After(10 * time.Second):
		return 0
	}
}

//export go_profile
func go_profile(name *C.char) C.int {
	f, err := os.Create(C.GoString(name))
	if err != nil || pprof.StartCPUProfile(f) != nil {
		return 0
	}
	for end := time.Now().Add(700 * time.Millisecond); time.Now().Before(end); {
		own_go_work(1000000)
	}
	pprof.StopCPUProfile()
	f.Close()
	return 1
}

func main() {}
