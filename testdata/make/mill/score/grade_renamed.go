// SPDX-License-Identifier: Apache-2.0

//go:build renamed

package score

// Assess goes over the series 14 times.
//
//go:noinline
func Assess(series []float64) uint64 {
	t := uint64(1)
	for pass := uint64(0); pass < 14; pass++ {
		for i := range series {
			t = mark(t, uint64(i)+pass)
		}
	}
	return t
}
