#!/bin/sh
# t895-doctor.t - cpa doctor finds the planted fault of each program, and none in programs without a fault
# SPDX-License-Identifier: Apache-2.0
GOCACHE=${GOCACHE:-$(PATH=$PATH:/usr/local/go/bin go env GOCACHE 2>/dev/null)} # before HOME changes
export GOCACHE
. "${top_srcdir:?}/tests/runtime/lib.sh"
PATH=$PATH:/usr/local/go/bin
built=$here/${top_builddir:-.}
case ${top_builddir:-.} in /*) built=$top_builddir ;; esac
export CPA_STORE="$tmp/no-store" TMPDIR="$tmp"

"${CXX:-c++}" -O2 -g -o faults-cc "$top_srcdir/tests/runtime/faults.cc" "-L$built/src/libcpaprof" -Wl,--no-as-needed \
	-lcpaprof "-Wl,-rpath,$built/src/libcpaprof" -pthread 2>cc.err || rm -f faults-cc
GO111MODULE=off go build -o faults-go "$top_srcdir/tests/runtime/faults.go" 2>go.err || rm -f faults-go

diagnose() { # LANGUAGE FAULT RUNBOOK: the names of the findings, into LANGUAGE-FAULT-RUNBOOK
	name=$1-$2-$3
	CPA_LISTEN=127.0.0.1:0 "./faults-$1" "$2" >"$name.address" 2>&1 &
	program=$!
	until grep -q '127[.0-9]*:[0-9]' "$name.address" || ! kill -0 $program; do sleep 0.1; done
	sleep 1 # threads and waits begin
	address=$(grep -o '127[.0-9]*:[0-9]*' "$name.address")
	"$CPA" doctor --json --seconds=10 --wait=6s -o "$name.d" "$3" "$address" >"$name.json" 2>"$name.err" || cat "$name.err"
	kill $program
	sed -n '/"findings"/,/"notes"/s/.*"rule": "\(.*\)",/\1/p' "$name.json" | tr '\n' ' ' >"$name"
}

check() { # LANGUAGE: lines of FAULT RUNBOOK RULE, - for none; two at a time
	[ -x "faults-$1" ] || { echo "# no program in $1" && return; }
	cat >list
	while read -r fault runbook _ && { read -r fault2 runbook2 _ || fault2=; }; do
		diagnose "$1" "$fault" "$runbook" &
		[ -z "$fault2" ] || diagnose "$1" "$fault2" "$runbook2"
		wait
	done <list
	while read -r fault runbook rule; do
		found=$(cat "$1-$fault-$runbook")
		grep -q '"notes"' "$1-$fault-$runbook.json" && case $rule in
		-) [ -z "$found" ] ;;
		*) case " $found" in *" $rule "*) ;; *) false ;; esac ;;
		esac
		measured $? "$1, $fault, $runbook: $rule" "found $found"
	done <list
}

check go <<'END'
hot slow hot_function
churn slow allocation
gc slow garbage_collection
convoy slow lock_wait
disk slow disk_wait
spin slow spinning
none slow -
leak memory heap_growth
none memory -
channel threads blocked_send
threads threads thread_growth
convoy threads lock_wait
none threads -
END
check cc <<'END'
hot slow hot_function
churn slow allocation
convoy slow lock_wait
disk slow disk_wait
spin slow spinning
none slow -
leak memory heap_growth
none memory -
threads threads thread_growth
convoy threads lock_wait
none threads -
END
[ "$count" -gt 0 ] || { echo "1..0 # SKIP neither Go nor C++" && exit 0; }
for program in go cc; do
	[ ! -x faults-$program ] || [ "$(sed -n 's/^# of process [0-9]*, \(.*\)/\1/p' "$program-leak-memory.d/3/metrics.txt")" = 'from /proc' ]
	ok $? "$program: the resident memory of the process on this machine is known"
done
done_testing
