#!/bin/sh
# t186-folded-files.t - folded stacks from files, --input-format, cpa help formats
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/cli/lib.sh"

cat >"$tmp/py.folded" <<'END'
<module> (mill.py:25);work (mill.py:20);std::map<int, char>::at(int)_[j] 12
<module> (mill.py:25);work (mill.py:20);thread 7 30
<module> (mill.py:25);copy_[k] 8
END
"$CPA" top -flat "$tmp/py.folded" >"$tmp/got" 2>"$tmp/err"
cat >"$tmp/want" <<'END'
Type: samples
Showing nodes accounting for 50, 100% of 50 total
      flat  flat%   sum%        cum   cum%
        30 60.00% 60.00%         30 60.00%  thread 7
        12 24.00% 84.00%         12 24.00%  std::map<int, char>::at(int)_[j]
         8 16.00%   100%          8 16.00%  copy_[k]
         0     0%   100%         50   100%  <module> (mill.py:25)
         0     0%   100%         42 84.00%  work (mill.py:20)
END
same "names are kept, numbers are split from the right, and <module> is no web page" "$tmp/want" "$tmp/got"
[ ! -s "$tmp/err" ]
result $? "a sound file causes no message" || note "$tmp/err"

gzip -c "$tmp/py.folded" >"$tmp/py.gz"
"$CPA" top -flat - <"$tmp/py.gz" >"$tmp/got" 2>&1
same "gzip and standard input give the same" "$tmp/want" "$tmp/got"
"$CPA" proto -o "$tmp/py.pb.gz" "$tmp/py.folded" 2>"$tmp/err" && "$CPA" folded "$tmp/py.pb.gz" >"$tmp/got"
sort "$tmp/py.folded" | sed 's/thread 7 30/thread\\x207 30/' >"$tmp/want"
sort "$tmp/got" >"$tmp/sorted"
same "as profile.proto and folded again it has the same stacks" "$tmp/want" "$tmp/sorted"
"$CPA" folded go-cpu.pb.gz >"$tmp/go.folded"
"$CPA" folded "$tmp/go.folded" | sort >"$tmp/got"
sort "$tmp/go.folded" >"$tmp/want"
same "what cpa folded writes is read and written again unchanged" "$tmp/want" "$tmp/got"

printf 'a;b 5 8\na;c 1 0\n' >"$tmp/two"
"$CPA" top --csv -sample_index=before "$tmp/two" >"$tmp/got" && "$CPA" top --csv "$tmp/two" >>"$tmp/got"
[ "$(sed -n 's/^\([0-9]*\),.*,"b",.*/\1/p' "$tmp/got" | tr '\n' ' ')" = '5 8 ' ]
result $? "two numbers are the sample types before and after" || note "$tmp/got"
printf 'a;b 2.5\nbad\na;c 1\n;x 1\n' >"$tmp/odd"
"$CPA" top --input-format=folded "$tmp/odd" >"$tmp/got" 2>"$tmp/err"
grep -q '^folded: values are multiplied by 10, ' "$tmp/got" && grep -q ' of 45 total' "$tmp/got" &&
	grep -q 'folded: skipped 1 line without a number at its end, the first in line 2' "$tmp/got" &&
	grep -q 'folded: skipped 1 empty frame, the first in line 4' "$tmp/got"
result $? "fractions are scaled, and what is skipped is counted" || note "$tmp/got" "$tmp/err"

# Text without a semicolon may be anything.
printf 'main 3\nwork 4\n' >"$tmp/flat"
fails 'it may be folded stacks; add --input-format=folded to read it' top "$tmp/flat"
for option in --input-format=folded --format=folded --input-format=collapsed '-format folded'; do
	# shellcheck disable=SC2086 # words
	"$CPA" top $option "$tmp/flat" >"$tmp/got" 2>&1
	grep -q ' of 7 total' "$tmp/got"
	result $? "top $option reads text without a semicolon" || note "$tmp/got"
done
"$CPA" flame --input-format=folded --format=folded "$tmp/flat" >"$tmp/got" 2>&1
same "the option of flame is the format of its picture" "$tmp/flat" "$tmp/got"
fails 'line 2: the number 99999999999999999999 is too large' top --input-format=folded /dev/fd/3 3<<'END'
a;b 1
a 99999999999999999999
END
fails 'flat: line 2: more than 1 stacks; raise the limit with --max-count' top --format=folded --max-count=1 "$tmp/flat"
fails 'not a profile of the format heap' top --input-format=heap "$tmp/flat"
fails '--input-format=foldd: there is no such format; cpa help formats lists them' top --input-format=foldd "$tmp/flat"
fails '--input-format=go-trace: cpa does not read this format' top --input-format=go-trace "$tmp/flat"

"$CPA" help formats >"$tmp/got" 2>"$tmp/err"
grep -q '^  pprof ' "$tmp/got" && grep -q '^  folded ' "$tmp/got" && grep -q '^  jfr ' "$tmp/got" && [ ! -s "$tmp/err" ]
result $? "cpa help formats lists the formats" || note "$tmp/got" "$tmp/err"
[ -z "$(awk 'length > 80' "$tmp/got")" ]
result $? "no line of cpa help formats is longer than 80 columns" || note "$tmp/got"
done_testing
