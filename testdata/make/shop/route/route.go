// SPDX-License-Identifier: Apache-2.0

// Package route finds short tours by branch and bound: deep recursion on purpose.
package route

import "sort"

// Stop is a place on the map.
type Stop struct{ X, Y int }

func abs(n int) int {
	if n < 0 {
		return -n
	}
	return n
}

// Dist is the way around the blocks.
func (a Stop) Dist(b Stop) int { return abs(a.X-b.X) + abs(a.Y-b.Y) }

// A Planner searches tours; Visit, if set, is called for each better one.
type Planner struct {
	Stops []Stop
	Visit func(km int)
	best  int
	used  []bool
}

// Shortest is the length of the shortest tour through all stops.
func (p *Planner) Shortest() int {
	p.best = 1 << 30
	p.used = make([]bool, len(p.Stops))
	p.used[0] = true
	p.extend(0, 1, 0)
	return p.best
}

// extend calls itself once per remaining stop.
func (p *Planner) extend(at, done, km int) {
	if km >= p.best {
		return
	}
	if done == len(p.Stops) {
		p.best = km
		if p.Visit != nil {
			p.Visit(km)
		}
		return
	}
	for _, next := range p.nearest(at) {
		p.used[next] = true
		p.extend(next, done+1, km+p.Stops[at].Dist(p.Stops[next]))
		p.used[next] = false
	}
}

func (p *Planner) nearest(at int) []int {
	var left []int
	for i, u := range p.used {
		if !u {
			left = append(left, i)
		}
	}
	sort.Slice(left, func(i, j int) bool {
		return p.Stops[at].Dist(p.Stops[left[i]]) < p.Stops[at].Dist(p.Stops[left[j]])
	})
	return left
}

// Even and Odd call each other: mutual recursion in a profile.
func Even(n int, seed uint32) uint32 {
	if n == 0 {
		return seed
	}
	for i := 0; i < 2000; i++ {
		seed ^= seed<<13 ^ seed>>17 ^ seed<<5
	}
	return Odd(n-1, seed)
}

// Odd is the other half of Even.
//
//go:noinline
func Odd(n int, seed uint32) uint32 {
	if n == 0 {
		return ^seed
	}
	return Even(n-1, seed*2654435761)
}
