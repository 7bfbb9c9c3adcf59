#!/bin/sh
# t732-grafana.t - Pyroscope's read API on the listener: recorded requests of Grafana's types, the numbers of cpa, access, errors
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/cli/lib.sh"
. "$top_srcdir/tests/cli/collect.sh"
cd "$tmp" || exit 1
trap 'kill "$collector_pid" 2>/dev/null; wait; rm -rf "$tmp"' EXIT
make="${PYTHON3:-python3} $top_srcdir/tests/cli/stored_profiles.py"
client="${PYTHON3:-python3} $top_srcdir/tests/cli/grafana_client.py"
start=1795356000 # 2026-11-22T14:00:00Z

for i in 1 2 3; do
	$make "cpu$i" cpu $start 60 60 $i
	"$CPA" store import --service=shop --label=instance=h$i:6060 --label=version=1.$i "cpu$i" || exit 1
done >out
"$CPA" store import --service=cart --label=instance=c1:6060 cpu2 >>out || exit 1
for kind in heap mutex; do
	$make "$kind" $kind $start 60 60
	for i in 1 2; do
		"$CPA" store import --service=shop --label=instance=h$i:6060 "$kind" || exit 1
	done
done >>out
head -c 48 /dev/zero | tr '\0' s >secret
head -c 48 /dev/zero | tr '\0' t >cart.secret
chmod 600 secret cart.secret
printf '%s\n' 'listen 127.0.0.1:0' 'listen 127.0.0.1:0 secret=secret secret=cart.secret service=cart' >collect.cpa
collector "$tmp/collect.cpa"
open=$(listening)
closed=$("$CPA" collect --status --store="$tmp/store" --json |
	"${PYTHON3:-python3}" -c 'import json, sys; print(json.load(sys.stdin)["listen"][2].rpartition("/")[2])')

$client replay "$open" "$top_srcdir/tests/cli/grafana-requests.txt" >replay.out 2>replay.err
is_equal "$?" 0 "recorded requests have the same responses in protobuf, JSON and gRPC-web"
[ -s replay.err ] && note replay.err
[ -n "${UPDATE:-}" ] && cp replay.out "$golden_dir/t732-grafana.txt"
same "recorded requests: responses" "$golden_dir/t732-grafana.txt" replay.out
questions=12
[ -z "${CPA_TEST_LONG:-}" ] || questions=400
$client compare "$open" "$CPA" "$tmp/store" $questions >compare.out 2>&1
is_equal "$?" 0 "random questions have the numbers of cpa top and cpa series"
note compare.out

# has FILE PATTERN DESCRIPTION, lacks FILE PATTERN DESCRIPTION
has() {
	grep -q -e "$2" "$1" || note "$1"
	grep -q -e "$2" "$1"
	result $? "$3"
}
lacks() {
	! grep -q -e "$2" "$1"
	result $? "$3"
}
# call STATUS DESCRIPTION ADDRESS METHOD BODY [HEADER...]
call() {
	want_code=$1 description=$2 address=$3 path=/querier.v1.QuerierService/$4 body=$5
	shift 5
	printf '%s' "$body" >request
	client_at "$address" POST "$path" "Content-Type: application/json" "$@" <request
	[ "$code" = "$want_code" ] || note body
	is_equal "$code" "$want_code" "$description"
}
window='"profileTypeID":"process_cpu:cpu:nanoseconds:cpu:nanoseconds","start":"1795356000000","end":"1795359599999"'
call 400 "a wrong selector" "$open" SelectMergeStacktraces "{$window,\"labelSelector\":\"{a=}\"}"
has body 'label selector, character 4: a value in quotes is expected' "a wrong selector: its position"
call 400 "a wrong profile type" "$open" SelectMergeStacktraces '{"profileTypeID":"cpu","end":1}'
call 400 "no JSON" "$open" ProfileTypes '{'
call 400 "times in the wrong order" "$open" ProfileTypes '{"start":2,"end":1}'
call 400 "too many nodes" "$open" SelectMergeStacktraces "{$window,\"maxNodes\":2000000}"
call 400 "too many points" "$open" SelectSeries "{$window,\"step\":0.01}"
call 400 "no step" "$open" SelectSeries "{$window}"
call 501 "an unknown method" "$open" SelectHeatmap "{}"
has body unimplemented "an unknown method: the code"
call 501 "an average" "$open" SelectSeries "{$window,\"step\":60,\"aggregation\":1}"
call 200 "few nodes" "$open" SelectMergeStacktraces "{$window,\"labelSelector\":\"{service_name=\\\"shop\\\"}\",\"maxNodes\":1}"
has body '"names": \["total", "main", "other"\]' "few nodes: the remaining ones are added up"
call 200 "nothing" "$open" SelectMergeStacktraces "{$window,\"labelSelector\":\"{nosuch=\\\"x\\\"}\"}"
has body '"names": \["total"\]' "nothing: an empty flame graph"
client_at "$open" GET '/pyroscope/render?query=process_cpu:cpu:nanoseconds:cpu:nanoseconds%7Bservice_name=%22shop%22%7D&from=1795356000&until=1795359600'
has body '"numTicks": 39600000000, "maxSelf": 21600000000' "/pyroscope/render: the flame graph"
has body '"startTime": 1795356000, "samples": \[600000000, 0, 0, 0, 630000000' "/pyroscope/render: the values over time"
client_at "$open" GET '/pyroscope/render-diff?leftQuery=process_cpu:cpu:nanoseconds:cpu:nanoseconds%7Bversion=%221.1%22%7D&leftFrom=1795356000&leftUntil=1795359600&rightQuery=process_cpu:cpu:nanoseconds:cpu:nanoseconds%7Bversion=%221.3%22%7D&rightFrom=1795356000&rightUntil=1795359600'
has body '"leftTicks": 10200000000, "rightTicks": 16200000000' "/pyroscope/render-diff: both sides"
client_at "$open" GET '/pyroscope/label-values?label=service_name'
has body '\["cart", "shop"\]' "/pyroscope/label-values"
client_at "$open" GET /querier.v1.QuerierService/ProfileTypes
is_equal "$code" 405 "a method needs POST"

all="Authorization: Bearer $(cat secret)" cart="Authorization: Bearer $(cat cart.secret)"
call 401 "without the secret" "$closed" ProfileTypes '{}'
call 200 "with the secret" "$closed" LabelValues '{"name":"service_name"}' "$all"
has body '"cart", "shop"' "with the secret: all services"
call 200 "a limited secret lists" "$closed" LabelValues '{"name":"service_name"}' "$cart"
has body '\["cart"\]' "a limited secret lists its services only"
call 200 "a limited secret lists types" "$closed" ProfileTypes '{}' "$cart"
lacks body memory "a limited secret lists types of its services only"
call 403 "a limited secret reads no other service" "$closed" SelectMergeStacktraces "{$window,\"labelSelector\":\"{service_name=\\\"shop\\\"}\"}" "$cart"
call 403 "a limited secret reads not all services" "$closed" SelectMergeStacktraces "{$window}" "$cart"
call 200 "a limited secret reads its service" "$closed" SelectMergeStacktraces "{$window,\"labelSelector\":\"{service_name=\\\"cart\\\"}\"}" "$cart"
has body '"total": "13200000000"' "a limited secret: the numbers of its service"
collector_end TERM
is_equal "$status" 0 "the collector ends"
done_testing
