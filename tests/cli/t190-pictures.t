#!/bin/sh
# t190-pictures.t - pictures through Graphviz, and programs that show them
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/cli/lib.sh"

# tool NAME: a program of that name in $tmp/bin does what standard input says
mkdir "$tmp/bin" "$tmp/tmp" "$tmp/only"
tool() {
	{ printf '#!/bin/sh\n' && cat; } >"$tmp/bin/$1"
	chmod +x "$tmp/bin/$1"
}
# alone COMMAND...: with a cpa that finds no other program but those in $tmp/only
alone() {
	cpa=$CPA CPA=$tmp/alone
	"$@"
	CPA=$cpa
}
cat >"$tmp/alone" <<END
#!/bin/sh
PATH=$tmp/only exec "$CPA" "\$@"
END
chmod +x "$tmp/alone"
PATH=$tmp/bin:$PATH TMPDIR=$tmp/tmp
export PATH TMPDIR
unset DISPLAY WAYLAND_DISPLAY BROWSER SSH_CONNECTION

tool dot <<'END'
echo "$@" >"$0.args"
cat >"$0.in"
cat "$0.out"
END
cat >"$tmp/bin/dot.out" <<'END'
<?xml version="1.0"?>
<svg width="8pt" height="4pt"
 viewBox="0.00 0.00 8.00 4.00" xmlns="http://www.w3.org/2000/svg">
<g id="graph0"></g>
</svg>
END
"$CPA" dot go-cpu.pb.gz >"$tmp/graph"
for format in svg pdf png ps gif; do
	"$CPA" $format go-cpu.pb.gz >"$tmp/out" 2>"$tmp/err"
	same "dot gets the graph for $format" "$tmp/graph" "$tmp/bin/dot.in"
	[ "$(cat "$tmp/bin/dot.args")" = "-T$format" ]
	result $? "dot is asked for $format"
	[ $format = svg ] || same "what dot draws as $format is printed as it is" "$tmp/bin/dot.out" "$tmp/out"
done

"$CPA" svg go-cpu.pb.gz >"$tmp/out"
grep -q '^<svg width="100%" height="100%"$' "$tmp/out" && grep -q '^ viewBox="0.00 0.00 8.00 4.00"' "$tmp/out"
result $? "an SVG fills its window"
"${PYTHON3:-python3}" - "$tmp/out" <<'PY'
import sys, xml.etree.ElementTree as tree
parts = [part.tag.split("}")[1] for part in tree.parse(sys.argv[1]).getroot()]
assert parts == ["script", "g"], parts
PY
result $? "an SVG with its script is well-formed"
grep -E -q '(href|src|import|fetch|XMLHttp)' "$tmp/out"
result $((! $?)) "the script needs nothing from elsewhere"

"$CPA" svg -output="$tmp/graph.svg" go-cpu.pb.gz 2>"$tmp/err"
same "a picture goes to a file" "$tmp/out" "$tmp/graph.svg"

# The program writes more than a pipe holds before it reads, and after it has stopped reading.
tool dot <<'END'
head -c 300000 /dev/zero | tr '\0' 'x'
echo noise >&2
head -c 10 >/dev/null
exec <&-
head -c 300000 /dev/zero | tr '\0' 'y'
END
timeout 60 "$CPA" png -nodecount=0 -nodefraction=0 -edgefraction=0 go-cpu.pb.gz >"$tmp/out" 2>"$tmp/err" &&
	[ "$(wc -c <"$tmp/out")" -eq 600000 ] && [ ! -s "$tmp/err" ]
result $? "a program that does not read its input blocks nothing"

tool dot <<'END'
cat >/dev/null
echo half a picture
printf 'syntax error \033[31m in line 1\nmore\n' >&2
exit 3
END
fails 'dot ended with status 3: syntax error .x1b.31m in line 1$' svg go-cpu.pb.gz
tool dot <<'END'
kill -9 $$
END
fails 'dot was ended by signal 9' svg go-cpu.pb.gz
alone fails 'package graphviz' svg go-cpu.pb.gz

tool dot <<'END'
cat >/dev/null
echo "<svg width=\"1pt\" height=\"1pt\" viewBox=\"0 0 1 1\"></svg>"
END
fails 'no screen here; write a file with -output=FILE.svg' web go-cpu.pb.gz
export SSH_CONNECTION=1
fails 'ssh session' evince go-cpu.pb.gz
export DISPLAY=:99

tool shower <<'END'
for word; do echo "$word"; done >"$0.args"
for file; do :; done
cp "$file" "$0.file"
echo this is not for standard output
END
BROWSER='shower  --new tab' "$CPA" web go-cpu.pb.gz >"$tmp/out" 2>"$tmp/err" && [ ! -s "$tmp/out" ] && [ ! -s "$tmp/err" ]
result $? "web starts BROWSER and prints nothing"
head -n 2 "$tmp/bin/shower.args" | tr '\n' ' ' | grep -qx -e '--new tab ' && sed -n 3p "$tmp/bin/shower.args" | grep -q "^$tmp/tmp/cpa-.*\.svg$"
result $? "BROWSER is split at blanks and the file comes last"
grep -q 'width="100%"' "$tmp/bin/shower.file"
result $? "the browser finds the picture"
[ -z "$(ls "$tmp/tmp")" ]
result $? "the temporary file is gone"

cp "$tmp/bin/shower" "$tmp/bin/eog"
"$CPA" eog go-cpu.pb.gz 2>"$tmp/err" && grep -q 'width="1pt"' "$tmp/bin/eog.file"
result $? "eog gets the SVG without a script"
for viewer in 'evince pdf' 'gv ps' 'kcachegrind grind'; do
	name=${viewer% *} ext=${viewer#* }
	cp "$tmp/bin/shower" "$tmp/bin/$name"
	"$CPA" "$name" go-cpu.pb.gz 2>"$tmp/err" && grep -q "\.$ext$" "$tmp/bin/$name.args"
	result $? "$name is started with a file of $ext"
done
grep -qx -e --noantialias "$tmp/bin/gv.args"
result $? "gv is told not to smooth"
"$CPA" callgrind go-cpu.pb.gz >"$tmp/out" 2>"$tmp/err"
same "kcachegrind gets what callgrind prints" "$tmp/out" "$tmp/bin/kcachegrind.file"

rm -f "$tmp/bin/eog.args"
"$CPA" eog -output="$tmp/graph.svg" go-cpu.pb.gz 2>"$tmp/err" && [ -s "$tmp/graph.svg" ] && [ ! -e "$tmp/bin/eog.args" ]
result $? "with -output a file is written and nothing is started"

tool eog <<'END'
exit 4
END
fails 'eog ended with status 4' eog go-cpu.pb.gz
[ -z "$(ls "$tmp/tmp")" ]
result $? "no temporary file is left when a program fails"
cat >"$tmp/only/dot" <<END
#!/bin/sh
PATH=$PATH exec "$tmp/bin/dot"
END
chmod +x "$tmp/only/dot"
alone fails 'no program to show it was found (tried: eog)' eog go-cpu.pb.gz

# A terminal is spared pictures: they go to the first file name that is free.
if ! "${PYTHON3:-python3}" -c 'import pty; pty.openpty()' 2>/dev/null; then
	result 0 "a picture on a terminal goes to a numbered file # SKIP no terminals here"
	done_testing
	exit 0
fi
mkdir "$tmp/at" && cd "$tmp/at" || exit 1
touch profile001.svg
"${PYTHON3:-python3}" - "$CPA" "$TESTDATA/go-cpu.pb.gz" <<'PY' >"$tmp/said" 2>&1
import os, pty, subprocess, sys
ours, terminal = pty.openpty()
for args in (["svg"], ["png"], ["pdf"], ["ps"], ["gif"], ["callgrind"], ["callgrind"], ["svg", "-o", "named.svg"]):
    done = subprocess.run([sys.argv[1]] + args + [sys.argv[2]], stdout=terminal, stderr=subprocess.PIPE)
    print(done.stderr.decode(), end="")
os.close(terminal)
try:
    print(os.read(ours, 100))
except OSError:
    pass
PY
printf 'cpa: Generating report in %s\n' profile002.svg profile001.png profile001.pdf profile001.ps profile001.gif \
	profile001.callgraph.out profile002.callgraph.out named.svg >"$tmp/want"
same "a picture on a terminal, and callgrind, go to numbered files" "$tmp/want" "$tmp/said"
[ ! -s profile001.svg ] && cmp profile002.svg named.svg && grep -q '^events: ' profile002.callgraph.out
result $? "the files hold what was asked for, and none is overwritten"
done_testing
