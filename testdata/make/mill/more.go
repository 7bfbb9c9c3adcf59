// SPDX-License-Identifier: Apache-2.0

//go:build more

package main

// One function allocates 30 % more; one holds its lock three times as long.
const (
	walkPasses   = 10
	filterPasses = 5
	allocPercent = 130
	holdPasses   = 30
)
