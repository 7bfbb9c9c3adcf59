#!/bin/sh
# t225-weblist.t - cpa weblist: source and instructions as a web page
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/cli/lib.sh"
. "$top_srcdir/tests/cli/asm.sh"

# page ARG...: writes $tmp/page.html
page() {
	"$CPA" weblist "$@" -output="$tmp/page.html" 2>"$tmp/err"
}

# Samples in the first 500 bytes of the mapping, for which pprof ignores the whole binary.
work=$(address "$tmp/prog" prog_work)
named "$tmp/prog" prog_work "$source" 16 "$work" >"$tmp/heap"
page "0x$work" -tools="$tmp/gnu" "$tmp/heap"
result $? "an address selects a function"
page prog_w -tools="$tmp/gnu" "$tmp/heap"
result $? "-output writes a page and starts no browser"
[ "$(cat "$tmp/err")" = "cpa: Generating report in $tmp/page.html" ]
result $? "-output prints only the name of the file"
grep -q "^<div class=\"legend\">File: prog<br>$" "$tmp/page.html" && grep -q '<br>Total: 1B</div><h2>' "$tmp/page.html"
result $? "the page begins with the header of the profile"
grep -q "<p class=\"filename\">$(realpath -sm "$source")</p>$" "$tmp/page.html"
result $? "the name of the source file is shown"
grep -q '^<span class=line>     16</span> <span class=nop>           .          .           	int s = 0; </span>$' "$tmp/page.html" ||
	grep -q '^<span class=line>     16</span> <span class=livesrc>.*	int s = 0; </span><span class=asm>' "$tmp/page.html"
result $? "source lines are shown"
grep -q "          1B         1B  *$work: .*<span class=unimportant>asm.c:[0-9]*</span>$" "$tmp/page.html"
result $? "an instruction has its sample and its line"
grep -q '<span class=inlinesrc> *return x \* 3 &#43; (x &gt;&gt; 2); *</span> <span class=unimportant>asm.c:11</span>$' "$tmp/page.html"
result $? "inlined calls are shown before their instructions"

if [ -n "${PYTHON3:-}" ] && command -v "$PYTHON3" >/dev/null; then
	"$PYTHON3" - "$tmp/page.html" <<'PY'
import base64, hashlib, html.parser, re, sys
page = open(sys.argv[1], encoding="utf-8").read()
policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page).group(1)
def check_hash(text, what):
    name = "'sha256-%s'" % base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
    assert name in dict(p.split(" ", 1) for p in policy.split("; "))[what], text
check_hash(re.search(r"<style[^>]*>(.*?)</style>", page, re.S).group(1), "style-src")
check_hash(re.search(r"<script[^>]*>(.*?)</script>", page, re.S).group(1), "script-src")
check_hash(re.search(r'onClick="([^"]*)"', page).group(1), "script-src")
assert policy.startswith("default-src 'none';")
class Parser(html.parser.HTMLParser):
    depth = []
    def handle_starttag(self, tag, attrs):
        assert not {"src", "href"} & {a for a, _ in attrs}, attrs
        if tag not in ("meta", "br"):
            self.depth.append(tag)
    def handle_endtag(self, tag):
        assert self.depth.pop() == tag, tag
p = Parser()
p.feed(page)
assert not p.depth, p.depth
PY
	result $? "the policy allows style, script and click handler; tags are closed; no other file is loaded"
fi

# Without the binary, the lines in the profile are shown. Their text may contain any bytes.
page 'f1' edge/inline-sometimes.pb.gz || page . edge/inline-sometimes.pb.gz
result $? "a profile whose binary is missing has a page of source lines"
page . edge/names-hostile.pb.gz
! grep -q -i '<script>\|<img\|onerror=' "$tmp/page.html"
result $? "names are escaped"

fails 'no matches found for regexp: nosuch$' weblist nosuch -output="$tmp/none.html" "$tmp/heap"
[ ! -e "$tmp/none.html" ]
result $? "no file is written on an error"
fails '--json does not apply to weblist' weblist . --json -output=- "$tmp/heap"
unset DISPLAY WAYLAND_DISPLAY BROWSER
fails 'no display.*; use -output=FILE.html' weblist . "$tmp/heap"

cat >"$tmp/browser" <<'END'
#!/bin/sh
cp "$1" "$0.page"
echo "$1" >"$0.name"
END
chmod +x "$tmp/browser"
"$CPA" weblist prog_work -tools="$tmp/gnu" "$tmp/heap" -output=- >"$tmp/out" 2>/dev/null
BROWSER=$tmp/browser "$CPA" weblist prog_work -tools="$tmp/gnu" "$tmp/heap" 2>"$tmp/err" && [ ! -s "$tmp/err" ]
result $? "BROWSER is started without messages"
same "BROWSER opens the page" "$tmp/out" "$tmp/browser.page"
grep -q '\.html$' "$tmp/browser.name" && [ ! -e "$(cat "$tmp/browser.name")" ]
result $? "the temporary file of BROWSER ends in .html and is removed"
done_testing
