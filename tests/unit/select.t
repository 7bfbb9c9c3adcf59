#!/bin/sh
# select.t - names of tests, as script/test accepts them
# SPDX-License-Identifier: Apache-2.0
: "${top_srcdir:?}"
count=0

is() { # GOT WANTED NAME
	count=$((count + 1))
	[ "$1" = "$2" ] && echo "ok $count - $3" && return
	printf '# got %s\n# not %s\n' "$1" "$2"
	echo "not ok $count - $3"
}

chosen() { # NAME...: the tests that these names select, without tests/
	printf 'tests/%s\n' cli/t100-top.t cli/t110-arguments.t compat/shell.t runtime/t100-cpu.t shell/t310-frame.t \
		unit/bounded.t unit/test_arena unit/test_shell_grid |
		awk -f "$top_srcdir/tests/unit/select.awk" "$@" 2>&1 | sed 's,^tests/,,' | tr '\n' ' '
}

for name in arena test_arena unit/arena unit/test_arena tests/unit/test_arena.c build/tests/unit/test_arena.log; do
	is "$(chosen $name)" 'unit/test_arena ' "$name is a unit test"
done
for name in t100-top cli/t100 cli/t100-top tests/cli/t100-top.t; do
	is "$(chosen $name)" 'cli/t100-top.t ' "$name is a script"
done
is "$(chosen t100)" 'cli/t100-top.t runtime/t100-cpu.t ' 'a number selects every script with that number'
is "$(chosen tests/cli/)" 'cli/t100-top.t cli/t110-arguments.t ' 'a folder selects all tests in it'
is "$(chosen shell)" 'shell/t310-frame.t ' 'a folder takes precedence over tests of its name'
is "$(chosen compat/shell)" 'compat/shell.t ' 'folder and name select a test with the name of a folder'
is "$(chosen bounded arena bounded)" 'unit/bounded.t unit/test_arena ' 'a test that is named twice is selected once'
is "$(chosen arena areba)" 'test: no test is called areba; there is unit/test_arena ' 'an unknown name selects nothing, and similar names are shown'
is "$(chosen cpuu)" 'test: no test is called cpuu; there is runtime/t100-cpu ' 'a similar name is shown although the test has a number'
is "$(chosen nothing-at-all)" 'test: no test is called nothing-at-all; there is cli, compat, runtime, shell, unit ' \
	'the folders are listed if no test is similar'
echo tests/unit/test_arena | awk -f "$top_srcdir/tests/unit/select.awk" no 2>/dev/null
is $? 2 'an unknown name exits with status 2'
echo "1..$count"
