# pprof.sh - what the tests against go tool pprof share
# SPDX-License-Identifier: Apache-2.0
#
# Sourced first. Sets pprof to the program itself: it is run with HOME=/nonexistent, where the go
# command could not build it. PPROF names another one.
. "${top_srcdir:?}/tests/cli/lib.sh"

PATH=$PATH:/usr/local/go/bin
pprof=${PPROF:-}
if [ -z "$pprof" ] && HOME=$users_home XDG_CACHE_HOME=$users_cache go tool pprof -h >"$tmp/go" 2>&1; then # the first use may build it
	pprof=$(HOME=$users_home XDG_CACHE_HOME=$users_cache go tool -n pprof 2>>"$tmp/go")
fi
if [ ! -x "$pprof" ]; then
	echo '1..0 # SKIP go tool pprof not found, so cpa is not held against it; install Go to do so'
	exit 0
fi
export HOME=/nonexistent PPROF_BINARY_PATH=/nonexistent PPROF_TMPDIR="$tmp"

# known WORDS: print why these may differ, if they may (differences.txt)
known() {
	sed '/^#/d; /^$/d' "$top_srcdir/tests/compat/differences.txt" | while IFS= read -r rule; do
		# shellcheck disable=SC2254 # a pattern
		case $1 in ${rule%% # *}) echo "${rule#* # }" && break ;; esac
	done
}

# against DESCRIPTION: hold $tmp/want with status $want against $tmp/got with status $got
against() {
	: "${want:?}" "${got:?}"
	if [ "$want" -eq 0 ] && [ "$got" -eq 0 ] && cmp -s "$tmp/want" "$tmp/got"; then
		result 0 "$1"
		return
	elif [ "$want" -ne 0 ] && [ "$got" -ne 0 ]; then
		result 0 "$1 (both refuse)"
		return
	fi
	why=$(known "$1")
	if [ -n "$why" ]; then
		result 0 "$1 # SKIP $why"
		return
	fi
	diff -u "$tmp/want" "$tmp/got" | head -n 30 >"$tmp/diff"
	note "$tmp/diff"
	note "$tmp/err"
	result 1 "$1 (status of pprof $want, of cpa $got)"
}
