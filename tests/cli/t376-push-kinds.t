#!/bin/sh
# t376-push-kinds.t - block and mutex profiles have equal sample types, and are distinguished
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/cli/lib.sh"
. "${top_srcdir:?}/tests/cli/collect.sh"
cd "$tmp" || exit 1
trap 'kill "$collector_pid" 2>/dev/null; wait; rm -rf "$tmp"' EXIT
start=$(($(date +%s) - 120))
"${PYTHON3:-python3}" "$top_srcdir/tests/cli/stored_profiles.py" mutex mutex "$start" 10 8
"${PYTHON3:-python3}" "$top_srcdir/tests/cli/stored_profiles.py" cpu cpu "$start" 10 1

# kinds SERVICE: prints the kinds of a service, and the number of profiles of each
kinds() {
	"$CPA" store ls --json 2>/dev/null | "${PYTHON3:-python3}" -c '
import json, sys
rows = [r for r in json.load(sys.stdin) if r["service"] == sys.argv[1]]
print(*sorted("%s:%s" % (r["kind"], r["profiles"]) for r in rows))' "$1"
}

# form FILE NAME: a form as pyroscope-go sends it
form() {
	printf -- '--b\r\nContent-Disposition: form-data; name="profile"; filename="profile.pprof"\r\n\r\n'
	cat "$1"
	printf -- '\r\n--b\r\nContent-Disposition: form-data; name="sample_type_config"; filename="sample_type_config.json"\r\n\r\n'
	printf '{"contentions":{"display-name":"%s_count","units":"lock_samples"},"delay":{"display-name":"%s_duration","units":"lock_nanoseconds"}}' "$2" "$2"
	printf -- '\r\n--b--\r\n'
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

for kind in mutex block; do
	form mutex/000.pb.gz "$kind" >body.form
	post 200 "/ingest?name=go.app&sampleRate=0&spyName=gospy&from=$start&until=$((start + 10))" 'Content-Type: multipart/form-data; boundary=b' <body.form
	post 204 "/v1/profiles?service=plain&kind=$kind" <mutex/001.pb.gz
	"${PYTHON3:-python3}" "$top_srcdir/tests/cli/collect_client.py" push proto mutex/002.pb.gz conn "godeltaprof_$kind" >push.bin
	post 200 /push.v1.PusherService/Push 'Content-Type: application/proto' <push.bin
	post 200 "/ingest?name=query&kind=$kind&format=pprof" <mutex/003.pb.gz
	echo 'a;b 3' >folded
	post 200 "/ingest?name=folded.${kind}_count" <folded
done
is_equal "$(kinds go.app)" 'block:1 mutex:1' 'the kind is that of sample_type_config of a form'
is_equal "$(kinds plain)" 'block:1 mutex:1' 'the kind is kind= of a plain push'
is_equal "$(kinds conn)" 'block:1 mutex:1' 'the kind is __name__ of a message'
is_equal "$(kinds query)" 'block:1 mutex:1' 'the kind is kind= of ingest'
is_equal "$(kinds folded)" 'block:1 mutex:1' 'the kind is in the name of folded text'
is_equal "$(grep -c 'push=unsure' log.collect)" 0 'nothing is unsure'

# pyroscope-go sends the rest of a second with from=until
for i in 0 1 2; do
	post 200 "/ingest?name=delta&kind=block&format=pprof&from=$((start + i * 10))&until=$((start + (i / 2 + 1) * 10))" <mutex/00$i.pb.gz
done
is_equal "$("$CPA" top -unit=count -sample_index=contentions store:delta/block@all 2>/dev/null | sed -n 's/.* of \(.*\) total$/\1/p')" 42 'what agents of ingest push is added up'
# Grafana Alloy sends the increases of snapshots with push.v1, without their durations
for i in 0 1 2; do
	"${PYTHON3:-python3}" "$top_srcdir/tests/cli/collect_client.py" push proto mutex/00$i.pb.gz alloy "$([ $i = 1 ] && echo godeltaprof_)mutex" "__delta__=$([ $i = 1 ] && echo true || echo false)" >push.bin
	post 200 /push.v1.PusherService/Push 'Content-Type: application/proto' <push.bin
	"${PYTHON3:-python3}" "$top_srcdir/tests/cli/collect_client.py" push proto mutex/00$i.pb.gz counter mutex >push.bin
	post 200 /push.v1.PusherService/Push 'Content-Type: application/proto' <push.bin
done
for service in alloy counter; do
	"$CPA" top -unit=count -sample_index=contentions "store:$service/mutex@all" 2>/dev/null | sed -n 's/.* of \(.*\) total$/\1/p'
done >got
is_equal "$(tr '\n' ' ' <got)" '42 14 ' 'increases with __delta__=false are added up, and snapshots are subtracted'
post 400 '/v1/profiles?service=x&kind=a/b' <mutex/000.pb.gz
post 400 '/v1/profiles?service=x&kind=block' <cpu/000.pb.gz
post 204 '/v1/profiles?service=unsure' <mutex/004.pb.gz
grep -q '^Cpa-Kind-Unsure: stored as mutex; .*send kind=block or kind=mutex' client.err
result $? 'the response reports that the kind is not known'
grep -q 'push=unsure service="unsure" kind=mutex reason=' log.collect
result $? 'so does the log'
collector_end TERM

# import
CPA_STORE=$tmp/store2
export CPA_STORE
mkdir -p in/block in/debug
cp mutex/000.pb.gz go-block.pb.gz
cp mutex/001.pb.gz go-mutex.pb.gz
cp mutex/002.pb.gz block.pb.gz
cp mutex/003.pb.gz in/block/1.pb.gz
cp mutex/004.pb.gz in/debug/block
"$CPA" store import --service=name go-block.pb.gz go-mutex.pb.gz block.pb.gz in >out 2>&1
is_equal "$(kinds name)" 'block:4 mutex:1' 'the kind is in the name of a file'
is_equal "$(cat out)" 'imported 5 profiles' 'and import has nothing to add'
tar -cf all.tar go-block.pb.gz go-mutex.pb.gz
"$CPA" store import --service=tar all.tar >out 2>&1
is_equal "$(kinds tar)" 'block:1 mutex:1' 'so does the name of a member of an archive'
cp mutex/005.pb.gz contention.pb.gz
cp mutex/006.pb.gz mutex-and-block.pb.gz
"$CPA" store import --service=unsure contention.pb.gz mutex-and-block.pb.gz >out 2>&1
is_equal "$(kinds unsure)" 'mutex:2' 'a name without the kind leaves mutex'
grep -q '^2 profiles could be of kind block or mutex, and are stored as mutex (the first is contention.pb.gz); use --kind=block or --kind=mutex$' out
result $? 'import reports that it does not know'
"$CPA" store import --label=service=shop --label=kind=block --label=env=test mutex/007.pb.gz >out 2>&1
is_equal "$(kinds shop)" 'block:1' '--label sets service and kind'
is_equal "$("$CPA" store ls --labels shop 2>/dev/null | grep -c -e 'service=' -e 'kind=')" 0 'and does not add labels of these names'
fails '--service=a and --label=service=b contradict each other' store import --service=a --label=service=b mutex/000.pb.gz
fails '--kind=cpu and --label=kind=block contradict each other' store import --kind=cpu --label=kind=block mutex/000.pb.gz
"$CPA" store export -o all.cpx store:name@all >out 2>&1 || note out
fails 'all.cpx: the profiles of a .cpx file have their service, kind and labels' store import --kind=block all.cpx
fails 'another kind of profile' store import --label=kind=block cpu/000.pb.gz

done_testing
