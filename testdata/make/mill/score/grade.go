// SPDX-License-Identifier: Apache-2.0

//go:build !slow && !renamed

package score

// Grade goes over the series 14 times.
//
//go:noinline
func Grade(series []float64) uint64 {
	t := uint64(1)
	for pass := uint64(0); pass < 14; pass++ {
		for i := range series {
			t = mark(t, uint64(i)+pass)
		}
	}
	return t
}
