// SPDX-License-Identifier: Apache-2.0

//go:build newcode

package main

func extra() { sink += audit(6000) }

// audit is new: 8 % of the program.
//
//go:noinline
func audit(n uint64) uint64 {
	t := uint64(11)
	for i := uint64(0); i < n; i++ {
		t = t*6364136223846793005 + i
		t ^= t >> 31
	}
	return t
}
