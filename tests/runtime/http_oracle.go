// http_oracle.go - a server in Go, to compare its answers to unusual requests
//
// SPDX-License-Identifier: Apache-2.0
//
// usage: http_oracle
// Prints its port. Ends with its standard input.
package main

import (
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
)

func main() {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	http.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		body := []byte("-")
		if r.Method == "POST" {
			body, err = io.ReadAll(r.Body)
			if err != nil {
				http.Error(w, err.Error(), http.StatusBadRequest)
				return
			}
		}
		fmt.Fprintf(w, "%s %s %s %s\n", r.Method, r.URL.RequestURI(), r.Host, body)
	})
	fmt.Println(l.Addr().(*net.TCPAddr).Port)
	log.SetOutput(io.Discard)
	go http.Serve(l, nil)
	io.Copy(io.Discard, os.Stdin)
}
