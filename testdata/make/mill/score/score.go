// SPDX-License-Identifier: Apache-2.0

// Package score has a function that build tags make slower or rename.
package score

func mark(t, x uint64) uint64 {
	t ^= x
	t *= 0x9e3779b97f4a7c15
	return t ^ t>>32
}
