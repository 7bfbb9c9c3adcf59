#!/bin/sh
# t606-context-read.t - cpa record reads process contexts and labels of waiting threads, of any library
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/runtime/lib.sh"
library=${top_builddir:?}/src/libcpaprof
compile limits
compile burn
libs="-L$library -lcpaprof -Wl,-rpath,$library" compile context -I"$top_srcdir/src/libcpaprof/api"
unset OTEL_SERVICE_NAME OTEL_RESOURCE_ATTRIBUTES CPA_CONTEXT
deny='./limits deny perf_event_open'
$deny true || deny=''

if [ "$(uname -m)" != x86_64 ] || ! command -v python3 >/dev/null; then
	ok 0 'labels of other processes # SKIP only on x86-64, with python3'
	done_testing
	exit 0
fi
message=$(python3 "$top_srcdir/tests/runtime/context_message.py" service.name=shop "team=a b" -- tenant route)

start() { # COMMAND...: run it until stop, when it has printed a line
	mkfifo input
	"$@" <input >started &
	pid=$!
	exec 9>input
	tries=0
	until [ -s started ] || ! kill -0 $pid 2>/dev/null || [ $tries = 600 ]; do
		sleep 0.05
		tries=$((tries + 1))
	done
}
stop() {
	exec 9>&-
	wait $pid
	rm -f input started
}
record() { # record the process in p.pb.gz, without perf events
	rm -f p.pb.gz
	$deny timeout 60 "$CPA" record -p $pid --wall --top=0 -o p.pb.gz -- sleep 0.3 >out 2>err
}
tags() { # the labels of p.pb.gz: KEY VALUE...
	"$CPA" tags p.pb.gz 2>/dev/null | awk '/: Total / { key = $1; next } NF { print key, $NF }' | sort | tr '\n' ' '
}

part() { # FLAG...: compile a part of labelled.c
	${CC:-cc} -O1 -g "$@" "$top_srcdir/tests/runtime/labelled.c" -pthread
}
want='route: y span_id: 0202020202020202 tenant: first tenant: other trace_id: 01010101010101010101010101010101 worker: first worker: other '
check() { # NAME
	start ./labelled "$message"
	record
	stop
	is "$(tags)" "$want" "labels of $1"
}
part -DMAIN -DVARIABLES -rdynamic -o labelled
check 'variables of the program'
is "$("$CPA" comments p.pb.gz | grep '^process')" 'process context: service.name=shop, team=a b' 'the context is a comment'
export='' # a program without shared libraries exports only what is named
for symbol in otel_thread_ctx_v1 custom_labels_abi_version custom_labels_current_set; do
	export="$export -Wl,--export-dynamic-symbol=$symbol"
done
# shellcheck disable=SC2086 # options
if part -DMAIN -DVARIABLES -static-pie $export -o labelled 2>/dev/null; then
	check 'a static program'
else
	ok 0 'labels of a static program # SKIP it cannot be linked'
fi
for dialect in gnu gnu2; do
	part -DVARIABLES -shared -fPIC -mtls-dialect=$dialect -o liblabelled.so || continue
	part -DMAIN -o labelled -L. -Wl,--no-as-needed -llabelled -Wl,-rpath,"$tmp"
	check "a library, dialect $dialect"
	part -DVARIABLES -DBIG -shared -fPIC -mtls-dialect=$dialect -o loaded.so
	part -DMAIN -DLIBRARY='"./loaded.so"' -o labelled
	check "a library that is loaded late, dialect $dialect"
done

part -DMAIN -DVARIABLES -rdynamic -o labelled
start ./labelled 0a05
record
is "$("$CPA" comments p.pb.gz | grep '^process') $(tags)" \
	'process context: not read: a field extends past the end of its message worker: first worker: other ' \
	'a damaged context is reported, and its labels are not read'
stop
start ./labelled "$message"
"$CPA" record -p $pid --top=0 -o p.pb.gz -- sleep 0.5 2>err
if grep -q 'perf events' err; then
	ok 0 'samples of CPU time # SKIP no perf events'
else
	is "$("$CPA" comments p.pb.gz | grep '^labels')" \
		'labels of threads: not in samples of CPU time; --wall reads those of waiting threads' \
		'a profile of CPU time says that labels are missing'
	"$CPA" record -p $pid --off-cpu --top=0 -o p.pb.gz -- sleep 0.5 2>err
	is "$? $(tags)" "0 $want" 'waits of perf events have labels'
	"$CPA" record -p $pid,$$ --off-cpu --top=0 -o p.pb.gz -- sleep 0.5 2>err
	is "$("$CPA" tags p.pb.gz 2>/dev/null | grep -c 'shop$')" 1 'of several processes, service.name is a label'
fi
stop

name='processes that have ended when their samples are read'
"$CPA" record -a --top=0 -o p.pb.gz -- sh -c 'for i in 1 2 3 4 5 6 7 8; do ./burn 0.05; done' >out 2>err
status=$?
if [ $status = 2 ] && grep -q 'perf_event\|perf events' err; then
	ok 0 "$name # SKIP the machine cannot be recorded"
else
	is "$status" 0 "$name"
fi

start ./context threads 38
$deny timeout 60 "$CPA" record -p $pid --wall --top=0 -o p.pb.gz --hz=2000 -- sleep 2 >out 2>err
stop
python3 "$top_srcdir/tests/runtime/labels_equal.py" p.pb.gz >sets
is "$(sed 's/.*, //' sets)" 'torn 0' 'no set is torn while threads change their labels'
between "$(sed -n 's/^labelled \([0-9]*\),.*/\1/p' sets)" 20 1e9 'sets were read meanwhile'
done_testing
