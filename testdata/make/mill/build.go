// SPDX-License-Identifier: Apache-2.0

//go:build !mixed && !more

package main

// How much of each step is done. mixed.go and more.go have others.
const (
	walkPasses   = 10
	filterPasses = 5
	allocPercent = 100
	holdPasses   = 10
)
