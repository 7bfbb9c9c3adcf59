# json_formats.py - adds up a profile in JSON by function, independently of cpa
# SPDX-License-Identifier: Apache-2.0
#
# usage: json_formats.py FILE; prints lines of a sum, a blank and a function, sorted

import collections
import fractions
import gzip
import itertools
import json
import sys


def name_of(node):
    return node["callFrame"]["functionName"] or "(anonymous)"


def add_cpuprofile(profile, total):
    """A sample lasts until the next one, and the last one until the end."""
    name = {node["id"]: name_of(node) for node in profile["nodes"]}
    time, times = profile["startTime"], []
    for delta, sample in zip(profile["timeDeltas"], profile["samples"]):
        time += delta
        times.append((time, name[sample]))
    times.sort(key=lambda sample: sample[0])
    ends = [time for time, _ in times[1:]] + [profile["endTime"]]
    for (time, function), end in zip(times, ends):
        total[function] += (end - time) * 1000


def add_heap(node, total):
    total[name_of(node)] += node["selfSize"]
    for child in node["children"]:
        add_heap(child, total)


def add_trace(events, total):
    """The chunks of a profile are joined by time; its last sample has no known end."""
    chunks = collections.defaultdict(list)
    for event in events:
        if event["name"] == "ProfileChunk":
            chunks[event["pid"], event["id"]].append(event)
    start = {(event["pid"], event["id"]): event["args"]["data"]["startTime"]
             for event in events if event["name"] == "Profile"}
    for profile, parts in chunks.items():
        parts.sort(key=lambda event: event["ts"])
        data = [part["args"]["data"] for part in parts]
        whole = {"nodes": [], "samples": [], "timeDeltas": [], "startTime": start[profile], "endTime": None}
        for part in data:
            whole["nodes"] += part.get("cpuProfile", {}).get("nodes", [])
            whole["samples"] += part.get("cpuProfile", {}).get("samples", [])
            whole["timeDeltas"] += part.get("timeDeltas", [])
            whole["endTime"] = part.get("endTime", whole["endTime"])
        if whole["endTime"] is None:
            whole["endTime"] = whole["startTime"] + max(itertools.accumulate(whole["timeDeltas"]))
        add_cpuprofile(whole, total)


def add_speedscope(profile, total):
    frames = profile["shared"]["frames"]
    for thread in profile["profiles"]:
        factor = {"seconds": 10**9, "milliseconds": 10**6}[thread["unit"]]
        for stack, weight in zip(thread["samples"], thread["weights"]):
            total[frames[stack[-1]]["name"]] += round(fractions.Fraction(weight) * factor)


total = collections.Counter()
with (gzip.open if sys.argv[1].endswith(".gz") else open)(sys.argv[1], "rb") as file:
    content = json.load(file)
if "head" in content:
    add_heap(content["head"], total)
elif "traceEvents" in content:
    add_trace(content["traceEvents"], total)
elif "nodes" in content:
    add_cpuprofile(content, total)
else:
    add_speedscope(content, total)
print(*sorted(f"{value} {name}" for name, value in total.items() if value), sep="\n")
