#!/bin/sh
# t382-canary.t - diff and gate state the stored profiles of both sides, and the builds of a window over several
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/cli/lib.sh"
make="${PYTHON3:-python3} $top_srcdir/tests/cli/stored_profiles.py"
export CPA_STORE="$tmp/store" PYTHONDONTWRITEBYTECODE=1
cd "$tmp" || exit 1

# three instances of the old version, and one of the new one that had a twentieth of the time
for i in 1 2 3; do
	$make "old$i" cpu 1795356000 60 60 "$i"
	"$CPA" store import --service=shop --label=instance=h$i --label=version=2.4.0 "old$i" || exit 1
done >out
$make new cpu 1795356000 600 6 2
"$CPA" store import --service=shop --label=instance=h4 --label=version=2.4.1 new >out
old='store:shop{version=2.4.0}@2026-11-22T14Z' new='store:shop{version=2.4.1}@2026-11-22T14Z' all='store:shop@2026-11-22T14Z'

"$CPA" gate --json=gate.json --text "$old" -- "$new" >out 2>err
grep -A 1 '^base\|^new' out | sed -n 's/^ \{6\}//p' >got
cat >want <<'END'
180 profiles of 3 instances, 180s covered, 3,960 samples; version 2.4.0
6 profiles of 1 instance, 6s covered, 130 samples; version 2.4.1
END
same 'a gate states the traffic of both sides' want got
is_equal "$("${PYTHON3:-python3}" -c 'import json
g = json.load(open("gate.json"))
print([len(g[s]["sources"]) for s in ("base", "new")], g["new"]["stored"])')" \
	"[3, 3] {'profiles': 6, 'instances': 1, 'covered_ns': 6000000000, 'samples': 130, 'versions': ['2.4.1']}" \
	'three instances are runs, one instance is divided by time, JSON has the traffic'
"$CPA" diff "$old" "$new" 2>err | sed -n 's/^ \{15\}//p' >got
same 'diff states them, too' want got
"$CPA" diff "$all" 'store:shop{route=/a}@2026-11-22T14Z' 2>err | sed -n 's/^ \{15\}//p' >got
cat >want <<'END'
186 profiles of 4 instances, 186s covered, 4,090 samples; versions 2.4.0, 2.4.1
186 profiles of 4 instances, 186s covered, 2,230 samples; versions 2.4.0, 2.4.1
END
same 'versions of a window, and selected samples' want got
"$CPA" diff --json "$TESTDATA/go-cpu.pb.gz" "$TESTDATA/go-cpu.pb.gz" 2>err | grep -c '"stored"' >got
is_equal "$(cat got)" 0 'files have no traffic'

# one version, two builds
"${PYTHON3:-python3}" - "$top_srcdir/tests/cli" <<'END'
import sys
sys.path.insert(0, sys.argv[1])
import one_number
for i, build in enumerate(["b1", "b1", "b2", "b2"]):
    p = one_number.Snapshot(None, (1795356000 + 60 * i) * 10**9, build, 0, {(("f", "main"), ""): [500 + i, (500 + i) * 10**7]})
    open("m%d.pb.gz" % i, "wb").write(one_number.encode("cpu", p))
END
for i in 0 1 2; do
	"$CPA" store import --service=mill --label=version=1 --label=instance=i$i m$i.pb.gz
done >out
"$CPA" top store:mill@all 2>err >out
is_equal "$(grep -c 'store: mill/cpu, 3 profiles .*; builds b1, b2$' out)" 1 'a report names the builds of a window'
"$CPA" diff store:mill@all m3.pb.gz >out 2>err
is_equal "$(grep -c '3 profiles of 3 instances.*; version 1; builds b1, b2$' out) $(grep -c 'before has profiles of 2 builds of the program, b1 and b2$' err)" \
	'1 1' 'so does diff'
"$CPA" diff --json store:mill@all m3.pb.gz 2>err | tr -d ' \n' | grep -o '"builds":[^]]*]' >got
is_equal "$(cat got)" '"builds":["b1","b2"]' 'in JSON'
"$CPA" gate --json=gate.json --text store:mill@all -- m3.pb.gz >out 2>err
is_equal "$(grep -c 'warning: base has profiles of 2 builds of the program, b1 and b2: ' out) $("${PYTHON3:-python3}" -c 'import json
g = json.load(open("gate.json"))
print(g["base"]["builds"], "builds" in g["new"], "several_builds" in [w["id"] for w in g["warnings"]])')" "1 ['b1', 'b2'] False True" \
	'and gate, with a warning'
done_testing
