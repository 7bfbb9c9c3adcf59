// main.go - a program that profiles itself, and exports the profile with the types of go.opentelemetry.io/proto/otlp
//
// SPDX-License-Identifier: Apache-2.0
//
// usage: agent URL SERVICE SECONDS     one request in protocol buffers, compressed, and one in JSON, with two resources each
package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"net/http"
	"os"
	"runtime/pprof"
	"strconv"
	"time"

	"github.com/google/pprof/profile"
	collector "go.opentelemetry.io/proto/otlp/collector/profiles/v1development"
	common "go.opentelemetry.io/proto/otlp/common/v1"
	profiles "go.opentelemetry.io/proto/otlp/profiles/v1development"
	resource "go.opentelemetry.io/proto/otlp/resource/v1"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
)

type tables struct {
	d       *profiles.ProfilesDictionary
	strings map[string]int32
	stacks  map[string]int32
	labels  map[string]int32
}

func newTables() *tables {
	return &tables{&profiles.ProfilesDictionary{StringTable: []string{""}, MappingTable: []*profiles.Mapping{{}},
		LocationTable: []*profiles.Location{{}}, FunctionTable: []*profiles.Function{{}}, LinkTable: []*profiles.Link{{}},
		AttributeTable: []*profiles.KeyValueAndUnit{{}}, StackTable: []*profiles.Stack{{}}},
		map[string]int32{"": 0}, map[string]int32{}, map[string]int32{}}
}

func (t *tables) text(s string) int32 {
	i, ok := t.strings[s]
	if !ok {
		i = int32(len(t.d.StringTable))
		t.strings[s] = i
		t.d.StringTable = append(t.d.StringTable, s)
	}
	return i
}

func (t *tables) stack(s *profile.Sample) int32 {
	key := ""
	for _, l := range s.Location {
		key += fmt.Sprint(l.ID, " ")
	}
	if i, ok := t.stacks[key]; ok {
		return i
	}
	stack := &profiles.Stack{}
	for _, l := range s.Location {
		location := &profiles.Location{Address: l.Address}
		for _, line := range l.Line {
			f := &profiles.Function{NameStrindex: t.text(line.Function.Name), FilenameStrindex: t.text(line.Function.Filename)}
			t.d.FunctionTable = append(t.d.FunctionTable, f)
			location.Lines = append(location.Lines, &profiles.Line{FunctionIndex: int32(len(t.d.FunctionTable) - 1), Line: line.Line})
		}
		t.d.LocationTable = append(t.d.LocationTable, location)
		stack.LocationIndices = append(stack.LocationIndices, int32(len(t.d.LocationTable)-1))
	}
	t.d.StackTable = append(t.d.StackTable, stack)
	t.stacks[key] = int32(len(t.d.StackTable) - 1)
	return t.stacks[key]
}

func text(s string) *common.AnyValue {
	return &common.AnyValue{Value: &common.AnyValue_StringValue{StringValue: s}}
}

func (t *tables) attribute(key, value string) int32 {
	i, ok := t.labels[key+"="+value]
	if !ok {
		i = int32(len(t.d.AttributeTable))
		t.labels[key+"="+value] = i
		t.d.AttributeTable = append(t.d.AttributeTable, &profiles.KeyValueAndUnit{KeyStrindex: t.text(key), Value: text(value)})
	}
	return i
}

// convert makes a message per sample type.
func (t *tables) convert(p *profile.Profile) (out []*profiles.Profile) {
	for k, kind := range p.SampleType {
		one := &profiles.Profile{TimeUnixNano: uint64(p.TimeNanos), DurationNano: uint64(p.DurationNanos), Period: p.Period,
			SampleType: &profiles.ValueType{TypeStrindex: t.text(kind.Type), UnitStrindex: t.text(kind.Unit)}}
		if p.PeriodType != nil {
			one.PeriodType = &profiles.ValueType{TypeStrindex: t.text(p.PeriodType.Type), UnitStrindex: t.text(p.PeriodType.Unit)}
		}
		for _, s := range p.Sample {
			sample := &profiles.Sample{StackIndex: t.stack(s), Values: []int64{s.Value[k]}}
			for key, values := range s.Label {
				sample.AttributeIndices = append(sample.AttributeIndices, t.attribute(key, values[0]))
			}
			one.Samples = append(one.Samples, sample)
		}
		out = append(out, one)
	}
	return out
}

func parse(data *bytes.Buffer) *profile.Profile {
	p, err := profile.Parse(data)
	if err != nil {
		panic(err)
	}
	return p
}

// capture returns profiles of CPU time and of the heap.
func capture(d time.Duration) (*profile.Profile, *profile.Profile) {
	var cpu, heap bytes.Buffer
	if err := pprof.StartCPUProfile(&cpu); err != nil {
		panic(err)
	}
	for until := time.Now().Add(d); time.Now().Before(until); {
		pprof.Do(context.Background(), pprof.Labels("controller", "c1"), func(context.Context) {
			for i, sum := 0, 0; i < 10000000; i++ {
				sum += i * i
			}
		})
	}
	pprof.StopCPUProfile()
	if err := pprof.WriteHeapProfile(&heap); err != nil {
		panic(err)
	}
	return parse(&cpu), parse(&heap)
}

func post(url, kind string, data []byte, packed bool) {
	var body bytes.Buffer
	if packed {
		w := gzip.NewWriter(&body)
		w.Write(data)
		w.Close()
	} else {
		body.Write(data)
	}
	q, _ := http.NewRequest("POST", url+"/v1development/profiles", &body)
	q.Header.Set("Content-Type", kind)
	if packed {
		q.Header.Set("Content-Encoding", "gzip")
	}
	answer, err := http.DefaultClient.Do(q)
	if err != nil || answer.StatusCode != 200 || answer.Header.Get("Content-Type") != kind {
		panic(fmt.Sprint(err, answer))
	}
}

func main() {
	seconds, err := strconv.Atoi(os.Args[3])
	if err != nil {
		panic(err)
	}
	for round := 0; round < 2; round++ {
		t := newTables()
		m := &collector.ExportProfilesServiceRequest{Dictionary: t.d}
		cpu, heap := capture(time.Duration(seconds) * time.Second / 4)
		for i, host := range []string{"one", "two"} {
			all := t.convert(cpu)
			if i == 1 {
				all = append(all, t.convert(heap)...)
			}
			m.ResourceProfiles = append(m.ResourceProfiles, &profiles.ResourceProfiles{
				Resource: &resource.Resource{Attributes: []*common.KeyValue{{Key: "service.name", Value: text(os.Args[2])},
					{Key: "host.name", Value: text(host)}, {Key: "service.version", Value: text("1.2.3")}}},
				ScopeProfiles: []*profiles.ScopeProfiles{{Profiles: all}}})
		}
		if round == 0 {
			data, err := proto.Marshal(m)
			if err != nil {
				panic(err)
			}
			post(os.Args[1], "application/x-protobuf", data, true)
		} else {
			data, err := protojson.Marshal(m)
			if err != nil {
				panic(err)
			}
			post(os.Args[1], "application/json", data, false)
		}
	}
}
