#!/bin/sh
# t245-flame-pdf.t - flame graphs as PDF and PNG: pages, text, outline, pixels, the same bytes twice
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

# draw FILE ARG...: a picture of that name in $tmp
draw() {
	file=$tmp/$1
	shift
	"$CPA" flame -o "$file" "$@" 2>"$tmp/err"
}

# look ARG...: what picture.py says
look() {
	"${PYTHON3:-python3}" "$top_srcdir/tests/cli/picture.py" "$@"
}

# text FILE [OPTION...]: the text of a PDF
text() {
	file=$tmp/$1
	shift
	pdftotext "$@" "$file" - 2>&1
}

# says DESCRIPTION PATTERN FILE: a line of the file matches
says() {
	grep -q -e "$2" "$3"
	found=$?
	[ $found -eq 0 ] || note "$3"
	result $found "$1"
}

# What a small picture says, page by page; pdftotext -raw is its order of drawing.
draw small.pdf edge/inline-sometimes.pb.gz && draw diff.pdf -base compare/words-base.pb.gz compare/words-new.pb.gz
result $? "flame draws a profile and a comparison as PDF"
for name in small diff; do
	text $name.pdf -raw >"$tmp/out"
	[ -n "${UPDATE:-}" ] && cp "$tmp/out" "$golden_dir/flame-$name.pdf.txt"
	same "the text of $name.pdf is what its golden file says" "$golden_dir/flame-$name.pdf.txt" "$tmp/out"
done

# The document: what it says of itself. The profile is of 2026-11-21 08:23:10.
draw cpu.pdf go-cpu.pb.gz && pdfinfo "$tmp/cpu.pdf" >"$tmp/info" 2>&1
result $? "pdfinfo reads it"
says "the title is that of the picture" '^Title: *cpu: shop$' "$tmp/info"
says "the creator is cpa" '^Creator: *cpa [0-9.]*$' "$tmp/info"
says "it is dated as the profile is" '^CreationDate: .*Nov 21 08:23:10 2026' "$tmp/info"
says "the page is as wide as was asked for" '^Page size: *1200 x ' "$tmp/info"
look pdf "$tmp/cpu.pdf" 2>"$tmp/err" || note "$tmp/err"
look pdf "$tmp/cpu.pdf" 2>/dev/null
result $? "each object is where the table of objects says"
draw title.pdf -title='a) /Evil (b\) <b> ü' edge/bare.pb && pdfinfo "$tmp/title.pdf" >"$tmp/info" 2>&1
grep -qF 'a) /Evil (b\) <b> ü' "$tmp/info"
result $? "a title with brackets and backslashes is only a title"
draw undated.pdf edge/comments.pb.gz && ! pdfinfo "$tmp/undated.pdf" | grep -q Date
result $? "a profile without a date makes a document without one"

sleep 1 # cairo dates documents by the clock, to the second
draw again.pdf go-cpu.pb.gz && draw cpu.png go-cpu.pb.gz && draw again.png go-cpu.pb.gz
cmp "$tmp/cpu.pdf" "$tmp/again.pdf" && cmp "$tmp/cpu.png" "$tmp/again.png"
result $? "the same profile gives the same bytes a second later"
"$CPA" flame --format=pdf go-cpu.pb.gz >"$tmp/again.pdf" && cmp "$tmp/cpu.pdf" "$tmp/again.pdf"
result $? "--format=pdf writes the same to standard output"

# The index is of all stacks, whatever the picture leaves out: its numbers are those of top.
draw narrow.pdf --min-width=100 go-cpu.pb.gz && text narrow.pdf -f 2 -layout | awk 'NF == 5 { print $5, $1, $3 }' >"$tmp/narrow"
"$CPA" top -nodecount=0 -trim=false -unit=auto go-cpu.pb.gz | awk '{ print $6, $4, $1 }' >"$tmp/top"
[ "$(wc -l <"$tmp/narrow")" -gt 10 ] && grep -q '^encoding/json.(.Encoder).Encode ' "$tmp/narrow" &&
	! grep -vxF -f "$tmp/top" "$tmp/narrow" | sed 1d | grep .
result $? "cum and flat of each function in the index are those of top"

# Names: on boxes in full for a search though they are shortened, in the index all of them.
text cpu.pdf -l 1 >"$tmp/out"
says "a name that is shortened on its box is found in full on the page" \
	' shop/parcel.(\*Index\[go.shape.uint64,go.shape.\*uint8\]).Each$' "$tmp/out"
! grep -q 'runtime.heapBitsSmallForAddr' "$tmp/out"
result $? "the name of a narrow box is not on the page of the picture"
draw all.pdf -min-width=0 -unit=ms go-cpu.pb.gz
text all.pdf -raw -f 2 | grep '%.*[0-9]%' | sed 's/\([^ ]*\) [^ ]* \([^ ]*\) [^ ]* /\2 \1 /' | sort >"$tmp/got"
"$CPA" top -trim=false -unit=ms go-cpu.pb.gz | grep '%.*%.*[0-9]%' |
	sed 's/ (inline)$//; s/^ *\([^ ]*\) *[^ ]* *[^ ]* *\([^ ]*\) *[^ ]* */\1 \2 /' | sort >"$tmp/want"
[ "$(wc -l <"$tmp/want")" -gt 400 ]
result $? "the profile has more than 400 functions"
same "the index says of each function what cpa top says" "$tmp/want" "$tmp/got"
draw inverted.pdf -inverted -min-width=0 -unit=ms go-cpu.pb.gz
text inverted.pdf -raw -f 2 | grep '%.*[0-9]%' | sed 's/\([^ ]*\) [^ ]* \([^ ]*\) [^ ]* /\2 \1 /' | sort >"$tmp/got"
same "the index of an inverted picture says the same" "$tmp/want" "$tmp/got"

# The outline leads to the page and to the heaviest functions.
pdftohtml -xml -i -stdout "$tmp/cpu.pdf" | sed -n 's/<item page="\([0-9]*\)">\(.*\)<.item>/\1 \2/p' >"$tmp/outline"
says "the outline begins with the picture" '^1 Picture$' "$tmp/outline"
says "the outline leads to the function with most of its own" '^1 11.27%  shop/parcel.(\*Parcel).Price$' "$tmp/outline"
says "the outline leads to the index" '^2 All functions$' "$tmp/outline"
[ "$(wc -l <"$tmp/outline")" -eq 28 ]
result $? "the outline has 25 functions"

# Paper: pages of one size, levels one after another with one repeated.
draw a5.pdf -paper=a5 go-cpu.pb.gz && pdfinfo -l 2 "$tmp/a5.pdf" >"$tmp/info"
says "a5 lies on its long side" '^Page *2 size: *595.28 x 419.53 pts' "$tmp/info"
text a5.pdf -l 2 >"$tmp/out"
says "the second page says what is on it" '^page 2 of 2, levels 22–[0-9]*; level 22 is also on the page before$' "$tmp/out"
says "the first page says that there is more" '^continued on the next page$' "$tmp/out"
[ "$(grep -c 'cpu: shop$' "$tmp/out")" -eq 2 ]
result $? "both pages have the title"
pdftohtml -xml -i -stdout "$tmp/a5.pdf" | grep -q '<item page="2">page 2 of 2, levels 22–'
result $? "the outline leads to the second page"
for paper in a3:1190.55:841.89 a4:841.89:595.28 letter:792:612 legal:1008:612; do
	size=$(echo "${paper#*:}" | sed 's/:/ x /')
	draw paper.pdf -paper="${paper%%:*}" edge/inline-sometimes.pb.gz && pdfinfo "$tmp/paper.pdf" | grep -q "^Page size: *$size pts"
	result $? "${paper%%:*} is $size points"
done

# Depth: 2000 levels of a stack. No page of a PDF is larger than 14,400 points, no PNG here than 32,767 pixels.
draw deep.pdf edge/deep-stack.pb.gz && pdfinfo -l 9 "$tmp/deep.pdf" >"$tmp/info" && text deep.pdf -l 3 >"$tmp/out"
result $? "flame draws 2000 levels"
says "they take three pages" '^page 3 of 3, levels ' "$tmp/out"
sed -n 's/^Page *[0-9]* size: *[0-9.]* x \([0-9]*\).*/\1/p' "$tmp/info" | awk '$1 > 14400 { bad = 1 } END { exit bad }'
result $? "no page is larger than a page can be"
draw deep.png edge/deep-stack.pb.gz && look png "$tmp/deep.png" >"$tmp/out"
awk '$1 != 1200 || $2 > 32767 || $2 < 32000 { bad = 1 } END { exit bad }' "$tmp/out"
result $? "a PNG ends where it can be no deeper"

# Pixels: a font may differ from machine to machine, but boxes lie where they lie.
look png "$tmp/cpu.png" >"$tmp/out"
says "a PNG is as wide as was asked for" '^1200 [1-9][0-9]*$' "$tmp/out"
draw one.png -width=300 edge/bare.pb && height=$(look png "$tmp/one.png" | cut -d' ' -f2)
look png "$tmp/one.png" 2 2 280 $((height - 25)) 2 $((height - 25)) >"$tmp/got"
printf '%s\n' ffffff e4e4e4 ffffff >"$tmp/want"
same "the root is from margin to margin" "$tmp/want" "$tmp/got"
draw dark.png -theme=dark edge/bare.pb && look png "$tmp/dark.png" 2 2 1198 2 >"$tmp/got"
[ "$(sort -u "$tmp/got" | wc -l)" -eq 1 ] && ! grep -q ffffff "$tmp/got"
result $? "a dark picture is dark to its edges"

# Hostile names stay text, and what is no name is still drawn.
draw hostile.pdf edge/names-hostile.pb.gz && text hostile.pdf -f 2 >"$tmp/out" && look pdf "$tmp/hostile.pdf"
result $? "names that are hostile are drawn"
# shellcheck disable=SC2016 # names as they are
for name in '<script>alert(1)</script>' '%s%n%d %% $(id) `id`' '日本語の関数' 'overlong \xc0\xaf surrogate \xed\xa0\x80' \
	'\x1b[31mred\x1b[0m \x1b]0;title\x07 \x1b[2J' "\"quotes\" 'and' \\back\\slashes\\"; do
	grep -qF -e "$name" "$tmp/out"
	result $? "the index has $name"
done
draw none.pdf edge/no-samples.pb.gz
draw none.png edge/no-samples.pb.gz
pdfinfo "$tmp/none.pdf" 2>&1 | grep -q '^Pages: *1$' && look png "$tmp/none.png" >/dev/null
result $? "a profile without samples is a picture of nothing"
text none.pdf | grep -q '^There are no samples to show.$'
result $? "and says so"

mkdir "$tmp/broken" && : >"$tmp/broken/libcairo.so.2"
for format in pdf png; do
	LD_LIBRARY_PATH=$tmp/broken "$CPA" flame --format=$format go-cpu.pb.gz >"$tmp/out" 2>"$tmp/err"
	[ $? -eq 2 ] && [ ! -s "$tmp/out" ] && grep -q 'cairo is needed to draw PDF and PNG; install it with: apt-get install libcairo2$' "$tmp/err"
	result $? "$format without cairo says which package has it"
done
fails '^cpa: --width=1000000: choose a number' flame -width=1000000 -o "$tmp/x.png" go-cpu.pb.gz
done_testing
