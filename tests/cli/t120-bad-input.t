#!/bin/sh
# t120-bad-input.t - every broken file of testdata/bad: what cpa says of it
# SPDX-License-Identifier: Apache-2.0
#
# The golden file has one line per input: its exit status, and the message or "read". An input
# that fails prints nothing but that one line.
. "${top_srcdir:?}/tests/cli/lib.sh"

strange=0
for f in bad/* edge; do
	"$CPA" top "$f" >"$tmp/out" 2>"$tmp/err"
	status=$?
	if [ $status -eq 0 ]; then
		echo "0 $f: read"
		continue
	fi
	echo "$status $(cut -c 6- "$tmp/err")"
	if [ $status -ne 2 ] || [ "$(wc -l <"$tmp/err")" -ne 1 ] || [ -s "$tmp/out" ]; then
		strange=$((strange + 1))
	fi
done >"$tmp/said"
[ -n "${UPDATE:-}" ] && cp "$tmp/said" "$golden_dir/bad-input"
same "each broken file gets its sentence" "$golden_dir/bad-input" "$tmp/said"
[ $strange -eq 0 ]
result $? "each failure is one line, exit status 2, and nothing on standard output"

fails 'no-such-file: No such file' top no-such-file
fails 'edge: is a directory' top edge
"$CPA" top go-cpu.pb.gz bad/empty.pb go-cpu.pb.gz >"$tmp/out" 2>"$tmp/err"
[ $? -eq 2 ] && grep -q 'bad/empty.pb: empty input' "$tmp/err" && grep -q 'Fetched 2 source profiles out of 3' "$tmp/err"
result $? "a bad source among good ones is named and sets the exit status"
"$CPA" top go-cpu.pb.gz go-cpu.pb.gz >"$tmp/two"
same "the good sources are reported all the same" "$tmp/two" "$tmp/out"

fails '--max-ratio lifts' top bad/gzip-bomb.pb.gz
fails '--max-inflated lifts' top --max-inflated=1000 go-cpu.pb.gz
fails '--max-input lifts' top --max-input=1000 go-cpu.pb.gz
fails '--max-count lifts' top --max-count=10 go-cpu.pb.gz
{ printf '\012\004\010\001\020\001'; head -c 40000 /dev/zero | sed 's/\x00\x00/\x0a\x00/g'; } >"$tmp/types.pb"
fails 'more than 10000 sample types; --max-count lifts' top "$tmp/types.pb"
fails '--max-depth lifts' top --max-depth=3 go-cpu.pb.gz
fails '--max-nesting lifts' top bad/gzip-nested.pb.gz
"$CPA" top --max-nesting=2 bad/gzip-nested.pb.gz >"$tmp/out" 2>&1
result $? "--max-nesting=2 reads what is compressed twice"
done_testing
