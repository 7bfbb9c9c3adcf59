#!/bin/sh
# t170-files.t - cpa run writes the files that are asked for, and no others
# SPDX-License-Identifier: Apache-2.0
# shellcheck disable=SC2016 # other programs expand these
. "${top_srcdir:?}/tests/runtime/lib.sh"
compile burn

type_of() { # FILE: the type that readers show first
	"$CPA" top "$1" 2>/dev/null | sed -n 's/^Type: //p'
}

found() { # what is there, on one line
	find . -name '*.gz*' | sort | tr '\n' ' '
}

fails() { # NAME SENTENCE WORD...
	name=$1 sentence=$2
	shift 2
	"$CPA" run "$@" >out 2>err
	is "$? $(cat err)" "2 $sentence" "$name"
}

"$CPA" run --cpu=c.gz --heap=h.gz --allocs=a.gz --block=b.gz --mutex=m.gz --threadcreate=t.gz -- ./burn 0.2 0.2 >out 2>err
is "$? $(cat err)" '0 ' 'all kinds at once: the program runs, cpa says nothing'
is "$(found)" './a.gz ./b.gz ./c.gz ./h.gz ./m.gz ./t.gz ' 'and each has its file'
is "$(for f in c h a b m t; do type_of $f.gz; done | tr '\n' ' ')" \
	'cpu inuse_space alloc_space delay delay threadcreate ' 'and its type'
# shellcheck disable=SC2094 # bad is none of them
for f in c h a b m t; do
	"$CPA" raw -symbolize=none $f.gz >raw 2>&1 || echo $f
done >bad
is "$(cat bad)" '' 'all of them can be read'
if command -v go >/dev/null; then
	for f in c h a b m t; do
		go tool pprof -raw $f.gz >raw 2>&1 || echo $f
	done >bad
	is "$(cat bad)" '' 'by pprof too'
fi

rm -f ./*.gz
is "$("$CPA" run --heap=h.gz -- sh -c 'wc -l </proc/$$/timers')" 0 'without a CPU profile no timers run'
is "$(found)" './h.gz ' 'nor is one written'
rm -f ./*.gz
"$CPA" run -- ./burn 0.1 >out
is "$(found | sed 's/[0-9][0-9]*/N/')" './cpu-N.pb.gz ' 'without any file there is a CPU profile of the process'
rm -f ./*.gz
now=$(date +%s)
"$CPA" run --cpu=c-%p-%t-%h-%%-%x.gz -- sh -c 'echo $$' >out
read -r pid <out
at=$(found | sed 's/.*-\([0-9]*\)-.*-%-.*/\1/')
is "$(found)" "./c-$pid-$at-$(uname -n)-%-%x.gz " '%p, %t, %h and %% in a name are the process, the time, the host and %'
between "$at" "$now" "$((now + 10))" 'the time is now'

rm -f ./*.gz
"$CPA" run --cpu=c.pb.gz --heap=h.pb.gz --threads=t.pb.gz --every=200ms -- ./burn 1 >out 2>err
is "$? $(cat err)" '0 ' '--every: the program runs'
between "$(find . -name 'c-0*.pb.gz' | wc -l)" 3 1000 'and there are profiles of its moments'
is "$(find . -name '[cht]-0002.pb.gz' | sort | tr '\n' ' ')" './c-0002.pb.gz ./h-0002.pb.gz ./t-0002.pb.gz ' \
	'of each kind, numbered'
first=$(total c-0001.pb.gz) second=$(total c-0002.pb.gz) last=$(total c.pb.gz)
[ "${second:-0}" -ge "${first:-1}" ] && [ "${last:-0}" -ge "$second" ]
ok $? 'each has what was before'
[ "${last:-0}" -gt "${first:-0}" ]
measured $? 'and what came since' "$first $second $last"
is "$("$CPA" top -unit=count t-0002.pb.gz 2>/dev/null | sed -n 's/^Showing nodes .* of \(.*\) total/\1/p') $(found | grep -c t.pb.gz)" \
	'1 0' 'threads have all threads of the moment, and no file at the end'
echo mine >victim
rm -f ./*.gz
ln -s victim c-0001.pb.gz
mkfifo c-0002.pb.gz
timeout 20 "$CPA" run --cpu=c.pb.gz --every=200ms -- ./burn 1 >out 2>err
is "$? $(cat victim)" '0 mine' 'links and pipes that wait where numbered profiles go are replaced, not followed'

rm -f ./*.gz
"$CPA" run --cpu=/no/such/c.gz --heap=h.gz -- sh -c 'exit 7' >out 2>err
is "$? $(cat err)" '7 cpa: /no/such/c.gz: No such file or directory' \
	'a file that cannot be written is told, and the exit status is that of the program'
is "$(found)" './h.gz ' 'and the others are written'
printf 'precious' >old.gz
mkdir full
if [ "$(id -u)" = 0 ] && mount -t tmpfs -o size=4k none full 2>/dev/null; then
	cp old.gz full/c.gz
	head -c 4096 /dev/zero >full/fill 2>/dev/null
	"$CPA" run --hz=1000 --cpu=full/c.gz --heap=h.gz --heap-rate=1 -- ./burn 0.2 >out 2>err
	is "$? $(cat err)" '0 cpa: full/c.gz: No space left on device' 'a full disk is told'
	is "$(cat full/c.gz) $(find full -type f | wc -l)" 'precious 2' 'and what was there stays as it was'
	umount full
else
	ok 0 'a full disk # SKIP it takes root to make one'
fi
rm -f ./*.gz
prlimit --nofile=16 "$CPA" run --hz=1000 --cpu=p.pb.gz --heap=h.gz -- ./burn 0.5 >out 2>err
is "$? $(cat err)" '0 ' 'sixteen files are enough'
within "$(total p.pb.gz)" "$(cat out)" 5 'for a whole profile'

rm -f ./*.gz
cp burn other
"$CPA" run --hz=1000 --cpu=p.gz --follow='/bur.$' -- sh -c './burn 0.2; ./other 0.2; ./burn 0.1' >out
is "$(found | tr ' ' '\n' | sed 's/[0-9][0-9]*/N/' | uniq -c | tr -s ' \n' ' ')" ' 2 ./p-N.gz 1 ./p.gz ' \
	'--follow=REGEX profiles the programs whose paths match, and the one that is run'
rm -f ./*.gz
"$CPA" run --cpu=p.gz --follow=none -- sh -c './burn 0.2' >out
is "$(found)" './p.gz ' '--follow=none profiles the program alone'
rm -f ./*.gz
"$CPA" run --hz=1000 --cpu=p.gz --symbolize -- ./burn 0.2 >out 2>err
mv burn gone
is "$("$CPA" top p.gz 2>/dev/null | grep -c ' spin')" 1 '--symbolize puts names into the file'
mv gone burn
# the group gets SIGINT, as from the terminal
rm -f ./*.gz
timeout -s INT 1 "$CPA" run --hz=1000 --cpu=p.gz -- ./burn 30 >out 2>err
is "$(found)" './p.gz ' 'an interrupt ends the program, and not cpa before it has written'
between "$(total p.gz)" 10000000 1100000000 'what was until then'

rm -f ./*.gz
fails '--threads without --every' \
	'cpa: --threads shows what threads do at one moment; say when with --every, as in --every=10s' --threads=t.gz -- ./burn 1
fails 'the same file twice' 'cpa: x.gz: two profiles would go there' --cpu=x.gz --heap=x.gz -- ./burn 1
fails 'a time without a unit' 'cpa: --every=5: at least 100ms; a time has a unit' --every=5 -- ./burn 1
fails 'a time that is none' 'cpa: --every=5kB: not a time, such as 10us, 10s, 1m' --every=5kB -- ./burn 1
fails 'a rate that is none' 'cpa: --heap-rate=-1: not a number of bytes, such as 512kB' --heap-rate=-1 --heap=h.gz -- ./burn 1
fails 'a rate of nothing' 'cpa: --heap-rate: at least 1, for there is to be a file of the heap' --heap-rate=0 --heap=h.gz -- ./burn 1
fails 'a fraction of nothing' 'cpa: --mutex-fraction: one of 1 to 1048576' --mutex-fraction=0 --mutex=h.gz -- ./burn 1
fails 'a depth of nothing' 'cpa: --max-depth: from 1 to 254 frames' --max-depth=0 -- ./burn 1
fails 'an engine that is none' 'cpa: --engine=steam: timer, perf or itimer' --engine=steam -- ./burn 1
fails 'an expression that is none' 'cpa: --follow=(: error parsing regexp: missing closing ): `(`' '--follow=(' -- ./burn 1
fails 'a custom profile without a file' 'cpa: --custom=conns: it takes the name of a profile, = and a file' --custom=conns -- ./burn 1
fails 'an unknown option' 'cpa: cpa run has no option --nope; cpa run --help lists them' --nope -- ./burn 1
fails 'a file without a name before --' 'cpa: cpa run --heap needs an argument: --heap=FILE' --heap -- ./burn 1
fails 'a file without a name before an option' 'cpa: cpa run --heap needs an argument: --heap=FILE' --heap --hz=9 ./burn 1
fails 'no program' 'cpa: usage: cpa run [OPTION]... [--] PROGRAM [ARGUMENT]...' --hz=100
is "$(found)" '' 'and nothing is written of what is refused'
"$CPA" run --custom=conns=x.gz -- sh -c 'exit 3' 2>err
is "$? $(cat err)" '3 cpa: x.gz: the program made no profile of the name conns' 'a profile that the program does not make'
done_testing
