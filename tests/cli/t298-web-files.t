#!/bin/sh
# t298-web-files.t - several files on the command line of the web UI: each alone, compared, in a trend
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/cli/lib.sh"
. "${top_srcdir:?}/tests/cli/page.sh"

# file_id NAME: sets id to that of a file in the list of open profiles
file_id() {
	page compare
	id=$(sed -n "s|.*name=\"prof\" value=\"\\([^\"]*\\)\"[^>]*aria-label=\"after: $1\".*|\\1|p" "$tmp/page")
}

# same_as_cpa PATH ARG...: is a file of the page what the command line prints?
same_as_cpa() {
	page "$1" '*/*'
	shift
	"$CPA" "$@" >"$tmp/want"
	diff "$tmp/want" "$tmp/page" >"$tmp/diff" || note "$tmp/diff"
	cmp -s "$tmp/want" "$tmp/page"
}

mkdir "$tmp/a" "$tmp/b"
cp go-heap1.pb.gz "$tmp/a/heap.pb.gz"
cp go-heap2.pb.gz "$tmp/b/heap.pb.gz"
cp go-heap2.pb.gz "$tmp/b/copy.pb.gz"
page_start "$tmp/a/heap.pb.gz" "$tmp/b/heap.pb.gz" "$tmp/b/copy.pb.gz"
same_as_cpa top.txt top "$tmp/a/heap.pb.gz" "$tmp/b/heap.pb.gz" "$tmp/b/copy.pb.gz"
result $? "without a choice, the files are merged"
file_id "$tmp/a/heap.pb.gz"
first=$id
file_id "$tmp/b/heap.pb.gz"
second=$id
file_id "$tmp/b/copy.pb.gz"
[ -n "$first" ] && [ -n "$second" ] && [ -n "$id" ] && [ "$first" != "$second" ] && [ "$second" != "$id" ]
result $? "files of the same name, or with the same content, are different rows"
has 'all files, merged' && has '>8.47MB inuse_space<' && has '>74.43MB inuse_space<'
result $? "the merged profile is a row too, and rows have totals"
same_as_cpa "top.txt?prof=$first" top "$tmp/a/heap.pb.gz"
result $? "a file is opened alone"
page "diff?base=$first&prof=$id"
has ">cpa diff $tmp/a/heap.pb.gz $tmp/b/copy.pb.gz<"
result $? "a page names the file that was chosen, not another one with the same content"
same_as_cpa "diff.txt?base=$first&prof=$second" diff "$tmp/a/heap.pb.gz" "$tmp/b/heap.pb.gz"
result $? "two files are compared"
page "top?prof=s0000000"
[ "$status" = 400 ] && has 'profile s0000000 is not open'
result $? "an unknown file is an error"
rm "$tmp/b/copy.pb.gz" "$tmp/b/heap.pb.gz"
same_as_cpa "top.txt?prof=$first" top "$tmp/a/heap.pb.gz"
result $? "an open file remains open when others are removed"
page_stop

page_start go-cpu.pb.gz go-heap1.pb.gz go-heap2.pb.gz
page top
[ "$status" = 307 ] && grep -qi '^location: compare' "$tmp/head"
result $? "files that cannot be merged are listed first"
page top '*/*'
[ "$status" = 400 ] && has 'no common sample type: go-cpu.pb.gz has samples, cpu'
result $? "the reason is stated"
file_id go-cpu.pb.gz
has 'The 3 files of the command line were not merged: ' && same_as_cpa "top.txt?prof=$id" top go-cpu.pb.gz
result $? "each can be opened"
page 'trend?all=t'
"$CPA" trend --all -sample_index=inuse_space go-heap1.pb.gz go-heap2.pb.gz >"$tmp/want"
has '1 of 3 profiles have no values of inuse_space and are left out: go-cpu.pb.gz' &&
	has '<td>7.22MB</td><td>31.98MB</td><td class="more">+24.76MB</td>' &&
	grep -q ' 7.22MB *31.98MB *+24.76MB' "$tmp/want"
result $? "a trend uses the sample type that most files share, and names the profiles left out"
page "trend?all=t&prof=$id"
has 'inuse_space and are left out: go-cpu.pb.gz'
result $? "with a single checked profile, the trend is that of all"
page top
[ "$status" = 307 ]
result $? "a file that was opened does not become the profile of all pages"
page_stop

set -- -base=gate/base-1.pb.gz -base=gate/base-2.pb.gz gate/base-3.pb.gz gate/base-4.pb.gz
"$CPA" gate --json "$@" >"$tmp/want" 2>/dev/null
page_start "$@"
page gate.json '*/*'
grep -q '"profiles": 2' "$tmp/want" && cmp "$tmp/want" "$tmp/page"
result $? "the gate reads the files as runs, as cpa gate does"
page_stop

echo text >"$tmp/text"
page_start go-heap1.pb.gz "$tmp/text" go-heap2.pb.gz
page top '*/*'
page compare
has '<div><bdi>Not in the merged profile:</bdi></div>' && has "<span class=\"error\"><bdi>$tmp/text: not a profile"
result $? "a file that cannot be read is named, for the merged profile and in its row"
page 'trend?all=t'
[ "$status" = 200 ] && has "left out: $tmp/text: not a profile" && has '<td>7.22MB</td><td>31.98MB</td>'
result $? "a trend is that of the other files"
page_stop

for i in 1 2 3 4 5 6; do
	for k in $(seq 34); do
		mkdir -p "$tmp/$i/$k"
		cp "gate/base-$i.pb.gz" "$tmp/$i/$k/cpu.pb.gz"
	done
done
page_start "$tmp"/[1-6]/*/cpu.pb.gz
page top '*/*'
page compare
has 'The command line has 204 files.' && [ "$(grep -c 'not read yet' "$tmp/page")" = 204 ]
result $? "many files are listed without reading them"
ids=$(sed -n 's/.*name="prof" value="\(s[^"]*\)".*/\1/p' "$tmp/page")
n=0
for id in $(echo "$ids" | sed -n '1~9p'); do
	page "top.txt?prof=$id" '*/*'
	[ "$status" = 200 ] && has 'Type: cpu' && n=$((n + 1))
done
[ "$n" = 23 ]
result $? "more files than can be open at once are opened one after the other"
page trend '*/*'
[ "$status" = 400 ] && has 'a trend on a page has at most 16 profiles, but the command line has 204'
result $? "a trend of too many files is an error that says what to do"
page_stop
done_testing
