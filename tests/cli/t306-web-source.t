#!/bin/sh
# t306-web-source.t - source and instructions in the web UI: the numbers of weblist and disasm, and which files are shown
# SPDX-License-Identifier: Apache-2.0
names=yes
. "${top_srcdir:?}/tests/cli/lib.sh"
. "$top_srcdir/tests/cli/page.sh"
. "$top_srcdir/tests/cli/asm.sh"

# weblist_values FILE: prints "LINE FLAT CUM" of each source line of a standalone page of weblist
weblist_values() {
	sed -n 's/^<span class=line> *\([0-9]*\)<\/span> <span class=[a-z]*> *\([^ ]*\) *\([^ ]*\) .*/\1 \2 \3/p' "$1"
}
# page_values: prints the same for the last page of source
page_values() {
	grep -o '^<tr[^>]*><td>[0-9]*</td><td>[^<]*</td><td>[^<]*</td><td>' "$tmp/page" |
		sed 's/<tr[^>]*>//; s/<td>//g; s/<\/td>/ /g; s/ $//'
}
# page_instructions, weblist_instructions: print "ADDRESS FLAT CUM" of each instruction
page_instructions() {
	grep -o '<tr><td><code>[0-9a-f]*</code></td><td>[^<]*</td><td>[^<]*</td>' "$tmp/page" |
		sed 's/<tr><td><code>//; s/<\/code>//; s/<td>//g; s/<\/td>/ /g; s/ $//'
}
weblist_instructions() {
	sed 's/<span class=asm>/\n/g' "$1" |
		sed -n 's/^  *\([0-9.]*[A-Za-z]*\)  *\([0-9.]*[A-Za-z]*\)  *\([0-9a-f]\{6,\}\): .*/\3 \1 \2/p'
}

work=$(address "$tmp/prog" prog_work)
start=$((0x$work))
profile "$tmp/prog" 0 "$work" "$(printf %x $((start + 4)))" "$(printf %x $((start + 9)))" >"$tmp/heap"
mkdir "$tmp/work"
cd "$tmp/work" || exit 1

# The source is outside of the working directory, but below the directory in which the compiler ran.
cp "$source" "$tmp/work/asm.c"
mkdir "$tmp/build" "$tmp/empty"
cp "$source" "$tmp/build/asm.c"
(cd "$tmp/build" && ${CC:-cc} -O1 -g -fno-pie -no-pie -o "$tmp/built" asm.c)
profile "$tmp/built" 0 "$(address "$tmp/built" prog_work)" >"$tmp/built_heap"
cd "$tmp/empty" || exit 1
page_start "$tmp/built_heap"
page 'source?f=prog_work'
[ "$status" = 200 ] && has "$tmp/build/asm.c" && has '__attribute__((noinline)) int prog_work(int n)'
result $? "sources below the build directory of the binary are shown"
page_stop

cd "$tmp/work" || exit 1
page_start -source_path="$(dirname "$source")" "$tmp/heap"
page 'source?f=prog_work'
"$CPA" weblist prog_work -source_path="$(dirname "$source")" -output="$tmp/list.html" "$tmp/heap" 2>"$tmp/err"
weblist_values "$tmp/list.html" >"$tmp/want"
page_values >"$tmp/got"
diff "$tmp/want" "$tmp/got" >"$tmp/diff" || note "$tmp/diff"
[ "$status" = 200 ] && [ -s "$tmp/want" ] && cmp -s "$tmp/want" "$tmp/got"
result $? "lines have flat and cum of cpa weblist"
weblist_instructions "$tmp/list.html" >"$tmp/want"
page_instructions >"$tmp/got"
diff "$tmp/want" "$tmp/got" >"$tmp/diff" || note "$tmp/diff"
[ -s "$tmp/want" ] && cmp -s "$tmp/want" "$tmp/got"
result $? "instructions have addresses, flat and cum of cpa weblist"
has '<details class="instructions"><summary>' && has_not '<script>' && has_not ' style='
result $? "instructions open without scripts"

page 'disasm?f=prog_work'
"$CPA" disasm prog_work "$tmp/heap" >"$tmp/want" 2>"$tmp/err"
sed -n 's/^ *\([^ ]*\)  *\([^ ]*\)  *\([0-9a-f]*\): .*/\1 \2 0x\3/p' "$tmp/want" >"$tmp/rows"
grep -o '<td>[^<]*</td><td>[^<]*</td><td>\(<svg[^>]*>.*</svg>\)*</td><td><code>0x[0-9a-f]*' "$tmp/page" |
	sed 's/<svg.*<\/svg>//; s/<code>//; s/<td>//g; s/<\/td>/ /g; s/  / /' >"$tmp/got"
diff "$tmp/rows" "$tmp/got" >"$tmp/diff" || note "$tmp/diff"
[ "$status" = 200 ] && [ -s "$tmp/rows" ] && cmp -s "$tmp/rows" "$tmp/got"
result $? "the page of disasm has the rows of cpa disasm"
page 'disasm.txt?f=prog_work'
[ "$status" = 200 ] && cmp -s "$tmp/want" "$tmp/page"
result $? "disasm.txt is the text of cpa disasm"
page 'disasm?f=prog_work' 'text/plain'
[ "$status" = 200 ] && cmp -s "$tmp/want" "$tmp/page"
result $? "a client that asks for text gets that text"

page 'source?f=nothing_matches' '*/*'
[ "$status" = 400 ] && [ "$(cat "$tmp/page")" = 'no matches found for regexp: nothing_matches' ]
result $? "source without a match: status 400 and pprof's message"
page 'disasm?f=nothing_matches' '*/*'
[ "$status" = 400 ] && grep -q '^no matches found for regexp nothing_matches' "$tmp/page"
result $? "disasm without a match: status 400 and pprof's message"
page 'source?f=(' '*/*'
[ "$status" = 400 ] && grep -q '^parsing argument regexp (: error parsing regexp: missing closing ): ' "$tmp/page"
result $? "an invalid expression: status 400 and pprof's message"
page 'source?arg=prog_work&f=prog_w'
[ "$status" = 200 ] && has '<h2>' && has 'arg='
result $? "arg separates the expression of the source from the filter"
page 'source?arg=prog_work&f=nothing_matches'
[ "$status" != 500 ] && has_not '<h2><a'
result $? "the filter f applies even if arg matches"
page_stop

# Without the binary.
page_start -symbolize=none "$TESTDATA/go-cpu.pb.gz"
page 'disasm?f=nearest' '*/*'
[ "$status" = 400 ] && [ -s "$tmp/page" ]
result $? "disasm without the binary: status 400 as from pprof, and the reason"
page 'source?f=nearest'
[ "$status" = 200 ] && has 'Source not found: ' && has '<p>Tried:</p>' && has '<code>-source_path=DIR</code>'
result $? "without the source the page lists the paths tried and the options that help"
has 'shop/route.(*Planner).nearest' && has '<td>64</td>'
result $? "lines without source have their values"
page_stop

# A symbol of C++ and Rust has its readable name, and the hottest instruction is marked.
cat >"$tmp/mangled.c" <<'C'
__attribute__((noinline)) int helper(int n) __asm__("_ZN4shop6helperEi");
__attribute__((noinline)) int helper(int n) { __asm__ volatile(""); return n + 1; }
__attribute__((noinline)) int tour(int n) __asm__("_ZN4shop5Depot4tourIlEEiT_");
__attribute__((noinline)) int tour(int n) { return helper(n) + helper(n * 3); }
int main(int n, char **argv) { (void)argv; return tour(n); }
C
# shellcheck disable=SC2086 # a command line
${CC:-cc} -O1 -g -fno-pie -no-pie -o "$tmp/mangled" "$tmp/mangled.c"
at=$(address "$tmp/mangled" _ZN4shop5Depot4tourIlEEiT_)
hot=$(objdump -d --no-show-raw-insn "$tmp/mangled" | sed -n "/^0*$at <.*>:/,/^\$/s/^ *\([0-9a-f]*\):.*/\1/p" | sed -n 3p)
profile "$tmp/mangled" 0 "$at" "$hot" >"$tmp/mangled-heap"
page_start "$tmp/mangled-heap"
page 'disasm?f=shop.*tour'
grep -o '<h2>.*</h2>' "$tmp/page" | sed 's/<[^>]*>//g' >"$tmp/got"
echo 'shop::Depot::tour' >"$tmp/want"
same "names are demangled as in other views" "$tmp/want" "$tmp/got"
grep -q "^<tr class=\"hottest\" id=\"hottest\">.*<code>0x$hot</code>" "$tmp/page" && [ "$(grep -c 'id="hottest"' "$tmp/page")" = 1 ] &&
	has '<a href="#hottest"'
result $? "the instruction with the largest flat is marked and linked"
page_stop

# Names and sources of a profile are text.
printf '%s\n' '</code><script>alert(1)</script>' '\001\033[31m"onload="x' >"$tmp/work/evil.c"
named "$tmp/prog" '</bdi><script>alert(1)</script>' "$tmp/work/evil.c" 1 "$work" >"$tmp/evil"
page_start "$tmp/evil"
page 'source?f=.'
[ "$status" = 200 ] && has_not '<script>alert' && has '&lt;/code&gt;&lt;script&gt;' && ! grep -q "$(printf '\033')" "$tmp/page"
result $? "names and source lines are escaped"
page 'disasm?f=prog_work'
[ "$status" != 500 ] && has_not '<script>alert'
result $? "names are escaped on the page of disasm"
page_stop
named "$tmp/prog" evil '"><img src=x onerror=alert(1)>.c' 1 "$work" >"$tmp/evil"
page_start "$tmp/evil"
page 'source?f=evil'
[ "$status" = 200 ] && has_not '<img' && has 'onerror=alert(1)&gt;.c'
result $? "names of files are escaped"
page_stop

# Two clients that request the same page share one run of objdump.
mkdir "$tmp/slow"
# shellcheck disable=SC2016 # the program that is written expands them
printf '#!/bin/sh\necho "$1" >>"%s/runs"\nsleep 1\nexec "%s" "$@"\n' "$tmp" "$(command -v objdump)" >"$tmp/slow/objdump"
chmod +x "$tmp/slow/objdump"
page_start -tools="$tmp/slow" "$tmp/heap"
: >"$tmp/runs"
curl -s -o "$tmp/one" "$url/ui/disasm?f=prog_work" &
one=$!
curl -s -o "$tmp/two" "$url/ui/disasm?f=prog_work" &
two=$!
wait "$one" "$two"
page 'disasm?f=prog_work' '*/*'
[ "$(grep -c disassemble "$tmp/runs")" = 1 ] && cmp -s "$tmp/one" "$tmp/two" && cmp -s "$tmp/one" "$tmp/page" && grep -q 'prog_work' "$tmp/one"
result $? "identical requests share one run of objdump"
page_stop

# A changed source file is shown without a restart; requests at the same time still share one run of objdump.
page_start -tools="$tmp/slow" "$tmp/built_heap"
: >"$tmp/runs"
curl -s -o "$tmp/one" "$url/ui/source?f=prog_work" &
one=$!
curl -s -o "$tmp/two" "$url/ui/source?f=prog_work" &
two=$!
wait "$one" "$two"
[ "$(grep -c disassemble "$tmp/runs")" = 1 ] && cmp -s "$tmp/one" "$tmp/two" && grep -q 'int s = 0;' "$tmp/one"
result $? "identical requests for source share one run of objdump"
sed -i 's/int s = 0;/int edited_line = 0;/' "$tmp/build/asm.c"
page 'source?f=prog_work'
has 'int edited_line = 0;'
result $? "source is read again for each request"
page_stop

# ---- files that are not sources

# hostile FILE: prints a profile with a function whose source is FILE
hostile() {
	named "$tmp/prog" stolen "$1" 3 "$work"
}
mkfifo "$tmp/work/fifo.c"
mkdir "$tmp/secret"
echo 'root:x:secret_text' >"$tmp/secret/key.c"
ln -s "$tmp/secret/key.c" "$tmp/work/link.c"
ln -s "$tmp/secret" "$tmp/work/folder"
mkdir "$tmp/work/.ssh"
echo 'secret_text' >"$tmp/work/.ssh/id.c"
export SECRET_TEXT=secret_text
for file in /etc/passwd "$tmp/work/../secret/key.c" "$tmp/secret/key.c" "$tmp/work/link.c" "$tmp/work/folder/key.c" link.c \
	"$tmp/work/fifo.c" /dev/zero /dev/stdin /proc/self/environ /proc/self/cmdline /proc/self/root/etc/passwd \
	"$tmp/work/.ssh/id.c" .ssh/id.c ../secret/key.c; do
	hostile "$file" >"$tmp/stolen"
	page_start "$tmp/stolen"
	page 'source?f=stolen'
	[ "$status" = 200 ] && has 'stolen' && has 'Source not found' && ! grep -q 'root:x\|secret_text' "$tmp/page"
	shown=$?
	[ "$shown" -eq 0 ] || note "$tmp/page"
	page 'source.txt?f=stolen'
	! grep -q 'root:x\|secret_text' "$tmp/page" || shown=1
	page 'source.json?f=stolen'
	! grep -q 'root:x\|secret_text' "$tmp/page" || shown=1
	page 'source.html?f=stolen'
	! grep -q 'root:x\|secret_text' "$tmp/page" || shown=1
	result "$shown" "a profile that names $(echo "$file" | sed "s|$tmp|TMP|g") does not show it"
	page_stop
done

hostile "$tmp/secret/key.c" >"$tmp/stolen"
page_start "$tmp/stolen"
page 'source?f=stolen'
has 'not shown: it is outside of the folders with sources; allow it with -source_path' && has '-source_path=DIR'
result $? "the page names the reason and the option that helps"
page_stop
page_start -source_path="$tmp/secret" "$tmp/stolen"
page 'source?f=stolen'
[ "$status" = 200 ] && has 'secret_text'
result $? "-source_path allows a folder"
page_stop
cd "$tmp/secret" || exit 1
page_start "$tmp/stolen"
page 'source?f=stolen'
has 'secret_text'
result $? "files below the working directory are shown"
page_stop
# upload FILE: opens a file as a user does, and sets id. An uploaded profile may not read the working directory; -source_path allows files for it, too.
upload() {
	page open
	token=$(sed -n 's/.*name="token" value="\([^"]*\)".*/\1/p' "$tmp/page" | head -n 1)
	id=$(curl -s -F "token=$token" -F "file=@$1" "$url/ui/do/open" | sed -n 's/.*"id": "\([0-9a-f]*\)".*/\1/p')
}
hostile "$tmp/secret/key.c" >"$tmp/uploaded"
page_start "$tmp/heap"
upload "$tmp/uploaded"
page "source?f=stolen&prof=$id"
[ -n "$id" ] && [ "$status" = 200 ] && has 'stolen' && has 'Source not found' && has_not 'secret_text'
result $? "an uploaded profile shows no files of the working directory"
page_stop
page_start -source_path="$tmp/secret" "$tmp/heap"
upload "$tmp/uploaded"
page "source?f=stolen&prof=$id"
[ -n "$id" ] && [ "$status" = 200 ] && has 'secret_text'
result $? "-source_path allows files for uploaded profiles"
page_stop

cd / || exit 1
page_start "$tmp/stolen"
page 'source?f=stolen'
has_not 'secret_text'
result $? "a server that was started in / shows no files because of that"
page_stop

done_testing
