// SPDX-License-Identifier: Apache-2.0

// Package check has a function that is inlined: mix is half of Sum.
package check

func mix(t uint64) uint64 {
	t ^= t >> 33
	t *= 0xff51afd7ed558ccd
	return t ^ t>>29
}

// Sum mixes every word of the block.
//
//go:noinline
func Sum(block []uint32) uint64 {
	t := uint64(len(block))
	for pass := 0; pass < 4; pass++ {
		for _, x := range block {
			t = mix(t + uint64(x))
			t = t<<5 | t>>59
		}
	}
	return t
}
