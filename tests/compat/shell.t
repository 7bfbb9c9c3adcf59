#!/bin/sh
# shell.t - the shell prints and writes the same as that of pprof, for every session of sessions.txt
# SPDX-License-Identifier: Apache-2.0
#
# go tool pprof prints its prompt to standard output even without a terminal, unlike google/pprof and cpa, so it is
# removed. Written profiles are compared by their -raw output.
. "${top_srcdir:?}/tests/compat/pprof.sh"
export TERM=dumb
unset DISPLAY WAYLAND_DISPLAY BROWSER
mkdir "$tmp/sessions"
awk -v dir="$tmp/sessions" '
	/^@ / { close(file); file = sprintf("%s/%03d", dir, ++n); print substr($0, 3) > (file ".args"); printf "" > file; next }
	file { print > file }
' "$top_srcdir/tests/compat/sessions.txt"

# in_session OUTPUT PROGRAM: run it with the lines of $session in an empty folder; append the files that it writes
in_session() {
	rm -rf "$tmp/work"
	cp -r "$tmp/links" "$tmp/work"
	cd "$tmp/work" || exit 1
	# shellcheck disable=SC2086 # the words of a command line
	"$2" -symbolize=none $args <"$session" >"$tmp/out" 2>"$tmp/err"
	code=$?
	sed 's/(pprof) //g' "$tmp/out" >"$1"
	for file in *; do
		[ ! -h "$file" ] || continue
		echo "file $file" >>"$1"
		case $file in
		*.pb.gz) "$pprof" -symbolize=none -raw "$file" >>"$1" 2>/dev/null ;;
		*) cat "$file" >>"$1" ;;
		esac
	done
	return "$code"
}

mkdir "$tmp/links"
for file in "$PWD"/*; do ln -s "$file" "$tmp/links"; done
# shellcheck disable=SC2034 # compare_outputs reads want and got
for session in "$tmp"/sessions/*[0-9]; do
	args=$(cat "$session.args")
	in_session "$tmp/want" "$pprof"
	want=$?
	in_session "$tmp/got" "$CPA"
	got=$?
	compare_outputs "shell $args: $(paste -s -d ';' "$session")"
done
[ "$count" -ge 100 ]
result $? "there were at least 100 sessions ($count)"
done_testing
