// main.go - a program that pushes every kind of profile of pyroscope-go
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
	"strconv"
	"sync"
	"time"

	"github.com/grafana/pyroscope-go"
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
	runtime.SetMutexProfileFraction(1)
	runtime.SetBlockProfileRate(1)
	runtime.MemProfileRate = 1024
	profiler, err := pyroscope.Start(pyroscope.Config{
		ApplicationName: os.Args[2],
		ServerAddress:   os.Args[1],
		UploadRate:      5 * time.Second,
		Tags:            map[string]string{"hostname": "go-host", "region": "eu"},
		Logger:          nil,
		ProfileTypes: []pyroscope.ProfileType{
			pyroscope.ProfileCPU, pyroscope.ProfileAllocObjects, pyroscope.ProfileAllocSpace,
			pyroscope.ProfileInuseObjects, pyroscope.ProfileInuseSpace, pyroscope.ProfileGoroutines,
			pyroscope.ProfileMutexCount, pyroscope.ProfileMutexDuration, pyroscope.ProfileBlockCount,
			pyroscope.ProfileBlockDuration,
		},
	})
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
			pyroscope.TagWrapper(context.Background(), pyroscope.Labels("controller", fmt.Sprint("c", i)),
				func(context.Context) { work(until, &lock) })
		}(i)
	}
	all.Wait()
	profiler.Flush(true)
	if err := profiler.Stop(); err != nil {
		panic(err)
	}
}
