#!/usr/bin/python3
# parca_fake.py - a server of Parca with the profiles of stored_profiles.py
# SPDX-License-Identifier: Apache-2.0
"""usage: parca_fake.py START N     prints its address, then a line per request

It has N profiles a minute apart from START (seconds since 1970): process_cpu of shop on h1 (version 1.1) and h2 (1.2), and memory of
shop on h1. It behaves as observed of Parca 0.28.0 and of 2026-07-27 (pkg/parcacol/querier.go): the ends belong to the window of
queries, but not to that of types and labels; types have delta if their profiles have a duration; a merge has one sample type, period
0, no duration and a TimeNanos that is wrong by 10^6; samples of CPU profiles are returned as nanoseconds; nothing to merge is 200 with
an empty profile, and nothing in a range is the page of the UI; steps begin at whole multiples of the step; without sum_by there is one
series without labels.
"""
import base64
import datetime
import gzip
import http.server
import json
import re
import sys
import urllib.parse

from make_profile import Ids
from stored_profiles import TYPES, samples
from wire import message, number, packed

PERIOD = {"process_cpu": ("cpu", "nanoseconds"), "memory": ("space", "bytes")}
KINDS = {"process_cpu": "cpu", "memory": "heap"}


def load(start, n):
    for i in range(n):
        for name, labels, scale in (("process_cpu", {"instance": "h1", "version": "1.1"}, 1),
                                    ("process_cpu", {"instance": "h2", "version": "1.2"}, 2), ("memory", {"instance": "h1"}, 1)):
            yield (start + 60 * i) * 1000, name, {**labels, "service_name": "shop"}, samples(KINDS[name], i, scale)


def time_ms(text):
    if not re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z", text):
        raise ValueError(f"{text} is no time of RFC 3339")
    t = datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))
    return round(t.timestamp() * 1000)


def types():
    for name, kind in KINDS.items():
        for sample_type, unit in TYPES[kind]:
            period = PERIOD[name]
            yield {"name": name, "sampleType": sample_type, "sampleUnit": unit, "periodType": period[0], "periodUnit": period[1],
                   "delta": kind == "cpu"}


def parse(query):
    """The profile type, its column, and a function of labels."""
    profile_type, selector = re.fullmatch(r"([^{]*)\{(.*)\}", query).groups()
    for t in types():
        want = ":".join([t["name"], t["sampleType"], t["sampleUnit"], t["periodType"], t["periodUnit"]] + ["delta"] * t["delta"])
        if want == profile_type:
            break
    else:
        raise ValueError(f"there is no profile type {profile_type}")
    conditions = re.findall(r'([A-Za-z_]\w*)(=~|!~|!=|=)"((?:[^"\\]|\\.)*)",?', selector)
    if ",".join(f'{n}{o}"{v}"' for n, o, v in conditions) != selector:
        raise ValueError(f"a wrong selector: {selector}")

    def matches(labels):
        def one(name, op, value):
            got = labels.get(name, "")
            yes = re.fullmatch(value.replace("\\\\", "\\"), got) if "~" in op else got == value
            return bool(yes) != ("!" in op)
        return all(one(*c) for c in conditions)
    column = [name for name, _ in TYPES[KINDS[t["name"]]]].index(t["sampleType"])
    return t, column, matches


def selected(query, start, end):
    t, column, matches = parse(query)
    for at, name, labels, rows in profiles:
        if name == t["name"] and start <= at <= end and matches(labels):
            for stack, values, _ in rows:
                factor = 10_000_000 if t["sampleType"] == "samples" else 1
                yield at, labels, stack, values[column] * factor


def merge(query, start, end):
    t = parse(query)[0]
    is_cpu = t["name"] == "process_cpu"
    sums = {}
    for _, _, stack, value in selected(query, start, end):
        sums[tuple(stack)] = sums.get(tuple(stack), 0) + value
    strings, functions = Ids(0, ""), {}
    sample_type = ("cpu", "nanoseconds") if is_cpu else (t["sampleType"], t["sampleUnit"])
    out = message(1, number(1, strings(sample_type[0])) + number(2, strings(sample_type[1])))
    for stack, value in sums.items():
        ids = [functions.setdefault(name, len(functions) + 1) for name in stack]
        out += message(2, packed(1, ids) + packed(2, [value]))
    for name, n in functions.items():
        out += message(4, number(1, n) + message(4, number(1, n)))
        out += message(5, number(1, n) + number(2, strings(name)) + number(3, strings(name)))
    out += number(9, start) + b"".join(message(6, text.encode()) for text in strings.ids)
    return {"pprof": base64.b64encode(gzip.compress(out)).decode(), "total": "0", "filtered": "0"}


def span(query, start, end, step, sum_by):
    sums = {}
    for at, labels, _, value in selected(query, start, end):
        key = tuple((name, labels[name]) for name in sorted(sum_by) if name in labels), at // step * step
        sums[key] = sums.get(key, 0) + value
    series = {}
    for (labels, at), value in sorted(sums.items()):
        text = datetime.datetime.fromtimestamp(at / 1000, datetime.timezone.utc).isoformat().replace("+00:00", "Z")
        series.setdefault(labels, []).append({"timestamp": text, "value": str(value)})
    return {"series": [{"labelset": {"labels": [{"name": n, "value": v} for n, v in labels]}, "samples": points}
                       for labels, points in series.items()]} if series else None


def answer(path, q):
    if path == "/api/profiles/query":
        if q["mode"] != ["MODE_MERGE"] or q["report_type"] != ["REPORT_TYPE_PPROF"]:
            raise ValueError("only merges in pprof are here")
        return merge(q["merge.query"][0], time_ms(q["merge.start"][0]), time_ms(q["merge.end"][0]))
    start, end = time_ms(q["start"][0]), time_ms(q["end"][0])
    if path == "/api/profiles/query_range":
        step = re.fullmatch(r"(\d+)\.(\d{3})s", q["step"][0])
        return span(q["query"][0], start, end, int(step[1]) * 1000 + int(step[2]), q.get("sum_by", []))
    found = [(name, labels) for at, name, labels, _ in profiles if start < at < end]
    if path == "/api/profiles/types":
        return {"types": [t for t in types() if t["name"] in {name for name, _ in found}]}
    if path == "/api/profiles/labels":
        return {"labelNames": sorted({n for _, labels in found for n in labels}), "warnings": []}
    return None


class Fake(http.server.BaseHTTPRequestHandler):
    def log_message(self, *args):
        pass

    def do_GET(self):
        path, _, query = self.path.partition("?")
        try:
            body = answer(path, urllib.parse.parse_qs(query, strict_parsing=True))
            status, kind, data = 200, "application/json", json.dumps(body).encode()
            if body is None:
                kind, data = "text/html", b"<!doctype html><html></html>"
        except (ValueError, KeyError) as e:
            status, kind, data = 400, "application/json", json.dumps({"code": 3, "message": str(e)}).encode()
        sys.stdout.write(f"{status} {path}\n")
        sys.stdout.flush()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


profiles = list(load(int(sys.argv[1]), int(sys.argv[2])))
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Fake)
print(f"127.0.0.1:{server.server_address[1]}", flush=True)
server.serve_forever()
