// SPDX-License-Identifier: Apache-2.0

// Package grid works on a board of numbers.
package grid

type Board struct {
	n    int
	cell []float64
	turn []float64
}

func Make(n int) *Board {
	b := &Board{n, make([]float64, n*n), make([]float64, n*n)}
	for i := range b.cell {
		b.cell[i] = float64(i % 17)
	}
	return b
}

// Relax draws every cell to the mean of its neighbours.
//
//go:noinline
func (b *Board) Relax() uint64 {
	for y := 1; y < b.n-1; y++ {
		row := b.cell[y*b.n : (y+1)*b.n]
		up, down := b.cell[(y-1)*b.n:y*b.n], b.cell[(y+1)*b.n:(y+2)*b.n]
		for x := 1; x < b.n-1; x++ {
			row[x] += (up[x] + down[x] + row[x-1] + row[x+1] - 4*row[x]) * 0.1
		}
	}
	return uint64(b.cell[b.n+1])
}
