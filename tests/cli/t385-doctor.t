#!/bin/sh
# t385-doctor.t - cpa doctor: captures of servers, saved evidence, baselines, mistakes
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/cli/lib.sh"
. "${top_srcdir:?}/tests/cli/server.sh"
server=snapshot_server.py
server_start "$TESTDATA"
cd "$tmp" || exit 1
export CPA_STORE="$tmp/store"

doctor() { # STATUS DESCRIPTION ARG...: writes out and err
	expected=$1 what=$2 && shift 2
	"$CPA" doctor "$@" 9>&- >out 2>err
	got=$?
	[ $got -eq "$expected" ] || note err
	[ $got -eq "$expected" ]
	result $? "$what: status $expected"
}
url() { echo "http://$host/$1/debug/pprof"; }
has() { # FILE TEXT DESCRIPTION: the text in one line
	tr -s ' \n' ' ' <"$1" >words
	grep -Fq -- "$2" words || { note "$1" && false; }
	result $? "$3"
}

doctor 0 'a server' slow --seconds=1 -o slow "$(url go)"
has out "slow of $(url go): " 'the text names the target'
has out 'Evidence and report: slow/report.md' 'the text names the report'
has out "There is no baseline: no store in $tmp/store, and no --baseline." 'a missing baseline is stated'
[ "$(find slow -type f | sort | tr '\n' ' ')" = "$(printf 'slow/%s ' 2/allocs.pb.gz 2/block.pb.gz 2/goroutine.pb.gz 2/goroutine.txt \
	2/manifest.json 2/mutex.pb.gz 3/goroutine.pb.gz 3/goroutine.txt 3/manifest.json 4/goroutine.pb.gz 4/goroutine.txt \
	4/manifest.json allocs.pb.gz block.pb.gz cpu.pb.gz goroutine.pb.gz goroutine.txt heap.pb.gz manifest.json mutex.pb.gz report.md)" ]
result $? 'the evidence has the files of snapshots' || find slow -type f | sed 's/^/# /'
grep -q '^# slow of http' slow/report.md && grep -q '^## Measurements' slow/report.md
result $? 'the report is Markdown'
sed '/^Evidence/d' out >live
doctor 0 'saved evidence' slow slow
diff live out >difference
[ "$(grep -c '^[<>]' difference)" -eq 2 ] && grep -q '^> slow of slow: ' difference
result $? 'saved evidence has the same findings' || note difference
[ ! -e cpa-slow ] && [ "$(find . -name 'cpa-slow*')" = '' ]
result $? 'with saved evidence nothing is written'

grep -h '^    cpa ' live | sed 's/^    cpa //' | while read -r line; do
	eval "set -- $line"
	"$CPA" "$@" >/dev/null 2>err || { note err && echo "$line"; }
done >broken
[ ! -s broken ]
result $? 'the printed command lines work' || note broken
doctor 0 'JSON' slow --json slow
"${PYTHON3:-python3}" - "$top_srcdir/docs/schema" out slow/manifest.json <<'END' >check 2>&1
import json, sys
shown = json.load(open(sys.argv[2]))
try:
    import jsonschema
    jsonschema.validate(shown, json.load(open(sys.argv[1] + "/doctor.schema.json")))
    jsonschema.validate(json.load(open(sys.argv[3])), json.load(open(sys.argv[1] + "/snapshot.schema.json")))
except ImportError:
    pass
assert shown["runbook"] == "slow" and shown["captures"] == 4, shown
END
result $? 'JSON and manifest follow their schemas' && note check

doctor 0 'a baseline' slow --baseline="$TESTDATA/go-cpu.pb.gz" slow
has out "Compared with $TESTDATA/go-cpu.pb.gz: " 'the verdict of the gate is shown'
doctor 0 'a baseline that is missing' slow --baseline=nosuch.pb.gz slow
has out 'Not compared with nosuch.pb.gz: ' 'a missing baseline is stated'
now=$(date +%s)
{ "${PYTHON3:-python3}" "$top_srcdir/tests/cli/retime.py" slow/cpu.pb.gz now.pb.gz "$now" slow/cpu.pb.gz hour.pb.gz $((now - 3600)) &&
	cp now.pb.gz slow/cpu.pb.gz && "$CPA" store import hour.pb.gz; } >out 2>err
"$CPA" store ls >names
service=$(awk 'NR == 2 { print $1 }' names)
result $? "the profile of an hour ago is in the store ($service)" || note err
doctor 0 'a store' slow slow
has out 'Compared with an hour before (store:' 'the profile is compared with that of an hour before'
has out 'Not compared with a day before (store:' 'a time without profiles is stated'
"$CPA" store import --service=fleet --label=instance="$host" hour.pb.gz >err 2>&1 || note err
doctor 0 'a store of a collector' slow slow
has out 'Compared with an hour before (store:"fleet"/cpu@' 'the service is that with the address of the server as instance'

doctor 0 'a baseline of the heap' memory --baseline="$TESTDATA/go-heap1.pb.gz" slow
has out "Compared with $TESTDATA/go-heap1.pb.gz: the heap had 8.47MB" 'its total is shown'
for n in 1 2; do "$CPA" store import --label=instance=$n --kind=heap slow/heap.pb.gz >out 2>err || note err; done
doctor 0 'a baseline of two instances' memory --baseline="store:$service/heap@all" slow
has out ': the heap had 8.47MB per instance, the mean of 2' 'its total is that of an instance'
doctor 0 'threads' threads --wait=200ms -o threads "$(url go)"
has out '1 goroutine in the last of 3 captures' 'the goroutines are counted'
has out 'Leaked goroutines are not known exactly: the server does not offer goroutineleak' 'a missing profile is stated'
doctor 0 'threads of cpa' threads --wait=200ms -o threaded "$(url threaded)"
has out '1 thread in the last of 3 captures' 'the threads are counted'
doctor 0 'memory' memory --wait=200ms -o memory "$(url go)"
has out 'The heap had ' 'the heap is reported'
"$CPA" snapshot --dump --seconds=1 -o first "$(url go)" 9>&- >/dev/null && "$CPA" snapshot --dump --seconds=1 -o last "$(url later)" 9>&- >/dev/null
doctor 0 'two snapshots' memory first last
has out 'cpa top -sample_index=inuse_space last/heap.pb.gz' 'they are compared'

doctor 0 'a server with broken profiles' slow --seconds=1 -o broken.d "$(url broken)"
has out 'heap.pb.gz could not be captured: ' 'a broken profile is named'
doctor 2 'a server that is down' slow --seconds=1 -o down "$(url down)"
[ ! -e down ]
result $? 'nothing is written then'
doctor 2 'existing evidence' slow --seconds=1 -o slow "$(url go)"
has err 'slow: has evidence already; replace it with --force' 'it is not replaced'
doctor 0 'existing evidence with --force' threads --force --wait=200ms -o threads "$(url go)"
head -c 100 slow/cpu.pb.gz >threads/cpu.pb.gz
doctor 2 'damaged evidence' slow threads
has err 'threads/cpu.pb.gz: ' 'the damaged file is named'
for n in 1 2 3 4 5 6 7 8; do mkdir -p "many/$n" && cp threads/manifest.json threads/goroutine.txt "many/$n"; done
cp threads/manifest.json threads/goroutine.txt many && cp -r many "$tmp/more"
doctor 0 'a folder with eight captures' threads many
doctor 2 'two folders with more' threads many more
has err 'more than 8 captures' 'the limit is named'
doctor 2 'no evidence' slow "$tmp/home"
doctor 2 'an unknown runbook' fast "$(url go)"
doctor 2 'memory of a process' memory $$
has err 'a process has no heap profile' 'the reason is given'
doctor 2 'a process that does not exist' threads 999999999
doctor 0 'a process' threads --wait=100ms -o process pid:$$
has out 'thread in the last of 3 captures' 'its threads are counted'
done_testing
