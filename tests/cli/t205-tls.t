#!/bin/sh
# t205-tls.t - servers with TLS that require a client certificate
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/cli/lib.sh"
. "${top_srcdir:?}/tests/cli/server.sh"
command -v openssl >/dev/null || { echo "1..0 # SKIP no openssl" && exit 0; }

certificate() { # NAME CA: makes NAME.pem and NAME.key, signed by CA
	openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout "$tmp/$1.key" -out "$tmp/$1.csr" -subj "/CN=$1" 2>/dev/null &&
		printf 'subjectAltName=DNS:localhost,IP:127.0.0.1\n' >"$tmp/ext" &&
		openssl x509 -req -in "$tmp/$1.csr" -CA "$tmp/$2.pem" -CAkey "$tmp/$2.key" -CAcreateserial \
			-out "$tmp/$1.pem" -days 2 -extfile "$tmp/ext" 2>/dev/null
}
for name in ca other; do
	openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout "$tmp/$name.key" -out "$tmp/$name.pem" -subj "/CN=$name" -days 2 2>/dev/null
done
certificate server ca && certificate client ca && certificate untrusted other
openssl pkey -aes128 -passout pass:secret -in "$tmp/client.key" -out "$tmp/locked.key" 2>/dev/null
server_start "$TESTDATA/go-cpu.pb.gz" "$tmp/server.pem" "$tmp/server.key" "$tmp/ca.pem"
"$CPA" top -nodecount=7 go-cpu.pb.gz >"$tmp/want"
url=https://127.0.0.1:$tls/ok
insecure=https+insecure://127.0.0.1:$tls/ok

fetches "accepts a client certificate and a private CA" top -nodecount=7 -tls_ca="$tmp/ca.pem" \
	-tls_cert="$tmp/client.pem" -tls_key="$tmp/client.key" "$url"
fetches "https+insecure accepts any certificate" top -nodecount=7 -tls_cert="$tmp/client.pem" -tls_key="$tmp/client.key" "$insecure"
printf 'X-Secret: open sesame\n' >"$tmp/headers"
chmod 600 "$tmp/headers"
server_log >/dev/null
fetches "follows a redirect from https to http" top -nodecount=7 -header_file="$tmp/headers" -tls_ca="$tmp/ca.pem" \
	-tls_cert="$tmp/client.pem" -tls_key="$tmp/client.key" "https://localhost:$tls/elsewhere"
server_log >"$tmp/requests"
grep -q '^GET secure /elsewhere X-Secret' "$tmp/requests" && grep -q '^GET plain /ok Accept-Encoding=gzip$' "$tmp/requests"
result $? "secrets are not sent after a redirect from https to http" || note "$tmp/requests"
refused 'certificate \(problem: .*\|file: .*ca-certificates)\); trust a CA with -tls_ca=FILE, or any certificate with https+insecure://' top "$url"
refused 'certificate problem: .*; trust a CA with -tls_ca' top -tls_ca="$tmp/other.pem" "$url"
refused 'it may require a client certificate (-tls_cert)$' top -tls_ca="$tmp/ca.pem" "$url"
refused 'alert unknown ca\|closed the connection early' top -tls_cert="$tmp/untrusted.pem" -tls_key="$tmp/untrusted.key" "$insecure"
refused "could not load certificate/key pair .*$tmp/none: No such file" top -tls_cert="$tmp/none" -tls_key="$tmp/client.key" "$insecure"
refused "$tmp/other.key" top -tls_cert="$tmp/client.pem" -tls_key="$tmp/other.key" "$insecure"
refused "$tmp/locked.key" top -tls_cert="$tmp/client.pem" -tls_key="$tmp/locked.key" "$insecure"
refused "$tmp/ext" top -tls_ca="$tmp/ext" "$url"
refused 'tls_cert is specified, so -tls_key must also be specified' top -tls_cert="$tmp/client.pem" "$url"
done_testing
