#!/usr/bin/python3
# questions.py - random questions, which several stores answer alike
# SPDX-License-Identifier: Apache-2.0
"""usage: questions.py CPA N SEED START END STORE PLACE...

Asks N questions about profiles that start in [START, END) (seconds since 1970), as history.py makes them. The answers of each PLACE, and
its messages, must be those of STORE, byte by byte, but for the names of the places. Prints those that differ, and the time by place.
"""
import random
import re
import subprocess
import sys
import time
import urllib.parse

cpa, count, seed, start, end = sys.argv[1], *map(int, sys.argv[2:6])
stores = sys.argv[6:]
rng = random.Random(seed)


def make_moment(t):
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(t))


def make_window():
    kind = rng.randrange(6)
    if kind == 0:
        return "@all"
    a = rng.randrange(start - 7200, end)
    if kind == 1:
        a -= a % 3600
    length = rng.choice([60, 600, 3600, 3 * 3600, 12 * 3600, 86400])
    if kind == 2:
        return f"@{make_moment(a)}+{length}s"
    return f"@{make_moment(a)}..{make_moment(a + length)}"


def make_match():
    name, values = rng.choice([("instance", ["a:1", "b:1", "c:1", "d:1"]), ("version", ["1.0", "1.1", "9"]),
                               ("route", ["/a", "/b", "/x"]), ("tenant", ["north", "south"]), ("zone", ["x"]),
                               ("bytes", ["512"]), ("kind", ["cpu"])])
    value = rng.choice(values)
    return rng.choice([f"{name}={value}", f"{name}!={value}", f"{name}=~.*{value[-1]}", f"{name}!~{value[0]}.*"])


def make_selector(options=True):
    service = rng.choice(["shop", "shop", "cart", "shop-eu", "shop*", "*", "?art", "nosuch"])
    kind = rng.choice(["", "/cpu", "/heap", "/heap", "/mutex", "/goroutine", "/wall"])
    matches = ",".join(make_match() for _ in range(rng.choice([0, 0, 1, 1, 2])))
    text = service + kind + (f"{{{matches}}}" if matches else "") + make_window()
    if options and rng.random() < 0.4:
        text += "+reduce=" + rng.choice(["sum", "mean", "last", "first", "max", "increase"])
    if options and rng.random() < 0.25:
        text += "+keep=" + rng.choice(["instance", "version", "instance,version", "zone"])
    if options and rng.random() < 0.1:
        text += "+limit=" + rng.choice(["1", "3", "10"])
    if options and rng.random() < 0.1:
        text += "+tier=" + rng.choice(["10m", "1h", "1d"])
    return text


def has_labels_of_kind(question):
    """Are its labels those of its own kind? Cloud Profiler does not read the labels of other kinds."""
    kind = re.search(r"/(\w+)", question[-1].rpartition("#")[2].partition("{")[0])
    names = {"cpu": "bytes|zone", "heap": "route|tenant|zone"}.get(kind[1] if kind else "cpu", "route|tenant|bytes|zone")
    return not re.search(rf"\b({names})\b", " ".join(word or "" for word in question))


def make_question():
    """A command; None is the place of the store in --store, and @ in a source."""
    what = rng.random()
    if what < 0.55:
        return ["raw", "store:@#" + make_selector()]
    if what < 0.62:
        return ["top", "--no-save", "store:@#" + make_selector()]
    if what < 0.80:
        step = rng.choice(["", "+step=10m", "+step=1h", "+step=7h"])
        more = rng.choice([[], [], ["--by=label:instance"], ["--by=label:route"], ["--function=f1"],
                           ["--sample_index=alloc_space"], ["--json"]])
        return ["series"] + more + ["store:@#" + make_selector(False) + step]
    if what < 0.85:
        return ["trend", "store:@#" + make_selector(False)]
    more = rng.choice(["--profiles", "--labels", "--json", "--marks", "--deep"])
    return ["store", "ls", more, None, make_selector(False)]


def sort_samples(text):
    """The text of cpa raw, whose samples and locations are in any order: locations in place of their numbers, sorted."""
    head, _, rest = text.partition(b"\nSamples:\n")
    samples, _, rest = rest.partition(b"\nLocations\n")
    locations, _, mappings = rest.partition(b"\nMappings\n")
    place, number, rows = {}, b"", []
    for line in locations.split(b"\n"):
        found = re.match(rb" *([0-9]+): (.*)", line)
        number = found.group(1) if found else number
        place[number] = place.get(number, b"") + (found.group(2) if found else line).strip() + b"; "
    title, *lines = samples.split(b"\n")
    for line in lines:
        if re.match(rb" *-?[0-9].*: ", line):
            values, _, stack = line.partition(b": ")
            rows.append(b" ".join(values.split()) + b": " + b"".join(place[n] for n in stack.split()))
        elif rows:
            rows[-1] += b" " + line.strip()
    return b"\n".join([head, b" ".join(title.split()), *sorted(rows), mappings])


def ask(store, question):
    args = [f"--store={store}" if word is None else word.replace("store:@#", f"store:{store}#") for word in question]
    if store.startswith("http"):  # a collector: the profile is fetched
        args[1:1] = ["--no-save"] if question[0] == "raw" else []
    began = time.monotonic()
    run = subprocess.run([cpa] + args, capture_output=True, timeout=300, check=False)
    text = b"%d\n" % run.returncode + run.stdout + run.stderr
    text = re.sub(rb"cpa: Fetching profile over HTTP from .*\n", b"", text)
    text = re.sub(rb"cpa: \S+/api/v1/profile\?q=(\S+): server response: [0-9]+ [^-]*- ",
                  lambda found: b"cpa: " + urllib.parse.unquote_to_bytes(found.group(1)) + b": ", text)
    if question[0] == "raw" and run.returncode == 0:
        text = sort_samples(text)
    if any("+tier=" in word for word in question if word):  # slots of a local store have the labels of their kind only
        text = text.replace(b" (neither a series nor a sample has this label)", b"")
        text = re.sub(rb"but \S+ has the resolution (\w+) in [^;]*;", rb"\1;", text)  # the parts of a window are not the same
        text = re.sub(rb"\S+: in [^,]*, the values of all", b"the values of all", text)
    text = re.sub(rb"((cpa|Comment): )?store: [0-9]+ pages? of the project [^\n]*\n", b"", text)  # of Cloud Profiler only
    text = re.sub(rb"; (no|a) collector runs on this store.*", b"", text)  # of a directory
    return text.replace(store.encode() + b"#", b"").replace(store.encode(), b"STORE"), time.monotonic() - began


def report(question, store, wanted, got):
    print("not the same:", " ".join(word or "--store=" + store for word in question), "at", store)
    for name, text in (("wanted", wanted), ("got", got)):
        other = set((got if name == "wanted" else wanted).splitlines())
        lines = [line for line in text.splitlines() if line not in other] or text.splitlines()
        print("\n".join(f"  {name}: {line.decode(errors='replace')[:200]}" for line in lines[:6]))


def main():
    seconds, different, kinds = dict.fromkeys(stores, 0.0), 0, {}
    for _ in range(count):
        question = make_question()
        while any(store.startswith("gcp+") for store in stores) and not has_labels_of_kind(question):
            question = make_question()
        wanted, took = ask(stores[0], question)
        seconds[stores[0]] += took
        status = wanted.split(b"\n", 1)[0].decode()
        kinds[question[0], status] = kinds.get((question[0], status), 0) + 1
        for store in stores[1:]:
            got, took = ask(store, question)
            seconds[store] += took
            if got != wanted:
                different += 1
                report(question, store, wanted, got)
    for store in stores:
        print(f"{store}: {seconds[store]:.1f} s")
    print("questions by command and status:", ", ".join(f"{c} {s}: {n}" for (c, s), n in sorted(kinds.items())))
    print(f"{count} questions, {different} answers differ")
    return different > 0


if __name__ == "__main__":
    sys.exit(main())
