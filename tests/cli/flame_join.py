"""flame_join.py - compare the functions of a flame graph of two profiles with those of cpa diff, for random profiles

SPDX-License-Identifier: Apache-2.0

usage: flame_join.py FOLDER SEED ROUNDS
Functions have twins in other files, parts named .cold, .part.0 and [clone .cold], other folders on each side, and files
that are missing. Prints the number of functions that were compared.
"""
import json
import os
import random
import re
import subprocess
import sys
import urllib.parse
import urllib.request

from make_profile import encode

SUFFIXES = ["", "", "", ".cold", ".part.0", " [clone .cold]"]


def write(path, rng, folder, functions):
    """Write a profile of random stacks. Equal stacks are one sample."""
    samples = {}
    for _ in range(rng.randint(3, 12)):
        stack = []
        for name, file in rng.choices(functions, k=rng.randint(1, 5)):
            line = (name + rng.choice(SUFFIXES), file and f"{folder}/{file}", rng.choice([7, 9]))
            stack.append((line, ("inline_in_it", f"{folder}/inlined.c", 3)) if rng.random() < 0.1 else (line,))
        samples[tuple(stack)] = rng.randint(1, 9)
    with open(path, "wb") as f:
        f.write(encode([(stack, [n, n * 10_000_000], {}) for stack, n in samples.items()]))


def quote(name):
    return "^" + re.sub(r"([\\.+*?()|\[\]{}^$])", r"\\\1", name) + "$"


def sums_of(url, name, more):
    """Flat and cum of a function, before and after, in the flame graph."""
    query = urllib.parse.urlencode({"q": quote(name), **more})
    answer = json.load(urllib.request.urlopen(f"{url}/ui/data/search?{query}"))
    return [answer[key][side] for key in ("flat", "cum") for side in (1, 0)], len(answer["places"])


def compare(base, new, url):
    out = subprocess.run([os.environ["CPA"], "diff", "--json", "-nodecount=0", "-nodefraction=0", base, new],
                         stdout=subprocess.PIPE, check=True).stdout
    rows = json.loads(out)["rows"]
    names = [row["name"] for row in rows]
    for row in rows:
        n_twins = names.count(row["name"])
        want = [row[key] for key in ("flat_before", "flat_after", "cum_before", "cum_after")]
        got = sums_of(url, f"{row['name']} {row['file']}" if n_twins > 1 and row["file"] else row["name"], {})
        assert got == (want, 1), (row, got, want)
        got = sums_of(url, row["name"], {"g": "filefunctions"})  # names are without files
        assert got[1] == n_twins and (n_twins > 1 or got[0] == want), (row, got, want)
    return len(rows)


def main():
    folder, seed, rounds = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    rng, n = random.Random(seed), 0
    for _ in range(rounds):
        functions = [(rng.choice(["work", "ns::run", "init", "step"]), rng.choice(["a.c", "b.c", "lib/b.c", "lib/c.cc"]))
                     for _ in range(rng.randint(2, 7))]
        paths = [f"{folder}/{side}.pb" for side in ("base", "new")]
        write(paths[0], rng, rng.choice(["/home/one/shop", "/src"]), functions + [("plain", "")])
        moved = [(name, rng.choice([file, file, "moved/" + file])) for name, file in functions]
        write(paths[1], rng, rng.choice(["/build/ci/42", "/src"]), moved + [("plain", "")])
        server = subprocess.Popen([os.environ["CPA"], "-http=localhost:0", "-no_browser", f"-base={paths[0]}", paths[1]],
                                  stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True)
        try:
            url = next(found[1] for found in (re.search(r"on (http://\S+)", line) for line in server.stderr) if found)
            n += compare(*paths, url)
        finally:
            server.kill()
            server.wait()
    print(n)


main()
