#!/bin/sh
# t190-pictures.t - pictures drawn by Graphviz, and the programs that display them
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/cli/lib.sh"

# tool NAME: installs the shell script on standard input as the program NAME in $tmp/bin
mkdir "$tmp/bin" "$tmp/tmp" "$tmp/only"
tool() {
	{ printf '#!/bin/sh\n' && cat; } >"$tmp/bin/$1"
	chmod +x "$tmp/bin/$1"
}
# alone COMMAND...: runs COMMAND with a cpa that finds only the programs in $tmp/only
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
	same "dot reads the graph for $format" "$tmp/graph" "$tmp/bin/dot.in"
	[ "$(cat "$tmp/bin/dot.args")" = "-T$format" ]
	result $? "dot is run with -T$format"
	[ $format = svg ] || same "the $format output of dot is printed unchanged" "$tmp/bin/dot.out" "$tmp/out"
done

"$CPA" svg go-cpu.pb.gz >"$tmp/out"
grep -q '^<svg width="100%" height="100%"$' "$tmp/out" && grep -q '^ viewBox="0.00 0.00 8.00 4.00"' "$tmp/out"
result $? "an SVG is as large as its window"
"${PYTHON3:-python3}" - "$tmp/out" <<'PY'
import sys, xml.etree.ElementTree as tree
parts = [part.tag.split("}")[1] for part in tree.parse(sys.argv[1]).getroot()]
assert parts == ["script", "g"], parts
PY
result $? "an SVG with its script is well-formed"
grep -E -q '(href|src|import|fetch|XMLHttp)' "$tmp/out"
result $((! $?)) "an SVG and its script load no other file"

"$CPA" svg -output="$tmp/graph.svg" go-cpu.pb.gz 2>"$tmp/err"
same "-output writes the picture to a file" "$tmp/out" "$tmp/graph.svg"

# The program writes more than a pipe can hold, both before it reads and after it has stopped reading.
tool dot <<'END'
head -c 300000 /dev/zero | tr '\0' 'x'
echo noise >&2
head -c 10 >/dev/null
exec <&-
head -c 300000 /dev/zero | tr '\0' 'y'
END
timeout 60 "$CPA" png -nodecount=0 -nodefraction=0 -edgefraction=0 go-cpu.pb.gz >"$tmp/out" 2>"$tmp/err" &&
	[ "$(wc -c <"$tmp/out")" -eq 600000 ] && [ ! -s "$tmp/err" ]
result $? "a program that does not read its input does not block cpa"

tool dot <<'END'
cat >/dev/null
echo half a picture
printf 'syntax error \033[31m in line 1\nmore\n' >&2
exit 3
END
fails 'dot exited with status 3: syntax error .x1b.31m in line 1$' svg go-cpu.pb.gz
tool dot <<'END'
kill -9 $$
END
fails 'dot was killed by signal 9' svg go-cpu.pb.gz
alone fails 'package graphviz' svg go-cpu.pb.gz

tool dot <<'END'
cat >/dev/null
echo "<svg width=\"1pt\" height=\"1pt\" viewBox=\"0 0 1 1\"></svg>"
END
fails 'no display.*; use -output=FILE.svg' web go-cpu.pb.gz
export SSH_CONNECTION=1
fails 'in an SSH session' evince go-cpu.pb.gz
export DISPLAY=:99

tool viewer <<'END'
for word; do echo "$word"; done >"$0.args"
for file; do :; done
cp "$file" "$0.file"
echo this is not for standard output
END
BROWSER='viewer  --new tab' "$CPA" web go-cpu.pb.gz >"$tmp/out" 2>"$tmp/err" && [ ! -s "$tmp/out" ] && [ ! -s "$tmp/err" ]
result $? "web starts BROWSER and prints nothing"
head -n 2 "$tmp/bin/viewer.args" | tr '\n' ' ' | grep -qx -e '--new tab ' && sed -n 3p "$tmp/bin/viewer.args" | grep -q "^$tmp/tmp/cpa-.*\.svg$"
result $? "BROWSER is split at blanks, and the file is the last argument"
grep -q 'width="100%"' "$tmp/bin/viewer.file"
result $? "the browser opens the SVG with the script"
[ -z "$(ls "$tmp/tmp")" ]
result $? "the temporary file is removed"

cp "$tmp/bin/viewer" "$tmp/bin/eog"
"$CPA" eog go-cpu.pb.gz 2>"$tmp/err" && grep -q 'width="1pt"' "$tmp/bin/eog.file"
result $? "eog opens the SVG without the script"
for viewer in 'evince pdf' 'gv ps' 'kcachegrind grind'; do
	name=${viewer% *} ext=${viewer#* }
	cp "$tmp/bin/viewer" "$tmp/bin/$name"
	"$CPA" "$name" go-cpu.pb.gz 2>"$tmp/err" && grep -q "\.$ext$" "$tmp/bin/$name.args"
	result $? "$name is started with a .$ext file"
done
grep -qx -e --noantialias "$tmp/bin/gv.args"
result $? "gv is started with --noantialias"
"$CPA" callgrind go-cpu.pb.gz >"$tmp/out" 2>"$tmp/err"
same "kcachegrind opens the output of callgrind" "$tmp/out" "$tmp/bin/kcachegrind.file"

rm -f "$tmp/bin/eog.args"
"$CPA" eog -output="$tmp/graph.svg" go-cpu.pb.gz 2>"$tmp/err" && [ -s "$tmp/graph.svg" ] && [ ! -e "$tmp/bin/eog.args" ]
result $? "with -output the file is written and no program is started"

tool eog <<'END'
exit 4
END
fails 'eog exited with status 4' eog go-cpu.pb.gz
[ -z "$(ls "$tmp/tmp")" ]
result $? "the temporary file is removed when the program fails"
cat >"$tmp/only/dot" <<END
#!/bin/sh
PATH=$PATH exec "$tmp/bin/dot"
END
chmod +x "$tmp/only/dot"
alone fails 'no viewer found (tried eog)' eog go-cpu.pb.gz

# On a terminal, a picture is written to the first unused numbered file instead.
if ! "${PYTHON3:-python3}" -c 'import pty; pty.openpty()' 2>/dev/null; then
	result 0 "a picture is written to a numbered file if standard output is a terminal # SKIP no pseudoterminals"
	done_testing
	exit 0
fi
mkdir "$tmp/at" && cd "$tmp/at" || exit 1
touch profile001.svg
"${PYTHON3:-python3}" - "$CPA" "$TESTDATA/go-cpu.pb.gz" <<'PY' >"$tmp/messages" 2>&1
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
same "pictures and callgrind are written to numbered files if standard output is a terminal" "$tmp/want" "$tmp/messages"
[ ! -s profile001.svg ] && cmp profile002.svg named.svg && grep -q '^events: ' profile002.callgraph.out
result $? "the files contain the requested output, and an existing file is not overwritten"
done_testing
