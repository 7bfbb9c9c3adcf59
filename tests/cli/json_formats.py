# json_formats.py - adds up a profile in JSON by function, independently of cpa
# SPDX-License-Identifier: Apache-2.0
#
# usage: json_formats.py FILE; prints lines of a sum, a blank and a function, sorted

import collections
import fractions
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


def add_speedscope(profile, total):
    frames = profile["shared"]["frames"]
    for thread in profile["profiles"]:
        factor = {"seconds": 10**9, "milliseconds": 10**6}[thread["unit"]]
        for stack, weight in zip(thread["samples"], thread["weights"]):
            total[frames[stack[-1]]["name"]] += round(fractions.Fraction(weight) * factor)


total = collections.Counter()
with open(sys.argv[1], encoding="utf-8") as file:
    content = json.load(file)
if "head" in content:
    add_heap(content["head"], total)
elif "nodes" in content:
    add_cpuprofile(content, total)
else:
    add_speedscope(content, total)
print(*sorted(f"{value} {name}" for name, value in total.items() if value), sep="\n")
