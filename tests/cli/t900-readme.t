#!/bin/sh
# t900-readme.t - what README.md shows is what cpa prints
# SPDX-License-Identifier: Apache-2.0
#
# In each ```console block a line "$ command" is followed by its output.
. "${top_srcdir:?}/tests/cli/lib.sh"

cd "$top_srcdir" || exit 1
mkdir "$tmp/bin" && ln -s "$CPA" "$tmp/bin/cpa"
PATH=$tmp/bin:$PATH
awk '/^```console$/ { on = 1; next } /^```$/ { on = 0 } on' README.md >"$tmp/want"
grep '^[$] ' "$tmp/want" | cut -c 3- >"$tmp/commands"
while IFS= read -r command; do
	printf '$ %s\n' "$command"
	sh -c "$command" 2>&1 </dev/null
done <"$tmp/commands" >"$tmp/got"
[ "$(wc -l <"$tmp/commands")" -ge 3 ]
result $? "README shows at least three commands"
same "README shows what they print" "$tmp/want" "$tmp/got"
done_testing
