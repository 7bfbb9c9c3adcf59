#!/bin/sh
# t360-heap-linked.t - a program that links the library takes profiles of its own heap
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/runtime/lib.sh"
built=$here/${top_builddir:-.}
case ${top_builddir:-.} in /*) built=$top_builddir ;; esac
libs="-L$built/src/libcpaprof -Wl,-rpath,$built/src/libcpaprof -lcpaprof"
compile heap_linked -fno-builtin -I"$top_srcdir/src/libcpaprof/api"

numbers() { # FILE: "FUNCTION OBJECTS BYTES KEPT_OBJECTS KEPT_BYTES" of those that allocate
	column=1
	for index in alloc_objects alloc_space inuse_objects inuse_space; do
		case $index in *space) unit=bytes ;; *) unit=count ;; esac
		"$CPA" top -unit=$unit -nodecount=0 -trim=false -sample_index=$index "$1" 2>/dev/null |
			awk '$6 ~ /^a_/ { sub(/B$/, "", $4); print $6, '$column', $4 }'
		column=$((column + 1))
	done | awk '{ n[$1, $2] = $3; all[$1] }
		END { for (f in all) print f, n[f, 1] + 0, n[f, 2] + 0, n[f, 3] + 0, n[f, 4] + 0 }' | sort
}

timeout 60 ./heap_linked >truth 2>err
is "$?" 0 'a program sets rates and writes profiles'
for file in heap child; do
	is "$(numbers $file.pb.gz)" "$(sed -n "s/^$file //p" truth | sort)" "$file.pb.gz contains the allocations made while the rate was set"
done

CPA_HEAP_LABELS=1 timeout 60 ./heap_linked >truth 2>err
is "$("$CPA" tags heap.pb.gz 2>/dev/null | grep -c blue)" 1 'heap profiles contain labels if requested'
CPA_HEAPPROFILE=end.pb.gz CPA_HEAP_RATE=1 timeout 60 ./heap_linked >truth 2>err
is "$(ls end.pb.gz)" end.pb.gz 'CPA_HEAPPROFILE writes a profile at the end'
is "$(numbers end.pb.gz | grep -c a_before)" 1 'the profile of CPA_HEAPPROFILE contains all allocations since the start'
CPA_HEAPPROFILE=none.pb.gz CPA_HEAP_RATE=0 timeout 60 ./heap_linked >truth 2>err
is "$(numbers none.pb.gz | grep -c a_before) $(cat err)" '0 ' 'a rate of 0 in the environment disables sampling'
printf '#include <cpa/pprof.h>\nint main(void) { return cpa_profile_write_path(cpa_profile_lookup("heap"), 0, "off.pb.gz", 0); }\n' >off.c
# shellcheck disable=SC2086 # flags
${CC:-cc} -I"$top_srcdir/src/libcpaprof/api" -o off off.c $libs && ./off
is "$? $("$CPA" comments off.pb.gz | grep heap)" '0 heap: not measured; enable it with cpa_heap_set_rate() or CPA_HEAP_RATE' \
	'a comment reports that the heap is not measured'
is "$("$CPA" comments heap.pb.gz | grep -c 'not measured')" 0 'a profile of a measured heap has no comment that it is not measured'
done_testing
