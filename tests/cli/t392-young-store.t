#!/bin/sh
# t392-young-store.t - messages about profiles that a store does not have yet
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/cli/lib.sh"
. "$top_srcdir/tests/cli/collect.sh"
export PYTHONDONTWRITEBYTECODE=1
cd "$tmp" || exit 1

says_line() { # PATTERN DESCRIPTION ARG...: cpa ARG... prints a line that matches
	pattern=$1
	description=$2
	shift 2
	"$CPA" "$@" >out 2>err
	cat out err >all
	grep -q -- "$pattern" all
	found=$?
	[ "$found" -eq 0 ] || note all
	result "$found" "$description"
}

lacks_line() { # PATTERN DESCRIPTION ARG...
	pattern=$1
	description=$2
	shift 2
	"$CPA" "$@" >out 2>err
	cat out err >all
	is_equal "$(grep -c -- "$pattern" all)" 0 "$description"
}

"$CPA" store import --service=shop "$TESTDATA/go-mutex.pb.gz" "$TESTDATA/go-heap1.pb.gz" "$TESTDATA/go-cpu.pb.gz" >out 2>&1
young='needs a second scrape, and no collector runs on this store; +reduce=last shows the first$'
says_line "contentions, delay: $young" 'a first mutex profile has no increase' top store:shop/mutex@all
says_line "delay: $young" 'series says so, too' series store:shop/mutex@all
says_line "alloc_objects, alloc_space: $young" 'so have allocations' top -sample_index=alloc_space store:shop/heap@all
lacks_line 'second scrape' 'memory in use has a value' top store:shop/heap@all
lacks_line 'second scrape' 'the first snapshot is shown on request' top store:shop/mutex@all+reduce=last
is_equal "$(grep -c ' of 0 total' out)" 0 'it has values'
"$CPA" store import --service=shop "$TESTDATA/go-heap2.pb.gz" >out 2>&1
lacks_line 'second scrape' 'two snapshots have an increase' top -sample_index=alloc_space store:shop/heap@all

says_line 'nothing of shop in .*; no collector runs on this store$' 'nothing of the last hour' top store:shop@-1h
says_line 'nothing of nosuch; services are shop; no collector runs on this store$' 'nothing of a service' top store:nosuch
lacks_line 'collector' 'nothing of the past' top store:shop@2020-01-01

# the label of a sample in braces
"$CPA" store import --service=tags "$TESTDATA/go-cpu.pb.gz" >out 2>&1

# with a collector
collector --every=20m --kinds=heap,mutex http://127.0.0.1:1/shop
says_line "delay: needs a second scrape at [0-9:]* UTC; +reduce=last shows the first\$" 'the time of the second scrape' top store:shop/mutex@all
says_line "nothing of shop/heap in .*; a collector runs on this store (process $collector_pid), and the next profile is due at [0-9:]* UTC\$" \
	'the time of the next profile' top store:shop/heap@-1h
says_line "(process $collector_pid), but scrapes no block of shop\$" 'a kind that is not scraped' top store:shop/block@-1h
client GET '/api/v1/due?service=shop&kind=heap'
is_equal "$code $(grep -c '^[0-9]*$' body)" '200 1' 'the collector says when a profile is due'
client GET '/api/v1/due?service=shop'
is_equal "$code" 400 'a request without a kind is refused'
collector_end TERM

# missing scrapes are those of targets
import_times() { # NAME SECOND...: imports profiles of these times, with the labels in $labels
	name=$1
	shift
	# shellcheck disable=SC2046 # words
	set -- $(for second; do echo "$TESTDATA/gate/base-1.pb.gz $name-$second.pb.gz $((1795000000 + second))"; done)
	"${PYTHON3:-python3}" "$top_srcdir/tests/cli/retime.py" "$@"
	# shellcheck disable=SC2086 # words
	"$CPA" store import --service="$name" $labels "$name"-*.pb.gz >out 2>&1
}
labels=--label=instance=a:1
import_times scraped 0 10 20 30 60 70
says_line '; 2 scrapes missing' 'scrapes are missing' top store:scraped@all
labels=
import_times pushed 0 10 20 30 60 70
lacks_line 'missing' 'a client that pushes may pause' top store:pushed@all
labels=--label=instance=a:1
for kind in 1 2 3; do
	"${PYTHON3:-python3}" "$top_srcdir/tests/cli/retime.py" "$TESTDATA/gate/base-$kind.pb.gz" "same-$kind.pb.gz" 1795000000
done
import_times same 20000
"$CPA" store import --service=same $labels same-1.pb.gz same-2.pb.gz same-3.pb.gz >out 2>&1
lacks_line 'missing' 'profiles of one time have no usual distance' top store:same@all
done_testing
