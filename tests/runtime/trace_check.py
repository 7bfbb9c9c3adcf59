"""trace_check.py - check that a timeline is valid and matches the threads

SPDX-License-Identifier: Apache-2.0

usage: trace_check.py TRACE.json.gz [SAID]     SAID: what timeline.c printed. Prints "good NAME", "bad NAME: WHY",
or "measured NAME: WHY" if a clock is off.
"""

import collections
import gzip
import json
import sys

LOOK_US = 10e3
CPUS_PID = (1 << 22) + 1
LATE_US = 60e3  # tolerance on a busy machine


def say(name, why):
    print(f"bad {name}: {why}" if why else f"good {name}")


def measure(name, why):
    """A check of clocks, which script/rerun-measured repeats alone after a failure."""
    print(f"measured {name}: {why}" if why else f"good {name}")


def slices(trace):
    """Slices of each thread of the program, in the order of the file."""
    of = collections.defaultdict(list)
    for e in trace["traceEvents"]:
        if e["ph"] == "X" and e["pid"] == trace["otherData"]["pid"]:
            of[e["tid"]].append(e)
    return of


def nesting(events):
    """Callers come first and enclose their callees, in whole ns."""
    open_ends, last = [], 0
    for e in events:
        begin, end = round(e["ts"] * 1000), round((e["ts"] + e["dur"]) * 1000)
        if begin < last:
            return f"{e} begins before the previous one"
        last = begin
        while open_ends and open_ends[-1] <= begin:
            open_ends.pop()
        if open_ends and end > open_ends[-1]:
            return f"{e} ends after its caller"
        if end <= begin:
            return f"{e} has no length"
        open_ends.append(end)
    return None


def check_form(trace):
    other, of = trace["otherData"], slices(trace)
    cpus = collections.defaultdict(list)
    for e in trace["traceEvents"]:
        if e["ph"] == "X" and e["pid"] != other["pid"]:
            cpus[e["tid"]].append(e)
    of.update(cpus)
    wrong = [why for events in of.values() if (why := nesting(events))]
    say("slices nest", wrong[0] if wrong else None)
    most = other["duration_ms"] * 1000 + 0.001
    out = [e for events in of.values() for e in events if e["ts"] < 0 or e["ts"] + e["dur"] > most]
    say("times are within the trace", out[0] if out else None)
    meta = collections.Counter((e["name"], e["tid"]) for e in trace["traceEvents"] if e["ph"] == "M")
    lacks = [tid for tid in of if meta["thread_name", tid] != 1 or meta["thread_sort_index", tid] != 1]
    say("threads have one name and position each", lacks[0] if lacks else None)
    pids = {e["pid"] for e in trace["traceEvents"]}
    wanted = {other["pid"], CPUS_PID} if cpus else {other["pid"]}
    say("there is one process with a name, and the CPUs", None if pids == wanted and all(meta["process_name", p] == 1 for p in pids) else pids)
    say("switches are in the trace, or the reason why not", None if "switches" in other or "switches_not_seen" in other else other)


def covered(events, want):
    """Time in slices that want accepts; they do not overlap."""
    return sum(e["dur"] for e in events if want(e))


def roots(events):
    end = -1.0
    for e in events:
        if e["ts"] >= end - 0.0005:
            end = e["ts"] + e["dur"]
            yield e


def is_wait(e):
    return e["cat"] == "wait"


def is_off(e):
    return e["cat"] in ("wait", "ready")


def ran_us(events):
    return sum(e["dur"] for e in roots(events)) - covered(events, is_off)


def check_waits(name, said, seen, begin_us, window_us, late_us):
    """Each wait that was long enough for two polls is in the trace, from begin to end."""
    n = found = 0
    for line in said:
        if line[0] != name or line[1] != "waited":
            continue
        begin, end = (int(x) / 1000 - begin_us for x in line[2:])
        if end - begin < 4 * LOOK_US or begin < 2 * LATE_US or end > window_us - 2 * LATE_US:
            continue
        n += 1
        found += any(abs(e["ts"] - begin) < late_us and abs(e["ts"] + e["dur"] - end) < late_us for e in seen)
    measure(f"waits of {name} have their durations", None if n and found >= 0.6 * n else f"{found} of {n}")


def check_said(trace, path):
    with open(path, encoding="utf-8", errors="replace") as f:
        said = [line.split() for line in f]
    names = {e["args"]["name"]: e["tid"] for e in trace["traceEvents"] if e["name"] == "thread_name"}
    of = slices(trace)
    other = trace["otherData"]
    begin_us, window_us = other["began_monotonic_ns"] / 1000, other["duration_ms"] * 1000
    late_us = LATE_US + 2000 * other["looks_apart_most_ms"]
    thread = {name: of[tid] for name, tid in names.items()}
    waits = {name: [e for e in events if is_wait(e)] for name, events in thread.items()}
    say("an invalid UTF-8 name is replaced", None if 'id"le\\r\ufffd' in names else list(names))
    say("nothing was lost", None if other["odd_times"] == other["bad_records"] == other["left_out"] == 0 else other)
    for name in ("sleeper", "first", "second"):
        check_waits(name, said, waits[name], begin_us, window_us, late_us)
    for name in ("spinner", "sleeper"):
        used = [int(line[2]) / 1000 for line in said if line[:2] == [name, "used"]][0]
        got = ran_us(thread[name])
        measure(f"{name} ran as long as by its CPU clock", None if abs(got - used) < 0.15 * used + 40e3 else f"{got}, not {used} us")
    holders = {e["args"].get("holder") for e in waits["first"] if e["name"] == "wait: futex" and "args" in e}
    say("the holder of a mutex is named", None if names["second"] in holders else holders)
    idle = covered(waits['id"le\\r\ufffd'], lambda e: e["name"] == "wait: epoll")
    measure("a thread that waits all the time is shown so", None if idle > 0.8 * window_us - 2 * LATE_US else idle)
    woken = sum(e.get("args", {}).get("woken", 1) for e in waits["waker"])
    measure("a thread that wakes often is shown so", None if woken > 50 else woken)
    inner = {e["name"] for e in thread["spinner"]}
    say("functions have names", None if {"begin", "only_spin", "spin_for"} <= inner else inner)


def main():
    with gzip.open(sys.argv[1], "rt", encoding="utf-8", errors="strict") as f:
        trace = json.load(f)
    check_form(trace)
    if len(sys.argv) > 2:
        check_said(trace, sys.argv[2])


if __name__ == "__main__":
    main()
