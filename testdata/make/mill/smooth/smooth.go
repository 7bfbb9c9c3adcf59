// SPDX-License-Identifier: Apache-2.0

// Package smooth has closures and a generic function.
package smooth

type Number interface{ ~float64 | ~uint64 }

func Make(n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = float64(i*7919%1009) / 7
	}
	return out
}

// each calls f for the numbers of the series: the closures of Filter are its work.
//
//go:noinline
func each(series []float64, f func(float64)) {
	for _, x := range series {
		f(x)
	}
}

// Filter goes over the series passes times, with two closures.
//
//go:noinline
func Filter(series []float64, passes int) uint64 {
	mean, spread := 0.0, 0.0
	for i := 0; i < passes; i++ {
		each(series, func(x float64) { mean += (x - mean) * 0.125 })
		each(series, func(x float64) {
			d := x - mean
			spread += (d*d - spread) * 0.0625
		})
	}
	return uint64(spread)
}

// Rank counts for some numbers how many are smaller.
//
//go:noinline
func Rank[T Number](series []T) uint64 {
	n := uint64(0)
	for i := 0; i < len(series); i += 24 {
		for _, x := range series {
			if x < series[i] {
				n++
			}
		}
	}
	return n
}
