// main.go - decodes recorded requests, and files of pprof, with the libraries of their inventors
//
// SPDX-License-Identifier: Apache-2.0
//
// usage: decode FOLDER | FILE.pb.gz...     FOLDER: of record.py
// Prints an object of JSON per profile and line: service, labels, types, rows with the names of their frames, leaf first. Files that
// are not profiles of pprof, such as recordings of Java, have a line with their name.
package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"strconv"
	"strings"

	"github.com/google/pprof/profile"
	"github.com/klauspost/compress/zstd"
	parca "github.com/parca-dev/parca/gen/proto/go/parca/profilestore/v1alpha1"
	"github.com/pierrec/lz4/v4"
	collector "go.opentelemetry.io/proto/otlp/collector/profiles/v1development"
	common "go.opentelemetry.io/proto/otlp/common/v1"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
)

type row struct {
	Stack  []string          `json:"stack"`
	Labels map[string]string `json:"labels"`
	Values []int64           `json:"values"`
}

type decoded struct {
	Service string            `json:"service"`
	File    string            `json:"file"`
	Labels  map[string]string `json:"labels"`
	Types   []string          `json:"types"`
	Rows    []row             `json:"rows"`

	IsRecording bool `json:"is_recording"` // of Java; the rows have no stacks
	recording   []byte
}

type request struct {
	Path    string            `json:"path"`
	Headers map[string]string `json:"headers"`
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}

func print(d decoded) {
	line, err := json.Marshal(d)
	check(err)
	fmt.Println(string(line))
}

// inflate decompresses gzip, zstd and LZ4, each recognized by its first bytes.
func inflate(data []byte) []byte {
	var r io.Reader
	var err error
	switch {
	case bytes.HasPrefix(data, []byte{0x1f, 0x8b}):
		r, err = gzip.NewReader(bytes.NewReader(data))
	case bytes.HasPrefix(data, []byte{0x28, 0xb5, 0x2f, 0xfd}):
		r, err = zstd.NewReader(bytes.NewReader(data))
	case bytes.HasPrefix(data, []byte{0x04, 0x22, 0x4d, 0x18}):
		r = lz4.NewReader(bytes.NewReader(data))
	default:
		return data
	}
	check(err)
	out, err := io.ReadAll(r)
	check(err)
	return out
}

func pprof(d decoded, data []byte) decoded {
	p, err := profile.Parse(bytes.NewReader(inflate(data)))
	if err != nil {
		d.File += ": " + err.Error()
		return d
	}
	for _, t := range p.SampleType {
		d.Types = append(d.Types, t.Type)
	}
	for _, s := range p.Sample {
		r := row{Labels: map[string]string{}, Values: s.Value}
		for _, l := range s.Location {
			for _, line := range l.Line {
				r.Stack = append(r.Stack, line.Function.Name)
			}
			if len(l.Line) == 0 {
				r.Stack = append(r.Stack, "?")
			}
		}
		for k, v := range s.Label {
			r.Labels[k] = strings.Join(v, "|")
		}
		for k, v := range s.NumLabel {
			r.Labels[k] = fmt.Sprint(v)
		}
		d.Rows = append(d.Rows, r)
	}
	return d
}

// contextLabels decodes a LabelsSnapshot: the labels of each context.
func contextLabels(data []byte) map[string]map[string]string {
	texts, contexts := map[uint64]string{}, map[uint64][]byte{}
	each(data, func(number protowire.Number, entry []byte) {
		id, _, value := pair(entry)
		if number == 2 {
			texts[id] = string(value)
		} else {
			contexts[id] = value
		}
	})
	out := map[string]map[string]string{}
	for id, context := range contexts {
		labels := map[string]string{}
		each(context, func(_ protowire.Number, entry []byte) {
			key, value, _ := pair(entry)
			labels[texts[key]] = texts[value]
		})
		out[fmt.Sprint(id)] = labels
	}
	return out
}

// each calls f for each field of a message, all of which are bytes.
func each(data []byte, f func(protowire.Number, []byte)) {
	for len(data) > 0 {
		number, _, n := protowire.ConsumeTag(data)
		value, m := protowire.ConsumeBytes(data[n:])
		f(number, value)
		data = data[n+m:]
	}
}

// pair returns the fields of an entry of a map: the key, and the value as number or bytes.
func pair(data []byte) (key, number uint64, value []byte) {
	for len(data) > 0 {
		field, kind, n := protowire.ConsumeTag(data)
		data = data[n:]
		if kind == protowire.BytesType {
			value, n = protowire.ConsumeBytes(data)
		} else if number, n = protowire.ConsumeVarint(data); field == 1 {
			key = number
		}
		data = data[n:]
	}
	return key, number, value
}

// recording adds up the events of a recording of Java with the reader of the JDK.
func recording(d decoded, data []byte, labels map[string]map[string]string) {
	name := filepath.Join(os.TempDir(), fmt.Sprint("decode-", os.Getpid(), ".jfr"))
	check(os.WriteFile(name, data, 0o600))
	defer os.Remove(name)
	out, err := exec.Command("java", os.Getenv("RECORDING_JAVA"), name).Output()
	check(err)
	for _, line := range strings.Split(strings.TrimSpace(string(out)), "\n") {
		part := strings.Split(line, "\t")
		sum, err := strconv.ParseInt(part[2], 10, 64)
		check(err)
		one := d
		one.IsRecording = true
		one.Types = []string{part[0]}
		one.Rows = []row{{Labels: labels[part[1]], Values: []int64{sum}}}
		print(one)
	}
}

// ingest decodes a push of Pyroscope's agent for Java.
func ingest(q request, body []byte) {
	u, err := url.Parse(q.Path)
	check(err)
	service, rest, _ := strings.Cut(u.Query().Get("name"), "{")
	d := decoded{Service: service, Labels: map[string]string{}}
	for _, label := range strings.Split(strings.TrimSuffix(rest, "}"), ",") {
		k, v, _ := strings.Cut(label, "=")
		d.Labels[strings.TrimSpace(k)] = strings.Trim(v, "\"")
	}
	_, params, err := mime.ParseMediaType(q.Headers["Content-Type"])
	check(err)
	form := multipart.NewReader(bytes.NewReader(body), params["boundary"])
	var data []byte
	var labels map[string]map[string]string
	for {
		part, err := form.NextPart()
		if err == io.EOF {
			break
		}
		check(err)
		content, err := io.ReadAll(part)
		check(err)
		if part.FormName() == "jfr" {
			data = inflate(content)
		} else {
			labels = contextLabels(inflate(content))
		}
	}
	recording(d, data, labels)
}

func datadog(q request, body []byte) {
	_, params, err := mime.ParseMediaType(q.Headers["Content-Type"])
	check(err)
	form := multipart.NewReader(bytes.NewReader(body), params["boundary"])
	labels := map[string]string{}
	var files []decoded
	for {
		part, err := form.NextPart()
		if err == io.EOF {
			break
		}
		check(err)
		data, err := io.ReadAll(part)
		check(err)
		if part.FormName() == "event" {
			var event struct {
				Tags string `json:"tags_profiler"`
			}
			check(json.Unmarshal(data, &event))
			for _, tag := range strings.Split(event.Tags, ",") {
				k, v, _ := strings.Cut(tag, ":")
				labels[k] = v
			}
		} else if strings.HasSuffix(part.FileName(), ".pprof") {
			files = append(files, pprof(decoded{File: part.FileName()}, data))
		} else {
			files = append(files, decoded{File: part.FileName(), recording: data})
		}
	}
	for _, d := range files {
		d.Service, d.Labels = labels["service"], labels
		if strings.HasSuffix(d.File, ".jfr") {
			recording(d, inflate(d.recording), nil)
		} else {
			print(d)
		}
	}
}

func writeRaw(q request, body []byte) {
	var m parca.WriteRawRequest
	kind := q.Headers["Content-Type"]
	switch {
	case strings.HasPrefix(kind, "application/grpc-web"):
		check(proto.Unmarshal(body[5:], &m))
	case strings.HasPrefix(kind, "application/json"):
		check(protojson.Unmarshal(body, &m))
	default:
		check(proto.Unmarshal(body, &m))
	}
	for _, s := range m.Series {
		labels := map[string]string{}
		for _, l := range s.Labels.Labels {
			labels[l.Name] = l.Value
		}
		for _, sample := range s.Samples {
			print(pprof(decoded{Service: labels["job"], Labels: labels}, sample.RawProfile))
		}
	}
}

func value(v *common.AnyValue) string {
	if s, ok := v.Value.(*common.AnyValue_StringValue); ok {
		return s.StringValue
	}
	return fmt.Sprint(v.GetIntValue())
}

func otlp(q request, body []byte) {
	var m collector.ExportProfilesServiceRequest
	if strings.HasPrefix(q.Headers["Content-Type"], "application/json") {
		check(protojson.Unmarshal(body, &m))
	} else {
		check(proto.Unmarshal(body, &m))
	}
	d := m.Dictionary
	for _, r := range m.ResourceProfiles {
		labels := map[string]string{}
		for _, a := range r.GetResource().GetAttributes() {
			labels[a.Key] = value(a.Value)
		}
		if labels["service.name"] == "" {
			labels["service.name"] = "unknown_service"
		}
		for _, scope := range r.ScopeProfiles {
			for _, p := range scope.Profiles {
				out := decoded{Service: labels["service.name"], Labels: labels,
					Types: []string{d.StringTable[p.SampleType.TypeStrindex]}}
				for _, s := range p.Samples {
					sum := int64(0)
					for _, v := range s.Values {
						sum += v
					}
					one := row{Labels: map[string]string{}, Values: []int64{sum}}
					for _, l := range d.StackTable[s.StackIndex].LocationIndices {
						for _, line := range d.LocationTable[l].Lines {
							name := d.FunctionTable[line.FunctionIndex].NameStrindex
							one.Stack = append(one.Stack, d.StringTable[name])
						}
					}
					for _, a := range s.AttributeIndices {
						t := d.AttributeTable[a]
						one.Labels[d.StringTable[t.KeyStrindex]] = value(t.Value)
					}
					out.Rows = append(out.Rows, one)
				}
				print(out)
			}
		}
	}
}

func recorded(name string) {
	var q request
	data, err := os.ReadFile(name)
	check(err)
	check(json.Unmarshal(data, &q))
	headers := map[string]string{}
	for k, v := range q.Headers {
		headers[http.CanonicalHeaderKey(k)] = v
	}
	q.Headers = headers
	body, err := os.ReadFile(strings.TrimSuffix(name, ".json") + ".body")
	check(err)
	if q.Headers["Content-Encoding"] == "gzip" {
		body = inflate(body)
	}
	switch {
	case strings.Contains(q.Path, "/profiling/") || strings.Contains(q.Path, "/api/v2/profile"):
		datadog(q, body)
	case strings.Contains(strings.ToLower(q.Path), "writeraw"):
		writeRaw(q, body)
	case strings.Contains(q.Path, "/v1development/profiles"):
		otlp(q, body)
	case strings.HasPrefix(q.Path, "/ingest"):
		ingest(q, body)
	default:
		print(decoded{File: "unknown request: " + q.Path})
	}
}

func main() {
	if info, err := os.Stat(os.Args[1]); err == nil && info.IsDir() {
		names, err := filepath.Glob(filepath.Join(os.Args[1], "*.json"))
		check(err)
		sort.Strings(names)
		for _, name := range names {
			recorded(name)
		}
		return
	}
	for _, name := range os.Args[1:] {
		data, err := os.ReadFile(name)
		check(err)
		print(pprof(decoded{File: filepath.Base(name)}, data))
	}
}
