// SPDX-License-Identifier: Apache-2.0

//go:build !newcode

package main

func extra() {}
