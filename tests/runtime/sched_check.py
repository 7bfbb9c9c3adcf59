"""sched_check.py - check the scheduler's view in a timeline against what the program and the kernel say

SPDX-License-Identifier: Apache-2.0

usage: sched_check.py TRACE.json.gz SAID     SAID: what switches.c printed. Prints "good NAME", "bad NAME: WHY",
"measured NAME: WHY" if a clock is off, or "skip NAME: WHY".
"""

import collections
import gzip
import json
import sys

from trace_check import CPUS_PID, is_wait, measure, say


class Trace:
    """The slices of each thread by its name, and the runs on CPUs by thread and by CPU."""

    def __init__(self, path):
        with gzip.open(path, "rt", encoding="utf-8", errors="strict") as f:
            events = json.load(f)
        self.other = events["otherData"]
        events = events["traceEvents"]
        self.tid = {e["args"]["name"]: e["tid"] for e in events if e["name"] == "thread_name" and e["pid"] != CPUS_PID}
        self.slices, self.runs = collections.defaultdict(list), collections.defaultdict(list)
        for e in events:
            if e["ph"] == "X" and e["pid"] != CPUS_PID:
                self.slices[e["tid"]].append(e)
            elif e["ph"] == "X":
                self.runs[e["args"]["tid"]].append(e)

    def of(self, name):
        return self.slices[self.tid[name]]

    def runs_of(self, name):
        return self.runs[self.tid[name]]


def check_counts(trace, said):
    """The kernel's own counts of a thread, which it read before it ended: it may leave its CPU a few times after."""
    wrong = []
    for line in said:
        if line[2:3] != ["left"]:
            continue
        name, tid = line[:2]
        got = trace.other["switched"].get(tid, {"waited": 0, "preempted": 0})
        for key, wanted in zip(("waited", "preempted"), line[3:]):
            if not int(wanted) <= got[key] <= int(wanted) + 3:
                wrong.append(f"{name} {key} {got[key]}, not {wanted}")
    say("the numbers of switches are those of the kernel", wrong or None)


def check_waits(trace, said, name, shortest_us, reason, function):
    """Each wait is one slice, within the times that the program saw."""
    begin_us, n, found, kernel = trace.other["began_monotonic_ns"] / 1000, 0, 0, set()
    for line in said:
        if line[:2] != [name, "waited"]:
            continue
        begin, end = (int(x) / 1000 - begin_us for x in line[2:])
        if end - begin < shortest_us:
            continue
        n += 1
        inside = [e for e in trace.of(name) if is_wait(e) and e["ts"] >= begin and e["ts"] + e["dur"] <= end]
        found += sum(e["dur"] for e in inside) >= shortest_us * 0.9
        kernel |= {e["args"]["kernel"] for e in inside if "kernel" in e["args"]}
    measure(f"the scheduler sees the waits of {name}", None if n and found >= 0.9 * n else f"{found} of {n}")
    names = {e["name"] for e in trace.of(name)}
    say(f"{name} has {reason}", None if reason in names or reason == "wait" else names)
    if any(function in k for k in kernel):
        print(f"good the kernel waits for {name} in {function}")
    elif kernel:
        say(f"the kernel waits for {name} in {function}", kernel)
    else:
        print(f"skip the kernel waits for {name} in {function}: no stacks of the kernel, or no names")


def check_hogs(trace, cpu):
    """Two busy threads on one CPU: each is ready while the other one runs."""
    hogs = [trace.runs_of(name) for name in ("hog0", "hog1")]
    there = sum(e["dur"] for runs in hogs for e in runs if e["tid"] == cpu + 1)
    elsewhere = sum(e["dur"] for runs in hogs for e in runs if e["tid"] != cpu + 1)  # before they chose their CPU
    say("busy threads run on their CPU", None if elsewhere < 0.1 * there else f"{elsewhere} of {there} us elsewhere")
    for name, other in (("hog0", hogs[1]), ("hog1", hogs[0])):
        ready = [e for e in trace.of(name) if e["cat"] == "ready"]
        waited = sum(e["dur"] for e in ready)
        say(f"{name} was preempted", None if sum(e["args"]["preempted"] for e in ready) > 5 else ready)
        ran = sum(e["dur"] for e in other)
        measure(f"{name} is ready while the other one runs", None if waited > 0.7 * ran else f"{waited} of {ran} us")
        inner = {e["name"] for e in trace.of(name) if any(e["ts"] <= r["ts"] and e["ts"] + e["dur"] >= r["ts"] + r["dur"] for r in ready)}
        measure(f"{name} is ready in its function", None if "spin" in inner else inner)


def main():
    trace = Trace(sys.argv[1])
    with open(sys.argv[2], encoding="utf-8") as f:
        said = [line.split() for line in f]
    started = int(said[0][1]) - trace.other["began_monotonic_ns"]
    measure("the trace began before the threads", None if started > 0 else started)
    say("no switches are lost", trace.other["lost_switches"] or None)
    check_counts(trace, said)
    check_waits(trace, said, "napper", 30000, "wait: sleep", "nanosleep")
    check_waits(trace, said, "short", 1000, "wait", "nanosleep")
    check_waits(trace, said, "reader", 10000, "wait: read", "pipe_read")
    check_waits(trace, said, "locker", 10000, "wait: futex", "futex")
    check_hogs(trace, int(said[-1][3]))


main()
