#!/bin/sh
# t131-names-in-file.t - profiles have function names, lines and inlined functions by default, as a report would find them
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/runtime/lib.sh"
export XDG_CACHE_HOME="$tmp/cache"
unset DEBUGINFOD_URLS
cat >p.cc <<'END'
#include <cstdio>
volatile unsigned long s;
namespace ns {
template <class T> struct work {
	__attribute__((noinline)) static void go(int n) { for (int i = 0; i < n; i++) s += (T)i * 7; }
	static inline void inl(int n) { for (int i = 0; i < n; i++) s *= 3; }
};
}
int main() { for (int i = 0; i < 600 * N; i++) { ns::work<long>::go(900000); ns::work<short>::inl(900000); } return 0; }
END
build() { # N: the program with N times the work
	${CXX:-c++} -O1 -g -DN="$1" -o p p.cc && return
	echo '1..0 # SKIP no C++ compiler'
	exit 0
}
rows() { # ARG...: a report, without its head
	"$CPA" "$@" 2>report-err | sed '1,/flat%/d'
}
named() { # FILE: the names of its functions, without looking them up
	"$CPA" top -symbolize=none -trim=false "$1" 2>/dev/null | grep -c -e ' ns::work::go$' -e ' ns::work::inl (inline)$' -e ' main$'
}

build 1
"$CPA" run --quiet --hz=1000 --cpu=run.pb.gz -- ./p 2>err
is "$? $(cat err)" '0 ' 'cpa run writes no message about names'
"$CPA" record --hz=1000 --top=0 -o record.pb.gz -- ./p 2>err
is "$? $(grep -v '^cpa: sampled ' err)" '0 cpa: wrote record.pb.gz' 'neither does cpa record'
"$CPA" run --quiet --hz=1000 --cpu=bare.pb.gz --no-symbolize -- ./p
"$CPA" record --hz=1000 --top=0 --no-symbolize -o bare-record.pb.gz -- ./p 2>err
is "$(named run.pb.gz) $(named record.pb.gz)" '3 3' 'profiles have names by default'
is "$(named bare.pb.gz) $(named bare-record.pb.gz)" '0 0' '--no-symbolize leaves them out'
"$CPA" symbolize -o later.pb.gz bare.pb.gz 2>err
for report in 'top' 'top -lines' 'traces' 'top -addresses' 'top -files' 'tree' 'top -symbolize=demangle=full' 'top -focus=inl'; do
	# shellcheck disable=SC2086 # words
	"$CPA" $report bare.pb.gz >bare.txt 2>err
	# shellcheck disable=SC2086 # words
	"$CPA" $report later.pb.gz >later.txt 2>err
	cmp -s bare.txt later.txt
	ok $? "$report: the same with names in the file as with names looked up"
done

# a pipe cannot be read again, and gets addresses
"$CPA" run --quiet --hz=1000 --cpu=/dev/stdout -- ./p 2>err | cat >piped.pb.gz
is "$(cat err)$(named piped.pb.gz)" 0 'a profile that is written to a pipe has no names'

cp record.pb.gz before.pb.gz
rows top -lines before.pb.gz >before.txt
build 2
rows top -lines before.pb.gz >rebuilt.txt
cmp -s before.txt rebuilt.txt
ok $? 'a report is the same after the program has been rebuilt'
is "$(cat report-err)" '' 'and finds all names'
"$CPA" record --hz=1000 --top=0 -o after.pb.gz -- ./p 2>err
"$CPA" diff before.pb.gz after.pb.gz >diff.txt 2>err
is "$(grep -cE ' (new|gone) .*ns::work::go$' diff.txt) $(grep -c 'ns::work::go$' diff.txt)" '0 1' 'cpa diff compares functions of both builds'
rm p
rows top -lines before.pb.gz >removed.txt
cmp -s before.txt removed.txt
ok $? 'a report is the same after the program has been removed'

# processes, in a file of each
build 1
rm -f p*.gz
"$CPA" run --quiet --hz=1000 --follow --cpu=p.pb.gz -- sh -c './p; ./p; true' >out 2>err
n=0
for file in p-*.pb.gz; do
	[ "$(named "$file")" -lt 2 ] || n=$((n + 1)) # the inlined function has few samples
done
is "$n $(cat err)" '2 ' 'files of child processes have names'

# a running process
build 30
./p & pid=$!
if "$CPA" record -p $pid --hz=1000 --seconds=1 --top=0 -o pid.pb.gz 2>err; then
	is "$(named pid.pb.gz)" 3 'a profile of a running process has names'
	"$CPA" record -p $$ --wall --seconds=1 --top=0 --no-symbolize -o bare.pb.gz 2>err
	is "$("$CPA" top -symbolize=none bare.pb.gz 2>/dev/null | grep -c ' main$')" 0 '--no-symbolize leaves them out'
else
	ok 0 'a running process # SKIP processes cannot be sampled here'
fi
kill $pid 2>/dev/null
wait $pid 2>/dev/null
build 1
is "$("$CPA" run --symbolize --no-symbolize --quiet --cpu=no.pb.gz -- ./p 2>&1)$(named no.pb.gz)" 0 '--no-symbolize after --symbolize'
done_testing
