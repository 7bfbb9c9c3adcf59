// SPDX-License-Identifier: Apache-2.0

// Mill does an amount of work that never changes, over functions whose shares
// of it are known, and profiles itself. Build tags change one thing each: see
// build.go and the files named after the tags.
//
//	mill cpu FILE     CPU profile of about 6 s of work at 250 Hz
//	mill short FILE   the same, a tenth of the work
//	mill heap FILE    allocs profile, rate 16 KiB
//	mill mutex FILE   mutex profile, every contention
//	mill block FILE   block profile, every wait
//	mill time         CPU time of one call of each step, without a profiler
package main

import (
	"fmt"
	"io"
	"log"
	"os"
	"runtime"
	"runtime/pprof"

	"mill/check"
	"mill/codec"
	"mill/grid"
	"mill/smooth"
	"mill/store"
	"mill/tree"
)

const (
	days      = 68000
	cpuRate   = 250 // the maximum of kernels with 250 ticks per second
	allocRate = 16 << 10
)

var sink uint64 // collects results, so that no step is optimised away

func init() { runtime.MemProfileRate = 0 }

var (
	forest = tree.Make(9)
	board  = grid.Make(48)
	series = smooth.Make(512)
	block  = codec.Make(1024)
)

// Steps of a day. Each adds its result to sink.
func prepare() {
	sink += forest.Walk(walkPasses)
	sink += codec.Send(block)
}

func analyse() {
	sink += smooth.Filter(series, filterPasses)
	sink += smooth.Rank(series)
	sink += board.Relax()
	sink += board.Rotate()
	sink += judge()
}

func publish() {
	sink += check.Sum(block)
	sink += tally(2800)
	sink += stamp(2100)
}

//go:noinline
func tally(n uint64) uint64 {
	t := uint64(7)
	for i := uint64(0); i < n; i++ {
		t = t*2862933555777941757 + i
		t ^= t >> 29
	}
	return t
}

//go:noinline
func stamp(n uint64) uint64 {
	t := uint64(3)
	for i := uint64(0); i < n; i++ {
		t = t<<7 ^ t>>9 + i*5
	}
	return t
}

//go:noinline
func day() {
	prepare()
	analyse()
	publish()
	extra()
}

func run(n int) {
	for i := 0; i < n; i++ {
		day()
	}
}

func cpu(w io.Writer, n int) error {
	runtime.SetCPUProfileRate(cpuRate) // StartCPUProfile warns on stderr and uses this rate
	if err := pprof.StartCPUProfile(w); err != nil {
		return err
	}
	run(n)
	pprof.StopCPUProfile()
	return nil
}

func main() {
	log.SetFlags(0)
	if len(os.Args) == 2 && os.Args[1] == "time" {
		measure()
		return
	}
	if len(os.Args) != 3 {
		log.Fatal("usage: mill time | cpu FILE | short FILE | heap FILE | mutex FILE | block FILE")
	}
	if err := capture(os.Args[1], os.Args[2]); err != nil {
		log.Fatal(err)
	}
	fmt.Fprintln(io.Discard, sink)
}

func capture(kind, path string) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	switch kind {
	case "cpu":
		err = cpu(f, days)
	case "short":
		err = cpu(f, days/10)
	case "heap":
		runtime.MemProfileRate = allocRate
		sink += store.Fill(allocPercent)
		runtime.GC()
		err = pprof.Lookup("allocs").WriteTo(f, 0)
	case "mutex":
		runtime.SetMutexProfileFraction(1)
		sink += store.Contend(holdPasses)
		err = pprof.Lookup("mutex").WriteTo(f, 0)
	case "block":
		runtime.SetBlockProfileRate(1)
		sink += store.Contend(holdPasses)
		err = pprof.Lookup("block").WriteTo(f, 0)
	default:
		err = fmt.Errorf("unknown profile %q", kind)
	}
	if err != nil {
		return err
	}
	return f.Close()
}
