#!/bin/sh
# man.t - the manual pages are well-formed, and cpa.1 has every command and every option
# SPDX-License-Identifier: Apache-2.0
cd "${top_srcdir:?}" || exit 1

if ! command -v mandoc >/dev/null; then
	echo '1..0 # SKIP mandoc not found: apt-get install mandoc'
	exit 0
fi
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
echo 1..3
grep -v '^#' tests/lint/man-allowed.txt >"$tmp/allowed"
if mandoc -T lint -W warning docs/man/*.[1-9] 2>&1 | grep -vFf "$tmp/allowed" >"$tmp/said"; then
	sed 's/^/# /' "$tmp/said"
	echo 'not ok 1 - mandoc finds nothing in the manual pages'
else
	echo 'ok 1 - mandoc finds nothing in the manual pages'
fi
mandoc -T ascii -O width=200 docs/man/cpa.1 | sed 's/.\x08//g' >"$tmp/page"
"${CC:-cc}" -E -P -Isrc tests/lint/options.c >"$tmp/names"
"${CPA:?}" help all | sed -n '/^Commands$/,/^$/s/^  \([a-z]*\) .*/command \1/p' >"$tmp/commands"
[ "$(grep -c . "$tmp/commands")" -gt 30 ] || echo 'Bail out! cpa help all names no commands'
cat "$tmp/commands" >>"$tmp/names"
[ "$(grep -c . "$tmp/names")" -gt 30 ] || echo 'Bail out! the option table was not read'
missing() { # KIND PREFIX: names of that kind that are missing on the page
	sed -n "s/^ *$1 *//p" "$tmp/names" | while read -r name; do
		spelt=$(printf '%s' "$name" | sed 's/_/[-_]/g') # - and _ are the same in names
		grep -Eq -e "(^|[^[:alnum:]_-])$2$spelt([^[:alnum:]_-]|\$)" "$tmp/page" || echo "# $name"
	done
}
missing command '' >"$tmp/commands"
cat "$tmp/commands"
[ ! -s "$tmp/commands" ] || printf 'not '
echo 'ok 2 - cpa.1 names every command'
missing option '--?' >"$tmp/options"
cat "$tmp/options"
[ ! -s "$tmp/options" ] || printf 'not '
echo 'ok 3 - cpa.1 names every option'
