// SPDX-License-Identifier: Apache-2.0

//go:build !mixed && !more

package main

// The amount of work of each step. mixed.go and more.go have other values.
const (
	walkPasses   = 10
	filterPasses = 5
	allocPercent = 100
	holdPasses   = 10
)
