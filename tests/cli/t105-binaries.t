#!/bin/sh
# t105-binaries.t - cpa binaries; the sums are compared with those of another decoder
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/cli/lib.sh"

golden binaries -symbolize=none cpp-cpu.pb.gz
golden binaries --json -cum -nodecount=2 -symbolize=none cpp-cpu.pb.gz
golden binaries edge/names-hostile.pb.gz

# tests/runtime/proto.py is an independent decoder of the format; sums are exact.
cat >"$tmp/expected.py" <<'PY'
import sys
sys.path.insert(0, sys.argv[1])
from proto import Profile

k = int(sys.argv[3])
p = Profile(open(sys.argv[2], 'rb').read())
flat, cum = {}, {}
for s in p.samples:
    names = [p.mappings[p.locations[i].mapping].path if p.locations[i].mapping else '' for i in s.ids]
    names = [n or '<unknown>' for n in names]
    flat[names[0]] = flat.get(names[0], 0) + s.values[k]
    for name in set(names):
        cum[name] = cum.get(name, 0) + s.values[k]
for name in sorted(cum):
    if flat.get(name, 0) or cum[name]:
        print('%d,%d,%s' % (flat.get(name, 0), cum[name], name))
PY
for f in cpp-cpu.pb.gz go-cpu.pb.gz go-heap1.pb.gz node-wall.pb.gz rust-cpu.pb.gz; do
	for k in 0 1; do
		"${PYTHON3:-python3}" "$tmp/expected.py" "$top_srcdir/tests/runtime" "$f" $k >"$tmp/want"
		"$CPA" binaries --csv -symbolize=none -nodefraction=0 -sample_index=$k "$f" |
			awk -F, 'NR > 1 { gsub(/"/, "", $6); if ($1 || $4) print $1 "," $4 "," $6 }' | LC_ALL=C sort -t, -k3 >"$tmp/got"
		same "sums of value $k of $f equal those of another decoder" "$tmp/want" "$tmp/got"
	done
done

"$CPA" binaries -symbolize=none -focus=no_such_function cpp-cpu.pb.gz >"$tmp/out" 2>"$tmp/err" && ! grep -q '/' "$tmp/out"
result $? "there are no rows when a filter keeps no samples"
done_testing
