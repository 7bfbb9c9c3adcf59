// SPDX-License-Identifier: Apache-2.0

//go:build mixed

package main

// Filter does 60 % less, Walk 30 % more.
const (
	walkPasses   = 13
	filterPasses = 2
	allocPercent = 100
	holdPasses   = 10
)
