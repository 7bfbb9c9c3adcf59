#!/bin/sh
# t374-push.t - agents push profiles to a collector: protocols, statuses, secrets
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/cli/lib.sh"
server=snapshot_server.py
. "${top_srcdir:?}/tests/cli/server.sh"
. "${top_srcdir:?}/tests/cli/collect.sh"
cd "$tmp" || exit 1
trap 'kill "$collector_pid" 2>/dev/null; wait; rm -rf "$tmp"' EXIT

# fresh.pb: the profile with a time of today, since older ones are refused
"${PYTHON3:-python3}" "$top_srcdir/tests/cli/retime.py" "$TESTDATA/go-cpu.pb.gz" fresh.pb.gz $(($(date +%s) - 60))
gzip -dc fresh.pb.gz >fresh.pb
"$CPA" top fresh.pb | grep -v -e ^File -e ^Build -e ^Time >want

collector --listen=127.0.0.1:0
port=$("${PYTHON3:-python3}" "$top_srcdir/tests/cli/collect_client.py" "$tmp/store" GET /status.json | tail -n +2 |
	"${PYTHON3:-python3}" -c 'import json, sys; print(json.load(sys.stdin)["listen"][1].rpartition(":")[2])')

# post STATUS DESCRIPTION PATH [HEADER...] <BODY: checks the status of a push
post() {
	want_code=$1 description=$2
	shift 2
	client_at "127.0.0.1:$port" POST "$@"
	[ "$code" = "$want_code" ] || note body
	is_equal "$code" "$want_code" "$description"
}

# stored SERVICE: prints the report of the profiles of a service
stored() {
	"$CPA" top "store:$1@-1h" 2>/dev/null | grep -v -e ^File -e ^Build -e ^Time -e ^store
}

post 204 'a plain profile is stored' '/v1/profiles?service=plain&env=test' <fresh.pb.gz
stored plain >got
same 'a plain profile is read back as it was sent' want got
post 204 'a repeated profile gets the same response' '/v1/profiles?service=plain&env=test' <fresh.pb.gz
is_equal "$("$CPA" store ls | awk '$1 == "plain" { print $4 }')" 1 'a repeated profile is stored once'
gzip -c fresh.pb.gz >in
post 204 'a body may be compressed' '/v1/profiles?service=packed' 'Content-Encoding: gzip' <in
post 200 'ingest takes pprof' '/ingest?name=ing%7Benv%3Dtest%7D&format=pprof&spyName=gospy' <fresh.pb
stored ing >got
same 'a profile of ingest is read back as it was sent' want got
printf -- '--b\r\nContent-Disposition: form-data; name="profile"; filename="p"\r\n\r\n%s' '' >multipart
cat fresh.pb.gz >>multipart
printf -- '\r\n--b--\r\n' >>multipart
post 200 'ingest takes multipart bodies' '/pyroscope/ingest?name=multi&format=pprof' 'Content-Type: multipart/form-data; boundary=b' <multipart
stored multi >got
same 'a multipart profile is read back as it was sent' want got
now=$(date +%s)
printf 'main;work;deep 3\nmain;work 1\n' >in
post 200 'ingest takes folded text' "/ingest?name=py.cpu&sampleRate=100&from=$((now - 10))&until=$now" <in
is_equal "$(stored py | awk '$6 == "deep" { print $1 }')" 30ms 'folded text is a profile of CPU time'
client_py() { "${PYTHON3:-python3}" "$top_srcdir/tests/cli/collect_client.py" push "$@"; }
client_py proto fresh.pb.gz conn process_cpu >push.bin
post 200 'push.v1 takes a message' /push.v1.PusherService/Push 'Content-Type: application/proto' <push.bin
is_equal "$(wc -c <body)" 0 'the response to a message is an empty message'
stored conn >got
same 'a profile of push.v1 is read back as it was sent' want got
client_py json fresh.pb.gz connjson process_cpu | gzip -c >push.json.gz
post 200 'push.v1 takes compressed JSON' /push.v1.PusherService/Push 'Content-Type: application/json' 'Content-Encoding: gzip' <push.json.gz
is_equal "$(cat body)" '{}' 'the response to JSON is JSON'
is_equal "$("$CPA" store ls --labels 'connjson' 2>/dev/null | grep -c -e env -e test)" 1 'labels of an agent are those of the series'

# refusals
printf 'nothing' >in
post 400 'a body that is not a profile is refused' '/v1/profiles?service=x' <in
post 400 'a profile without a service is refused' '/v1/profiles?env=x' <fresh.pb.gz
post 422 'a profile of another day is refused' '/v1/profiles?service=old' <"$TESTDATA/go-cpu.pb.gz"
printf 'x' >in
post 415 'a format that is not read is refused' '/ingest?name=x&format=nettrace' <in
printf 'x' >in
post 415 'another encoding is refused' '/ingest?name=x' 'Content-Encoding: br' <in
printf 'x' >in
post 415 'another content type is refused' /push.v1.PusherService/Push 'Content-Type: text/plain' <in
is_equal "$(cat body)" '{"code": "invalid_argument", "message": "Content-Type must be application/proto or application/json"}' 'errors of push.v1 are JSON'
printf '{' >in
post 400 'bad JSON is refused' /push.v1.PusherService/Push 'Content-Type: application/json' <in
post 413 'a body above 32 MiB is refused' '/v1/profiles?service=x' 'Content-Length: 40000000' </dev/null
head -c 300000000 /dev/zero | gzip -1 >in
post 413 'a body that unpacks to 300 MB is refused' '/v1/profiles?service=x' 'Content-Encoding: gzip' <in
post 403 'a request of a web page is refused' '/v1/profiles?service=web' 'Origin: http://evil.example' <fresh.pb.gz
is_equal "$("$CPA" store ls | grep -c -e '^x ' -e '^web ' -e '^old ')" 0 'nothing of a refused request is stored'
client_at "127.0.0.1:$port" POST /api/v1/store </dev/null
is_equal "$code" 404 'commands of cpa store are for the socket of the user only'
collector_end
is_equal "$status" 0 'the collector ends without an error'

# secrets
head -c 40 /dev/urandom | od -An -tx1 | tr -d ' \n' >secret
chmod 600 secret
cat >push.cpa <<END
store $tmp/store
listen 127.0.0.1:0 secret=$tmp/secret service=shop*
push pprof
END
collector push.cpa
port=$("$CPA" collect --status --store="$tmp/store" --json | "${PYTHON3:-python3}" -c 'import json, sys; print(json.load(sys.stdin)["listen"][1].rpartition(":")[2])')
post 401 'a secret is required' '/v1/profiles?service=shop-a' <fresh.pb.gz
post 401 'a wrong secret is refused' '/v1/profiles?service=shop-a' 'Authorization: Bearer 0123' <fresh.pb.gz
post 204 'the secret is accepted' '/v1/profiles?service=shop-a' "Authorization: Bearer $(cat secret)" <fresh.pb.gz
post 403 'a secret allows only its services' '/v1/profiles?service=other' "Authorization: Bearer $(cat secret)" <fresh.pb.gz
printf 'a 1\n' >in
post 403 'a protocol that is not enabled is refused' '/ingest?name=shop-b' "Authorization: Bearer $(cat secret)" <in
client_at "127.0.0.1:$port" GET /healthz
is_equal "$code" 200 'health needs no secret'
client_at "127.0.0.1:$port" GET /metrics
is_equal "$code" 401 'metrics need the secret'
printf 'every nonsense\n' >>push.cpa
kill -HUP "$collector_pid"
waits 'an invalid file is reported' grep -q 'reload=failed' "$tmp/log.collect"
client_at "127.0.0.1:$port" GET /readyz
is_equal "$code" 200 'the old configuration stays in force'
collector_end INT
is_equal "$status" 0 'Ctrl-C ends the collector'
printf 'listen 0.0.0.0:0\n' >open.cpa
fails 'has no secret\|secret' collect --store="$tmp/store" open.cpa

# TLS
openssl req -x509 -newkey rsa:2048 -nodes -keyout key.pem -out cert.pem -days 30 -subj /CN=localhost \
	-addext subjectAltName=DNS:localhost 2>/dev/null
cat cert.pem key.pem >server.pem
printf 'listen 0.0.0.0:0 secret=%s\n' "$tmp/secret" >tls.cpa
fails 'other machines could connect without TLS; add tls=FILE' collect --store="$tmp/store" tls.cpa
printf 'listen 0.0.0.0:0 secret=%s tls=%s\n' "$tmp/secret" "$tmp/cert.pem" >tls.cpa
fails 'the TLS file needs a certificate and its private key' collect --store="$tmp/store" tls.cpa
printf 'listen 0.0.0.0:0 secret=%s tls=%s\n' "$tmp/secret" "$tmp/server.pem" >tls.cpa
collector tls.cpa
port=$("$CPA" collect --status --store="$tmp/store" --json | "${PYTHON3:-python3}" -c 'import json, sys; print(json.load(sys.stdin)["listen"][1].rpartition(":")[2])')
client_at "https:$port:cert.pem" POST '/v1/profiles?service=tls' "Authorization: Bearer $(cat secret)" <fresh.pb.gz
is_equal "$code" 204 'a profile is pushed over TLS'
client_at "https:$port:cert.pem" POST '/v1/profiles?service=tls' <fresh.pb.gz
is_equal "$code" 401 'TLS does not replace the secret'
client_at "127.0.0.1:$port" GET /healthz
is_equal "$code" '' 'a listener with TLS does not answer plain HTTP'
stored tls >got
same 'a profile pushed over TLS is read back as it was sent' want got
collector_end
is_equal "$status" 0 'a collector with TLS ends without an error'

done_testing
