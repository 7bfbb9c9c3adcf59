#!/bin/sh
# t396-flame-join.t - flame graphs of two profiles join functions like cpa diff
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/cli/lib.sh"
export XDG_CONFIG_HOME="$tmp/config"

# Two builds from different folders: twins of work in two files, and a part of run.
write() {
	file=$1 && shift
	"${PYTHON3:-python3}" - "$tmp/$file" "$@" <<-'END'
		import os, sys
		sys.path.insert(0, os.environ["top_srcdir"] + "/tests/cli")
		sys.argv, rows = sys.argv[:1], sys.argv[1:]
		from make_profile import encode
		samples = []
		for row in rows[1:]:
		    *stack, value = row.split()
		    frames = [frame.split("@") for frame in stack]
		    samples.append(([((name, file, 1),) for name, file in frames], [int(value), int(value)], {}))
		open(rows[0], "wb").write(encode(samples))
	END
}
write base.pb 'work@/one/a.c main@/one/main.c 4' 'work@/one/b.c main@/one/main.c 6' 'run.cold@/one/run.c main@/one/main.c 3' 'run@/one/run.c main@/one/main.c 2'
write new.pb 'work@/two/lib/a.c main@/two/lib/main.c 9' 'work@/two/lib/b.c main@/two/lib/main.c 1' 'run@/two/lib/run.c main@/two/lib/main.c 5'
"$CPA" flame -base="$tmp/base.pb" -o "$tmp/x.svg" "$tmp/new.pb" 2>"$tmp/err" || note "$tmp/err"
sed -n 's/.*<title>//p' "$tmp/x.svg" | tr '\n' ' ' >"$tmp/titles"
grep -q '<title>work /two/lib/a.c' "$tmp/x.svg" && grep -q '<title>work /two/lib/b.c' "$tmp/x.svg" &&
	[ "$(grep -c '<title>work' "$tmp/x.svg")" = 2 ]
result $? "functions of one name in two files are two boxes, each with both sides"
[ "$(grep -c '<title>run' "$tmp/x.svg")" = 1 ] && ! grep -q 'run.cold' "$tmp/x.svg"
result $? "a part of a function belongs to its box"
got=$("${PYTHON3:-python3}" "$top_srcdir/tests/cli/flame_join.py" "$tmp" "${CPA_SEED:-7}" "${CPA_ROUNDS:-12}" 2>"$tmp/err") || note "$tmp/err"
[ "${got:-0}" -gt 50 ]
result $? "functions of random profiles have the sums of cpa diff (${got:-0} compared)"
done_testing
