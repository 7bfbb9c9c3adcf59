#!/bin/sh
# t648-any-surface.t - folded stacks, as one of the formats of other tools, wherever a profile can be given
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/cli/lib.sh"

printf 'main;parse 30\nmain;send 12\n' >"$tmp/a.txt"
printf 'main;parse 60\nmain;send 12\n' >"$tmp/b.json"
"$CPA" top "$tmp/a.txt" >"$tmp/want" 2>&1

# shellcheck disable=SC2002 # a pipe
cat "$tmp/a.txt" | "$CPA" top - >"$tmp/got" 2>&1
same "a pipe" "$tmp/want" "$tmp/got"
"$CPA" top /dev/stdin <"$tmp/a.txt" >"$tmp/got" 2>&1
same "/dev/stdin" "$tmp/want" "$tmp/got"
"$CPA" -top "$tmp/a.txt" >"$tmp/got" 2>&1
same "the command line of pprof" "$tmp/want" "$tmp/got"
printf 'top\n' | "$CPA" "$tmp/a.txt" 2>/dev/null | sed -n '/^Showing/,$p' >"$tmp/got"
sed -n '/^Showing/,$p' "$tmp/want" >"$tmp/part"
same "the prompt" "$tmp/part" "$tmp/got"
"$CPA" --keys='1 Show q' "$tmp/a.txt" >"$tmp/got" 2>&1
grep -q parse "$tmp/got"
result $? "the full screen" || note "$tmp/got"

is_equal "$("$CPA" diff --csv "$tmp/a.txt" "$tmp/b.json" | grep -c parse)" 1 "diff"
is_equal "$("$CPA" top --csv -base="$tmp/a.txt" "$tmp/b.json" | sed -n 's/^\([0-9]*\),.*parse.*/\1/p')" 30 "-base"
is_equal "$("$CPA" top --csv "$tmp/a.txt" "$tmp/b.json" | sed -n 's/^\([0-9]*\),.*parse.*/\1/p')" 90 "several files"
"$CPA" gate "$tmp/a.txt" "$tmp/b.json" >"$tmp/got" 2>&1
grep -q INCONCLUSIVE "$tmp/got" && ! grep -q 'not a profile' "$tmp/got"
result $? "gate" || note "$tmp/got"
"$CPA" trend "$tmp/a.txt" "$tmp/b.json" >"$tmp/got" 2>&1
grep -q parse "$tmp/got"
result $? "trend" || note "$tmp/got"

# a folder with profiles in files of any name, a manifest, and notes
mkdir "$tmp/folder"
cp "$tmp/a.txt" "$tmp/b.json" "$tmp/folder"
echo '{"schema": "cpa-store-files/1"}' >"$tmp/folder/manifest.json"
echo 'What we measured on Monday.' >"$tmp/folder/notes.txt"
is_equal "$("$CPA" store import --store="$tmp/s1" --service=x "$tmp/a.txt" "$tmp/b.json")" 'imported 2 profiles' \
	"store import of files"
is_equal "$("$CPA" store import --store="$tmp/s2" --service=x "$tmp/folder" 2>&1)" \
	'imported 2 profiles, skipped 1 file that is no profile' "store import of a folder"
tar -C "$tmp" -cf "$tmp/all.tar" folder
is_equal "$("$CPA" store import --store="$tmp/s3" --service=x "$tmp/all.tar" 2>&1)" \
	'imported 2 profiles, skipped 1 file that is no profile' "store import of a tar file"
for store in s1 s2 s3; do
	is_equal "$("$CPA" top --csv --store="$tmp/$store" store:x@all 2>/dev/null | sed -n 's/^\([0-9]*\),.*parse.*/\1/p')" 90 \
		"the profiles of $store"
done
fails 'notes.txt: not a profile' store import --store="$tmp/s1" --service=x "$tmp/folder/notes.txt"
printf 'main 3\nwork 4\n' >"$tmp/flat"
fails 'add --input-format=folded to read it' store import --store="$tmp/s4" --service=x "$tmp/flat"
is_equal "$("$CPA" store import --store="$tmp/s4" --service=x --input-format=folded "$tmp/flat")" 'imported 1 profile' \
	"store import --input-format"
fails 'input-format=foldd: there is no such format' store import --store="$tmp/s4" --input-format=foldd "$tmp/flat"
done_testing
