#!/bin/sh
# t900-readme.t - the examples in README.md match the output of cpa
# SPDX-License-Identifier: Apache-2.0
#
# In each ```console block a line "$ command" is followed by its output.
. "${top_srcdir:?}/tests/cli/lib.sh"

cd "$top_srcdir" || exit 1
mkdir "$tmp/bin" && ln -s "$CPA" "$tmp/bin/cpa"
PATH=$tmp/bin:$PATH
awk '/^```console$/ { is_console = 1; next } /^```$/ { is_console = 0 } is_console' README.md >"$tmp/want"
grep '^[$] ' "$tmp/want" | cut -c 3- >"$tmp/commands"
while IFS= read -r command; do
	printf '$ %s\n' "$command"
	sh -c "$command" 2>&1 </dev/null
done <"$tmp/commands" >"$tmp/got"
[ "$(wc -l <"$tmp/commands")" -ge 3 ]
result $? "README shows at least three commands"
same "README shows the output of its commands" "$tmp/want" "$tmp/got"
done_testing
