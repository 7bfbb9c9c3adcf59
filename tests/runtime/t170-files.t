#!/bin/sh
# t170-files.t - cpa run writes the requested files, and no others
# SPDX-License-Identifier: Apache-2.0
# shellcheck disable=SC2016 # other programs expand these
. "${top_srcdir:?}/tests/runtime/lib.sh"
compile burn

type_of() { # FILE: the type that readers show first
	"$CPA" top "$1" 2>/dev/null | sed -n 's/^Type: //p'
}

found() { # the names of all files, on one line
	find . -name '*.gz*' | sort | tr '\n' ' '
}

fails() { # NAME SENTENCE WORD...
	name=$1 sentence=$2
	shift 2
	"$CPA" run --quiet "$@" >out 2>err
	is "$? $(cat err)" "2 $sentence" "$name is refused"
}

"$CPA" run --cpu=c.gz --heap=h.gz --allocs=a.gz --block=b.gz --mutex=m.gz --threadcreate=t.gz -- ./burn 0.2 0.2 >out 2>err
is "$? $(grep -v '^cpa: sampled ' err)" '0 cpa: wrote c.gz, h.gz, a.gz, b.gz, m.gz, t.gz' 'all kinds at once: cpa prints the names of the files'
is "$(found)" './a.gz ./b.gz ./c.gz ./h.gz ./m.gz ./t.gz ' 'all kinds at once: a file is written for each kind'
is "$(for f in c h a b m t; do type_of $f.gz; done | tr '\n' ' ')" \
	'cpu inuse_space alloc_space delay delay threadcreate ' 'all kinds at once: each file has the sample type of its kind'
# shellcheck disable=SC2094 # bad is none of them
for f in c h a b m t; do
	"$CPA" raw -symbolize=none $f.gz >raw 2>&1 || echo $f
done >bad
is "$(cat bad)" '' 'all kinds at once: cpa can read all files'
if command -v go >/dev/null; then
	for f in c h a b m t; do
		go tool pprof -raw $f.gz >raw 2>&1 || echo $f
	done >bad
	is "$(cat bad)" '' 'all kinds at once: pprof can read all files'
fi

rm -f ./*.gz
is "$("$CPA" run --quiet --heap=h.gz -- sh -c 'wc -l </proc/$$/timers')" 0 'without a CPU profile no timers run'
is "$(found)" './h.gz ' 'without --cpu no CPU profile is written if another kind is requested'
rm -f ./*.gz
"$CPA" run --quiet -- ./burn 0.1 >out
is "$(found | sed 's/[0-9][0-9]*/N/')" './cpu-N.pb.gz ' 'without options a CPU profile is written'
rm -f ./*.gz
now=$(date +%s)
"$CPA" run --quiet --cpu=c-%p-%t-%h-%%-%x.gz -- sh -c 'echo $$' >out
read -r pid <out
at=$(found | sed 's/.*-\([0-9]*\)-.*-%-.*/\1/')
is "$(found)" "./c-$pid-$at-$(uname -n)-%-%x.gz " '%p, %t, %h and %% in a name are expanded to pid, time, host and %'
between "$at" "$now" "$((now + 10))" '%t in a name is the current time'

rm -f ./*.gz
"$CPA" run --cpu=c.pb.gz --heap=h.pb.gz --threads=t.pb.gz --every=200ms -- ./burn 1 >out 2>err
is "$? $(sed 's/wrote [0-9]* files/wrote N files/; s/t-[0-9]*/t-N/; /^cpa: sampled /d' err)" \
	'0 cpa: wrote N files, the last ones t-N.pb.gz, c.pb.gz, h.pb.gz' '--every: cpa prints the names of the last files'
between "$(find . -name 'c-0*.pb.gz' | wc -l)" 3 1000 '--every: numbered profiles are written'
is "$(find . -name '[cht]-0002.pb.gz' | sort | tr '\n' ' ')" './c-0002.pb.gz ./h-0002.pb.gz ./t-0002.pb.gz ' \
	'--every: numbered profiles are written for each kind'
first=$(total c-0001.pb.gz) second=$(total c-0002.pb.gz) last=$(total c.pb.gz)
[ "${second:-0}" -ge "${first:-1}" ] && [ "${last:-0}" -ge "$second" ]
ok $? '--every: each profile includes the previous one'
[ "${last:-0}" -gt "${first:-0}" ]
measured $? '--every: the last profile has the samples since then' "$first $second $last"
is "$("$CPA" top -unit=count t-0002.pb.gz 2>/dev/null | sed -n 's/^Showing nodes .* of \(.*\) total/\1/p') $(found | grep -c t.pb.gz)" \
	'1 0' 'thread profiles contain all threads, and none is written at the end'
echo mine >victim
rm -f ./*.gz
ln -s victim c-0001.pb.gz
mkfifo c-0002.pb.gz
timeout 20 "$CPA" run --quiet --cpu=c.pb.gz --every=200ms -- ./burn 1 >out 2>err
is "$? $(cat victim)" '0 mine' 'links and pipes at the names of numbered profiles are replaced, not followed'

rm -f ./*.gz
for file in /no/such/c.gz burn/c.gz "$PWD" no%h/c.gz; do
	"$CPA" run --quiet --heap=h.gz --cpu="$file" -- sh -c 'echo ran' >out 2>err
	is "$? $(cat out err | sed 's/.*: //')" "2 $(case $file in burn*) echo Not a ;; "$PWD") echo Is a ;; *) echo No such file or ;; esac) directory" \
		"--cpu=$file cannot be written, which is reported before the program runs"
done
is "$(found)" '' 'no file is written if one of the files cannot be written'
"$CPA" run --quiet --custom=x=/no/such/x.gz -- sh -c 'echo ran' >out 2>err
is "$? $(cat out err)" '2 cpa: /no/such/x.gz: No such file or directory' 'the file of a custom profile is checked, too'
mkdir lost
"$CPA" run --quiet --cpu=lost/c.gz --heap=h.gz -- sh -c 'rmdir lost; exit 7' >out 2>err
is "$? $(cat err)" '7 cpa: lost/c.gz: No such file or directory' \
	'a file that cannot be written is reported, and the exit status is that of the program'
is "$(found)" './h.gz ' 'if one file cannot be written at the end, the others are still written'
printf 'precious' >old.gz
mkdir full
if [ "$(id -u)" = 0 ] && mount -t tmpfs -o size=4k none full 2>/dev/null; then
	cp old.gz full/c.gz
	head -c 4096 /dev/zero >full/fill 2>/dev/null
	"$CPA" run --quiet --hz=1000 --cpu=full/c.gz --heap=h.gz --heap-rate=1 -- ./burn 0.2 >out 2>err
	is "$? $(cat err)" '0 cpa: full/c.gz: No space left on device' 'a full disk is reported'
	is "$(cat full/c.gz) $(find full -type f | wc -l)" 'precious 2' 'a full disk leaves existing files unchanged'
	umount full
else
	ok 0 'a full disk # SKIP needs root'
fi
rm -f ./*.gz
prlimit --nofile=16 "$CPA" run --quiet --hz=1000 --cpu=p.pb.gz --heap=h.gz -- ./burn 0.5 >out 2>err
is "$? $(cat err)" '0 ' 'a limit of sixteen open files is enough'
within "$(total p.pb.gz)" "$(cat out)" 5 'a limit of sixteen open files does not truncate the profile'

rm -f ./*.gz
cp burn other
"$CPA" run --quiet --hz=1000 --cpu=p.gz --follow='/bur.$' -- sh -c './burn 0.2; ./other 0.2; ./burn 0.1' >out
is "$(found | tr ' ' '\n' | sed 's/[0-9][0-9]*/N/' | uniq -c | tr -s ' \n' ' ')" ' 2 ./p-N.gz 1 ./p.gz ' \
	'--follow=REGEX profiles programs with matching paths, and the program itself'
rm -f ./*.gz
"$CPA" run --quiet --cpu=p.gz --follow=none -- sh -c './burn 0.2' >out
is "$(found)" './p.gz ' '--follow=none profiles only the program'
rm -f ./*.gz
"$CPA" run --quiet --hz=1000 --cpu=p.gz --symbolize -- ./burn 0.2 >out 2>err
mv burn gone
is "$("$CPA" top p.gz 2>/dev/null | grep -c ' spin')" 1 '--symbolize puts names into the file'
mv gone burn
# the process group gets SIGINT, as from the terminal
rm -f ./*.gz
timeout -s INT 1 "$CPA" run --quiet --hz=1000 --cpu=p.gz -- ./burn 30 >out 2>err
is "$(found)" './p.gz ' 'an interrupt ends the program, but cpa still writes the profile'
between "$(total p.gz)" 10000000 1100000000 'the profile of an interrupted program contains its CPU time until the interrupt'

rm -f ./*.gz
fails '--threads without --every' \
	'cpa: --threads needs an interval, for example --every=10s' --threads=t.gz -- ./burn 1
fails 'one file for two profiles' 'cpa: x.gz: given for two profiles' --cpu=x.gz --heap=x.gz -- ./burn 1
fails 'a time without a unit' 'cpa: --every=5: must be at least 100ms, with a unit' --every=5 -- ./burn 1
fails 'an invalid time' 'cpa: --every=5kB: not a time, such as 10us, 10s, 1m' --every=5kB -- ./burn 1
fails 'a negative heap rate' 'cpa: --heap-rate=-1: not a number of bytes, such as 512kB' --heap-rate=-1 --heap=h.gz -- ./burn 1
fails 'a heap rate of 0 for a heap profile' 'cpa: --heap-rate must be at least 1 to write a heap profile' --heap-rate=0 --heap=h.gz -- ./burn 1
fails 'a mutex fraction of 0' 'cpa: --mutex-fraction must be 1 to 1048576' --mutex-fraction=0 --mutex=h.gz -- ./burn 1
fails 'a maximum depth of 0' 'cpa: --max-depth must be 1 to 254' --max-depth=0 -- ./burn 1
fails 'an unknown engine' 'cpa: --engine=steam: choose timer, perf or itimer' --engine=steam -- ./burn 1
fails 'an invalid expression' 'cpa: --follow=(: error parsing regexp: missing closing ): `(`' '--follow=(' -- ./burn 1
fails 'a custom profile without a file' 'cpa: --custom=conns: expected NAME=FILE' --custom=conns -- ./burn 1
fails 'an unknown option' 'cpa: unknown option --nope; cpa run --help lists the options' --nope -- ./burn 1
fails 'a file option without a name before --' 'cpa: --heap needs an argument: --heap=FILE' --heap -- ./burn 1
fails 'a file option without a name before an option' 'cpa: --heap needs an argument: --heap=FILE' --heap --hz=9 ./burn 1
fails 'a command line without a program' 'cpa: usage: cpa run [OPTION]... [--] PROGRAM [ARGUMENT]...' --hz=100
is "$(found)" '' 'no file is written after a usage error'
"$CPA" run --quiet --custom=conns=x.gz -- sh -c 'exit 3' 2>err
is "$? $(cat err)" '3 cpa: x.gz: the program has no profile named conns' 'a missing custom profile is reported'
done_testing
