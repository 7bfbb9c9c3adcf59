#!/bin/sh
# t225-weblist.t - source and instructions as a web page
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/cli/lib.sh"
. "$top_srcdir/tests/cli/asm.sh"

# page ARG...: write $tmp/page.html
page() {
	"$CPA" weblist "$@" -output="$tmp/page.html" 2>"$tmp/err"
}

# Samples below the first 500 bytes of the mapping, where pprof loses the whole binary.
work=$(address "$tmp/prog" prog_work)
named "$tmp/prog" 0 prog_work "$source" 16 "$work" >"$tmp/heap"
page "0x$work" -tools="$tmp/gnu" "$tmp/heap"
result $? "an address is found"
page prog_w -tools="$tmp/gnu" "$tmp/heap"
result $? "a page is written with -output, and nothing is started"
[ "$(cat "$tmp/err")" = "cpa: Generating report in $tmp/page.html" ]
result $? "only that is said"
grep -q "^<div class=\"legend\">File: prog<br>$" "$tmp/page.html" && grep -q '<br>Total: 1B</div><h2>' "$tmp/page.html"
result $? "the page begins with what the profile says of itself"
grep -q "<p class=\"filename\">$(realpath -sm "$source")</p>$" "$tmp/page.html"
result $? "the source file is named"
grep -q '^<span class=line>     16</span> <span class=nop>           .          .           	int s = 0; </span>$' "$tmp/page.html" ||
	grep -q '^<span class=line>     16</span> <span class=livesrc>.*	int s = 0; </span><span class=asm>' "$tmp/page.html"
result $? "source lines stand there"
grep -q "          1B         1B  *$work: .*<span class=unimportant>asm.c:[0-9]*</span>$" "$tmp/page.html"
result $? "the instruction has its sample and its line"
grep -q '<span class=inlinesrc> *return x \* 3 &#43; (x &gt;&gt; 2); *</span> <span class=unimportant>asm.c:11</span>$' "$tmp/page.html"
result $? "inlined calls lead to their instructions"

if [ -n "${PYTHON3:-}" ] && command -v "$PYTHON3" >/dev/null; then
	"$PYTHON3" - "$tmp/page.html" <<'PY'
import base64, hashlib, html.parser, re, sys
page = open(sys.argv[1], encoding="utf-8").read()
policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page).group(1)
def known(text, what):
    name = "'sha256-%s'" % base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
    assert name in dict(p.split(" ", 1) for p in policy.split("; "))[what], text
known(re.search(r"<style[^>]*>(.*?)</style>", page, re.S).group(1), "style-src")
known(re.search(r"<script[^>]*>(.*?)</script>", page, re.S).group(1), "script-src")
known(re.search(r'onClick="([^"]*)"', page).group(1), "script-src")
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
	result $? "the policy knows style, script and click; tags are closed; nothing comes from elsewhere"
fi

# Without the binary the profile's own lines are shown, whatever they hold.
page 'f1' edge/inline-sometimes.pb.gz || page . edge/inline-sometimes.pb.gz
result $? "a profile whose binary is not here has a page of source lines"
page . edge/names-hostile.pb.gz
! grep -q -i '<script>\|<img\|onerror=' "$tmp/page.html"
result $? "names cannot become tags"

fails 'no matches found for regexp: nobody$' weblist nobody -output="$tmp/none.html" "$tmp/heap"
[ ! -e "$tmp/none.html" ]
result $? "no file is left then"
fails '--json has no meaning for weblist' weblist . --json -output=- "$tmp/heap"
unset DISPLAY WAYLAND_DISPLAY BROWSER
fails 'there is no screen here.*; write a file with -output=FILE.html' weblist . "$tmp/heap"

cat >"$tmp/browser" <<'END'
#!/bin/sh
cp "$1" "$0.page"
echo "$1" >"$0.name"
END
chmod +x "$tmp/browser"
"$CPA" weblist prog_work -tools="$tmp/gnu" "$tmp/heap" -output=- >"$tmp/out" 2>/dev/null
BROWSER=$tmp/browser "$CPA" weblist prog_work -tools="$tmp/gnu" "$tmp/heap" 2>"$tmp/err" && [ ! -s "$tmp/err" ]
result $? "BROWSER is started"
same "with the page" "$tmp/out" "$tmp/browser.page"
grep -q '\.html$' "$tmp/browser.name" && [ ! -e "$(cat "$tmp/browser.name")" ]
result $? "in a file that is gone afterwards"
done_testing
