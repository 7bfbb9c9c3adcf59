// main.go - a program that pushes every kind of profile of dd-trace-go
//
// SPDX-License-Identifier: Apache-2.0
//
// usage: agent URL SERVICE SECONDS
package main

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"runtime/pprof"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/DataDog/dd-trace-go/v2/profiler"
)

var kept [][]byte

func work(until time.Time, lock *sync.Mutex) (sum uint64) {
	for time.Now().Before(until) {
		for i := uint64(0); i < 1000000; i++ {
			sum += i * i
		}
		lock.Lock()
		time.Sleep(2 * time.Millisecond)
		kept = append(kept, make([]byte, 200000))
		if len(kept) > 50 {
			kept = kept[25:]
		}
		lock.Unlock()
	}
	return sum
}

func main() {
	seconds, err := strconv.Atoi(os.Args[3])
	if err != nil {
		panic(err)
	}
	runtime.MemProfileRate = 1024
	err = profiler.Start(
		profiler.WithAgentAddr(strings.TrimPrefix(os.Args[1], "http://")), profiler.WithService(os.Args[2]),
		profiler.WithEnv("test"), profiler.WithVersion("1.2.3"), profiler.WithTags("region:eu"),
		profiler.WithPeriod(5*time.Second), profiler.CPUDuration(5*time.Second),
		profiler.MutexProfileFraction(1), profiler.BlockProfileRate(1),
		profiler.WithProfileTypes(profiler.CPUProfile, profiler.HeapProfile, profiler.GoroutineProfile,
			profiler.MutexProfile, profiler.BlockProfile))
	if err != nil {
		panic(err)
	}
	var lock sync.Mutex
	var all sync.WaitGroup
	until := time.Now().Add(time.Duration(seconds) * time.Second)
	for i := 0; i < 3; i++ {
		all.Add(1)
		go func(i int) {
			defer all.Done()
			pprof.Do(context.Background(), pprof.Labels("controller", fmt.Sprint("c", i)),
				func(context.Context) { work(until, &lock) })
		}(i)
	}
	all.Wait()
	profiler.Stop()
}
