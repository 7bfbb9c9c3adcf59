// frames.go - program with generics, closures and methods, for frames.t
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"net/http"
	"sort"
	"strings"
)

type table[K comparable] struct{ m map[K]int }

func (t *table[K]) add(k K) { t.m[k]++ }

func triple(x int) int { return x*3 + 1 }

func main() {
	t := &table[string]{map[string]int{}}
	for i := 0; i < 10; i++ {
		t.add(strings.Repeat("x", triple(i)))
	}
	var keys []string
	for k := range t.m {
		keys = append(keys, k)
	}
	sort.Slice(keys, func(i, j int) bool { return len(keys[i]) < len(keys[j]) })
	fmt.Println(keys, http.StatusText(200))
}
