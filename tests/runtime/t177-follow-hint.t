#!/bin/sh
# t177-follow-hint.t - cpa run suggests --follow if programs that the program started used most CPU time
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/runtime/lib.sh"
compile burn
compile children -Wall

hinted() { # NAME WORD...: cpa prints the hint
	name=$1
	shift
	"$CPA" "$@" >out 2>err
	hint=$(sed -n 's/(0\.[0-9]* s of 0\.[0-9]* s)/(T s of T s)/; /most CPU/p' err)
	is "$hint" 'cpa: most CPU time (T s of T s) was used by child processes, which are not profiled; add --follow' "$name: --follow is suggested"
}

not_hinted() { # NAME WORD...: it does not
	name=$1
	shift
	"$CPA" "$@" >out 2>err
	is "$? $(grep -e most -e --follow err)" '0 ' "$name: --follow is not suggested"
}

hinted 'timeout' run --quiet --cpu=c.gz -- timeout 60 ./burn 0.4
hinted 'a shell' run --quiet --cpu=c.gz -- sh -c './burn 0.2; ./burn 0.2; true'
hinted 'system' run --quiet --cpu=c.gz -- ./children 0 0 './burn 0.4'
hinted 'a program that uses CPU time, too' run --quiet --cpu=c.gz -- ./children 0.1 0.1 './burn 0.5'
hinted 'a heap profile' run --quiet --heap=h.gz -- timeout 60 ./burn 0.4
if command -v make >/dev/null; then
	printf 'all:\n\t./burn 0.4\n' >Makefile
	hinted 'make' run --quiet --cpu=c.gz -- make
else
	ok 0 'make # SKIP make not found'
fi

not_hinted '--follow' run --quiet --cpu=c-%p.gz --follow -- timeout 60 ./burn 0.2
not_hinted '--follow=none' run --quiet --cpu=c.gz --follow=none -- timeout 60 ./burn 0.2
not_hinted 'cpa record, which follows' record -o x.gz -- timeout 60 ./burn 0.2
not_hinted 'cpa record --follow=none' record --follow=none -o x.gz -- timeout 60 ./burn 0.2
not_hinted 'a program that the shell executes in its place' run --quiet --cpu=c.gz -- sh -c 'exec ./burn 0.2'
not_hinted 'the program used most CPU time' run --quiet --cpu=c.gz -- ./children 0.5 0 './burn 0.2'
not_hinted 'children used little CPU time' run --quiet --cpu=c.gz -- sh -c 'true; /bin/true; ./burn 0.02; true'
not_hinted 'a forked child, which is profiled' run --quiet --cpu=c.gz -- ./children 0 0.4 /bin/true
not_hinted 'a forked child without a CPU profile' run --quiet --heap=h.gz -- ./children 0 0.4 /bin/true
if ${CC:-cc} -O1 -static -o static "$top_srcdir/tests/runtime/burn.c" -pthread 2>/dev/null; then
	not_hinted 'a static program, which cannot be profiled' run --quiet --cpu=c.gz -- timeout 60 ./static 0.2
else
	ok 0 'a static program # SKIP cannot be linked'
fi
done_testing
