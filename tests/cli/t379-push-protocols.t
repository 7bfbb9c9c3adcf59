#!/bin/sh
# t379-push-protocols.t - Datadog's libraries, clients of Parca and of OTLP push profiles
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/cli/lib.sh"
. "${top_srcdir:?}/tests/cli/collect.sh"
cd "$tmp" || exit 1
trap 'kill "$collector_pid" 2>/dev/null; wait; rm -rf "$tmp"' EXIT
start=$(($(date +%s) - 120))
"${PYTHON3:-python3}" "$top_srcdir/tests/cli/stored_profiles.py" cpu cpu "$start" 10 2
"${PYTHON3:-python3}" "$top_srcdir/tests/cli/stored_profiles.py" mutex mutex "$start" 10 1
bodies() { "${PYTHON3:-python3}" "$top_srcdir/tests/cli/push_bodies.py" "$@"; }

# listed SERVICE: prints the kinds of a service with the number of profiles and the labels
listed() {
	"$CPA" store ls --json --labels 2>/dev/null | "${PYTHON3:-python3}" -c '
import json, sys
rows = [r for r in json.load(sys.stdin) if r["service"] == sys.argv[1]]
print(*sorted("%s:%s" % (r["kind"], r["profiles"]) for r in rows))
print(*sorted({r["labels"] for r in rows}))' "$1"
}

collector --listen=127.0.0.1:0
at=$(listening)

# post STATUS PATH [HEADER...] <BODY
post() {
	want_code=$1
	shift
	client_at "$at" POST "$@"
	[ "$code" = "$want_code" ] || note answer
	is_equal "$code" "$want_code" "the status of $1 is $want_code"
}

post 204 "/v1/profiles?service=packed&from=$start&until=$((start + 1))" 'Content-Encoding: zstd' <"$TESTDATA/edge/zstd.pb.zst"
printf 'x' >in
post 400 '/v1/profiles?service=packed' 'Content-Encoding: zstd' <in

# Datadog
form='Content-Type: multipart/form-data; boundary=b'
echo '[]' >metrics.json
bodies datadog cpu.pprof=cpu/000.pb.gz delta-block.pprof=mutex/000.pb.gz metrics.json=metrics.json >in
post 200 /profiling/v1/input "$form" <in
is_equal "$(wc -c <body)" 0 'the response has no body'
grep -q '^Cpa-Skipped: metrics.json' client.err
result $? 'the response names files that are not profiles'
is_equal "$(listed dd)" 'block:1 cpu:1
env=test,host=h,version=1.2' 'an upload of Datadog has a series per file, with its tags'
post 200 /api/v2/profile "$form" 'DD-API-KEY: 0' <in
is_equal "$(listed dd | head -n 1)" 'block:1 cpu:1' 'a repeated upload is stored once'
bodies datadog cpu.pprof=metrics.json >in
post 400 /profiling/v1/input "$form" <in
post 415 /profiling/v1/input 'Content-Type: application/json' <in

# Parca
write_raw=/parca.profilestore.v1alpha1.ProfileStoreService/WriteRaw
bodies grpc-web cpu/000.pb.gz web >in
post 200 "$write_raw" 'Content-Type: application/grpc-web+proto' <in
is_equal "$(tail -c 16 body)" "$(printf 'grpc-status: 0\r')" 'the trailers of gRPC-Web are in the body'
is_equal "$(listed web)" 'cpu:1
instance=h:1,job=web' 'the service of a client of Parca is its job'
bodies proto cpu/001.pb.gz web >in
post 200 "$write_raw" 'Content-Type: application/proto' <in
bodies json cpu/001.pb.gz gateway >in
post 200 /api/profiles/writeraw 'Content-Type: application/json' <in
is_equal "$(cat body)" '{}' 'the gateway responds with JSON'
is_equal "$(listed web | head -n 1) $(listed gateway | head -n 1)" 'cpu:2 cpu:1' 'the other forms of Parca are stored'
printf 'x' >in
post 200 "$write_raw" 'Content-Type: application/grpc-web+proto' <in
grep -aq 'grpc-status: 3' body && grep -aq '^grpc-message: the%20body%20has%20no%20frame' body
result $? 'errors of gRPC-Web are in its trailers'
printf 'x' >in
post 400 /api/profiles/writeraw <in
grep -q '^{"code": 3, "message": "the body is not JSON' body
result $? 'errors of the gateway are JSON'
printf 'x' >in
post 415 "$write_raw" 'Content-Type: application/grpc' <in

# OTLP
json='Content-Type: application/json'
bodies otlp shop 60 | gzip -c >in
post 200 /v1development/profiles "$json" 'Content-Encoding: gzip' <in
is_equal "$(cat body)" '{}' 'OTLP has the content type of its request'
is_equal "$(listed shop)" 'cpu:1
host.name=h0' 'attributes of a resource are labels'
bodies otlp shop 30 20 90000 >in
post 200 /v1development/profiles "$json" <in
grep -q '^{"partialSuccess": {"rejectedProfiles": "1", "errorMessage": "profile 3 of kind .*too long ago' body
result $? 'a part that is refused does not stop the others, and is counted'
is_equal "$(listed shop)" 'cpu:1 cpu:2
host.name=h0 host.name=h1' 'each resource is a series'
bodies otlp shop 90000 >in
post 422 /v1development/profiles "$json" <in
printf '{}' >in
post 200 /v1development/profiles "$json" <in
post 200 /v1development/profiles 'Content-Type: application/x-protobuf' </dev/null
printf 'x' >in
post 400 /v1development/profiles 'Content-Type: application/x-protobuf' <in
is_equal "$(bodies status body)" '3 not a message of OTLP profiles' 'errors of OTLP are a google.rpc.Status'
post 415 /v1development/profiles 'Content-Type: text/plain' <in

# Coroot's agent
post 200 '/v1/profiles?service.name=%2Fk8s%2Fshop&container.id=c1&host.name=h' <cpu/000.pb.gz
is_equal "$(listed /k8s/shop)" 'cpu:1
container.id=c1,host.name=h' 'a profile of the agent of Coroot is stored'
collector_end TERM
is_equal "$status" 0 'the collector ends without an error'

printf 'listen 127.0.0.1:0\npush pprof\n' >push.cpa
collector push.cpa
at=$(listening)
bodies grpc-web cpu/000.pb.gz web >in
post 200 "$write_raw" 'Content-Type: application/grpc-web+proto' <in
grep -aq 'grpc-status: 7' body
result $? 'a protocol that is not enabled is refused'
collector_end TERM
done_testing
