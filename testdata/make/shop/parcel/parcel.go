// SPDX-License-Identifier: Apache-2.0

// Package parcel has parcels, their weight and their price.
package parcel

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
)

// Parcel is one shipment.
type Parcel struct {
	ID     uint64
	Tenant string
	Grams  int
	Side   [3]int // millimetres
	Label  []byte // the sticker, leaks with the parcel
}

// New makes parcel number id; the numbers follow from the id alone.
func New(id uint64, tenant string) *Parcel {
	p := &Parcel{ID: id, Tenant: tenant, Grams: int(id*7919%30000) + 50}
	for i := range p.Side {
		p.Side[i] = int(id*uint64(131+i)%900) + 30
	}
	p.Label = p.print()
	return p
}

// volume is small enough for the compiler to inline.
func (p *Parcel) volume() int { return p.Side[0] * p.Side[1] * p.Side[2] / 1000 }

// chargeable inlines volume and is itself inlined: two levels at one address.
func (p *Parcel) chargeable() int {
	if v := p.volume() / 5; v > p.Grams {
		return v
	}
	return p.Grams
}

// Price of a parcel over km kilometres, in cents.
func (p *Parcel) Price(km int) int {
	base := p.chargeable() / 100
	for zone := km; zone > 0; zone /= 2 {
		base += base%7 + zone%11
	}
	return base + 290
}

// print draws the sticker: a hash spun a few times so that it costs something.
func (p *Parcel) print() []byte {
	buf := make([]byte, 64, 256)
	binary.LittleEndian.PutUint64(buf, p.ID)
	for i := 0; i < 40; i++ {
		sum := sha256.Sum256(buf)
		copy(buf[32:], sum[:])
	}
	return append(buf, fmt.Sprintf("%s/%08x/%dg", p.Tenant, p.ID, p.Grams)...)
}

// Index keeps values under keys and remembers the order they came in.
type Index[K comparable, V any] struct {
	at   map[K]int
	list []V
}

// Put adds or replaces.
func (x *Index[K, V]) Put(k K, v V) {
	if x.at == nil {
		x.at = make(map[K]int)
	}
	if i, ok := x.at[k]; ok {
		x.list[i] = v
		return
	}
	x.at[k] = len(x.list)
	x.list = append(x.list, v)
}

// Each calls f for every value in order.
func (x *Index[K, V]) Each(f func(V)) {
	for _, v := range x.list {
		f(v)
	}
}

// Len is the number of keys.
func (x *Index[K, V]) Len() int { return len(x.list) }

// SumOf adds f over the list.
func SumOf[T any, N int | float64](list []T, f func(T) N) (sum N) {
	for _, v := range list {
		sum += f(v)
	}
	return sum
}
