#!/bin/sh
# t245-flame-pdf.t - flame graphs as PDF and PNG: pages, text, outline, pixels, reproducibility
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/cli/lib.sh"

for program in pdfinfo pdftotext pdftohtml; do
	if ! command -v $program >/dev/null; then
		echo "1..0 # SKIP $program not found: apt-get install poppler-utils"
		exit 0
	fi
done
if ! "${PYTHON3:-python3}" -c '' 2>/dev/null; then
	echo '1..0 # SKIP python3 not found'
	exit 0
fi

# draw FILE ARG...: draws the picture $tmp/FILE
draw() {
	file=$tmp/$1
	shift
	"$CPA" flame -o "$file" "$@" 2>"$tmp/err"
}

# inspect ARG...: runs picture.py
inspect() {
	"${PYTHON3:-python3}" "$top_srcdir/tests/cli/picture.py" "$@"
}

# text FILE [OPTION...]: prints the text of a PDF
text() {
	file=$tmp/$1
	shift
	pdftotext "$@" "$file" - 2>&1
}

# has_line DESCRIPTION PATTERN FILE: checks that a line of the file matches PATTERN
has_line() {
	grep -q -e "$2" "$3"
	found=$?
	[ $found -eq 0 ] || note "$3"
	result $found "$1"
}

# The text of small pictures, in the order of drawing (pdftotext -raw).
draw small.pdf edge/inline-sometimes.pb.gz && draw diff.pdf -base compare/words-base.pb.gz compare/words-new.pb.gz
result $? "flame draws a profile and a comparison as PDF"
for name in small diff; do
	text $name.pdf -raw >"$tmp/out"
	[ -n "${UPDATE:-}" ] && cp "$tmp/out" "$golden_dir/flame-$name.pdf.txt"
	same "the text of $name.pdf equals its golden file" "$golden_dir/flame-$name.pdf.txt" "$tmp/out"
done

# Document properties. The time of the profile is 2026-11-21 08:23:10.
draw cpu.pdf go-cpu.pb.gz && pdfinfo "$tmp/cpu.pdf" >"$tmp/info" 2>&1
result $? "pdfinfo reads the document"
has_line "the document has the title of the picture" '^Title: *cpu: shop$' "$tmp/info"
has_line "the creator is cpa" '^Creator: *cpa [0-9.]*$' "$tmp/info"
has_line "the document has the date of the profile" '^CreationDate: .*Nov 21 08:23:10 2026' "$tmp/info"
has_line "the page has the requested width" '^Page size: *1200 x ' "$tmp/info"
inspect pdf "$tmp/cpu.pdf" 2>"$tmp/err" || note "$tmp/err"
inspect pdf "$tmp/cpu.pdf" 2>/dev/null
result $? "the cross-reference table contains the offset of each object"
draw title.pdf -title='a) /Evil (b\) <b> ü' edge/bare.pb && pdfinfo "$tmp/title.pdf" >"$tmp/info" 2>&1
grep -qF 'a) /Evil (b\) <b> ü' "$tmp/info"
result $? "brackets and backslashes in a title are escaped"
draw undated.pdf edge/comments.pb.gz && ! pdfinfo "$tmp/undated.pdf" | grep -q Date
result $? "a profile without a date makes a document without a date"

sleep 1 # cairo writes the current time into documents, in seconds
draw again.pdf go-cpu.pb.gz && draw cpu.png go-cpu.pb.gz && draw again.png go-cpu.pb.gz
cmp "$tmp/cpu.pdf" "$tmp/again.pdf" && cmp "$tmp/cpu.png" "$tmp/again.png"
result $? "a picture drawn a second later has the same bytes"
"$CPA" flame --format=pdf go-cpu.pb.gz >"$tmp/again.pdf" && cmp "$tmp/cpu.pdf" "$tmp/again.pdf"
result $? "--format=pdf writes the same to standard output"

# The index counts all stacks, also those omitted from the picture. Its numbers equal those of top.
draw narrow.pdf --index=all --min-width=100 go-cpu.pb.gz && text narrow.pdf -f 2 -layout | awk 'NF == 5 { print $5, $1, $3 }' >"$tmp/narrow"
"$CPA" top -nodecount=0 -trim=false -unit=auto go-cpu.pb.gz | awk '{ print $6, $4, $1 }' >"$tmp/top"
[ "$(wc -l <"$tmp/narrow")" -gt 10 ] && grep -q '^encoding/json.(.Encoder).Encode ' "$tmp/narrow" &&
	! grep -vxF -f "$tmp/top" "$tmp/narrow" | sed 1d | grep .
result $? "cum and flat of each function in the index equal those of top"

# The text layer contains the full name of a shortened label, so that a search finds it. The index contains all names.
text cpu.pdf -l 1 >"$tmp/out"
has_line "a search finds the full name of a shortened label" \
	' shop/parcel.(\*Index\[go.shape.uint64,go.shape.\*uint8\]).Each$' "$tmp/out"
! grep -q 'runtime.heapBitsSmallForAddr' "$tmp/out"
result $? "the page of the picture does not contain the name of a narrow box"
draw all.pdf --index=all -min-width=0 -unit=ms go-cpu.pb.gz
text all.pdf -raw -f 2 | grep '%.*[0-9]%' | tr -d , | sed 's/\([^ ]*\) [^ ]* \([^ ]*\) [^ ]* /\2 \1 /' | sort >"$tmp/got"
"$CPA" top -trim=false -unit=ms go-cpu.pb.gz | grep '%.*%.*[0-9]%' |
	tr -d , | sed 's/ (inline)$//; s/^ *\([^ ]*\) *[^ ]* *[^ ]* *\([^ ]*\) *[^ ]* */\1 \2 /' | sort >"$tmp/want"
[ "$(wc -l <"$tmp/want")" -gt 400 ]
result $? "the profile has more than 400 functions"
same "the index contains the values of cpa top for each function" "$tmp/want" "$tmp/got"
draw inverted.pdf --index=all -inverted -min-width=0 -unit=ms go-cpu.pb.gz
text inverted.pdf -raw -f 2 | grep '%.*[0-9]%' | tr -d , | sed 's/\([^ ]*\) [^ ]* \([^ ]*\) [^ ]* /\2 \1 /' | sort >"$tmp/got"
same "the index of an inverted picture has the same values" "$tmp/want" "$tmp/got"

# The index is short by default.
rows() { # FILE: prints the number of rows of its index
	text "$1" -raw -f 2 | grep -c '%.*[0-9]%'
}
pages() {
	pdfinfo "$tmp/$1" | sed -n 's/^Pages: *//p'
}
text cpu.pdf -f 2 -raw >"$tmp/out"
[ "$(rows cpu.pdf)" -eq 40 ] && [ "$(pages cpu.pdf)" -eq 2 ]
result $? "the index has 40 functions on one page"
has_line "the index prints the number of functions" '^40 of 4[0-9][0-9] functions, widest first$' "$tmp/out"
has_line "the index mentions --index=all" '^[34][0-9][0-9] more; --index=all lists all$' "$tmp/out"
draw seven.pdf --index=7 go-cpu.pb.gz && [ "$(rows seven.pdf)" -eq 7 ]
result $? "--index=7 lists 7 functions"
draw none.pdf --index=none go-cpu.pb.gz && [ "$(pages none.pdf)" -eq 1 ] &&
	! pdftohtml -xml -i -stdout "$tmp/none.pdf" | grep -q '<item.*>Functions<'
result $? "--index=none omits the page of the index and its outline entry"
draw every.pdf --index=all go-cpu.pb.gz && [ "$(rows every.pdf)" -gt 400 ] && ! text every.pdf -raw | grep 'lists all'
result $? "--index=all lists more than 400 functions"
fails '^cpa: --index=few: choose a number, all or none$' flame --index=few -o "$tmp/x.pdf" go-cpu.pb.gz
fails '^cpa: --index does not apply to svg' flame --index=3 -o "$tmp/x.svg" go-cpu.pb.gz

# The outline links to the pages and to the functions with the highest values.
pdftohtml -xml -i -stdout "$tmp/cpu.pdf" | sed -n 's/<item page="\([0-9]*\)">\(.*\)<.item>/\1 \2/p' >"$tmp/outline"
has_line "the outline starts with the picture" '^1 Picture$' "$tmp/outline"
has_line "the outline links to the function with the highest flat value" '^1 11.27%  shop/parcel.(\*Parcel).Price$' "$tmp/outline"
has_line "the outline links to the index" '^2 Functions$' "$tmp/outline"
[ "$(wc -l <"$tmp/outline")" -eq 28 ]
result $? "the outline lists 25 functions"

# Large counts are printed with thousands separators, and columns of the index do not overlap.
draw counts.pdf -sample_index=alloc_objects go-allocs.pb.gz && text counts.pdf -layout >"$tmp/out"
has_line "large counts in the picture have thousands separators" '^go-allocs.pb.gz · total 56,717,823 ' "$tmp/out"
has_line "large counts in the index have thousands separators" '^ *56,147,182  *98.99%  *8,193  *0.014%  *net/http.(.conn).serve$' "$tmp/out"
draw wide.pdf -sample_index=alloc_space -unit=bytes go-allocs.pb.gz && text wide.pdf -layout >"$tmp/out"
has_line "columns of the index are as wide as their numbers" '^ *2,133,908,925B  *96.70%  *524,352B  *0.024%  *net/http' "$tmp/out"

# Paper: pages have the same size, and each page repeats the last level of the previous page.
draw a5.pdf -paper=a5 go-cpu.pb.gz && pdfinfo -l 2 "$tmp/a5.pdf" >"$tmp/info"
has_line "--paper=a5 is in landscape" '^Page *2 size: *595.28 x 419.53 pts' "$tmp/info"
text a5.pdf -l 2 >"$tmp/out"
has_line "the second page lists its levels" '^page 2 of 2, levels 22–[0-9]*; level 22 repeats from the previous page$' "$tmp/out"
has_line "the first page has a note that the picture continues" '^continued on the next page$' "$tmp/out"
[ "$(grep -c 'cpu: shop$' "$tmp/out")" -eq 2 ]
result $? "both pages have the title"
pdftohtml -xml -i -stdout "$tmp/a5.pdf" | grep -q '<item page="2">page 2 of 2, levels 22–'
result $? "the outline links to the second page"
for paper in a3:1190.55:841.89 a4:841.89:595.28 letter:792:612 legal:1008:612; do
	size=$(echo "${paper#*:}" | sed 's/:/ x /')
	draw paper.pdf -paper="${paper%%:*}" edge/inline-sometimes.pb.gz && pdfinfo "$tmp/paper.pdf" | grep -q "^Page size: *$size pts"
	result $? "${paper%%:*} is $size points"
done

# Depth: a stack of 2000 levels. The maximum height is 14,400 points for a page and 32,767 pixels for a PNG.
draw deep.pdf edge/deep-stack.pb.gz && pdfinfo -l 9 "$tmp/deep.pdf" >"$tmp/info" && text deep.pdf -l 3 >"$tmp/out"
result $? "flame draws 2000 levels"
has_line "2000 levels take three pages" '^page 3 of 3, levels ' "$tmp/out"
sed -n 's/^Page *[0-9]* size: *[0-9.]* x \([0-9]*\).*/\1/p' "$tmp/info" | awk '$1 > 14400 { bad = 1 } END { exit bad }'
result $? "no page is larger than 14,400 points"
draw deep.png edge/deep-stack.pb.gz && inspect png "$tmp/deep.png" >"$tmp/out"
awk '$1 != 1200 || $2 > 32767 || $2 < 32000 { bad = 1 } END { exit bad }' "$tmp/out"
result $? "a PNG is cut at the maximum height"

# Compare pixels of boxes, whose positions are the same on all machines; fonts differ.
inspect png "$tmp/cpu.png" >"$tmp/out"
has_line "a PNG has the requested width" '^1200 [1-9][0-9]*$' "$tmp/out"
draw one.png -width=300 edge/bare.pb && height=$(inspect png "$tmp/one.png" | cut -d' ' -f2)
inspect png "$tmp/one.png" 2 2 280 $((height - 25)) 2 $((height - 25)) >"$tmp/got"
printf '%s\n' ffffff e4e4e4 ffffff >"$tmp/want"
same "the root box is as wide as the space between the margins" "$tmp/want" "$tmp/got"
draw dark.png -theme=dark edge/bare.pb && inspect png "$tmp/dark.png" 2 2 1198 2 >"$tmp/got"
[ "$(sort -u "$tmp/got" | wc -l)" -eq 1 ] && ! grep -q ffffff "$tmp/got"
result $? "a dark picture has a dark background up to its edges"

# Hostile names are drawn as text, also if they are not valid UTF-8.
draw hostile.pdf --index=all edge/names-hostile.pb.gz && text hostile.pdf -f 2 >"$tmp/out" && inspect pdf "$tmp/hostile.pdf"
result $? "hostile names are drawn"
# shellcheck disable=SC2016 # names as they are
for name in '<script>alert(1)</script>' '%s%n%d %% $(id) `id`' '日本語の関数' 'overlong \xc0\xaf surrogate \xed\xa0\x80' \
	'\x1b[31mred\x1b[0m \x1b]0;title\x07 \x1b[2J' "\"quotes\" 'and' \\back\\slashes\\"; do
	grep -qF -e "$name" "$tmp/out"
	result $? "the index contains $name"
done
draw none.pdf edge/no-samples.pb.gz
draw none.png edge/no-samples.pb.gz
pdfinfo "$tmp/none.pdf" 2>&1 | grep -q '^Pages: *1$' && inspect png "$tmp/none.png" >/dev/null
result $? "a profile without samples is drawn on one page"
text none.pdf | grep -q '^no samples to show$'
result $? "the picture reports that there are no samples"

mkdir "$tmp/broken" && : >"$tmp/broken/libcairo.so.2"
for format in pdf png; do
	LD_LIBRARY_PATH=$tmp/broken "$CPA" flame --format=$format go-cpu.pb.gz >"$tmp/out" 2>"$tmp/err"
	[ $? -eq 2 ] && [ ! -s "$tmp/out" ] && grep -q '^cpa: cannot load a library: .*libcairo.so.2: file too short$' "$tmp/err"
	result $? "$format with a damaged cairo fails with its name"
done
fails '^cpa: --width=1000000: choose a number' flame -width=1000000 -o "$tmp/x.png" go-cpu.pb.gz
done_testing
