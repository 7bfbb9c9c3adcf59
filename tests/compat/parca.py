#!/usr/bin/python3
# parca.py - compare the profiles in a Parca server with the files that were sent to it
# SPDX-License-Identifier: Apache-2.0
"""usage: parca.py URL FILE...     prints differences of the sums by type and stack; without any, the number of rows

Parca returns no labels of samples, no rows without a stack, and samples/count multiplied by the period as CPU time (0.28): these are left out."""
import base64
import collections
import json
import os
import sys
import urllib.parse
import urllib.request

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cli"))
from contract import Pprof  # noqa: E402


def add(sums, types, p):
    for stack, _, values in p.samples:
        for (name, unit), value in zip(types, values):
            if stack and (name, unit) != ("samples", "count"):
                sums[name, unit, ";".join("?" if f.startswith("0x") else f for f in stack)] += value


def get(path, **query):
    with urllib.request.urlopen(sys.argv[1] + path + "?" + urllib.parse.urlencode(query)) as f:
        return json.load(f)


sent, got = collections.Counter(), collections.Counter()
for path in sys.argv[2:]:
    with open(path, "rb") as f:
        p = Pprof(f.read())
    add(sent, p.types, p)
for t in get("/api/profiles/types")["types"]:
    names = [t[k] for k in ("name", "sampleType", "sampleUnit", "periodType", "periodUnit")] + ["delta"] * t["delta"]
    answer = get("/api/profiles/query", **{
        "mode": "MODE_MERGE", "merge.query": ":".join(names) + "{}", "merge.start": "2000-01-01T00:00:00Z",
        "merge.end": "2030-01-01T00:00:00Z", "report_type": "REPORT_TYPE_PPROF"})
    add(got, [(t["sampleType"], t["sampleUnit"])], Pprof(base64.b64decode(answer["pprof"])))
sent, got = ({k: v for k, v in sums.items() if v} for sums in (sent, got))
for key in sorted({*sent, *got}):
    if sent.get(key) != got.get(key):
        print("sent", sent.get(key), "got", got.get(key), *key)
if sent == got:
    print(len(sent), "rows")
