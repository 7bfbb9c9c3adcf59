// SPDX-License-Identifier: Apache-2.0

// Package tree walks a tree by calling itself.
package tree

type Node struct {
	left, right *Node
	value       uint64
}

func Make(depth int) *Node {
	if depth == 0 {
		return nil
	}
	return &Node{Make(depth - 1), Make(depth - 1), uint64(depth)}
}

//go:noinline
func (n *Node) visit(t uint64) uint64 {
	for i := 0; i < 3; i++ {
		t = t*31 ^ n.value
	}
	if n.left != nil {
		t = n.left.visit(t)
		t = n.right.visit(t)
	}
	return t
}

// Walk visits all nodes, passes times.
//
//go:noinline
func (n *Node) Walk(passes int) uint64 {
	t := uint64(5)
	for i := 0; i < passes; i++ {
		t = n.visit(t)
	}
	return t
}
