# lib.sh - functions for the command line tests: TAP, golden files, errors
# SPDX-License-Identifier: Apache-2.0
#
# Source it first; call done_testing last. make check sets CPA and TESTDATA.

: "${CPA:?}" "${TESTDATA:?}" "${top_srcdir:?}"
export TZ=UTC LC_ALL=C.UTF-8 NO_COLOR=1
golden_dir=$top_srcdir/tests/cli/golden
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
count=0
cd "$TESTDATA" || exit 1

# Tests do not use the cache, saved profiles, binaries or servers of the user.
mkdir "$tmp/home" || exit 1
# shellcheck disable=SC2034 # for tests that run compilers installed there
users_home=${HOME:-/} users_cache=${XDG_CACHE_HOME:-${HOME:-}/.cache}
export HOME="$tmp/home" XDG_CACHE_HOME="$tmp/home/cache" XDG_STATE_HOME="$tmp/home/state"
export GOCACHE="${GOCACHE:-$users_cache/go-build}" # else each test that runs go compiles its library
unset GITHUB_STEP_SUMMARY GITHUB_WORKSPACE PPROF_TMPDIR PPROF_BINARY_PATH PPROF_TOOLS DEBUGINFOD_URLS DEBUGINFOD_CACHE_PATH PERF_BUILDID_DIR

# Binaries on this machine would add unpredictable names. Only tests of symbolization, which set names=yes
# before they source this file, use them.
if [ -z "${names:-}" ]; then
	cat >"$tmp/cpa" <<-END
		#!/bin/sh
		case \${1:-} in
		help | completion | version | run | record | doctor | snapshot | store | collect | push | threads | watch | -* | '') exec '$CPA' "\$@" ;;
		esac
		command=\$1
		shift
		exec '$CPA' "\$command" -symbolize=none "\$@"
	END
	chmod +x "$tmp/cpa"
	CPA=$tmp/cpa
fi

# result STATUS DESCRIPTION: prints one line of TAP; 0 passes
result() {
	count=$((count + 1))
	if [ "$1" -eq 0 ]; then echo "ok $count - $2"; else echo "not ok $count - $2"; fi
}

# note FILE: prints the file as TAP comments, for the log of a failed test
note() {
	sed 's/^/# /' "$1"
}

# golden ARG...: checks that "cpa ARG..." prints the golden file named after the arguments; UPDATE=1 writes the file
golden() {
	name=$(printf '%s' "$*" | tr ' /' '._')
	"$CPA" "$@" >"$tmp/out" 2>"$tmp/err"
	status=$?
	[ "$status" -eq 0 ] || echo "exit status $status" >>"$tmp/out"
	[ -n "${UPDATE:-}" ] && cp "$tmp/out" "$golden_dir/$name"
	diff -u "$golden_dir/$name" "$tmp/out" >"$tmp/diff" 2>&1
	same=$?
	[ "$same" -eq 0 ] || note "$tmp/diff"
	result "$same" "cpa $* prints its golden file"
}

# fails PATTERN ARG...: checks that "cpa ARG..." exits with 2, prints no output, and one message that matches PATTERN
fails() {
	pattern=$1
	shift
	"$CPA" "$@" >"$tmp/out" 2>"$tmp/err"
	status=$?
	lines=$(wc -l <"$tmp/err")
	grep -q -e "$pattern" "$tmp/err"
	found=$?
	if [ "$status" -eq 2 ] && [ ! -s "$tmp/out" ] && [ "$lines" -eq 1 ] && [ "$found" -eq 0 ]; then
		result 0 "cpa $* fails with: $pattern"
	else
		note "$tmp/err"
		result 1 "cpa $* fails with: $pattern (status $status, $lines lines)"
	fi
}

# same DESCRIPTION FILE FILE: checks that two files are equal
same() {
	diff -u "$2" "$3" >"$tmp/diff" 2>&1
	differ=$?
	[ "$differ" -eq 0 ] || note "$tmp/diff"
	result "$differ" "$1"
}

# is_equal GOT WANTED DESCRIPTION: checks that two strings are equal
is_equal() {
	[ "$1" = "$2" ] || printf '# got:    %s\n# wanted: %s\n' "$1" "$2"
	[ "$1" = "$2" ]
	result $? "$3"
}

done_testing() {
	echo "1..$count"
}
