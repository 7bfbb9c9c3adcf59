// SPDX-License-Identifier: Apache-2.0

// Package codec is a chain of wrappers around one loop.
package codec

func Make(n int) []uint32 {
	out := make([]uint32, n)
	for i := range out {
		out[i] = uint32(i) * 2654435761
	}
	return out
}

// Send -> (*Stream).Write -> (*packer).flush -> (*packer).pack, which does all the work.
//
//go:noinline
func Send(block []uint32) uint64 {
	s := Stream{}
	s.Write(block)
	return s.p.state
}

type Stream struct{ p packer }

//go:noinline
func (s *Stream) Write(block []uint32) { s.p.flush(block) }

type packer struct{ state uint64 }

//go:noinline
func (p *packer) flush(block []uint32) { p.pack(block) }

//go:noinline
func (p *packer) pack(block []uint32) {
	t := p.state
	for pass := 0; pass < 16; pass++ {
		for _, x := range block {
			t = (t<<13 | t>>51) * 5
			t ^= uint64(x)
		}
	}
	p.state = t
}
