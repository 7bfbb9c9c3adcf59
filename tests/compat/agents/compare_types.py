#!/usr/bin/env python3
# compare_types.py - compare the values that an agent pushed with those in the store, by sample type
#
# SPDX-License-Identifier: Apache-2.0
#
# usage: compare_types.py FOLDER CPA STORE SERVICE DECODE     FOLDER: of record.py; DECODE: the program of decode/main.go
# For protocols whose profiles the collector divides or joins by kind. DECODE reads both the recorded requests and the exported
# profiles. The sums per sample type and stack, those per label of samples, and the labels of series must be equal. Prints a line
# of TAP per sample type.
import collections
import json
import os
import subprocess
import sys
import tempfile

folder, cpa, store, service, decode = sys.argv[1:6]
RENAMED = {"service.version": "version", "deployment.environment.name": "env"}  # of series
UPLOAD = ("profile_seq", "snapshot", "format", "service", "service.name", "__name__")
VALUES_MAX = 90  # distinct values of a label; those of more are cut by the collector


def decoded(*arguments):
    made = subprocess.run([decode, *arguments], stdout=subprocess.PIPE, text=True, check=True)
    return [json.loads(line) for line in made.stdout.splitlines()]


def add_up(profiles, recorded):
    """The sums: of types and stacks, but for recorded types; of types, labels and their values."""
    stacks = collections.defaultdict(collections.Counter)
    labels = collections.defaultdict(collections.Counter)
    for p in profiles:
        for row in p["rows"] or []:
            for name, value in zip(p["types"], row["values"]):
                if not value:
                    continue
                stacks[name][() if name in recorded else tuple(row["stack"] or [])] += value
                for key, text in (row["labels"] or {}).items():
                    labels[name, key][text] += value
    return stacks, labels


def exported(to):
    made = subprocess.run([cpa, "store", "export", "--store=" + store, "-o", to, service + "@all"], capture_output=True,
                          text=True, check=False)
    if made.returncode:
        print("not ok - %s: %s" % (service, made.stderr.strip()))
        return [], []
    with open(os.path.join(to, "manifest.json"), encoding="utf-8") as file:
        manifest = json.load(file)["profiles"]
    return manifest, decoded(*[os.path.join(to, item["file"]) for item in manifest])


def wanted_labels(profile):
    return {RENAMED.get(k, k): v for k, v in profile["labels"].items() if k not in UPLOAD and v}


def main():
    n_requests = len([n for n in os.listdir(folder) if n.endswith(".json")])
    for name in sorted(os.listdir(folder)):
        if name.endswith(".json"):
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                request = json.load(file)
            if request["status"] != 200:
                print("not ok - %s: %s %s: %s" % (service, request["path"], request["status"], request["answer"].strip()))
    sent = decoded(folder)
    for p in sent:
        if p["service"] != service:
            print("not ok - the service is %s, not %s: %s" % (p["service"], service, p["file"]))
    with tempfile.TemporaryDirectory() as to:
        manifest, got = exported(to)
    others = sorted({p["file"] for p in sent if not p["types"]})
    sent = [p for p in sent if p["types"]]
    all_series = [wanted_labels(p) for p in sent]
    for item in manifest:
        have = {k: v for k, v in item["labels"].items() if k != "version" or not v.startswith("b:")}
        if have not in all_series:
            print("not ok - %s %s: labels of the series: %s; sent: %s" % (service, item["kind"], have, all_series[:1]))
    series_names = {k for s in all_series for k in s}
    recorded = {t for p in sent if p["is_recording"] for t in p["types"]}
    stacks, labels = add_up(sent, recorded)
    got_stacks, got_labels = add_up(got, recorded)
    values = collections.defaultdict(set)
    for (_, key), texts in labels.items():
        values[key] |= set(texts)
    if recorded:  # those that only cpa reads from recordings
        for name in set(got_stacks) - recorded:
            print("# %s: stored, and not in the sums of Recording.java: %s %d" % (service, name, sum(got_stacks.pop(name).values())))
    kinds = collections.Counter(item["kind"] for item in manifest)
    print("# %s: %d requests, %d profiles sent; stored: %s; not profiles of pprof: %s" % (
        service, n_requests, len(sent), ", ".join("%s %d" % k for k in sorted(kinds.items())), ", ".join(others) or "-"))
    for name in sorted(set(stacks) | set(got_stacks)):
        same = stacks[name] == got_stacks[name]
        keys = {key for n, key in labels if n == name and key not in series_names}
        compared = sorted(key for key in keys if len(values[key]) <= VALUES_MAX)
        bad = [key for key in compared if labels[name, key] != got_labels[name, key]]
        if not same or bad:
            print("# sent %d stored %d; labels that differ: %s" % (sum(stacks[name].values()),
                                                                   sum(got_stacks[name].values()), bad))
            for key in bad[:2]:
                print("#   %s: %s / %s" % (key, labels[name, key].most_common(3), got_labels[name, key].most_common(3)))
        print("%sok - %s %s: %d, %d stacks; labels %s; not compared: %s" % (
            "" if same and not bad else "not ", service, name, sum(stacks[name].values()), len(stacks[name]),
            ",".join(compared) or "-", ",".join(sorted(keys - set(compared))) or "-"))
    if not stacks:
        print("not ok - %s: no profile was recorded" % service)


main()
