#!/bin/sh
# t235-flame.t - cpa flame: formats, options, comparisons, messages; t240 to t250 test the pictures
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/cli/lib.sh"

golden flame --format=folded edge/inline-sometimes.pb.gz
golden flame --format=folded --inverted edge/labels.pb.gz
golden flame --format=folded --by=label:route -lines edge/labels.pb.gz
golden flame --format=folded -base compare/words-base.pb.gz compare/words-new.pb.gz
golden flame --format=json edge/recursion.pb.gz

# The format is --format, else the suffix of the file, else SVG.
profile=go-cpu.pb.gz
cd "$tmp" || exit 1
for format in svg pdf png html folded json; do
	"$CPA" flame --format=$format "$TESTDATA/$profile" >want.$format 2>err && [ ! -s err ]
	result $? "flame writes $format to standard output and prints no message"
	upper=$(echo $format | tr '[:lower:]' '[:upper:]')
	for args in "-o x.$format" "-o x.y.$upper" "-o x --format=$format" "-o x.txt --format=$upper" "-output=./x.$format"; do
		rm -f x x.*
		# shellcheck disable=SC2086 # words
		"$CPA" flame $args "$TESTDATA/$profile" >out 2>err && [ ! -s out ] && [ "$(wc -l <err)" -eq 1 ] &&
			grep -q '^cpa: Generating report in ' err && cmp -s x* want.$format
		result $? "flame $args writes $format"
	done
done
"$CPA" flame "$TESTDATA/$profile" >got
same "flame writes SVG by default" want.svg got
"$CPA" flame -o - "$TESTDATA/$profile" >got
same "-o - writes to standard output" want.svg got
"$CPA" -flame "$TESTDATA/$profile" >got
same "-flame is the same as flame" want.svg got
"$CPA" folded "$TESTDATA/$profile" >got
same "--format=folded writes the same as cpa folded" want.folded got
"$CPA" speedscope "$TESTDATA/$profile" >got
same "--format=json writes the same as cpa speedscope" want.json got
for start in 'svg <?xml' 'pdf %PDF-1.' 'png .PNG' 'html <!DOCTYPE html>' 'json {'; do
	head -n 1 "want.${start%% *}" | LC_ALL=C grep -aq "^${start#* }"
	result $? "${start%% *} begins with ${start#* }"
done
"$CPA" flame - <"$TESTDATA/$profile" >got 2>err
[ "$(wc -c <got)" -gt 10000 ]
result $? "flame reads standard input"

# The number of changes that may be due to chance is printed if the size of a sample is known.
chance() { "$CPA" flame "$@" 2>/dev/null | grep -o '>[^<]*may be chance[^<]*'; }
base=$TESTDATA/compare/build-base.pb.gz new=$TESTDATA/compare/build-new.pb.gz
[ "$(chance -base="$base" "$new")" = '>6 of 14 changes may be chance: at most 2√(before + after) samples of 10ms' ]
result $? "changes that may be due to chance are counted if the period is known"
[ "$(chance -sample_index=samples -base="$base" "$new")" = '>6 of 14 changes may be chance: at most 2√(before + after) samples' ]
result $? "changes that may be due to chance are counted for sample counts"
! chance -normalize -base="$base" "$new" && ! chance "$new" && ! chance -base="$base" "$base"
result $? "changes due to chance are not mentioned if a side is scaled or there is no base or no change"

# Invalid options are reported before any file is read.
rm -f x x.*
for output in x x.txt x.svg.gz .svg/x svg x.folded.txt /dev/null; do
	fails "^cpa: $output: unknown suffix; choose .svg, .pdf, .png, .html, .folded or .json, or use" \
		flame -o $output no-such-file
done
fails '^cpa: --format=jpeg: choose svg, pdf, png, html, folded or json$' flame --format=jpeg no-such-file
fails '^cpa: --order=cum: choose name or weight$' flame --order=cum no-such-file
fails '^cpa: --theme=blue: choose auto, light or dark$' flame --theme=blue no-such-file
fails '^cpa: --color-by=x: choose package, module, file, function or heat$' flame --color-by=x no-such-file
fails '^cpa: --paper=a9: choose a3, a4, a5, letter, legal or fit$' flame --paper=a9 -o x.pdf no-such-file
fails '^cpa: --paper does not apply to svg$' flame --paper=a4 no-such-file
for width in 0 -1 99 30001 9223372036854775807; do
	fails "^cpa: --width=$width: choose a number from 100 to 30000$" flame --width=$width no-such-file
done
for width in -2 -0.5 nan inf -inf 1201; do
	fails "^cpa: --min-width=$width: choose a number from 0 to the width, or -1$" flame --min-width=$width no-such-file
done
for option in title=x icicle order=weight color-by=heat diff-self theme=dark width=500 min-width=1; do
	fails "^cpa: --${option%=*} does not apply to folded$" flame --$option -o x.folded no-such-file
	fails "^cpa: --${option%=*} does not apply to json$" flame --$option --format=json no-such-file
done
fails '^cpa: -mean does not apply to flame: averages cannot be added$' flame -mean no-such-file
fails '^cpa: -mean does not apply to flame' flame -mean_delay -o x.folded no-such-file
fails '^cpa: --json does not apply to flame; --format=json writes stacks for speedscope$' flame --json no-such-file
fails '^cpa: --csv does not apply to flame$' flame --csv no-such-file
fails '^cpa: --color-by does not apply to comparisons, whose colours show the change$' \
	flame --color-by=heat -base x no-such-file
fails '^cpa: must have base profile to normalize by$' flame -normalize no-such-file
fails '^cpa: no profile source specified; try: cpa flame cpu.pb.gz$' flame
fails '^cpa: no-such-file: No such file or directory$' flame no-such-file
fails '^cpa: x.svg: No such file or directory; use -o x.svg to write it$' flame "$TESTDATA/$profile" x.svg
[ -z "$(ls x* 2>/dev/null)" ]
result $? "a failed command writes no file"

# Each option here changes the picture.
cd "$TESTDATA" || exit 1
for option in -focus=Depot -ignore=Depot -hide=runtime -show=Depot -show_from=Depot -prune_from=shop -tagfocus=tenant=south \
	-tagignore=tenant=south -tagroot=route,tenant -tagleaf=tenant --by=label:role -noinlines -files -lines -addresses \
	-tagshow=route -taghide=route -divide_by=2 -sample_index=samples -unit=ns --inverted --icicle --title=x \
	--order=weight --color-by=module --theme=dark --width=800 --min-width=20; do
	"$CPA" flame $option $profile >"$tmp/got" 2>"$tmp/err" && [ ! -s "$tmp/err" ] && [ -s "$tmp/got" ] &&
		! cmp -s "$tmp/want.svg" "$tmp/got"
	result $? "$option changes the picture"
done
for option in -functions -all_frames --threads=1 --threads=2 --threads=8 -symbolize=none; do
	"$CPA" flame $option $profile >"$tmp/got" 2>"$tmp/err" && [ ! -s "$tmp/err" ] && cmp "$tmp/want.svg" "$tmp/got"
	result $? "$option does not change the picture"
done

# Comparisons: before and after of each stack equal the values of the two profiles.
for pair in 'go-heap1.pb.gz go-heap2.pb.gz' 'cpp-cpu.pb.gz rust-cpu.pb.gz' 'compare/words-base.pb.gz compare/words-new.pb.gz' \
	'go-cpu.pb.gz go-cpu.pb.gz' 'edge/no-samples.pb.gz go-cpu.pb.gz'; do
	for options in '' '-lines --inverted' '-focus=main -tagshow=bytes'; do
		for f in $pair; do
			# shellcheck disable=SC2086 # words
			"$CPA" folded $options "$f" >"$tmp/$(basename "$f").one" 2>"$tmp/err"
		done
		{
			sed 's/ \([0-9]*\)$/\t\1 0/' "$tmp/$(basename "${pair% *}").one"
			sed 's/ \([0-9]*\)$/\t0 \1/' "$tmp/$(basename "${pair#* }").one"
		} | awk -F '\t' '{ split($2, n, " "); b[$1] += n[1]; a[$1] += n[2] }
			END { for (s in b) printf "%s %.0f %.0f\n", s, b[s], a[s] }' | LC_ALL=C sort >"$tmp/want"
		# shellcheck disable=SC2086
		"$CPA" flame --format=folded $options -base "${pair% *}" "${pair#* }" 2>"$tmp/err" | LC_ALL=C sort >"$tmp/got"
		same "flame -base $pair $options contains both sides" "$tmp/want" "$tmp/got"
	done
done
for pair in 'go-heap1.pb.gz go-heap2.pb.gz B' 'go-heap2.pb.gz go-heap1.pb.gz B' 'cpp-cpu.pb.gz rust-cpu.pb.gz ns' \
	'go-cpu.pb.gz go-cpu.pb.gz ns'; do
	for options in '' '-focus=main -lines' -inverted; do
		case $pair$options in cpp-*-lines) continue ;; esac # joined functions have the file of the new profile
		test_name="each box of flame -base $pair $options shows the values of both profiles"
		if ! command -v "${PYTHON3:-python3}" >/dev/null; then
			result 0 "$test_name # SKIP python3 not found"
			continue
		fi
		# shellcheck disable=SC2086 # words
		set -- $pair
		# shellcheck disable=SC2086
		"$CPA" folded $options "$1" >"$tmp/base.folded" && "$CPA" folded $options "$2" >"$tmp/new.folded" &&
			"$CPA" flame $options -trim=false -unit="$3" -base "$1" "$2" >"$tmp/got" 2>"$tmp/err" &&
			"${PYTHON3:-python3}" "$top_srcdir/tests/cli/flame_sides.py" "$tmp/got" "$tmp/base.folded" "$tmp/new.folded" >"$tmp/messages" 2>&1
		status=$?
		[ $status -eq 0 ] || note "$tmp/messages"
		result $status "$test_name"
	done
done
for options in '' -normalize -normalize=duration '-focus=runtime --diff-self'; do
	# shellcheck disable=SC2086
	"$CPA" flame -base go-heap1.pb.gz $options go-heap2.pb.gz >"$tmp/want" 2>"$tmp/err"
	# shellcheck disable=SC2086
	"$CPA" flame -diff_base go-heap1.pb.gz $options go-heap2.pb.gz >"$tmp/got" 2>"$tmp/err"
	same "-diff_base draws the same picture as -base: $options" "$tmp/want" "$tmp/got"
done
mkdir "$tmp/old" "$tmp/new" && cp go-heap1.pb.gz "$tmp/old/heap.pb.gz" && cp go-heap2.pb.gz "$tmp/new/heap.pb.gz"
"$CPA" flame -base "$tmp/old/heap.pb.gz" "$tmp/new/heap.pb.gz" >"$tmp/got"
grep -q 'base old/heap.pb.gz: 8.47MB .* new new/heap.pb.gz: 32.98MB' "$tmp/got" && grep -q 'only in old/heap.pb.gz' "$tmp/got"
result $? "the legend shows the folders of files with the same name"
"$CPA" flame -base go-heap1.pb.gz /bin/sh go-heap2.pb.gz >"$tmp/got"
grep -q 'base go-heap1.pb.gz: 8.47MB .* new go-heap2.pb.gz: 32.98MB' "$tmp/got"
result $? "the legend names the profiles and not the binary before them"
"$CPA" flame -base 'compare/trend-[12].pb.gz' 'compare/trend-?.pb.gz' >"$tmp/got"
grep -q 'base trend-1.pb.gz, trend-2.pb.gz: .* new trend-1.pb.gz, trend-2.pb.gz and 2 more: ' "$tmp/got"
result $? "the legend names the files that match a pattern"
"$CPA" flame --format=folded -normalize -base go-heap1.pb.gz go-heap2.pb.gz | awk '{ b += $(NF - 1); a += $NF }
	END { exit !(b > 8e6 && a > b - 100 && a < b + 100) }'
result $? "with -normalize both sides have the same total"
fails '^cpa: --diff-self needs a comparison; add -base=FILE$' flame --diff-self $profile
"$CPA" flame --diff-self edge/negative-values.pb.gz >"$tmp/got" 2>"$tmp/err" && [ ! -s "$tmp/err" ]
result $? "a profile of differences is a comparison without a base"
fails '^cpa: --color-by does not apply to comparisons' flame --color-by=file edge/negative-values.pb.gz
fails '^cpa: no common sample type: go-heap1' flame -base $profile go-heap1.pb.gz
fails '^cpa: -base and -diff_base flags cannot both be specified$' flame -base $profile -diff_base $profile $profile
fails 'negative values, which speedscope cannot show; cpa folded writes both sides of a comparison, cpa flame' \
	flame --format=json -base go-heap1.pb.gz go-heap2.pb.gz

# draws_and_reports LINE ARG...: checks that "cpa ARG..." succeeds with output, and prints only LINE on standard error
draws_and_reports() {
	line=$1
	shift
	"$CPA" "$@" >"$tmp/out" 2>"$tmp/err" && [ -s "$tmp/out" ] && echo "$line" | cmp -s - "$tmp/err"
	status=$?
	[ "$status" -eq 0 ] || note "$tmp/err"
	result "$status" "cpa $* prints: $line"
}
draws_and_reports 'cpa: Focus expression matched no samples' flame -focus=nosuchname $profile
draws_and_reports 'cpa: the profile has no samples' flame edge/no-samples.pb.gz
draws_and_reports 'cpa: all values of all sample types are 0' flame edge/all-zero.pb.gz
"$CPA" flame $profile no-such-file >"$tmp/got" 2>"$tmp/err"
[ $? -eq 2 ] && [ -s "$tmp/got" ]
result $? "the readable sources are drawn, and the status is 2"
fails "go-cpu.pb.gz: the report would overwrite a source" flame --format=svg -o $profile $profile

# Output errors.
if [ -w /dev/full ]; then
	fails '^cpa: /dev/full: No space left on device$' flame --format=svg -o /dev/full $profile
	"$CPA" flame $profile >/dev/full 2>"$tmp/err"
	[ $? -eq 2 ] && grep -qx 'cpa: standard output: No space left on device' "$tmp/err"
	result $? "a full disk is an error"
fi
"$CPA" flame $profile >&- 2>"$tmp/err"
[ $? -eq 2 ] && grep -qx 'cpa: standard output: Bad file descriptor' "$tmp/err"
result $? "a closed standard output is an error"
fails '^cpa: /dev/null/x.svg: Not a directory$' flame -o /dev/null/x.svg $profile
echo mine >"$tmp/existing.svg"
fails 'no common sample type' flame -o "$tmp/existing.svg" -base go-heap1.pb.gz $profile
mkdir "$tmp/lib" && : >"$tmp/lib/libxml2.so.2" && : >"$tmp/lib/libcairo.so.2"
echo mine >"$tmp/existing.png"
export LD_LIBRARY_PATH="$tmp/lib"
fails '^cpa: cannot load a library: .*libxml2.so.2: file too short$' flame $profile
fails 'libxml2.so.2: file too short$' flame -o "$tmp/existing.svg" $profile
fails '^cpa: cannot load a library: .*libcairo.so.2: file too short$' flame -o "$tmp/existing.png" $profile
fails 'libcairo.so.2: file too short$' flame --format=pdf $profile
"$CPA" flame --format=html $profile >"$tmp/got" 2>"$tmp/err" && cmp "$tmp/want.html" "$tmp/got"
result $? "a web page needs neither libxml2 nor cairo"
unset LD_LIBRARY_PATH
[ "$(cat "$tmp/existing.svg")" = mine ] && [ "$(cat "$tmp/existing.png")" = mine ] && [ "$(find "$tmp" -name '*existing*' | wc -l)" -eq 2 ]
result $? "an existing file is not changed on an error"

# On a terminal, a picture is written to the first unused numbered file instead.
if ! "${PYTHON3:-python3}" -c 'import pty; pty.openpty()' 2>/dev/null; then
	result 0 "a picture is written to a numbered file if standard output is a terminal # SKIP no pseudoterminals"
	done_testing
	exit 0
fi
mkdir "$tmp/at" && cd "$tmp/at" || exit 1
echo mine >profile001.svg
"${PYTHON3:-python3}" - "$CPA" "$TESTDATA/$profile" <<'PY' >"$tmp/messages" 2>&1
import os, pty, subprocess, sys
ours, terminal = pty.openpty()
for args in ([], ["--format=html"], ["--format=json"], ["-o", "named.svg"]):
    done = subprocess.run([sys.argv[1], "flame"] + args + [sys.argv[2]], stdout=terminal, stderr=subprocess.PIPE)
    print(done.stderr.decode(), end="")
os.close(terminal)
PY
printf 'cpa: Generating report in %s\n' profile002.svg profile001.html profile001.json named.svg >"$tmp/want"
same "a picture is written to a numbered file if standard output is a terminal" "$tmp/want" "$tmp/messages"
[ "$(cat profile001.svg)" = mine ] && cmp profile002.svg "$tmp/want.svg" && cmp profile001.html "$tmp/want.html"
result $? "the numbered files contain the requested output, and an existing file is not overwritten"
done_testing
