// main.go - a program that profiles itself, and sends the profiles with the messages that Parca publishes
//
// SPDX-License-Identifier: Apache-2.0
//
// usage: agent URL SERVICE SECONDS     a request by gRPC-Web, one by the Connect protocol, one to the JSON gateway
package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"net/http"
	"os"
	"runtime/pprof"
	"strconv"
	"time"

	parca "github.com/parca-dev/parca/gen/proto/go/parca/profilestore/v1alpha1"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
)

func capture(d time.Duration) (cpu, heap bytes.Buffer) {
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
	return cpu, heap
}

func post(url, kind string, body []byte) []byte {
	answer, err := http.Post(url, kind, bytes.NewReader(body))
	if err != nil || answer.StatusCode != 200 {
		panic(fmt.Sprint(err, answer))
	}
	data, err := io.ReadAll(answer.Body)
	if err != nil {
		panic(err)
	}
	return data
}

func series(name, service string, profile []byte) *parca.RawProfileSeries {
	labels := &parca.LabelSet{}
	for _, l := range [][2]string{{"__name__", name}, {"job", service}, {"instance", "localhost:6060"}} {
		labels.Labels = append(labels.Labels, &parca.Label{Name: l[0], Value: l[1]})
	}
	return &parca.RawProfileSeries{Labels: labels, Samples: []*parca.RawSample{{RawProfile: profile}}}
}

func main() {
	const path = "/parca.profilestore.v1alpha1.ProfileStoreService/WriteRaw"
	seconds, err := strconv.Atoi(os.Args[3])
	if err != nil {
		panic(err)
	}
	for round := 0; round < 3; round++ {
		cpu, heap := capture(time.Duration(seconds) * time.Second / 5)
		m := &parca.WriteRawRequest{Series: []*parca.RawProfileSeries{
			series("process_cpu", os.Args[2], cpu.Bytes()), series("memory", os.Args[2], heap.Bytes())}}
		data, err := proto.Marshal(m)
		if err != nil {
			panic(err)
		}
		switch round {
		case 0:
			frame := append([]byte{0, 0, 0, 0, 0}, data...)
			binary.BigEndian.PutUint32(frame[1:], uint32(len(data)))
			answer := post(os.Args[1]+path, "application/grpc-web+proto", frame)
			if !bytes.Contains(answer, []byte("grpc-status: 0\r\n")) {
				panic(string(answer))
			}
		case 1:
			post(os.Args[1]+path, "application/proto", data)
		case 2:
			text, err := protojson.Marshal(m)
			if err != nil {
				panic(err)
			}
			post(os.Args[1]+"/api/profiles/writeraw", "application/json", text)
		}
	}
}
