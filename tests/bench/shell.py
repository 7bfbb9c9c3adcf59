# shell.py - measure the latency of the full-screen shell
#
# SPDX-License-Identifier: Apache-2.0
#
# usage: python3 shell.py CPA ROUNDS PARTS HUGE PROFILE...     PARTS: first, keys, huge, stop; separated by commas
# Runs cpa in pseudo terminals and prints Markdown for docs/bench.md; exits 1 if a goal is missed.
import os
import statistics
import subprocess
import sys
import time

from terminal_session import BUSY, Session

SIZES = [(80, 24), (200, 60)]
FIRST_MS, KEY_MS, PROGRESS_MS = 100, 50, 300
MOVES = "j k Down Up PageDown PageUp Ctrl-D Ctrl-U G g End Home l h Right Left "
SEARCH = '/ "get" Enter n N Esc '
FILTERS = "f u x u H u F u S S A A "
# Keys of each view, which is opened from Top with its number; text in quotes is typed.
VIEWS = {
    "Top": "1 " + MOVES + SEARCH + "> > < < I I C Esc Enter Backspace 2 Backspace " + FILTERS,
    "Callers": "2 " + MOVES + SEARCH + "Enter Backspace h Backspace l Backspace Tab BackTab ] [ " + FILTERS,
    "Tree": "3 " + MOVES + SEARCH + "Enter Space + + - - E C i i > < " + FILTERS,
    "Flame": "4 " + MOVES + SEARCH + "j j Enter Backspace Enter 0 i i I I O O K K K K K d j j " + FILTERS,
    "Source": "5 " + MOVES + SEARCH + "Enter Enter a a ] [ } { L Esc w w + - " + FILTERS,
    "Assembly": "6 " + MOVES + SEARCH + "] [ } { L Esc I I " + FILTERS,
    "Traces": "7 " + MOVES + SEARCH + "Enter Tab BackTab l h > < = = " + FILTERS,
    "Labels": "8 " + MOVES + SEARCH + "Enter C E Space Space > < " + FILTERS,
    "other": "? PageDown Esc o j j Esc t j Esc r j Enter u m j Esc b Esc s Esc y Esc c Esc U M M R d "
                ': "pee" Tab " .ru" Backspace Esc Ctrl-L',
}
LONG = {
    "peek, every function": "peek .", "list, every function": "list .", "raw": "raw", "callgrind": "callgrind",
    "tree, all rows": "tree -trim=false", "traces, by address": "traces -granularity=addresses",
    "focus on a costly expression": "focus=(([a-z]+)+[.(*)])+\\[x*\\]$",
    "flame, all boxes": "flame -nodefraction=0",
}
missed = False


def ms(seconds):
    return "–" if seconds is None else f"{seconds * 1000:.1f}" if seconds < 0.1 else f"{seconds * 1000:.0f}"


def goal(text, seconds, most_ms):
    global missed
    met = seconds * 1000 <= most_ms
    missed |= not met
    return f"- {text}, at most {most_ms} ms: {ms(seconds)}, {'met' if met else '**missed**'}"


def table(head, rows):
    print("| " + " | ".join(head) + " |")
    print("|---|" + "--:|" * (len(head) - 1))
    for row in rows:
        print("| " + " | ".join(row) + " |")
    print()


def keys_of(text):
    keys = []
    for i, part in enumerate(text.split('"')):
        keys += part.split() if i % 2 == 0 else ["Space" if c == " " else c for c in part]
    return keys


def has_rows(screen):
    """Does the screen show Top with its heading, rows with percentages, and the prompt?"""
    text = screen.text()
    return "flat%" in text and text.count("%") > 6 and "(cpa)" in screen.row(screen.height - 1)


def open_session(cpa, path, size):
    """Start a session and wait until it shows Top and is idle. Returns it and the seconds to load and to the first rows."""
    session = Session([cpa, "-symbolize=none", path], *size)
    loaded = session.until(lambda screen: True)
    first = session.until(has_rows)
    session.sent = session.begun
    session.settle()
    return session, loaded, first


def timed(argv):
    """Run a command. Returns its seconds and its maximum resident set."""
    begun = time.monotonic()
    child = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    if status:
        raise ChildProcessError(f"{argv} ended with {status}")
    return time.monotonic() - begun, usage.ru_maxrss * 1024


def first_frames(cpa, rounds, paths):
    rows, goals = [], []
    for path in paths:
        runs = []
        for i in range(rounds):
            session, loaded, first = open_session(cpa, path, SIZES[i % 2])
            peak = session.end()
            top, top_peak = timed([cpa, "top", "-symbolize=none", path])
            load, _ = timed([cpa, "--plain", "-symbolize=none", path])
            runs.append((load, loaded, first, first - loaded, top, first - top, peak, top_peak))
        n = [statistics.median(run[i] for run in runs) for i in range(8)]
        rows.append([f"`{os.path.basename(path)}`"] + [ms(n[i]) for i in range(6)] +
                    [f"{n[i] / 1e6:.1f}" for i in (6, 7)])
        goals.append(goal(f"{os.path.basename(path)}: first frame after loading", n[3], FIRST_MS))
    print("### The first frame\n")
    table(["profile", "line mode, no line ms", "loaded ms", "first frame ms", "after loading ms", "cpa top ms",
           "minus cpa top ms", "peak MB", "cpa top MB"], rows)
    print("\n".join(goals) + "\n")


def play(session, keys, into):
    for i, key in enumerate(keys):
        answer = session.key(key)
        if answer.last is not None:
            into.setdefault((i, key), []).append(answer)


def play_views(cpa, rounds, path, size):
    """{view: {key: responses of all rounds}}"""
    views = {name: {} for name in VIEWS}
    for _ in range(rounds):
        for name, keys in VIEWS.items():
            session, _, _ = open_session(cpa, path, size)
            play(session, keys_of(keys), views[name])
            session.end()
    return views


def medians(keys, what):
    """(seconds, key) of each key except Esc, which takes 25 ms to distinguish from an escape sequence."""
    found = [(statistics.median(values), key) for (_, key), answers in keys.items() if key != "Esc"
             and (values := [getattr(a, what) for a in answers if getattr(a, what) is not None])]
    return sorted(found)


def worst(keys, what):
    seconds, key = medians(keys, what)[-1]
    return f"{ms(seconds)} (`{key}`)"


def middle(keys, what):
    return ms(statistics.median(seconds for seconds, _ in medians(keys, what)))


def of_esc(views):
    return statistics.median(a.last for keys in views.values() for (_, key), answers in keys.items()
                             if key == "Esc" for a in answers)


def ordinary_keys(cpa, rounds, path):
    played = [play_views(cpa, rounds, path, size) for size in SIZES]
    rows = []
    for name in VIEWS:
        both = [views[name] for views in played]
        rows.append([name, str(len(both[0]))] + [f(keys, "last") for keys in both for f in (middle, worst)])
    print(f"### Keys, `{os.path.basename(path)}`\n")
    table(["view", "keys"] + [f"{w}x{h} {what}" for w, h in SIZES for what in ("ms", "worst ms")], rows)
    slowest = max(medians(keys, "last")[-1][0] for views in played for keys in views.values())
    print(goal("the slowest key", slowest, KEY_MS))
    print(f"- Esc: {ms(of_esc(played[0]))} ms, of which 25 to exclude an escape sequence\n")


def huge_keys(cpa, rounds, path):
    views = play_views(cpa, rounds, path, SIZES[0])
    rows, own, progress = [], [], []
    for name, keys in views.items():
        slow = {k: a for k, a in keys.items() if any(x.progress is not None for x in a)}
        rest = {k: a for k, a in keys.items() if k not in slow}
        own.append(medians(rest, "last")[-1][0])
        row = [name, str(len(rest)), middle(rest, "last"), worst(rest, "last"), str(len(slow))]
        if slow:
            progress.append(medians(slow, "progress")[-1][0])
            row += [worst(slow, "progress"), middle(slow, "last"), worst(slow, "last")]
        rows.append(row if slow else row + ["–"] * 3)
    print(f"### Keys, `{os.path.basename(path)}`\n")
    table(["view", "at once", "ms", "worst ms", "with progress", "its worst ms", "answer ms", "worst ms"], rows)
    print(goal("the slowest key that shows no progress", max(own), 2 * KEY_MS))
    print(goal("the slowest progress", max(progress, default=0), PROGRESS_MS) + "\n")


def stop_one(session, line):
    """Run a slow command, press another key, then Esc. None if the command was too fast."""
    for c in ":" + line:
        session.key("Space" if c == " " else c)
    session.send("Enter")
    since = session.sent
    progress = session.until(lambda screen: BUSY in screen.text() or line in screen.row(screen.height - 1), since)
    if not session.is_busy():
        session.settle()
        return None
    session.send("M")
    other = session.until(lambda screen: True, session.sent)
    session.send("Esc")
    reaction = session.until(lambda screen: "stopped" in screen.text() or "stopping" in screen.text() or
                         not session.is_busy(), session.sent)
    free = reaction if not session.is_busy() else session.until(lambda screen: BUSY not in screen.text(), session.sent)
    stopped = "stopped;" in session.screen.text()
    session.settle()
    return (progress, other, reaction, free) if stopped else None


def stops(cpa, rounds, path):
    found = {name: [] for name in LONG}
    for _ in range(rounds):
        for name, line in LONG.items():
            session, _, _ = open_session(cpa, path, SIZES[0])
            got = stop_one(session, line)
            found[name] += [got] if got else []
            session.end()
    rows, free = [], []
    for name, got in found.items():
        n = [statistics.median(g[i] for g in got) if got else None for i in range(4)]
        rows.append([name, str(len(got))] + [ms(i) for i in n] + [ms(max((g[3] for g in got), default=None))])
        free += [n[3]] if got else []
    print(f"### Stopping, `{os.path.basename(path)}`\n")
    table(["command", "times stopped", "progress ms", "other key ms", "Esc shown ms", "stopped ms", "worst ms"], rows)
    print(goal("stopped", max(free), 2 * KEY_MS) + "\n")


def main():
    cpa, rounds, parts, huge, *ordinary = sys.argv[1:]
    rounds, parts = int(rounds), parts.split(",")
    if "first" in parts:
        first_frames(cpa, 3 * rounds, [huge] + ordinary)
    for path in ordinary if "keys" in parts else []:
        ordinary_keys(cpa, rounds, path)
    if "huge" in parts:
        huge_keys(cpa, rounds, huge)
    if "stop" in parts:
        stops(cpa, rounds, huge)
    sys.exit(missed)


main()
