#!/bin/sh
# t198-perf-data.t - recordings of perf: stacks, copied stacks, kernel symbols, perf maps, ~/.debug, large files
# SPDX-License-Identifier: Apache-2.0
names=yes
. "${top_srcdir:?}/tests/cli/lib.sh"

perf=$TESTDATA/formats/perf
mkdir "$tmp/bin" && gzip -dc "$perf/mill.gz" >"$tmp/bin/perfmill"
PPROF_BINARY_PATH=$tmp/bin
export PPROF_BINARY_PATH

top() {
	"$CPA" top -compact_labels -flat "$@" 2>"$tmp/err" | sed -n '/flat%/,$p' >"$tmp/got"
}

if [ "$(uname -m)" = x86_64 ]; then
	"$CPA" folded "$perf/dwarf.data" 2>"$tmp/err" | sort >"$tmp/got"
	cut -d ' ' -f 1 "$tmp/got" | sort -u >"$tmp/stacks"
	printf '%s\n' '_start;mill_main;grind' '_start;mill_main;turn;turn;turn;turn;grind' >"$tmp/want"
	same "copied stacks are unwound" "$tmp/want" "$tmp/stacks"
	[ "$(awk '{ n += $NF } END { printf "%.0f", n }' "$tmp/got")" = 18036072 ]
	result $? "the values are the periods" || note "$tmp/got"
	"$CPA" store import --store="$tmp/store" --service=mill --kind=cpu "$perf/dwarf.data" >"$tmp/out" 2>&1 &&
		"$CPA" folded --store="$tmp/store" store:mill@-20000d 2>"$tmp/err" | sort >"$tmp/stored"
	same "a store has the same stacks" "$tmp/got" "$tmp/stored"
fi
PPROF_BINARY_PATH=$tmp/none "$CPA" top "$perf/dwarf.data" >"$tmp/got" 2>&1
grep -q '^perf: 9 of 9 samples have a copy of the stack that was not unwound to its end: binaries' "$tmp/got" &&
	grep -q '\[stack not unwound\]' "$tmp/got"
result $? "a stack that cannot be unwound is named" || note "$tmp/got"

"$CPA" raw "$perf/two-zstd.data" 2>"$tmp/err" | grep -A 1 '^Samples:' | tail -1 >"$tmp/got"
echo 'samples/count cpu-clock:u/nanoseconds[dflt] page-faults:u/count cpu-clock:u_sample/count page-faults:u_sample/count' \
	>"$tmp/want"
same "each event is a sample type" "$tmp/want" "$tmp/got"
top "$perf/two-zstd.data" && grep -q '100%  grind$' "$tmp/got"
result $? "compressed records are read" || note "$tmp/got" "$tmp/err"
for type in cpu-clock:u_event cpu-clock:u_sample; do
	"$CPA" top -sample_index=$type "$perf/pipe.data" 2>"$tmp/err" | grep '^Type: '
done >"$tmp/got"
printf 'Type: cpu-clock:u\nType: samples\n' >"$tmp/want"
same "perf_to_profile's names of sample types are accepted" "$tmp/want" "$tmp/got"
"$CPA" top - <"$perf/pipe.data" 2>"$tmp/err" | grep -q '100%  grind$'
result $? "a pipe is read from standard input" || note "$tmp/err"

sum() { # SOURCE: the sum of all samples
	"$CPA" folded "$@" 2>"$tmp/err" | awk '{ n += $NF } END { printf "%.0f\n", n }'
}

[ "$(sum "$perf/threads.data")" = 32064128 ]
result $? "a directory of perf record --threads is read" || note "$tmp/err"
"$CPA" store import --store="$tmp/threads" --service=mill --kind=cpu "$perf/threads.data" >"$tmp/out" 2>&1
[ "$(sum --store="$tmp/threads" store:mill@-20000d)" = 32064128 ]
result $? "a store imports a directory as one recording" || note "$tmp/out" "$tmp/err"
cp -r "$perf/threads.data" "$tmp/cut" && head -c 200 "$perf/threads.data/data.0" >"$tmp/cut/data.0"
"$CPA" top "$tmp/cut" 2>&1 | grep '^perf: ' >"$tmp/got"
rm "$tmp/cut/data.0"
"$CPA" top "$tmp/cut" 2>&1 | sed "s,$tmp/,," >>"$tmp/got"
"$CPA" top "$tmp/cut/data" 2>&1 | grep '^perf: ' >>"$tmp/got"
cat "$perf/two-zstd.data" "$perf/pipe.data" >"$tmp/two.data"
cat "$perf/pipe.data" "$perf/pipe.data" >"$tmp/pipes.data"
"$CPA" top "$tmp/two.data" 2>&1 | grep '^perf: ' >>"$tmp/got"
"$CPA" top "$tmp/pipes.data" 2>&1 | grep '^perf: ' >>"$tmp/got"
cat >"$tmp/want" <<'END'
perf: the file data.0 ends too early, at byte 0; what is before it is read
cpa: cut: data.0: No such file or directory
perf: the samples are in the files data.N of a directory, which are not read; pass the directory
perf: another recording follows at byte 5593; it is not read
perf: another recording follows at byte 3928; it is not read
END
same "what is missing or not read is named" "$tmp/want" "$tmp/got"

id=00112233445566778899aabbccddeeff00112233
pid=4999999 # above the largest pid of Linux
python3 "$top_srcdir/tests/cli/perf_data.py" "$tmp/kernel.data" ffffffff9a000000 $id $pid
cat >"$tmp/kallsyms" <<'END'
ffffffff81000000 T _text
ffffffff81001000 T sys_leaf
ffffffff81001800 T sys_other
ffffffff81002000 T sys_caller
ffffffff81003000 T _etext
END
"$CPA" folded --kallsyms="$tmp/kallsyms" "$tmp/kernel.data" >"$tmp/got" 2>"$tmp/err"
printf 'sys_caller 1000000\nsys_leaf 1000000\n' >"$tmp/want"
sed 's/^.*;//' "$tmp/got" | sort >"$tmp/kernel"
same "kernel symbols are moved to where the kernel was" "$tmp/want" "$tmp/kernel"
"$CPA" folded "$tmp/kernel.data" 2>"$tmp/err" | grep -q sys_
[ $? -eq 1 ]
result $? "the symbols of another kernel are not used"
running=$(awk '$3 == "_text" && !t { t = $1 } $3 == "_etext" { print t, $1 }' /proc/kallsyms)
start=${running% *} end=${running#* }
if [ -n "$running" ] && [ "$start" != "$end" ]; then # else this user may not read addresses
	size=$(printf %x $((0x$end - 0x$start)))
	for n in $size 1000000; do
		python3 "$top_srcdir/tests/cli/perf_data.py" "$tmp/pipe.data" "$start" "" $pid "$n"
		"$CPA" folded "$tmp/pipe.data" 2>"$tmp/err.$n" | grep -c '\[\[kernel.kallsyms\]\]'
	done >"$tmp/got"
	printf '0\n2\n' >"$tmp/counts"
	same "a kernel without a build ID is the running one if its code has the same size" "$tmp/counts" "$tmp/got"
	grep -q '; \[kernel.kallsyms\]: not the running kernel; --kallsyms=FILE has its symbols' "$tmp/err.1000000"
	result $? "a kernel without symbols is named" || note "$tmp/err.1000000"
fi
saved=$HOME/.debug/.build-id/00/${id#00}
mkdir -p "$saved" && cp "$tmp/kallsyms" "$saved/kallsyms"
"$CPA" folded "$tmp/kernel.data" 2>"$tmp/err" | sed 's/^.*;//' | sort >"$tmp/kernel"
same "kernel symbols that perf has saved are used" "$tmp/want" "$tmp/kernel"
map=/tmp/perf-$pid.map
trap 'rm -rf "$tmp" "$map"' EXIT
printf '7000 80 early\n7000 80 JS:*hot /x.js:1:2\n70f0 40 caller\n' >"$map"
"$CPA" folded "$tmp/kernel.data" 2>"$tmp/err" | sort >"$tmp/got"
printf '%s\n' 'caller;JS:*hot /x.js:1:2;sys_caller;sys_leaf 1000000' 'caller;sys_caller 1000000' >"$tmp/want"
same "the perf map of a process names its code, the last line counts" "$tmp/want" "$tmp/got"
id=$("$CPA" raw -symbolize=none "$perf/dwarf.data" 2>/dev/null | sed -n 's/^1: .* \([0-9a-f]\{40\}\).*/\1/p')
saved=$HOME/.debug/.build-id/$(echo "$id" | cut -c 1-2)/$(echo "$id" | cut -c 3-)
mkdir -p "$saved" && cp "$tmp/bin/perfmill" "$saved/elf"
PPROF_BINARY_PATH=$tmp/none "$CPA" top "$perf/dwarf.data" 2>"$tmp/err" | grep -q '100%  grind$'
result $? "a binary that perf has saved is used" || note "$tmp/err"

head -c 6000 "$perf/dwarf.data" >"$tmp/cut.data"
"$CPA" top "$tmp/cut.data" >"$tmp/got" 2>&1
grep -q '^perf: the file ends too early, at byte ' "$tmp/got" && grep -q '100%  grind$' "$tmp/got"
result $? "a cut recording is read up to there" || note "$tmp/got"
# a file above 8 MB is mapped, not read: the trailing bytes are skipped by their size
cp "$perf/dwarf.data" "$tmp/large.data" && head -c 9000000 /dev/zero >>"$tmp/large.data"
"$CPA" folded "$perf/dwarf.data" >"$tmp/want" 2>/dev/null
"$CPA" folded "$tmp/large.data" >"$tmp/got" 2>/dev/null
same "a large file gives the same" "$tmp/want" "$tmp/got"
"$CPA" top --from=9s "$perf/dwarf.data" 2>"$tmp/err" >"$tmp/got"
grep -q 'dwarf.data: no sample is in this part of the recording, which took [0-9.]*ms$' "$tmp/err"
result $? "a part without samples is named" || note "$tmp/err"
"$CPA" top --times -tagfocus=time=0.1s:1s "$perf/dwarf.data" 2>"$tmp/err" >"$tmp/got"
grep -q 'TagFocus expression matched no samples; a range has whole numbers: 500ms:1s, not 0.5s:1s$' "$tmp/err"
result $? "a range with a fraction is explained" || note "$tmp/err"
printf 'PERFFILE' >"$tmp/old.data"
fails "$tmp/old.data: not a profile: it looks like a perf.data file of perf before 2009, which cpa does not read" \
	top "$tmp/old.data"
done_testing
