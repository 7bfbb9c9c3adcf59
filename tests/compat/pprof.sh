# pprof.sh - functions shared by the tests that compare with pprof
# SPDX-License-Identifier: Apache-2.0
#
# Sourced first. Sets pprof to the path of the program. PPROF names another program.
. "${top_srcdir:?}/tests/cli/lib.sh"

# google/pprof of the version that cpa follows (cpa version), since that of Go is older; only script/setup downloads it
PATH=$PATH:/usr/local/go/bin
pprof=${PPROF:-$(GOPROXY=off HOME=$users_home XDG_CACHE_HOME=$users_cache "$top_srcdir/script/pprof" 2>/dev/null)}
if [ ! -x "$pprof" ]; then
	echo '1..0 # SKIP pprof not found, so cpa is not compared with it: script/pprof'
	exit 0
fi
export HOME=/nonexistent PPROF_BINARY_PATH=/nonexistent PPROF_TMPDIR="$tmp"

# known WORDS: print why these outputs may differ (differences.txt), or nothing if they may not
known() {
	sed '/^#/d; /^$/d' "$top_srcdir/tests/compat/differences.txt" | while IFS= read -r rule; do
		# shellcheck disable=SC2254 # a pattern
		case $1 in ${rule%% # *}) echo "${rule#* # }" && break ;; esac
	done
}

# compare_outputs DESCRIPTION: compare $tmp/want and status $want with $tmp/got and status $got
compare_outputs() {
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
