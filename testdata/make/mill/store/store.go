// SPDX-License-Identifier: Apache-2.0

// Package store allocates, and has locks that goroutines wait for.
package store

import "sync"

type record struct {
	key  [4]uint64
	next *record
}

var kept any // makes allocations escape to the heap

//go:noinline
func names(n int) (sum uint64) {
	for i := 0; i < n; i++ {
		b := make([]byte, 96)
		kept = &b[0]
		sum += uint64(grow(b)[i%96])
	}
	return sum
}

//go:noinline
func grow(b []byte) []byte { return append(b, 1, 2, 3) }

//go:noinline
func records(n int) *record {
	var head *record
	for i := 0; i < n; i++ {
		r := &record{next: head}
		if i%8 == 0 {
			head = nil
		} else {
			head = r
		}
	}
	return head
}

//go:noinline
func table(n int) uint64 {
	m := map[int][2]uint64{}
	for i := 0; i < n; i++ {
		m[i*7] = [2]uint64{uint64(i), 1}
	}
	return uint64(len(m))
}

//go:noinline
func pages(n int) (sum uint64) {
	for i := 0; i < n; i++ {
		p := make([]uint64, 512)
		kept = &p[i%512]
		sum += page(p)
	}
	return sum
}

//go:noinline
func page(p []uint64) uint64 {
	q := make([]uint64, 128)
	kept = &q[copy(q, p)-1]
	return q[3]
}

//go:noinline
func index(n int) (sum uint64) {
	for i := 0; i < n; i++ {
		b := make([]uint32, 40)
		kept = &b[i%40]
		sum += uint64(b[3])
	}
	return sum
}

// Fill allocates about 120 MB; names allocates percent of its 100.
//
//go:noinline
func Fill(percent int) uint64 {
	t := names(110000*percent/100) + index(110000) + pages(4500)
	kept = records(400000)
	for i := 0; i < 30; i++ {
		t += table(6000)
	}
	return t
}

type guarded struct {
	sync.Mutex
	n uint64
}

//go:noinline
func (g *guarded) ledger(passes int) {
	g.Lock()
	g.work(passes)
	g.Unlock()
}

//go:noinline
func (g *guarded) journal(passes int) {
	g.Lock()
	g.work(passes)
	g.Unlock()
}

//go:noinline
func (g *guarded) cache(passes int) {
	g.Lock()
	g.work(passes)
	g.Unlock()
}

//go:noinline
func (g *guarded) work(passes int) {
	for i := 0; i < passes*6000; i++ {
		g.n = g.n*6364136223846793005 + 1
	}
}

// Contend lets four goroutines compete for each of three locks; ledger holds its lock for passes, the others for 10.
//
//go:noinline
func Contend(passes int) uint64 {
	var a, b, c guarded
	var all sync.WaitGroup
	for _, f := range []func(){func() { a.ledger(passes) }, func() { b.journal(10) }, func() { c.cache(10) }} {
		for i := 0; i < 4; i++ {
			all.Add(1)
			go func(f func()) {
				defer all.Done()
				for n := 0; n < 300; n++ {
					f()
				}
			}(f)
		}
		all.Wait()
	}
	return a.n + b.n + c.n
}
