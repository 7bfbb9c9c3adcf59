#!/bin/sh
# t120-bad-input.t - the message of cpa for each broken file in testdata/bad
# SPDX-License-Identifier: Apache-2.0
#
# The golden file has one line per input: the exit status, and the message or "read". For an
# invalid input, cpa prints only that line.
. "${top_srcdir:?}/tests/cli/lib.sh"

n_wrong=0
for f in bad/* edge; do
	"$CPA" top "$f" >"$tmp/out" 2>"$tmp/err"
	status=$?
	if [ $status -eq 0 ]; then
		echo "0 $f: read"
		continue
	fi
	echo "$status $(cut -c 6- "$tmp/err")"
	if [ $status -ne 2 ] || [ "$(wc -l <"$tmp/err")" -ne 1 ] || [ -s "$tmp/out" ]; then
		n_wrong=$((n_wrong + 1))
	fi
done >"$tmp/messages"
[ -n "${UPDATE:-}" ] && cp "$tmp/messages" "$golden_dir/bad-input"
same "each broken file has the expected message" "$golden_dir/bad-input" "$tmp/messages"
[ $n_wrong -eq 0 ]
result $? "each failure prints one line, nothing on standard output, and exits with 2"

fails 'no-such-file: No such file' top no-such-file
fails 'edge: is a directory' top edge
"$CPA" top go-cpu.pb.gz bad/empty.pb go-cpu.pb.gz >"$tmp/out" 2>"$tmp/err"
[ $? -eq 2 ] && grep -q 'bad/empty.pb: empty input' "$tmp/err" && grep -q 'Fetched 2 source profiles out of 3' "$tmp/err"
result $? "an invalid source among valid sources is reported and sets the exit status"
"$CPA" top go-cpu.pb.gz go-cpu.pb.gz >"$tmp/two"
same "the report contains the valid sources" "$tmp/two" "$tmp/out"

fails 'raise the limit with --max-ratio' top bad/gzip-bomb.pb.gz
fails 'raise the limit with --max-inflated' top --max-inflated=1000 go-cpu.pb.gz
fails 'raise the limit with --max-input' top --max-input=1000 go-cpu.pb.gz
fails 'raise the limit with --max-count' top --max-count=10 go-cpu.pb.gz
{ printf '\012\004\010\001\020\001'; head -c 40000 /dev/zero | sed 's/\x00\x00/\x0a\x00/g'; } >"$tmp/types.pb"
fails 'more than 10000 sample types; raise the limit with --max-count' top "$tmp/types.pb"
fails 'raise the limit with --max-depth' top --max-depth=3 go-cpu.pb.gz
fails 'raise the limit with --max-nesting' top bad/gzip-nested.pb.gz
"$CPA" top --max-nesting=2 bad/gzip-nested.pb.gz >"$tmp/out" 2>&1
result $? "--max-nesting=2 reads a file that is compressed twice"
done_testing
