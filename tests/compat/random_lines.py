#!/usr/bin/env python3
# random_lines.py - compare cpa with pprof on random command lines
# SPDX-License-Identifier: Apache-2.0
"""random_lines.py CPA PPROF FIRST_SEED COUNT [-v]

Run from the folder of the profiles. Each seed makes one command line: a report, options, filters and sources. Both
programs must succeed or fail, and print the same bytes. differences.txt beside this script lists what may differ; lines
that pprof answers differently when it runs again are skipped. Prints TAP, or with -v only the lines that differ."""
import concurrent.futures
import fnmatch
import os
import random
import re
import shlex
import subprocess
import sys

from sort_fields import sorted_fields

# Sources that can be merged with each other, and compared.
FAMILIES = [
    ["go-cpu.pb.gz"],
    ["go-heap1.pb.gz", "go-heap2.pb.gz", "go-allocs.pb.gz"],
    ["go-block.pb.gz", "go-mutex.pb.gz"],
    ["go-goroutine.pb.gz"],
    ["go-threadcreate.pb.gz"],
    ["cpp-cpu.pb.gz"],
    ["rust-cpu.pb.gz"],
    ["node-wall.pb.gz"],
    ["node-heap.pb.gz"],
    ["compare/build-base.pb.gz", "compare/build-new.pb.gz"],
    ["go-heap.txt"],
    ["go-goroutine.txt"],
    ["cpp.cpu", "cpp-64be.cpu"],
    ["cpp.heap", "cpp.heap_v2", "cpp.growth"],
    ["java.cpu"],
    ["java.heap"],
    ["edge/recursion.pb.gz"],
    ["edge/inline-sometimes.pb.gz"],
    ["edge/negative-values.pb.gz"],
    ["compare/label-base.pb.gz", "compare/label-new.pb.gz"],
    ["compare/parent-base.pb.gz", "compare/parent-new.pb.gz"],
    ["compare/rate-100hz.pb.gz", "compare/rate-1khz.pb.gz"],
    ["compare/trend-1.pb.gz", "compare/trend-2.pb.gz", "compare/trend-3.pb.gz"],
    ["compare/units-ms.pb.gz", "compare/units-ns.pb.gz"],
    ["compare/words-base.pb.gz", "compare/words-new.pb.gz"],
    ["edge/addresses-only.pb.gz"],
    ["edge/columns.pb.gz"],
    ["edge/comments.pb.gz"],
    ["edge/drop-frames.pb.gz"],
    ["edge/mappings.pb.gz"],
    ["edge/merge-ms.pb.gz", "edge/merge-ns.pb.gz"],
    ["edge/merge-types-abc.pb.gz", "edge/merge-types-cba.pb.gz"],
    ["edge/names-empty.pb.gz"],
    ["edge/start-lines.pb.gz"],
    ["edge/unit-time.pb.gz", "edge/unit-bytes.pb.gz"],
    ["edge/zero-values.pb.gz"],
]
REPORTS = ["top"] * 5 + ["text", "tree", "tree", "peek", "peek", "traces", "traces", "tags", "raw", "comments", "dot", "dot",
                         "callgrind", "proto", "topproto", "list"]
COMMON = ["main", "runtime", "malloc", "std::", "net/http", "^[a-m]", "e$", ".", "zzz", r"\.go$", "(?i)READ"]
UNITS = ["ns", "us", "ms", "s", "hrs", "B", "kb", "KB", "MB", "GB", "count", "auto", "minimum"]


class Files:
    """The names, label keys and sample types of profiles, as cpa prints them."""

    def __init__(self, cpa):
        self.cpa, self.known = cpa, {}

    def words(self, file, option):
        key = (file, option)
        if key not in self.known:
            out = subprocess.run([self.cpa, "completion", "words", "top", file, f"-{option}="], check=False,
                                 capture_output=True, text=True).stdout
            words = [line.split("\t")[0].split("=", 1)[1].rstrip("=") for line in out.splitlines() if "=" in line]
            self.known[key] = words or [""]
        return self.known[key]


class Line:
    """A random command line."""

    def __init__(self, files, seed):
        self.rng, self.files, self.words = random.Random(seed), files, []
        family = self.rng.choice(FAMILIES)
        self.file = self.rng.choice(family)
        self.report = self.rng.choice(REPORTS)
        if self.report == "list" and self.file.startswith("go-"):
            self.report = "peek" # cpa finds the sources of Go
        self.words.append(f"-{self.report}={self.pattern()}" if self.report in ("peek", "list") else f"-{self.report}")
        for option, likely in ((self.add_shape, 0.6), (self.add_grain, 0.4), (self.add_filter, 0.5), (self.add_filter, 0.2),
                               (self.add_labels, 0.3), (self.add_value, 0.5), (self.add_value, 0.2)):
            if self.rng.random() < likely:
                option()
        if self.rng.random() < 0.25:
            self.add_base(family)
        self.rng.shuffle(self.words)
        self.words += [self.file] + [self.rng.choice(family) for _ in range(self.rng.choice((0, 0, 0, 0, 1, 2)))]

    def add(self, *choices):
        self.words.append(self.rng.choice(choices))

    def pattern(self):
        if self.rng.random() < 0.3:
            return self.rng.choice(COMMON)
        return self.rng.choice(self.files.words(self.file, "focus")) or "main"

    def add_shape(self):
        self.add("-cum", "-flat", "-nodecount=3", "-nodecount=10", "-nodecount=0", "-nodefraction=0", "-nodefraction=0.1",
                 "-edgefraction=0.05", "-edgefraction=0", "-trim=false", "-compact_labels", "-drop_negative", "-call_tree",
                 "-relative_percentages", "-all_frames", "-trim_path=/usr:/root", "-source_path=/src", "-intel_syntax")

    def add_grain(self):
        self.add("-functions", "-filefunctions", "-lines", "-lines", "-addresses", "-noinlines", "-noinlines", "-showcolumns")

    def add_filter(self):
        name = self.rng.choice(("focus", "focus", "ignore", "hide", "show", "show_from", "prune_from"))
        self.words.append(f"-{name}={self.pattern()}")

    def add_labels(self):
        key = self.rng.choice(self.files.words(self.file, "tagfocus")) or "key"
        value = self.rng.choice(("a", ".", "1kb:", ":16kb", "100:200", "bulk,ship", "64kb", "^s", "-5:5"))
        self.add(f"-tagfocus={key}={value}", f"-tagfocus={value}", f"-tagignore={key}={value}", f"-tagignore={value}",
                 f"-tagshow={key}", f"-taghide={key}", f"-tagroot={key}", f"-tagleaf={key}", f"-tagroot={key},zzz")

    def add_value(self):
        sample_type = self.rng.choice(self.files.words(self.file, "sample_index")) or "0"
        self.add(f"-sample_index={sample_type}", f"-sample_index={sample_type}", "-sample_index=0", "-mean", "-divide_by=3",
                 "-divide_by=0.5", *[f"-unit={unit}" for unit in self.rng.sample(UNITS, 4)], "-add_comment=a comment")

    def add_base(self, family):
        option = self.rng.choice(("base", "diff_base"))
        self.words.append(f"-{option}={self.rng.choice(family)}")
        if self.rng.random() < 0.3:
            self.words.append("-normalize")


def run(program, words):
    done = subprocess.run([program, "-symbolize=none", *words], check=False, capture_output=True, timeout=60)
    out = done.stdout
    if out[:2] == b"\x1f\x8b":
        out = sorted_fields(out)
    return done.returncode == 0, out if done.returncode == 0 else b"", done.stderr


class Rules:
    """The patterns of differences.txt, with the reason for each."""

    def __init__(self, path):
        self.rule = []
        with open(path, encoding="utf-8") as f:
            for line in f:
                if line.strip() and not line.startswith("#"):
                    self.rule.append(line.rstrip("\n").split(" # ", 1))

    def reason(self, words):
        report = next(w for w in words if re.match("-(" + "|".join(REPORTS) + ")(=|$)", w))
        others = [w for w in words if w is not report]
        for last in (others, *[[*others, w] for w in others]):
            text = " ".join([report[1:], *last])
            for pattern, why in self.rule:
                if fnmatch.fnmatchcase(text, pattern) or fnmatch.fnmatchcase(text.replace(" ", "  ", 1), pattern):
                    return why
        return None


def compare(cpa, pprof, words, rules):
    """Returns None if both agree, else why they may differ, or a text that begins with a line end."""
    want, got = run(pprof, words), run(cpa, words)
    if want[:2] == got[:2]:
        return None
    why = rules.reason(words)
    if why:
        return why
    if any(run(pprof, words)[:2] != want[:2] for _ in range(4)):
        return "pprof prints this in random order"
    lines = [(a, b) for a, b in zip(want[1].splitlines() + [b""] * 9, got[1].splitlines() + [b""] * 9) if a != b][:4]
    return f"\npprof {want[0]}, cpa {got[0]} {got[2][:300]!r} {want[2][:200]!r}\n" + "\n".join(
        f"  {a.decode(errors='replace')[:150]}\n  {b.decode(errors='replace')[:150]}" for a, b in lines)


def main():
    cpa, pprof, first, count = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    is_brief = sys.argv[5:] == ["-v"]
    files, rules = Files(cpa), Rules(os.path.join(os.path.dirname(os.path.abspath(__file__)), "differences.txt"))
    n_failed = 0
    lines = [Line(files, seed).words for seed in range(first, first + count)]
    pool = concurrent.futures.ThreadPoolExecutor(max_workers=2)
    results = pool.map(lambda words: compare(cpa, pprof, words, rules), lines)
    for seed, (words, result) in enumerate(zip(lines, results), first):
        text = shlex.join(words)
        is_wrong = bool(result) and result.startswith("\n")
        n_failed += is_wrong
        if is_wrong:
            print(result.replace("\n", "\n# ").lstrip("\n"), flush=True)
        if is_wrong or not is_brief:
            skip = f" # SKIP {result}" if result and not is_wrong else ""
            print(f"{'not ok' if is_wrong else 'ok'} {seed - first + 1} - seed {seed}: {text.replace('#', '.')}{skip}", flush=True)
    print(f"1..{count}")
    sys.exit(n_failed > 0)


if __name__ == "__main__":
    main()
