// SPDX-License-Identifier: Apache-2.0

//go:build !moved

package grid

// Rotate turns the board by a quarter, line by line.
//
//go:noinline
func (b *Board) Rotate() uint64 {
	t := 0.0
	for y := 0; y < b.n; y++ {
		b.line(y)
		for x := 0; x < b.n; x++ {
			t = t*0.5 + b.turn[x*b.n+y]
		}
	}
	return uint64(t)
}

//go:noinline
func (b *Board) line(y int) {
	k := uint64(y)
	for x := 0; x < b.n; x++ {
		k = k*2862933555777941757 + 1
		k ^= k >> 29
		b.turn[x*b.n+y] = b.cell[y*b.n+b.n-1-x] + float64(k&1)
	}
}
