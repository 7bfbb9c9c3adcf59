#!/bin/sh
# t302-forms.t - profiles of all kinds are equal as profile.proto and as text, in pprof and in cpa
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/runtime/lib.sh"
program=$here/${top_builddir:?}/tests/runtime/snap_files
[ -x "$program" ] || program=$top_builddir/tests/runtime/snap_files
"$program" 1 || { echo "1..0 # SKIP snap_files does not run"; exit 0; }

by_pprof() { # FILE TYPE: what each function has
	go tool pprof -top -nodecount=0 -trim=false -sample_index="$2" "$1" 2>/dev/null | sed '1,/flat%/d' | sort
}

by_cpa() { # FILE TYPE
	"$CPA" top -nodecount=0 -trim=false -sample_index="$2" "$1" 2>/dev/null | sed '1,/flat%/d' | sort
}

same() { # FILE FILE TYPE
	want=$(by_cpa "$1" "$3")
	case $want in *middle*) ;; *) want='no function in it' ;; esac
	is "$(by_cpa "$2" "$3")" "$want" "cpa reads the same $3 from $2 as from $1"
	if command -v go >/dev/null; then
		is "$(by_pprof "$1" "$3")" "$want" "pprof reads the same $3 from $1 as cpa"
		is "$(by_pprof "$2" "$3")" "$want" "pprof reads the same $3 from $2 as from $1"
	else
		count=$((count + 1))
		echo "ok $count - pprof reads the same $3 # SKIP go not found"
	fi
}

for kind in heap allocs; do
	for type in alloc_objects alloc_space inuse_objects inuse_space; do
		same $kind.pb.gz $kind.txt $type
	done
done
for kind in block mutex; do
	same $kind.pb.gz $kind.txt contentions
	same $kind.pb.gz $kind.txt delay
done
same threadcreate.pb.gz threadcreate.txt threadcreate
same custom.pb.gz custom.txt custom
same threadcreate.pb.gz named.pb.gz threadcreate

raw() { "$CPA" raw "$@" 2>/dev/null; }
is "$(raw heap.pb.gz | sed -n 's/^PeriodType: //p')" 'space bytes' 'the period type of a heap profile is space'
is "$(raw heap.pb.gz | sed -n 's/^Period: //p')" 1 'the period of a heap profile is the rate'
is "$(raw heap.pb.gz | grep -A1 '^Samples' | tail -1)" \
	'alloc_objects/count alloc_space/bytes inuse_objects/count inuse_space/bytes' 'a heap profile contains objects and bytes, allocated and in use'
is "$(raw allocs.pb.gz | grep -A1 '^Samples' | tail -1)" \
	'alloc_objects/count alloc_space/bytes[dflt] inuse_objects/count inuse_space/bytes' \
	'the default sample type of allocs is alloc_space'
is "$(raw heap.pb.gz | grep -c 'bytes:\[1011\]')" 1 'the size of objects is a label'
is "$(raw custom.pb.gz | grep -A1 ' 10: ' | tail -1 | tr -s ' ')" ' op:[x] tenant:[a b]' 'labels are written with their sample'
is "$(raw custom.pb.gz | grep -c 'op:')" 1 'samples without labels get none'
is "$(grep -A1 '^10 @' custom.txt | tail -1)" '# labels: {"op":"x", "tenant":"a b"}' 'text profiles contain labels'
is "$(raw heap.pb.gz | grep -c '^Duration')" 0 'a snapshot has no duration'
is "$(raw delta.pb.gz | grep -c '^Duration')" 1 'a delta profile has a duration'
is "$(raw delta.pb.gz | sed -n '/^Samples/,/^Locations/p' | grep -c '[0-9]: [0-9]')" 1 'a delta profile does not contain earlier objects'
is "$(raw delta.pb.gz | sed -n '/^Samples/,/^Locations/p' | sed -n 's/ *\([0-9]* *[0-9]* *[0-9]* *[0-9]*\): .*/\1/p' |
	tr -s ' ')" '100 700 100 700' 'a delta profile contains later objects'

id=$(readelf -n "$program" 2>/dev/null | sed -n 's/.*Build ID: //p')
is "$(raw heap.pb.gz | sed -n "s,^1: .*/snap_files \([0-9a-f]*\).*,\1,p")" "$id" \
	'the program is the first mapping, with its build id'
is "$(raw heap.pb.gz | sed -n '/^Locations/,/^Mappings/p' | grep '^ *[0-9]*: ' | grep -vc ' M=1 ')" 0 \
	'every location refers to a mapping'

is "$(sed '/^--- Memory/,$d' threadcreate.txt | grep '^#' | cut -f 3 | sed 's/+.*//' | sort -u | tr '\n' ' ')" \
	'leaf middle outermost ' 'text profiles contain names of static functions'
done_testing
