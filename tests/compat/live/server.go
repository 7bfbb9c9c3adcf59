// server.go - a program with net/http/pprof, which serves every kind of connection that cpa supports
//
// SPDX-License-Identifier: Apache-2.0
//
// usage: server SOCKET CERT KEY CLIENT_CA
// Prints one line: the ports of plain HTTP, of TLS with a client certificate, and of HTTP
// that requires the header "X-Secret: open sesame" and the token "tok-123". Ends with its standard input.
package main

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net"
	"net/http"
	_ "net/http/pprof"
	"os"
	"runtime"
	"sync"
	"time"
)

var (
	mu    sync.Mutex
	keep  [][]byte
	total int
)

//go:noinline
func spin(n int) int {
	x := 0
	for i := 0; i < n; i++ {
		x += i ^ (x << 1)
	}
	return x
}

//go:noinline
func contend() {
	mu.Lock()
	total += spin(200000)
	mu.Unlock()
}

func work() {
	for {
		contend()
		time.Sleep(time.Millisecond)
	}
}

func listen(network, address string) net.Listener {
	l, err := net.Listen(network, address)
	if err != nil {
		panic(err)
	}
	return l
}

func port(l net.Listener) int {
	return l.Addr().(*net.TCPAddr).Port
}

func guarded(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("X-Secret") != "open sesame" || r.Header.Get("Authorization") != "Bearer tok-123" {
		http.Error(w, "who are you", http.StatusForbidden)
		return
	}
	http.DefaultServeMux.ServeHTTP(w, r)
}

func tlsConfig(ca string) *tls.Config {
	pem, err := os.ReadFile(ca)
	if err != nil {
		panic(err)
	}
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(pem)
	return &tls.Config{ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: pool}
}

func main() {
	runtime.SetMutexProfileFraction(1)
	runtime.SetBlockProfileRate(1)
	for i := 0; i < 3; i++ {
		go work()
	}
	for i := 0; i < 64; i++ {
		keep = append(keep, make([]byte, 1<<20))
	}
	plain, guard, secure := listen("tcp", "127.0.0.1:0"), listen("tcp", "127.0.0.1:0"), listen("tcp", "127.0.0.1:0")
	socket := listen("unix", os.Args[1])
	go http.Serve(plain, nil)
	go http.Serve(socket, nil)
	go http.Serve(guard, http.HandlerFunc(guarded))
	server := &http.Server{TLSConfig: tlsConfig(os.Args[4])}
	go server.ServeTLS(secure, os.Args[2], os.Args[3])
	time.Sleep(300 * time.Millisecond)
	fmt.Println(port(plain), port(secure), port(guard))
	io.Copy(io.Discard, os.Stdin)
}
