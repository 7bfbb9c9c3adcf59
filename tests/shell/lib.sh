# lib.sh - functions for tests of the full-screen shell, which play keys and print screens as text
# SPDX-License-Identifier: Apache-2.0
#
# Tests source this file first, and call done_testing last.

: "${top_srcdir:?}"
# shellcheck source=SCRIPTDIR/../cli/lib.sh
. "$top_srcdir/tests/cli/lib.sh"
golden_dir=$top_srcdir/tests/shell/golden

# play KEYS ARG...: the screens after these keys, on standard output
play() {
	keys=$1
	shift
	"$CPA" -symbolize=none "--keys=$keys" "$@"
}

# view NAME KEYS [--size=WxH] ARG...: compare the view after these keys with golden file NAME; UPDATE=1 writes the
# file. Rows that all views share (title, tabs, hints, prompt) are removed; --looks also removes the legend
view() {
	height=24
	case ${3:-} in
	--size=*) height=${3##*x} ;;
	esac
	name=$1 keys=$2
	shift
	play "$@" 2>"$tmp/err" | awk -v h="$height" '
		NR == 1 { looks = /^\|/ }
		looks && !/^[|:]/ { next }
		!/^:/ { n = rows++ % h }
		n == 0 && NR > 2 && !/^:/ { print "---" }
		n > 1 && n < h - 2' >"$tmp/out"
	grep -v '^cpa: \(Fetching\|Saved\) profile ' "$tmp/err" >>"$tmp/out"
	[ -n "${UPDATE:-}" ] && cp "$tmp/out" "$golden_dir/$name"
	diff -u "$golden_dir/$name" "$tmp/out" >"$tmp/diff" 2>&1
	same=$?
	[ "$same" -eq 0 ] || note "$tmp/diff"
	result "$same" "$name: the view after $keys"
}

# screen NAME KEYS ARG...: compare the screens after these keys with golden file NAME; UPDATE=1 writes it
screen() {
	name=$1
	shift
	play "$@" >"$tmp/out" 2>"$tmp/err"
	status=$?
	[ "$status" -eq 0 ] || { echo "exit status $status" && cat "$tmp/err"; } >>"$tmp/out"
	[ -n "${UPDATE:-}" ] && cp "$tmp/out" "$golden_dir/$name"
	diff -u "$golden_dir/$name" "$tmp/out" >"$tmp/diff" 2>&1
	same=$?
	[ "$same" -eq 0 ] || note "$tmp/diff"
	result "$same" "$name: the screen after $1"
}

# shows TEXT KEYS ARG...: the screens after these keys contain this text
shows() {
	text=$1
	shift
	play "$@" >"$tmp/out" 2>"$tmp/err"
	grep -qF -e "$text" "$tmp/out"
	found=$?
	[ "$found" -eq 0 ] || note "$tmp/out"
	result "$found" "\"$text\" is on the screen after $1"
}
