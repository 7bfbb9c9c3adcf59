#!/bin/sh
# t647-foreign-files.t - files and folders of other tools that are recognized and not read
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/cli/lib.sh"

mkdir "$tmp/app.trace" "$tmp/other"
: >"$tmp/app.trace/form.template"
fails "app.trace: not a profile: it looks like a recording of Instruments; convert it with: xctrace export --input FILE" \
	top "$tmp/app.trace"
fails 'other: is a directory, not a profile$' top "$tmp/other"

printf 'v 10400 3\nX ./a\nI 1000 5e298f\n' >"$tmp/heap"
fails 'heap: not a profile: it looks like a recording of heaptrack; convert it with: heaptrack_print -f FILE -F' top "$tmp/heap"
printf 'jdk.CPULoad {\n  startTime = 13:28\n}\n' >"$tmp/jfr.txt"
fails 'jfr.txt: not a profile: it looks like the text of jfr print; pass the recording$' top "$tmp/jfr.txt"
printf '# To display the perf.data header info, please use --header/--header-only options.\n#\n' >"$tmp/report.txt"
fails 'report.txt: not a profile: it looks like the text of perf report; pass the recording, or' top "$tmp/report.txt"
"$CPA" top - <"$tmp/heap" 2>&1 | grep -q 'it looks like a recording of heaptrack'
result $? "standard input is recognized too"
if command -v lz4 >/dev/null; then
	printf 'a;b 1\n' | lz4 -q -l >"$tmp/legacy"
	"$CPA" top "$tmp/legacy" 2>&1 | grep -q ' of 1 total'
	result $? "what lz4 -l writes is read" || note "$tmp/legacy"
fi
if command -v valgrind >/dev/null; then
	(cd "$tmp" && valgrind --tool=massif --massif-out-file=m.out true >/dev/null 2>&1)
	fails 'it looks like a massif.out of Valgrind; ms_print FILE prints it' top "$tmp/m.out"
fi
if [ -n "${PYTHON3:-}" ]; then
	"$PYTHON3" -c "import cProfile; cProfile.run('sum([1])', '$tmp/py.prof')"
	fails "it looks like a profile of Python's cProfile; convert it with: flameprof" top "$tmp/py.prof"
fi
"$CPA" help formats >"$tmp/got"
tr -s ' \n' ' ' <"$tmp/got" | grep -q 'Convert it with: dotnet-trace convert --format Speedscope FILE'
result $? "cpa help formats has the command lines of converters" || note "$tmp/got"
done_testing
