#!/usr/bin/env python3
# compare.py - compare the profiles that an agent pushed with those in the store
#
# SPDX-License-Identifier: Apache-2.0
#
# usage: compare.py FOLDER CPA STORE SERVICE     FOLDER: of record.py
# Decodes the recorded requests by itself. Every profile in them must be in the store with the same kind, labels of the
# series, and for each stack and label set the same values; and reports of all profiles must have the same totals. Prints a
# line of TAP per kind.
import collections
import glob
import gzip
import json
import os
import re
import subprocess
import sys
import tempfile
import urllib.parse
import zlib

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "cli"))
from wire import integers, one, repeated, signed  # noqa: E402

folder, cpa, store, service = sys.argv[1:5]
NAMES = {"process_cpu": "cpu", "memory": "heap", "goroutines": "goroutine", "goroutine": "goroutine", "mutex": "mutex",
         "block": "block", "wall": "wall", "cpu": "cpu", "heap": "heap"}


GAUGES = ("inuse_objects", "inuse_space", "objects", "space", "goroutine")


class Profile:
    """types: [(name, unit)]; rows: (stack, labels) -> values."""

    def __init__(self, data):
        if data[:2] == b"\x1f\x8b":
            data = zlib.decompress(data, 47)
        p = repeated(data)
        text = [s.decode("utf-8", "replace") for s in p[6]]
        names = {one(f, 1): text[one(f, 2)] for f in map(repeated, p[5])}
        frames = {}
        for m in map(repeated, p[4]):
            lines = [repeated(x) for x in m[4]]
            frames[one(m, 1)] = tuple((names.get(one(x, 1), ""), one(x, 2)) for x in lines) or (hex(one(m, 3)),)
        self.types = [(text[one(m, 1)], text[one(m, 2)]) for m in map(repeated, p[1])]
        self.rows = collections.Counter()
        self.label_names = set()
        self.count = len(p[2])
        rows = collections.defaultdict(lambda: [0] * len(self.types))
        for m in map(repeated, p[2]):
            labels = []
            for l in map(repeated, m[3]):
                value = text[one(l, 2)] if one(l, 2) else signed(one(l, 3))
                labels.append((text[one(l, 1)], value))
                self.label_names.add(text[one(l, 1)])
            stack = tuple(frames[i] for i in integers(*m[1]))
            row = rows[stack, tuple(sorted(labels, key=str))]
            for i, n in enumerate(integers(*m[2])):
                row[i] += signed(n)
        self.rows = {k: tuple(v) for k, v in rows.items() if any(v)}

    def totals(self):
        return tuple(sum(v[i] for v in self.rows.values()) for i in range(len(self.types)))

    def without(self, names):
        """The rows without labels of these names."""
        rows = collections.defaultdict(lambda: (0,) * len(self.types))
        for (stack, labels), v in self.rows.items():
            key = stack, tuple(l for l in labels if l[0] not in names)
            rows[key] = tuple(a + b for a, b in zip(rows[key], v))
        return dict(rows)

    def same(self, names):
        """What two equal profiles have in common."""
        return json.dumps([self.types, sorted(map(repr, self.without(names).items()))])


def kind_by_types(profile, config):
    """The kind by the types; config: sample_type_config."""
    names = [t for t, _ in profile.types]
    if "contentions" in names:
        shown = config.get("contentions", {}).get("display-name", "")
        return shown.split("_")[0] if shown else "?"
    for types, kind in ((("inuse_space", "alloc_space", "space", "objects"), "heap"), (("goroutine",), "goroutine"),
                        (("wall",), "wall"), (("cpu", "samples"), "cpu")):
        if any(t in names for t in types):
            return kind
    return names[-1]


def form(body, content_type):
    """The parts of a form by name."""
    mark = b"--" + re.search('boundary="?([^";]+)', content_type).group(1).encode()
    parts = {}
    for part in body.split(mark)[1:-1]:
        head, _, data = part.partition(b"\r\n\r\n")
        parts[re.search(rb'[^e]name="([^"]*)"', head).group(1).decode()] = data[:-2]
    return parts


def ingest(path, body, content_type):
    query = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(path).query))
    parts = form(body, content_type) if content_type.startswith("multipart/") else {"profile": body}
    name, _, rest = query["name"].partition("{")
    labels = dict(l.strip().split("=", 1) for l in rest.rstrip("}").split(",") if l.strip())
    profile = Profile(parts["profile"])
    kind = kind_by_types(profile, json.loads(parts.get("sample_type_config", b"{}")))
    return [(name.strip(), kind, {k: v.strip('"') for k, v in labels.items()}, profile)]


def connect(body):
    out = []
    for series in map(repeated, repeated(body)[1]):
        labels = {}
        for l in map(repeated, series[1]):
            labels[one(l, 1).decode()] = one(l, 2).decode()
        for sample in map(repeated, series[2]):
            profile = Profile(one(sample, 1))
            kind = NAMES.get(labels.get("__name__")) or kind_by_types(profile, {})
            out.append((labels["service_name"], kind, labels, profile))
    return out


def recorded():
    """All profiles that were accepted: service, kind, labels, profile. Others are printed."""
    n_refused = 0
    for name in sorted(glob.glob(os.path.join(folder, "*.json"))):
        with open(name, encoding="utf-8") as file:
            request = json.load(file)
        with open(name[:-4] + "body", "rb") as file:
            body = file.read()
        headers = {k.lower(): v for k, v in request["headers"].items()}
        if headers.get("content-encoding") == "gzip":
            body = gzip.decompress(body)
        if request["status"] not in (200, 204):
            n_refused += 1
            print("# refused: %s %s: %s" % (request["path"], request["status"], request["answer"].strip()))
        for header, value in request["answer_headers"].items():
            if header.startswith("Cpa-"):
                print("# %s: %s" % (header, value))
        if "/ingest" in request["path"]:
            yield from ingest(request["path"], body, headers.get("content-type", ""))
        elif request["path"] == "/push.v1.PusherService/Push":
            yield from connect(body)
        else:
            print("# unknown request: " + request["path"])
            n_refused += 1
    if n_refused:
        print("not ok - %s: every push is accepted" % service)


def run(*arguments):
    return subprocess.run([cpa, *arguments], capture_output=True, text=True, check=False)


def stored():
    """All profiles of the service in the store."""
    with tempfile.TemporaryDirectory() as to:
        made = run("store", "export", "--store=" + store, "-o", to, service + "@all")
        if made.returncode:
            print("not ok - %s: %s" % (service, made.stderr.strip()))
            return
        with open(os.path.join(to, "manifest.json"), encoding="utf-8") as file:
            manifest = json.load(file)["profiles"]
        for item in manifest:
            with open(os.path.join(to, item["file"]), "rb") as file:
                yield item["kind"], item["labels"], Profile(file.read())


def report_total(kind, type_name, option):
    """The total of a report of all profiles."""
    source = "store:%s#%s/%s@all%s" % (store, service, kind, option)
    made = run("top", "-symbolize=none", "--json", "-sample_index=" + type_name, source)
    try:
        return json.loads(made.stdout)["total"]
    except (ValueError, KeyError):
        return made.stderr.strip()


sent = collections.defaultdict(list)
for name, kind, labels, profile in recorded():
    if name != service:
        print("not ok - the service is %s, not %s" % (name, service))
    series = {k: v for k, v in labels.items()
              if k not in ("service_name", "service") and (not k.startswith("__") or k == "__session_id__")}
    sent[kind].append((series, profile))
got = collections.defaultdict(list)
for kind, labels, profile in stored():
    got[kind].append((labels, profile))
if set(sent) != set(got):
    print("not ok - %s: kinds sent: %s; stored: %s" % (service, sorted(sent), sorted(got)))
for kind in sorted(sent):
    bad = []
    n_rows = 0
    left = collections.Counter()
    names = set()
    for labels, profile in got.get(kind, []):
        # the collector adds the build id as version
        sent_labels = sorted((k, v) for k, v in labels.items() if k != "version" or not v.startswith("b:"))
        left[json.dumps(sent_labels) + profile.same(())] += 1
    for labels, profile in sent[kind]:
        # labels of samples with the name of one of the series are removed, as documented
        key = json.dumps(sorted(labels.items())) + profile.same(labels)
        n_rows += len(profile.rows)
        names |= profile.label_names
        if left[key] > 0:
            left[key] -= 1
        else:
            bad.append("a profile of %s: totals %s, labels %s, rows %d" % (profile.types, profile.totals(), labels,
                                                                          len(profile.rows)))
    totals = collections.Counter()
    for _, profile in sent[kind]:
        for t, total in zip(profile.types, profile.totals()):
            totals[t] += total
    for (name, unit), total in sorted(totals.items()):
        # by default, the mean is reported of memory in use at one moment
        for option in ("+reduce=sum",) + (("",) if name not in GAUGES else ()):
            reported = report_total(kind, name, option)
            if reported != total:
                bad.append("%s: sent %s, top%s reports %s" % (name, total, option, reported))
    for line in bad[:5]:
        print("# " + line)
    if bad:
        for labels, profile in got.get(kind, [])[:3]:
            print("# stored: %s totals %s, labels %s, rows %d" % (profile.types, profile.totals(), labels, len(profile.rows)))
    print("%sok - %s %s: %d profiles, %d rows, %s; series labels %s; sample labels %s" % (
        "not " if bad else "", service, kind, len(sent[kind]), n_rows,
        ", ".join("%s %d" % (n, v) for (n, _), v in sorted(totals.items())),
        ",".join(sorted({k for l, _ in sent[kind] for k in l})) or "-", ",".join(sorted(names)) or "-"))
