#!/bin/sh
# t377-push-access.t - services that holders of a secret may push and read, limits of clients
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/cli/lib.sh"
. "${top_srcdir:?}/tests/cli/collect.sh"
cd "$tmp" || exit 1
trap 'kill "$collector_pid" 2>/dev/null; wait; rm -rf "$tmp"' EXIT
start=$(($(date +%s) - 120))
"${PYTHON3:-python3}" "$top_srcdir/tests/cli/stored_profiles.py" cpu cpu "$start" 10 1
for name in all some agent; do
	head -c 40 /dev/urandom | od -An -tx1 | tr -d ' \n' >"$name.secret"
	chmod 600 "$name.secret"
done
cat >push.cpa <<END
store $tmp/store
push-rate 0
listen 127.0.0.1:0 secret=$tmp/all.secret secret=$tmp/some.secret service=shop*,pay secret=$tmp/agent.secret user=agent service=shop-a
END
all="Authorization: Bearer $(cat all.secret)" some="Authorization: Bearer $(cat some.secret)"

# status STATUS DESCRIPTION METHOD PATH [HEADER...]
status() {
	want_code=$1 description=$2
	shift 2
	client_at "$at" "$@" <cpu/000.pb.gz
	[ "$code" = "$want_code" ] || note answer
	is_equal "$code" "$want_code" "$description"
}

collector push.cpa
at=$(listening)
for service in shop-a shop-b pay bank; do
	status 204 "a secret without services pushes $service" POST "/v1/profiles?service=$service" "$all"
done
status 403 'a limited secret does not push another service' POST '/v1/profiles?service=bank' "$some"
for source in shop-a pay shop-b 'shop*' 'shop-?'; do
	status 200 "a limited secret reads $source" GET "/api/v1/profile?q=store:$source@-1h" "$some"
	status 200 "a secret without services reads $source" GET "/api/v1/profile?q=store:$source@-1h" "$all"
done
for source in bank '*' 's*' '?ank' 'shop' 'pay*' 'p?y'; do
	status "$([ "$source" = shop ] && echo 404 || echo 403)" "a limited secret does not read $source" GET "/api/v1/profile?q=store:$source@-1h" "$some"
	grep -q -e shop-a -e bank body && [ "$source" != bank ]
	is_equal "$?" 1 "the response to $source has no names of services"
done
for path in / /status.json /status.txt /metrics; do
	status 403 "a limited secret does not read $path" GET "$path" "$some"
	status 200 "a secret without services reads $path" GET "$path" "$all"
done
status 200 'health needs no secret' GET /healthz

# the store of the collector
reads() { # STATUS DESCRIPTION SECRET SOURCE
	"$CPA" series --bearer-file="$3.secret" "store:http://$at#$4@-1h" >out 2>err
	is_equal $? "$1" "$2"
}
reads 0 'a limited secret reads a series of its service' some shop-a
reads 0 'a limited secret reads a series of its services' some 'shop*'
for source in bank '*' '?ank' 'pay*' shop 'pay/nosuch' 'shop*/nosuch'; do
	reads 2 "a limited secret does not read a series of $source" some "$source"
	sed 's/[^ ]*#[^ ]*//g; s/the service .*//; s/nothing of .*//' err >names
	! grep -q -e shop-a -e shop-b -e bank names
	result $? "the message about $source has no names of services"
done
reads 0 'a secret without services reads a series of bank' all bank
reads 2 'without a secret nothing is read' nosuch bank

# HTTP basic
basic() { printf 'Authorization: Basic %s' "$(printf '%s' "$1" | base64 -w 0)"; }
status 204 'the password of basic authentication is the secret' POST '/v1/profiles?service=shop-a' "$(basic "any:$(cat some.secret)")"
status 403 'with its services' POST '/v1/profiles?service=bank' "$(basic "any:$(cat some.secret)")"
status 401 'another password is refused' POST '/v1/profiles?service=shop-a' "$(basic "any:$(cat some.secret)x")"
status 401 'a user without a password is refused' POST '/v1/profiles?service=shop-a' "$(basic "$(cat some.secret)")"
status 401 'base64 that is invalid is refused' POST '/v1/profiles?service=shop-a' 'Authorization: Basic !!!!'
agent=$(basic "agent:$(cat agent.secret)")
status 204 'a secret with a user is for this user' POST '/v1/profiles?service=shop-a' "$agent"
status 403 'with its services only' POST '/v1/profiles?service=shop-b' "$agent"
status 401 'another user is refused' POST '/v1/profiles?service=shop-a' "$(basic "agents:$(cat agent.secret)")"
status 401 'a secret with a user is no token' POST '/v1/profiles?service=shop-a' "Authorization: Bearer $(cat agent.secret)"
status 204 'a secret is an API key of Datadog' POST '/v1/profiles?service=shop-a' "DD-API-KEY: $(cat some.secret)"
status 403 'an API key has its services' POST '/v1/profiles?service=bank' "DD-API-KEY: $(cat some.secret)"
status 401 'a wrong API key is refused' POST '/v1/profiles?service=shop-a' 'DD-API-KEY: 00112233445566778899aabbccddeeff'
collector_end TERM

# pushes per second: t377 sends 60 at once, and counts those that are refused
flood() {
	"${PYTHON3:-python3}" - "$at" <<'PY'
import http.client, sys
connection = http.client.HTTPConnection(sys.argv[1], timeout=60)
n = 0
for _ in range(60):
    connection.request("POST", "/v1/profiles?service=x", b"no profile")
    answer = connection.getresponse()
    answer.read()
    n += answer.status == 429
print(n)
PY
}
printf 'store %s\npush-rate 1\nlisten 127.0.0.1:0\n' "$tmp/store" >rate.cpa
collector rate.cpa
at=$(listening)
[ "$(flood)" -gt 0 ]
result $? 'pushes beyond push-rate are refused'
grep -q 'push=refused address=127.0.0.1 reason="too many pushes of this address in a second; push-rate of the configuration is the limit"' log.collect
result $? 'the log names the address and the limit'
collector_end TERM
sed -i 's/push-rate 1/push-rate 0/' rate.cpa
collector rate.cpa
at=$(listening)
is_equal "$(flood)" 0 'push-rate 0 is no limit'
collector_end TERM

# bytes per second, and pushes at once
printf 'store %s\npush-bytes 10B\nlisten 127.0.0.1:0\n' "$tmp/store" >bytes.cpa
collector bytes.cpa
at=$(listening)
status 204 "a body above push-bytes is accepted" POST "/v1/profiles?service=shop-a&n=1"
status 429 'then others of this address wait' POST '/v1/profiles?service=shop-a&n=2'
grep -q 'push-bytes of the configuration is the limit' body
result $? 'the response names the limit'
collector_end TERM
printf 'store %s\npush-running 2\nlisten 127.0.0.1:0\n' "$tmp/store" >running.cpa
collector running.cpa
at=$(listening)
"${PYTHON3:-python3}" - "$at" cpu/000.pb.gz <<'PY' >got
import http.client, sys, threading
with open(sys.argv[2], "rb") as file:
    body = file.read()
answers, start = [], threading.Barrier(12)
def push(i):
    connection = http.client.HTTPConnection(sys.argv[1], timeout=60)
    connection.connect()
    start.wait()
    connection.request("POST", f"/v1/profiles?service=shop-a&n={i}", body)
    answer = connection.getresponse()
    answers.append((answer.status, b"push-running of the configuration" in answer.read()))
threads = [threading.Thread(target=push, args=(i,)) for i in range(12)]
for t in threads:
    t.start()
for t in threads:
    t.join()
print(*sorted({status for status, _ in answers}), all(named for status, named in answers if status == 429))
PY
is_equal "$(cat got)" '204 429 True' 'pushes of an address at once beyond push-running are refused'
sed -i 's/push-running 2/push-rate 0/' running.cpa
collector_end TERM
collector running.cpa
at=$(listening)

# /metrics is bounded, whatever is pushed
"${PYTHON3:-python3}" - "$at" "$top_srcdir/tests/cli" <<'PY'
import http.client, sys, time
connection = http.client.HTTPConnection(sys.argv[1], timeout=60)
now = int(time.time()) - 60
for i in range(300):
    connection.request("POST", f"/ingest?name=s{i}&kind=kind{i}&label{i}=x&format=lines&from={now}&until={now + 10}", b"a;b\n")
    answer = connection.getresponse()
    answer.read()
    if answer.status != 200:
        print(answer.status)
PY
client_at "$at" GET /metrics
[ "$(wc -l <body)" -lt 400 ]
result $? 'metrics are bounded'
grep -q 'profiles_total{kind="other"} 2[0-9][0-9]$' body
result $? 'kinds beyond the first ones are counted together'
collector_end TERM
printf 'push-rate x\n' >bad.cpa
fails 'push-rate x: not a number' collect --check bad.cpa

done_testing
