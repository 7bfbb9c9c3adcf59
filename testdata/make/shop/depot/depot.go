// SPDX-License-Identifier: Apache-2.0

// Package depot keeps parcels on shelves behind locks and serves them over HTTP.
package depot

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"runtime/pprof"
	"strconv"
	"sync"
	"time"

	"shop/parcel"
	"shop/route"
)

// Shelf is one locked index.
type Shelf struct {
	mu    sync.Mutex
	index parcel.Index[uint64, *parcel.Parcel]
}

// Depot is the server's state. Audit is the leak: nothing ever takes lines out of it.
type Depot struct {
	shelf  [2]Shelf
	rw     sync.RWMutex
	audit  [][]byte
	belt   chan *parcel.Parcel
	nextID uint64
}

// New starts the belt, which puts parcels on shelves one at a time.
func New() *Depot {
	d := &Depot{belt: make(chan *parcel.Parcel)}
	go d.runBelt()
	return d
}

func (d *Depot) runBelt() {
	pprof.SetGoroutineLabels(pprof.WithLabels(context.Background(), pprof.Labels("role", "belt")))
	for p := range d.belt {
		s := &d.shelf[p.ID%2]
		s.mu.Lock()
		s.index.Put(p.ID%512, p)
		time.Sleep(50 * time.Microsecond) // the arm is slow and holds the lock
		s.mu.Unlock()
	}
}

func (d *Depot) note(line string) {
	d.rw.Lock()
	defer d.rw.Unlock()
	d.audit = append(d.audit, append(make([]byte, 0, 16<<10), line...))
}

// Routes gives the handler of each path, wrapped so that samples carry labels.
func (d *Depot) Routes() http.Handler {
	mux := http.NewServeMux()
	handle := func(path string, h func(http.ResponseWriter, *http.Request)) {
		mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
			labels := pprof.Labels("route", path, "tenant", r.FormValue("tenant"))
			pprof.Do(r.Context(), labels, func(ctx context.Context) { h(w, r.WithContext(ctx)) })
		})
	}
	handle("/accept", d.accept)
	handle("/quote", d.quote)
	handle("/tour", d.tour)
	handle("/export", d.export)
	handle("/pickup", d.pickup)
	return mux
}

func (d *Depot) accept(w http.ResponseWriter, r *http.Request) {
	d.rw.Lock()
	d.nextID++
	id := d.nextID
	d.rw.Unlock()
	p := parcel.New(id, r.FormValue("tenant"))
	d.note(fmt.Sprintf("accepted %d from %s", id, p.Tenant))
	d.belt <- p
	fmt.Fprintln(w, id)
}

func (d *Depot) quote(w http.ResponseWriter, r *http.Request) {
	km, _ := strconv.Atoi(r.FormValue("km"))
	total := 0
	for i := range d.shelf {
		s := &d.shelf[i]
		s.mu.Lock()
		var all []*parcel.Parcel
		s.index.Each(func(p *parcel.Parcel) { all = append(all, p) })
		s.mu.Unlock()
		for round := 0; round < 60; round++ {
			total += parcel.SumOf(all, func(p *parcel.Parcel) int { return p.Price(km + round) })
		}
	}
	fmt.Fprintln(w, total)
}

func (d *Depot) tour(w http.ResponseWriter, r *http.Request) {
	n, _ := strconv.Atoi(r.FormValue("stops"))
	p := route.Planner{}
	for i := 0; i < n; i++ {
		p.Stops = append(p.Stops, route.Stop{X: i * 37 % 101, Y: i * 53 % 97})
	}
	better := 0
	p.Visit = func(int) { better++ }
	km := p.Shortest()
	if r.ContentLength == 0 && better > 1 {
		d.note(fmt.Sprintf("tour of %d stops: %d km", n, km))
	}
	fmt.Fprintln(w, km, better, route.Even(n, uint32(n)))
}

// pickup waits for a parcel that nobody brings: a goroutine that is mostly found blocked.
func (d *Depot) pickup(w http.ResponseWriter, r *http.Request) {
	patience := time.NewTimer(30 * time.Millisecond)
	defer patience.Stop()
	select {
	case <-r.Context().Done():
	case <-patience.C:
		http.Error(w, "come back tomorrow", http.StatusNotFound)
	}
}

func (d *Depot) export(w http.ResponseWriter, r *http.Request) {
	var buf bytes.Buffer
	z := gzip.NewWriter(&buf)
	enc := json.NewEncoder(z)
	for i := range d.shelf {
		s := &d.shelf[i]
		s.mu.Lock()
		s.index.Each(func(p *parcel.Parcel) { _ = enc.Encode(p) })
		s.mu.Unlock()
	}
	z.Close()
	w.Write(buf.Bytes())
}
