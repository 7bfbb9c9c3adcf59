#!/bin/sh
# t375-push-labels.t - labels that agents push are kept, and what is cut is named
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/cli/lib.sh"
. "${top_srcdir:?}/tests/cli/collect.sh"
cd "$tmp" || exit 1
trap 'kill "$collector_pid" 2>/dev/null; wait; rm -rf "$tmp"' EXIT
make_profiles() { "${PYTHON3:-python3}" "$top_srcdir/tests/cli/stored_profiles.py" "$@"; }
start=$(($(date +%s) - 120))
make_profiles heap heap "$start" 10 6
make_profiles cpu cpu "$start" 10 6

# push WHAT QUERY [HEADER...] <PROFILE: the status is checked
push() {
	query=$1
	shift
	client_at "$at" POST "/v1/profiles?$query" "$@"
	[ "$code" = 204 ] || { note answer && result 1 "a push of $query is stored"; }
}

# header NAME: prints the value of a header of the last response
header() { sed -n "s/^$1: //p" "$tmp/client.err"; }

# total TYPE SELECTOR: prints the total of a report
total() {
	"$CPA" top -unit=B -sample_index="$1" "store:$2@all" 2>/dev/null | sed -n 's/^Showing nodes accounting for .* of \(.*\) total$/\1/p'
}

# labels SELECTOR: prints the labels of series
labels() { "$CPA" store ls --labels "$1" 2>/dev/null; }

collector --listen=127.0.0.1:0
at=$(listening)
for i in 0 1 2 3 4 5; do
	for host in a b; do
		push "service=two&hostname=$host" <heap/00$i.pb.gz
	done
done
is_equal "$(labels two | grep -c 'hostname=')" 2 'two hosts are two series'
is_equal "$(total inuse_space two/heap)" 7000B 'memory in use is the sum of the means of both hosts'
is_equal "$(total alloc_space two/heap)" 50000B 'what was allocated is the sum of the increases of both hosts'
is_equal "$(header Cpa-Labels-Cut)" '' 'nothing is said when nothing is cut'

# restarted processes of pyroscope-go have no other label
for session in 1 2; do
	client_at "$at" POST "/ingest?name=go.app%7B__session_id__%3D$session%7D&format=pprof&sampleRate=0" <heap/000.pb.gz
done
is_equal "$(labels go.app | grep -c '__session_id__=')" 2 'processes without other labels are distinguished by their session'

# labels of samples
push 'service=cpu' <cpu/000.pb.gz
is_equal "$("$CPA" tags store:cpu/cpu@all 2>/dev/null | grep -c -e '/a' -e '/b')" 2 'labels of samples are kept'

# the limit of labels of a series
query=$(seq -f '&k%02g=v' 1 40 | tr -d '\n')
push "service=many&z=1$query" <cpu/000.pb.gz
is_equal "$(header Cpa-Labels-Cut)" 'k32, k33, k34, k35, k36, k37, k38, k39, k40, z' 'the response names the labels that were cut'
push "service=many&z=2$query" <cpu/000.pb.gz
is_equal "$(labels many | grep -c 'labels_cut=')" 2 'series whose labels were cut stay apart'
is_equal "$(grep -c 'label=cut service="many" name="k32" reason="a series has more than 31 labels"' log.collect)" 1 'the first cut of a name is logged once'
"$CPA" collect --status >status
grep -q '^cut  .*k32 (2)' status
result $? 'the status names the labels that were cut'
collector_end TERM

# --keep-label
collector --listen=127.0.0.1:0 --keep-label=tenant --keep-label=pod,user
at=$(listening)
push 'service=kept&hostname=a' <cpu/000.pb.gz
is_equal "$(header Cpa-Labels-Cut)" route 'the response names labels of samples that were removed'
is_equal "$(labels kept | grep -c 'hostname=a')" 1 'labels of the series are not subject to --keep-label'
is_equal "$("$CPA" tags store:kept/cpu@all 2>/dev/null | grep -c '/a')" 0 'a label that is not in --keep-label is removed'
is_equal "$(total cpu kept/cpu)" "$(total cpu cpu/cpu)" 'the totals remain'
grep -q 'label=cut service="kept" name="route" reason="not in keep-label"' log.collect
result $? 'the log says why'
collector_end TERM
fails 'keep-label: a name is empty' collect --check --keep-label=a,,b localhost:1

done_testing
