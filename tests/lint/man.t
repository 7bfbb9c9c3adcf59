#!/bin/sh
# man.t - the manual pages are well-formed, and have every command and every option; cpa.1 leads to all of them
# SPDX-License-Identifier: Apache-2.0
cd "${top_srcdir:?}" || exit 1

if ! command -v mandoc >/dev/null; then
	echo '1..0 # SKIP mandoc not found: apt-get install mandoc'
	exit 0
fi
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
echo 1..6
grep -v '^#' tests/lint/man-allowed.txt >"$tmp/allowed"
if mandoc -T lint -W warning docs/man/*.[1-9] 2>&1 | grep -vFf "$tmp/allowed" >"$tmp/said"; then
	sed 's/^/# /' "$tmp/said"
	echo 'not ok 1 - mandoc finds nothing in the manual pages'
else
	echo 'ok 1 - mandoc finds nothing in the manual pages'
fi
for page in docs/man/*.[1-9]; do
	mandoc -T ascii -O width=200 "$page" | sed 's/.\x08//g'
done >"$tmp/page"
mandoc -T ascii -O width=200 docs/man/cpa.1 | sed 's/.\x08//g' >"$tmp/cpa"
"${CC:-cc}" -E -P -Isrc tests/lint/options.c >"$tmp/names"
"${CPA:?}" help all | sed -n '/^Commands$/,/^$/s/^  \([a-z]*\) .*/command \1/p' >"$tmp/commands"
[ "$(grep -c . "$tmp/commands")" -gt 30 ] || echo 'Bail out! cpa help all names no commands'
cat "$tmp/commands" >>"$tmp/names"
[ "$(grep -c . "$tmp/names")" -gt 30 ] || echo 'Bail out! the option table was not read'
missing() { # KIND PREFIX FILE: names of that kind that are missing in the file
	sed -n "s/^ *$1 *//p" "$tmp/names" | while read -r name; do
		spelt=$(printf '%s' "$name" | sed 's/_/[-_]/g') # - and _ are the same in names
		grep -Eq -e "(^|[^[:alnum:]_-])$2$spelt([^[:alnum:]_-]|\$)" "$3" || echo "# $name"
	done
}
empty() { # FILE DESCRIPTION: print the lines of the file, which should have none
	cat "$1"
	[ ! -s "$1" ] || printf 'not '
	echo "ok $2"
}
sed -n '/^COMMANDS/,/^OPTIONS/p' "$tmp/cpa" >"$tmp/list"
missing command '' "$tmp/list" >"$tmp/said"
empty "$tmp/said" '2 - cpa.1 lists every command'
missing option '--?' "$tmp/page" >"$tmp/said"
empty "$tmp/said" '3 - the pages name every option'
sed -n '/^SEE ALSO/,$p' "$tmp/cpa" >"$tmp/list"
for page in docs/man/*.[1-9]; do
	name=${page##*/}
	[ "$name" = cpa.1 ] || grep -Fq "${name%.*}(${name##*.})" "$tmp/list" || echo "# $name"
done >"$tmp/said"
empty "$tmp/said" '4 - SEE ALSO of cpa.1 has every page'
grep -ho '^\.BR [a-z.-]* (*[1357])' docs/man/*.[1-9] | grep 'cpa' | tr -d '\\()' |
	while read -r _ name number; do [ -f "docs/man/$name.$number" ] || echo "# $name.$number"; done >"$tmp/said"
empty "$tmp/said" '5 - pages of cpa that pages refer to exist'
awk 'END { if (NR > 600) print "# " NR " lines" }' docs/man/cpa.1 >"$tmp/said"
empty "$tmp/said" '6 - cpa.1 has at most 600 lines'
