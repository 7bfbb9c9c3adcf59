# versions.sh - compare reports of two versions of pprof and of cpa
# SPDX-License-Identifier: Apache-2.0
# usage: sh versions.sh FOLLOWED NEWEST [FILE...]     two programs; $CPA or build/src/cpa is the third
# Exit status: 0 if cpa prints what the newest pprof prints, except for differences.txt; 1 if not
set -u
cd "$(dirname "$0")/../.." || exit 2
root=$PWD cpa=$(realpath -- "${CPA:-build/src/cpa}") followed=$1 newest=$2
shift 2
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
export PPROF_BINARY_PATH=/nonexistent PPROF_TMPDIR="$tmp" HOME="$tmp" TZ=UTC LC_ALL=C.UTF-8 NO_COLOR=1 TERM=dumb
cd testdata || exit 2
{
	[ $# -gt 0 ] || grep -v '^#' "$root/tests/compat/cases.txt"
	[ $# -gt 0 ] || set -- *.* edge/*
	for file; do
		case $file in *.md | *.mk | *.zst) continue ;; esac
		for report in top tree traces tags comments raw dot callgrind proto topproto; do echo "-$report $file"; done
	done
} >"$tmp/lines"

# may_differ LINE: is it in differences.txt? Its patterns have options between two blanks.
may_differ() {
	words=${1#-}
	sed '/^#/d; /^$/d; s/ # .*//' "$root/tests/compat/differences.txt" | while IFS= read -r pattern; do
		# shellcheck disable=SC2254 # a pattern
		case $words in $pattern) echo yes ;; esac
		# shellcheck disable=SC2254
		case "${words%% *}  ${words#* }" in $pattern) echo yes ;; esac
	done | grep -q yes
}

# answer PROGRAM LINE OUTPUT: write its output to a file; profiles are decompressed, with fields in pprof's order
answer() {
	# shellcheck disable=SC2086 # the words of a command line
	"$1" -symbolize=none $2 >"$3.raw" 2>/dev/null || : >"$3.raw" # pprof may print the start of a report that fails
	case $2 in
	*proto*) "${PYTHON3:-python3}" -B "$root/tests/compat/sort_fields.py" "$3.raw" >"$3" ;;
	*) cp "$3.raw" "$3" ;;
	esac
}

lines=0 changed=0 differ=0 allowed=0
while IFS= read -r line; do
	lines=$((lines + 1))
	answer "$followed" "$line" "$tmp/followed"
	answer "$newest" "$line" "$tmp/newest"
	answer "$cpa" "$line" "$tmp/cpa"
	cmp -s "$tmp/followed" "$tmp/newest" || { changed=$((changed + 1)) && echo "changed in pprof: $line"; }
	if cmp -s "$tmp/newest" "$tmp/cpa"; then
		continue
	elif may_differ "$line"; then
		allowed=$((allowed + 1))
	else
		differ=$((differ + 1))
		echo "cpa differs: $line"
		diff -a "$tmp/newest" "$tmp/cpa" | head -n 6 | cat -v | cut -c 1-160 | sed 's/^/    /'
	fi
done <"$tmp/lines"
echo "$lines command lines: $changed changed in pprof, $differ differ in cpa, $allowed differ as in differences.txt"
[ "$differ" -eq 0 ]
