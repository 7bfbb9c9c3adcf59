// SPDX-License-Identifier: Apache-2.0

//go:build slow

package score

// Grade goes over the series 21 times.
//
//go:noinline
func Grade(series []float64) uint64 {
	t := uint64(1)
	for pass := uint64(0); pass < 21; pass++ {
		for i := range series {
			t = mark(t, uint64(i)+pass)
		}
	}
	return t
}
