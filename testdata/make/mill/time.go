// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"math"
	"runtime"
	"syscall"
	"unsafe"

	"mill/check"
	"mill/codec"
	"mill/smooth"
)

// used is the CPU time of this thread in nanoseconds.
func used() int64 {
	const threadClock = 3
	var ts syscall.Timespec
	syscall.Syscall(syscall.SYS_CLOCK_GETTIME, threadClock, uintptr(unsafe.Pointer(&ts)), 0)
	return ts.Nano()
}

// measure prints the minimum CPU time of each step over many tries, and its share of the sum.
func measure() {
	runtime.LockOSThread()
	steps := []struct {
		name string
		f    func()
	}{
		{"tree.Walk", func() { sink += forest.Walk(walkPasses) }},
		{"codec.Send", func() { sink += codec.Send(block) }},
		{"smooth.Filter", func() { sink += smooth.Filter(series, filterPasses) }},
		{"smooth.Rank", func() { sink += smooth.Rank(series) }},
		{"grid.Relax", func() { sink += board.Relax() }},
		{"grid.Rotate", func() { sink += board.Rotate() }},
		{"score", func() { sink += judge() }},
		{"check.Sum", func() { sink += check.Sum(block) }},
		{"main.tally", func() { sink += tally(2800) }},
		{"main.stamp", func() { sink += stamp(2100) }},
		{"extra", extra},
	}
	cost := make([]float64, len(steps))
	for i := range cost {
		cost[i] = math.Inf(1)
	}
	for try := 0; try < 1000; try++ { // alternate, so that other load affects all steps
		for i, s := range steps {
			from := used()
			for n := 0; n < 10; n++ {
				s.f()
			}
			cost[i] = math.Min(cost[i], float64(used()-from)/10)
		}
	}
	sum := 0.0
	for _, c := range cost {
		sum += c
	}
	for i, s := range steps {
		fmt.Printf("%-14s %9.0f ns %5.1f%%\n", s.name, cost[i], 100*cost[i]/sum)
	}
	fmt.Printf("%-14s %9.0f ns\n", "day", sum)
}
