#!/bin/sh
# t288-gate-counts.t - counts of threads and goroutines, memory in use, and names with template arguments
# SPDX-License-Identifier: Apache-2.0
# shellcheck disable=SC2034 # read by lib.sh: symbolize
names=yes
. "${top_srcdir:?}/tests/cli/lib.sh"
. "$top_srcdir/tests/cli/gate.sh"
gate_options=--all
cd "$tmp" || exit 1

# make FILE TIME TYPE UNIT STACK=VALUE...: makes a profile with gate_profile.py
make() {
	file=$1
	shift
	"${PYTHON3:-python3}" "$top_srcdir/tests/cli/gate_profile.py" "$tmp/$file" "$@"
}

# Threads.
make t4.pb 1 threads count 'work;start=4'
make t4b.pb 2 threads count 'work;start=4'
make t5.pb 3 threads count 'work;start=5'
make t12.pb 4 threads count 'work;start=12'
make t12b.pb 5 threads count 'work;start=12'
exits_with 1 'an increase from 4 to 12 threads fails' -base=t4.pb t12.pb
prints '^FAIL *+200%.*work' 'a function that starts more threads fails'
prints 'exact counts: 4 in base, 12 in new' 'exact counts of both sides are printed'
prints '^type  threads; relative to the number of profiles' 'the table says that counts are relative to the number of profiles'
prints '^note: values of threads are compared per profile (--normalize=none), since counts of threads and goroutines are exact' 'a note says that counts are exact'
exits_with 0 'an unchanged count of 4 threads passes' -base=t4.pb t4b.pb
prints '^cpa gate: PASS' 'the verdict of equal counts is PASS'
exits_with 0 'one more thread passes' -base=t4.pb t5.pb
prints 'an increase below 3' 'an increase by one thread is reported as too small to fail'
exits_with 0 'a decrease from 12 to 4 threads passes' -base=t12.pb t4.pb
prints '^IMPROVED .*work' 'a decrease is an improvement'
exits_with 1 'two runs per side fail like one' -base=t4.pb -base=t4b.pb t12.pb t12b.pb
prints 'exact counts: 4 in base at most, 12 in new at least' 'the counts of several runs are the maximum of base and the minimum of new'
exits_with 0 'sides with overlapping counts pass' -base=t4.pb -base=t12b.pb t4b.pb t12.pb
exits_with 0 'an increase below --threshold passes' --threshold=250% -base=t4.pb t12.pb
exits_with 0 '--normalize overrides the normalization' --inconclusive=0 --normalize=bulk -base=t4.pb t12.pb
omits '^note: values of' 'with --normalize there is no note about the normalization'
printf 'normalize share\n' >"$tmp/gate.cpa"
exits_with 0 'a normalize line overrides the normalization' --inconclusive=0 --config=gate.cpa -base=t4.pb t12.pb
prints 'relative to all samples of its side' 'the normalization of the config file is printed'

# Goroutines: an increase within the limit, and a leak.
set -- 'idle;gc;main=10' 'accept;main=1'
make g.pb 1 goroutine count 'read;serve;main=40' "$@"
make g44.pb 2 goroutine count 'read;serve;main=44' "$@"
make leak.pb 3 goroutine count 'read;serve;main=40' 'wait;serve;main=80' "$@"
exits_with 0 'an increase from 40 to 44 goroutines passes' -base=g.pb g44.pb
prints '^OK *+10.0%.*read' 'an increase by 4 goroutines is within the limit'
exits_with 1 'a leak of goroutines fails' -base=g.pb leak.pb
prints '^FAIL .*serve' 'the function that starts leaked goroutines fails'
omits '^IMPROVED' 'a leak of goroutines makes no other function look improved'

# Memory in use: a leak, and functions that did not change.
make m.pb 1 inuse_space bytes 'a;main=3000' 'b;main=2000' 'c;main=4000' 'd;main=1000'
make mleak.pb 2 inuse_space bytes 'a;main=3010' 'b;main=1990' 'c;main=12000' 'd;main=1005'
exits_with 1 'a leak of memory fails' -base=m.pb mleak.pb
prints '^FAIL *+200% .* c$' 'the function that leaks memory fails'
omits '^IMPROVED' 'a memory leak makes no other function look improved'
prints 'relative to the number of profiles' 'the table says that memory is relative to the number of profiles'
prints '^note: values of inuse_space are compared per profile (--normalize=none), since values in use do not depend' 'a note says that values in use do not depend on the duration'
"$CPA" gate --json -base="$tmp/m.pb" "$tmp/mleak.pb" >"$tmp/out" 2>"$tmp/err"
prints '"normalize": "none"' 'JSON contains the normalization used'
prints '"id": "normalize"' 'JSON contains the reason for the normalization'

# Names that contain or consist of template arguments.
set -- 'std::function<void ()>::operator()=1000' 'std::function<int ()>::operator()=1000' 'operator<=1000' 'operator<<=1000' \
	'operator<=>=1000' '(anonymous namespace)::f=1000' 'main::{lambda(int)#1}::operator()=1000' '<>=1000' 'main.Map[int]=1000' \
	'main.Map[string]=1000' '[go.shape.int]=1000'
make names.pb 1 samples count '<A as T>::go=1000' '<B as T>::go=1000' "$@"
make names2.pb 2 samples count '<A as T>::go=2000' '<B as T>::go=1000' "$@"
exits_with 1 'a trait function that became twice as slow fails' -base=names.pb names2.pb
prints '^FAIL .* <A as T>::go$' 'the trait function that fails is printed with its type'
for name in '<B as T>::go' 'std::function<void ()>::operator()' 'std::function<int ()>::operator()' 'operator<' 'operator<<' \
	'operator<=>' '(anonymous namespace)::f' 'main::{lambda(int)#1}::operator()' '<>' 'main.Map\[int]' 'main.Map\[string]' \
	'\[go.shape.int]'; do
	prints "cum   $name\$" "$name has a row of its own"
done

# Inlined calls.
"$CPA" -proto -ignore=flate -symbolize=none -output=less.pb.gz "$TESTDATA/go-cpu.pb.gz" 2>/dev/null
exits_with 3 'samples count for inlined functions' -base="$TESTDATA/go-cpu.pb.gz" less.pb.gz
prints 'nextFreeFast' 'an inlined function has a row'
exits_with 3 'with -noinlines they count for the callers' -noinlines -base="$TESTDATA/go-cpu.pb.gz" less.pb.gz
omits 'nextFreeFast' 'with -noinlines an inlined function has no row'
done_testing
