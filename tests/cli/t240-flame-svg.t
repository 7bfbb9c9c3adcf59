#!/bin/sh
# t240-flame-svg.t - flame graphs as SVG: text, geometry, well-formedness
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/cli/lib.sh"

# picture ARG...: like golden, but strips the script, the styles, and the numbers in ids and classes
picture() {
	name=$(printf '%s' "flame $*" | tr ' /' '._')
	"$CPA" flame "$@" 2>&1 | sed -e '/^<style>/s/\[CDATA\[.*\]\]/[CDATA[...]]/' -e '/^<script>/,$d' \
		-e 's/\(class="\|id="\)\([cgnt]\)[0-9][0-9]*/\1\2N/g' >"$tmp/out"
	[ -n "${UPDATE:-}" ] && cp "$tmp/out" "$golden_dir/$name"
	same "cpa flame $* draws the picture in its golden file" "$golden_dir/$name" "$tmp/out"
}

cd compare || exit 1
picture build-new.pb.gz
picture --icicle --inverted --title=upside-down build-new.pb.gz
picture -base build-base.pb.gz build-new.pb.gz
picture --theme=dark --color-by=heat --width=600 trend-1.pb.gz
cd .. || exit 1
picture edge/names-hostile.pb.gz
picture -focus=nosuch edge/names-hostile.pb.gz

# themes QUERIES: checks the media queries for colours with --theme=$theme
themes() {
	"$CPA" flame --theme="$theme" go-cpu.pb.gz | grep -o '@media [^{]*{\.page,' >"$tmp/media"
	[ "$(sed 's/{.*//' "$tmp/media" | tr '\n' ,)" = "$1" ]
	result $? "with --theme=$theme colours depend on: ${1:-nothing}"
}
theme=light && themes ''
theme=dark && themes '@media print,'
theme=auto && themes '@media screen and (prefers-color-scheme:dark),'

"$CPA" flame --threads=1 go-cpu.pb.gz >"$tmp/one" && "$CPA" flame --threads=2 go-cpu.pb.gz >"$tmp/two"
same "the picture is the same with one thread and with two" "$tmp/one" "$tmp/two"
LC_ALL=de_DE.UTF-8 "$CPA" flame go-cpu.pb.gz >"$tmp/two"
same "the picture does not depend on the locale" "$tmp/one" "$tmp/two"

"$CPA" flame -sample_index=alloc_objects go-allocs.pb.gz >"$tmp/counts"
grep -q '<desc>go-allocs.pb.gz · total 56,717,823 ' "$tmp/counts" && grep -q '^cum 55,857,116 (98.48%)$' "$tmp/counts"
result $? "large counts have groups of digits"

# Every picture is well-formed, each box is within the box of its caller, and the root has the full width.
mkdir "$tmp/svg"
draw() {
	out=$tmp/svg/$(printf '%s' "$*" | tr ' /' '._').svg
	"$CPA" flame "$@" >"$out" 2>"$tmp/err" || { rm -f "$out" && echo "# $* cannot be drawn: $(cat "$tmp/err")"; }
}
for f in *.pb.gz *.cpu *.heap *.contention edge/*; do
	draw "$f"
	draw --icicle --inverted --min-width=0 "$f"
done
draw -base go-heap1.pb.gz go-heap2.pb.gz
draw -base compare/words-base.pb.gz compare/words-new.pb.gz
"${PYTHON3:-python3}" "$top_srcdir/tests/browser/hostile.py" "$tmp/names.pb" && draw "$tmp/names.pb"
"${PYTHON3:-python3}" "$top_srcdir/tests/browser/hostile.py" "$tmp/deep.pb" 2500 && draw "$tmp/deep.pb"
n=$(find "$tmp/svg" -type f | wc -l)
[ "$n" -gt 60 ]
result $? "nearly all profiles in testdata are drawn"

if command -v xmllint >/dev/null; then
	find "$tmp/svg" -type f -exec xmllint --noout {} + 2>"$tmp/err"
	status=$?
	note "$tmp/err"
	result $status "xmllint accepts all pictures"
else
	result 0 "xmllint accepts all pictures # SKIP xmllint not found: apt-get install libxml2-utils"
fi

# check NAME ARG...: runs the Python program on standard input, which must succeed
check() {
	name=$1
	shift
	if command -v "${PYTHON3:-python3}" >/dev/null; then
		"${PYTHON3:-python3}" - "$@"
		result $? "$name"
	else
		result 0 "$name # SKIP python3 not found"
	fi
}

check "boxes are within their callers and do not overlap; names fit in their boxes; only the script of cpa runs" "$tmp/svg" <<'PY'
import os, re, sys, xml.etree.ElementTree as tree
NS = "{http://www.w3.org/2000/svg}"
bad = 0
for name in sorted(os.listdir(sys.argv[1])):
    svg = tree.parse(os.path.join(sys.argv[1], name)).getroot()
    above, errors = None, []
    for level in next(e for e in svg if "rows" in (e.get("class") or "").split()):
        boxes = [(float(b.get("x")), float(b.get("x")) + float(b.get("width"))) for b in level.findall(NS + "rect")]
        if above is None and boxes != [(10, float(svg.get("width")) - 10)]:
            errors.append(f"the root is {boxes}")
        for one, two in zip(boxes, boxes[1:]):
            if one[1] > two[0] + 1e-6:
                errors.append(f"{one} overlaps {two}")
        for lo, hi in boxes:
            if above is not None and not any(a <= lo + 1e-6 and hi <= b + 1e-6 for a, b in above):
                errors.append(f"{lo} to {hi} has no caller")
        for text in level.findall(NS + "text"):
            x, wide = float(text.get("x")), len(text.text) * 12 * 0.602
            if text.text.isascii() and not any(a <= x and x + wide <= b for a, b in boxes):
                errors.append(f"{text.text} leaves its box")
        above = boxes
    for e in svg.iter():
        if e.tag.split("}")[1] not in "svg title desc style defs pattern rect path g text script".split():
            errors.append(f"element {e.tag}")
        if any(re.match(r"on|href|\{|style|src", a) for a in e.keys()):
            errors.append(f"attributes {e.keys()}")
    if float(svg.get("height")) > 32767:
        errors.append("too high for programs that count pixels in 16 bits")
    if len({e.text for e in svg.iter(NS + "script")}) != 1 or "alert" in svg.find(NS + "script").text:
        errors.append("more than one script")
    bad += bool(errors)
    for line in errors[:5]:
        print("#", name, line)
sys.exit(bad > 0)
PY

check "a name that does not fit is cut at its start, or shows the start of its last part" "$tmp/svg" <<'PY'
import os, sys, xml.etree.ElementTree as tree
NS = "{http://www.w3.org/2000/svg}"
bad, ends, cuts = [], 0, 0
for name in sorted(os.listdir(sys.argv[1])):
    rows = next(e for e in tree.parse(os.path.join(sys.argv[1], name)).getroot() if "rows" in (e.get("class") or "").split())
    for box, text in (pair for level in rows for pair in zip(level, list(level)[1:])):
        if "diff" in rows.get("class") or text.tag != NS + "text" or text.text.endswith(" narrower"):
            continue
        whole, label = box.find(NS + "title").text.split("\n")[0], text.text
        is_cut = label != whole and label.endswith("\u2026") and label[:-1] in whole
        cuts += is_cut
        ends += label != whole and whole.endswith(label)
        if not is_cut and not whole.endswith(label) and "too narrow to draw" not in whole:
            bad.append((name, whole, label))
print("#", ends, "ends", cuts, "cuts", *bad[:3])
sys.exit(bool(bad) or ends < 100 or cuts < 100)
PY

# Compare the widths of boxes with the sums of the samples.
"$CPA" flame --format=folded go-cpu.pb.gz >"$tmp/folded" && "$CPA" flame --min-width=0 go-cpu.pb.gz >"$tmp/svg1"
check "widths of boxes equal the sums of the samples, to less than one sample" "$tmp/folded" "$tmp/svg1" <<'PY'
import sys, xml.etree.ElementTree as tree
NS = "{http://www.w3.org/2000/svg}"
want, total, sample = {}, 0, 1 << 62
for line in open(sys.argv[1], encoding="utf-8"):
    stack, value = line.rsplit(" ", 1)
    total += int(value)
    sample = min(sample, int(value))
    path = ()
    for frame in stack.split(";"):
        path += (frame,)
        want[path] = want.get(path, 0) + int(value)
rows = tree.parse(sys.argv[2]).getroot().find(NS + "g[@class='rows']")
got, above = {}, []
for level in rows:
    boxes = []
    for b in level.findall(NS + "rect"):
        lo, width = float(b.get("x")), float(b.get("width"))
        path = next((p for a, z, p in above if a <= lo + width / 2 <= z), None)
        path = () if path is None else path + (b.find(NS + "title").text.split("\n")[0],)
        boxes.append((lo, lo + width, path))
        got[path] = got.get(path, 0) + width
    above = boxes
root_width = got.pop(())
assert got.keys() == want.keys(), sorted(got.keys() ^ want.keys())[:3]
worst = max(abs(got[p] / root_width * total - want[p]) for p in want)
assert worst < sample, (worst, sample)
PY

# More than 4,000 boxes per thread.
awk 'BEGIN { for (i = 0; i < 9000; i++) printf "main;f%d;g%d 1\n", i % 300, i }' >"$tmp/many.folded"
for threads in 1 2 3; do "$CPA" flame --threads=$threads --min-width=0 "$tmp/many.folded" >"$tmp/many.$threads"; done
[ "$(grep -c '<rect class="c' "$tmp/many.1")" -gt 9300 ] && cmp "$tmp/many.1" "$tmp/many.2" && cmp "$tmp/many.1" "$tmp/many.3"
result $? "a picture does not depend on the number of threads"

done_testing
