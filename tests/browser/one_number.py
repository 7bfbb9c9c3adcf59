# one_number.py - ask every surface for the numbers of random functions of random profiles; all must agree
# SPDX-License-Identifier: Apache-2.0
"""
usage: one_number.py FOLDER QUESTIONS [SEED]

Writes profiles to FOLDER and asks at least QUESTIONS questions: the numbers of a function, with random options, on the command
line, in JSON, on the pages of the web UI, in its flame graph at three widths, on the full screen, and on pprof's page if
PPROF is its program. The stacks that cpa flame writes decide. A failure prints the seed of its round, which repeats it.
"""

import collections
import html
import json
import os
import random
import re
import socket
import subprocess
import sys
import time
import urllib.parse
import urllib.request

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cli"))
from browser import Browser  # noqa: E402
from make_profile import CPU, encode  # noqa: E402
from server import Server  # noqa: E402

CPA = os.environ["CPA"]
WIDTHS = [390, 1280, 1920]
UNITS = {"": 1, "ns": 1, "us": 1e3, "µs": 1e3, "ms": 1e6, "s": 1e9, "mins": 60e9, "hrs": 3600e9,
         "B": 1, "kB": 1 << 10, "MB": 1 << 20, "GB": 1 << 30}
HEAP = (("alloc_objects", "count"), ("alloc_space", "bytes"), ("inuse_objects", "count"), ("inuse_space", "bytes"))
GRANULARITIES = ["filefunctions", "files", "lines", "addresses"]
FLAGS = {"f": "focus", "i": "ignore", "h": "hide", "s": "show", "sf": "show_from",
         "si": "sample_index", "noinlines": "noinlines", "tf": "tagfocus"}
EVERYTHING = {"n": "0", "nf": "0", "ef": "0", "trim": "f"}


class Asked:
    """Counts questions and remembers wrong answers."""

    def __init__(self):
        self.n, self.by_surface, self.wrong = 0, collections.Counter(), []

    def ask(self, surface, function, want, got, where):
        self.n += 1
        self.by_surface[surface] += 1
        if want != got:
            self.wrong.append(f"{surface} of {function}: want {want}, got {got} ({where})")


class About:
    """The numbers of functions, from stacks: root first, with their values."""

    def __init__(self, stacks):
        self.stacks = stacks
        self.flat, self.cum = collections.Counter(), collections.Counter()
        for stack, value in stacks:
            for name in set(stack):
                self.cum[name] += value
            self.flat[stack[-1]] += value

    def search(self, names):
        """Flat and cum of several functions."""
        return (sum(v for s, v in self.stacks if s[-1] in names), sum(v for s, v in self.stacks if set(s) & set(names)))

    def neighbours(self, name):
        """The callers and the callees of the outermost call in each stack, and whether no stack has two."""
        callers, callees, single = collections.Counter(), collections.Counter(), True
        for stack, value in self.stacks:
            if name not in stack:
                continue
            at = stack.index(name)
            single = single and stack.count(name) == 1
            if at:
                callers[stack[at - 1]] += value
            if at + 1 < len(stack):
                callees[stack[at + 1]] += value
        return callers, callees, single

    def n_boxes(self, name):
        return len({tuple(s[:i + 1]) for s, _ in self.stacks for i, n in enumerate(s) if n == name})


def make_samples(rng, functions, n_stacks, folder, is_heap):
    """Samples with recursion, inlined calls, labels, and functions whose boxes are all narrow."""
    frames = [(name, f"{folder}/{name.split('.')[0]}.c", 10 * i + 10) for i, name in enumerate(functions)]
    hot = rng.sample(frames, 2)
    samples = []
    for _ in range(n_stacks):
        depth = rng.randrange(1, 9)
        calls = [frames[min(int(rng.paretovariate(0.6)), len(frames) - 1)] if rng.random() < 0.4 else rng.choice(frames)
                 for _ in range(depth)] + [frames[0]]
        if rng.random() < 0.2:
            calls[0] = rng.choice(hot)
        locations = []
        while calls:
            n = 2 if len(calls) > 2 and rng.random() < 0.1 else 1
            locations.append(tuple(calls[:n]))
            calls = calls[n:]
        count = rng.choice([1, 1, 1, 2, 5, 40])
        values = [count, count * 10_000_000]
        if is_heap:
            live = rng.randrange(count + 1)
            values = [count, count * 4096, live, live * 4096]
        samples.append((locations, values, {"route": rng.choice(["/a", "/b"])}))
    return samples


def make_options(rng, functions, types):
    """Options as parameters of a URL, and as arguments."""
    chosen = {}
    for key in rng.sample(list(FLAGS), rng.choice([0, 0, 1, 1, 2])):
        chosen[key] = {"si": rng.choice(types)[0], "noinlines": "t", "tf": "route=/a"}.get(key, f"^{re.escape(rng.choice(functions[3:]))}$")
    if "s" in chosen:
        chosen["s"] = "f[0-9]*[02468]$"
    if rng.random() < 0.2:
        chosen["i"] = "sort|^net"
    return chosen, [f"-{FLAGS[key]}" + ("" if key == "noinlines" else f"={value}") for key, value in chosen.items()]


def cpa(*args):
    done = subprocess.run([CPA, *args], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, timeout=120)
    return done.stdout


def json_rows(text):
    return json.loads(text)["rows"] if text.startswith("{") else []


def fetch(server, path, params):
    url = server.url(f"ui/{path}?" + urllib.parse.urlencode(params))
    try:
        with urllib.request.urlopen(url, timeout=120) as answer:
            return answer.read().decode()
    except urllib.error.HTTPError as e:
        return f"{e.code} {e.read().decode(errors='replace')}"


def fetch_when_up(url, process):
    """The page of a server that is starting; "" for an error."""
    for _ in range(400):
        try:
            with urllib.request.urlopen(url, timeout=120) as answer:
                return answer.read().decode()
        except urllib.error.HTTPError:
            return ""
        except OSError:
            if process.poll() is not None:
                return ""
            time.sleep(0.05)
    return ""


def rounds_to(text, value):
    """Is a text such as 1.24s the value, as far as its digits go?"""
    m = re.fullmatch(r"(-?[\d,]+(?:\.(\d+))?)([^\d%\s]*)", text or "")
    if not m or m[3] not in UNITS:
        return False
    unit = UNITS[m[3]]
    return abs(float(m[1].replace(",", "")) * unit - value) <= 0.5001 * unit * 10 ** -len(m[2] or "")


def shown(text, value):
    """The value if the text shows it, else the text."""
    return value if rounds_to(text, value) else text


class Round:
    """A profile, perhaps with a base, and options."""

    def __init__(self, folder, seed, asked):
        self.seed, self.asked, rng = seed, asked, random.Random(seed)
        self.rng = rng
        packages = ["main", "net/http", "sort", "shop", "std::map"]
        self.functions = [f"{rng.choice(packages)}.f{i}" for i in range(rng.choice([6, 40, 400]))]
        n_stacks = rng.choice([5, 300, 3000])
        self.file, self.base = os.path.join(folder, f"{seed}.pb"), None
        types = rng.choice([CPU, HEAP])
        with open(self.file, "wb") as f:
            f.write(encode(make_samples(rng, self.functions, n_stacks, "/build/new", types is HEAP), types))
        if rng.random() < 0.45:
            self.base = os.path.join(folder, f"{seed}-base.pb")
            with open(self.base, "wb") as f:
                f.write(encode(make_samples(rng, self.functions[:-1], n_stacks, "/home/old/src", types is HEAP), types))
        self.params, self.args = make_options(rng, self.functions, types)
        self.g = rng.choice(GRANULARITIES) if not self.base and rng.random() < 0.4 else "functions"
        self.is_diff = bool(self.base) and rng.random() < 0.4  # -diff_base, else -base
        self.where = f"round {seed}, {' '.join(self.args)} {self.base or ''} {self.file}"
        self.now = self.read(self.file)
        self.before = self.read(self.base) if self.base else None
        known = sorted(self.now.cum, key=lambda n: -self.now.cum[n])
        self.chosen = list(dict.fromkeys(known[:1] + rng.sample(known, min(4, len(known)))))
        self.pattern = {name: f"^{re.escape(name)}$".replace("\\/", "/") for name in self.chosen}

    def read(self, file):
        """The stacks of a file with the options, root first."""
        output = cpa("flame", "--format=folded", "-" + self.g, *self.args, file)
        lines = [line.rpartition(" ") for line in output.splitlines()]
        return About([(stack.split(";"), int(value)) for stack, _, value in lines])

    def ask(self, surface, name, want, got):
        self.asked.ask(surface, name, want, got, self.where)

    def ask_rows(self, surface, rows, key="name"):
        """Flat and cum of rows of a report."""
        for name in self.chosen:
            got = [(r["flat"], r["cum"]) for r in rows if r.get(key) == name and "flat" in r]
            self.ask(surface, name, [(self.now.flat[name], self.now.cum[name])], got)

    def command_line(self):
        everything = ["-nodecount=0", "-nodefraction=0", "-edgefraction=0", "-" + self.g]
        self.ask_rows("cpa top --json", json_rows(cpa("top", "--json", *everything, *self.args, self.file)))
        self.ask_rows("cpa tree --json", json_rows(cpa("tree", "--json", *everything, *self.args, self.file)))
        if self.g != "functions":
            return
        text = {}
        for line in cpa("top", *everything, *self.args, self.file).splitlines():
            words = line.split()
            if len(words) >= 6 and words[1].endswith("%"):
                text[" ".join(words[5:]).replace(" (inline)", "").replace(" (partial-inline)", "")] = words
        for name in self.chosen:
            words = text.get(name, [""] * 6)
            want = (self.now.flat[name], self.now.cum[name])
            self.ask("cpa top", name, want, (shown(words[0], want[0]), shown(words[3], want[1])))
            self.ask_peek("cpa peek --json", name, json_rows(cpa("peek", self.pattern[name], "--json", *self.args, self.file)))
        screen = cpa("-symbolize=none", "--keys=A", "--size=160x460", *everything, *self.args, self.file)
        for name in self.chosen:
            words = next((line.split() for line in screen.splitlines() if line.split()[5:6] == [name]), [""] * 6)
            want = (self.now.flat[name], self.now.cum[name])
            self.ask("full screen", name, want, (shown(words[0], want[0]), shown(words[3], want[1])))

    def ask_peek(self, surface, name, rows):
        self.ask(surface, name, [(self.now.flat[name], self.now.cum[name])],
                 [(r["flat"], r["cum"]) for r in rows if r["role"] == "node"])
        callers, callees, single = self.now.neighbours(name)
        if single:
            for role, want in (("caller", callers), ("callee", callees)):
                self.ask(f"{surface}, {role}s", name, sorted(want.items()),
                         sorted((r["name"], r["call_cum"]) for r in rows if r["role"] == role))

    def pages(self, server):
        all_rows = {**self.params, **EVERYTHING, "g": self.g}
        self.ask_rows("file of page Top", json_rows(fetch(server, "top.json", all_rows)))
        self.table_top(fetch(server, "top", all_rows))
        self.ask_rows("page Tree", json_rows(fetch(server, "tree.json", all_rows)))
        if self.g != "functions":
            return
        nodes = {}
        for label, title in re.findall(r'label="(.*?)" id="node\d+".*? tooltip="(.*?)"', fetch(server, "graph.dot", all_rows)):
            m = re.search(r"(?:\\n|\\l)([^\\ ]+)(?: \([\d.e-]+%\))?(?:(?:\\n| )of ([^ ]+) \([\d.e-]+%\))?$", label)
            nodes[title.rpartition(" (")[0]] = (m[1], m[2] or m[1]) if m else (label, "")
        for name in self.chosen:
            want = (self.now.flat[name], self.now.cum[name])
            if name in nodes:
                self.ask("page Graph", name, want, tuple(map(shown, nodes[name], want)))
            argument = {**self.params, "arg": self.pattern[name], "g": "functions"}
            self.ask_peek("page Peek", name, json_rows(fetch(server, "peek.json", argument)))
            rows = [r for r in json_rows(fetch(server, "source.json", argument)) if r.get("role") == "routine"]
            self.ask("page Source", name, [want], [(r["flat"], r["cum"]) for r in rows if r["function"] == name])

    def table_top(self, page):
        """The rows of the page Top, which is HTML and has at most 200 rows."""
        cell = r'<td data-value="-?\d+">(.*?)</td>'
        rows = {html.unescape(name): values for name, *values in re.findall(f'<tr data-name="(.*?)">{cell}.*?{cell}', page)}
        for name in self.chosen:
            if name in rows:
                want = (self.now.flat[name], self.now.cum[name])
                self.ask("page Top", name, want, tuple(map(shown, rows[name], want)))

    def differences(self, server):
        """After minus before, of -diff_base."""
        self.now, now = About([]), self.now
        for to, after, before in ((self.now.flat, now.flat, self.before.flat), (self.now.cum, now.cum, self.before.cum)):
            to.update(after)
            to.subtract(before)
        self.chosen = [n for n in self.chosen if self.now.flat[n] or self.now.cum[n]]  # pprof has no rows of 0
        base = [f"-diff_base={self.base}", *self.args]
        self.ask_rows("cpa top -diff_base", json_rows(cpa("top", "--json", "-nodecount=0", "-nodefraction=0", *base, self.file)))
        all_rows = {**self.params, **EVERYTHING, "g": "functions"}
        self.ask_rows("page Top, -diff_base", json_rows(fetch(server, "top.json", all_rows)))
        self.ask_rows("page Tree, -diff_base", json_rows(fetch(server, "tree.json", all_rows)))
        if os.environ.get("PPROF"):
            self.pprof(os.environ["PPROF"], f"-diff_base={self.base}")
        self.now = now

    def comparisons(self, server):
        """Before and after of functions, by cpa diff and on the pages."""
        want = cpa("diff", "--json", "-nodecount=0", "-nodefraction=0", *self.args, self.base, self.file)
        keys = ["flat_before", "flat_after", "cum_before", "cum_after"]
        sides = {row["name"]: [row[key] for key in keys] for row in json_rows(want)}
        got = {row["name"]: [row[key] for key in keys]
               for row in json_rows(fetch(server, "diff.json", {**self.params, **EVERYTHING}))}
        for name in self.chosen:
            own = [about.__dict__[kind][name] for kind in ("flat", "cum") for about in (self.before, self.now)]
            self.ask("cpa diff --json", name, own, sides.get(name))
            self.ask("page Difference", name, own, got.get(name))
        gate = cpa("gate", "--json", *self.args, f"-base={self.base}", self.file)
        error = json.loads(gate).get("error")
        self.ask("page Gate", "all functions", f"400 {error}\n" if error else gate, fetch(server, "gate.json", self.params))

    def inverted(self, b, server):
        """Boxes next to the root of an inverted flame graph are as wide as flat."""
        b.resize(1280, 900)
        b.open_url(server.url("ui/flamegraph?" + urllib.parse.urlencode({**self.params, "g": self.g, "inv": "t"})))
        b.wait("return typeof model !== 'undefined' && model !== null && !requests.has('flame')", 60)
        boxes = b.run("""const out = {};
            for (let i = 0; i < model.n; i++)
                if (model.parent[i] === model.root && model.frame[i] >= 0)
                    out[model.name(i)] = Math.round(model.total[0][i] * data.step);
            return [out, Object.fromEntries(table.list.map(r => [r.name, [r.flat[0], r.cum[0]].map(v => Math.round(v * data.step))]))]""")
        for name in self.chosen:
            if name in boxes[0]:
                self.ask("box, inverted flame", name, self.now.flat[name], boxes[0][name])
            if self.g in ("functions", "files"):  # else the table has functions without their files
                self.ask("table, inverted flame", name, [self.now.flat[name], self.now.cum[name]], boxes[1].get(name))
        b.driver.get("about:blank")

    def flame(self, b, server, width):
        query = urllib.parse.urlencode({**self.params, **({} if self.base else {"g": self.rng.choice(["functions", "filefunctions"])})})
        b.resize(width, 900)
        b.open_url(server.url("ui/flamegraph?" + query))
        b.wait("return typeof model !== 'undefined' && model !== null && !requests.has('flame')", 60)
        for name in self.chosen:
            self.flame_function(b, name, f"flame at {width} px")
        names = self.rng.sample(self.chosen, min(2, len(self.chosen)))
        self.ask(f"search at {width} px", " and ".join(names), self.sides(lambda about: about.search(names)),
                 self.search(b, "|".join(self.pattern[n] for n in names)))
        b.driver.get("about:blank")

    def sides(self, of):
        return [list(of(about)) for about in (self.now, self.before) if about]

    def search(self, b, pattern, only="false"):
        """Flat and cum of the search, per side, and the text that shows them."""
        b.run(f"go({{ q: arguments[0], only: {only}, p: '', z: '', x: null }})", pattern)
        b.wait("const a = server.answer(state); return a && found && found.match && !requests.size", 60)
        return b.run("const s = serverSums(); return s.cum.map((v, side) => [s.flat[side] * data.step, v * data.step].map(Math.round))")

    def matches(self, b):
        """The number of matches that n goes through."""
        b.run("nextMatch(1)")
        b.wait("return !requests.size && selected >= 0", 60)
        return b.run("nextMatch(1); return found.order && found.order.length")

    def flame_function(self, b, name, surface):
        pair = lambda about: (about.flat[name], about.cum[name])  # noqa: E731
        want = self.sides(pair)
        b.run("go({ p: '', q: '', only: false, z: '', x: null })")
        b.wait("return !requests.size && !model.isAround", 60)
        self.ask(f"table, {surface}", name, want, b.run(
            """const f = table.list.find(r => r.name === arguments[0]);
               return f && f.cum.map((v, side) => [f.flat[side] * data.step, v * data.step].map(Math.round))""", name))
        b.run("go({ p: arguments[0], q: '', only: false, z: '', x: null })", self.pattern[name])
        b.wait("return model.isAround && model.name(model.root) === arguments[0] && !requests.size"
               .replace("arguments[0]", json.dumps(name)), 60)
        self.ask(f"callers and callees, {surface}", name, [total for _, total in want],
                 b.run("return model.total.map(t => Math.round(t[model.root] * data.step))"))
        text = b.find("#facts").text.replace("\n", " ")
        m = re.match(re.escape(name) + r"\s*flat (\S+) .*?cum (\S+)", text)
        if not self.base:
            self.ask(f"details, {surface}", name, tuple(want[0]), tuple(map(shown, m.groups(), want[0])) if m else text)
        got = b.run("""const out = [{}, {}];
            for (let i = 0; i < model.n; i++)
                if (model.parent[i] === model.root && model.frame[i] >= 0)
                    out[model.row[i] < model.row[model.root] ? 0 : 1][model.name(i)] = Math.round(model.total[0][i] * data.step);
            return [...out, model.nCut]""")
        for role, known, all_of in zip(("callers", "callees"), got, self.now.neighbours(name)):
            if got[2] == 0 and not self.base:
                self.ask(f"{role}, {surface}", name, dict(all_of), known)
            else:  # some are too narrow to draw
                self.ask(f"{role}, {surface}", name, {n: all_of[n] for n in known}, known)
        self.ask(f"search, {surface}", name, want, self.search(b, self.pattern[name]))
        text = b.find("#found").text
        if not self.base:
            m = re.search(r"cum (\S+).*?flat (\S+)", text)
            self.ask(f"text of the search, {surface}", name, tuple(want[0]), tuple(map(shown, m.groups()[::-1], want[0])) if m else text)
            self.ask(f"matches, {surface}", name, self.now.n_boxes(name), self.matches(b))
        self.ask(f"boxes, {surface}", name, [total for _, total in want],
                 b.run("return found.match.total.map(v => Math.round(v * data.step))"))
        self.search(b, self.pattern[name], "true")
        self.ask(f"only, {surface}", name, [total for _, total in want],
                 b.run("return top_.total.map(t => Math.round(t[top_.root] * data.step))"))

    def pprof(self, program, *args):
        """pprof's pages: Top, which has at most 500 rows, and the stacks of its flame graph."""
        with socket.socket() as s:
            s.bind(("localhost", 0))
            port = s.getsockname()[1]
        process = subprocess.Popen([program, f"-http=localhost:{port}", "-no_browser", "-symbolize=none", *args, self.file],
                                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        query = urllib.parse.urlencode({**self.params, **EVERYTHING, "g": self.g})
        try:
            top = fetch_when_up(f"http://localhost:{port}/ui/top?{query}", process)
            flame = fetch_when_up(f"http://localhost:{port}/ui/flamegraph?{query}", process)
        finally:
            process.kill()
            process.wait()
        m = re.search(r"makeTopTable\(\s*-?\d+\s*,\s*(\[.*\])\s*\)", top)
        rows = [{"name": r["Name"], "flat": r["Flat"], "cum": r["Cum"]} for r in json.loads(m[1] if m else "[]")]
        if m and len(rows) < 500:
            self.ask_rows("pprof's page Top", rows)
        m = re.search(r"stackViewer\((\{.*\}), \[.*\]\);", flame)
        if m and self.g == "functions" and not args:
            stacks = json.loads(m[1])
            names = [source["FullName"] for source in stacks["Sources"]]
            about = About([([names[i] for i in stack["Sources"]], stack["Value"]) for stack in stacks["Stacks"]])
            for name in self.chosen:
                self.ask("pprof's flame graph", name, (self.now.flat[name], self.now.cum[name]), (about.flat[name], about.cum[name]))


def main():
    folder, wanted, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]) if len(sys.argv) > 3 else random.randrange(10 ** 6)
    asked = Asked()
    with Browser() as b:
        while asked.n < wanted and len(asked.wrong) < 20:
            r = Round(folder, seed, asked)
            seed += 1
            if not r.chosen:
                continue
            if not r.base:
                r.command_line()
                if os.environ.get("PPROF"):
                    r.pprof(os.environ["PPROF"])
            base = [f"-{'diff_' if r.is_diff else ''}base={r.base}"] if r.base else []
            with Server(*base, "-symbolize=none", r.file) as server:
                if r.is_diff:
                    r.differences(server)
                if r.base:
                    r.comparisons(server)
                else:
                    r.pages(server)
                    r.inverted(b, server)
                for width in WIDTHS if r.g == "functions" else []:
                    r.flame(b, server, width)
        b.result(not asked.wrong, f"{asked.n} questions have one answer", *asked.wrong)
        b.equal(b.complaints(), [], "no message is on the console")
        print("#", ", ".join(f"{n} {surface}" for surface, n in sorted(asked.by_surface.items())))
        b.done()


main()
