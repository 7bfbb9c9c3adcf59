# web_routes.py - request every route of the web UI from many clients at the same time, with no, one and several profiles
# SPDX-License-Identifier: Apache-2.0
#
# usage: python3 web_routes.py TESTDATA [SECONDS]            prints TAP; CPA is the program
#        python3 web_routes.py TESTDATA SECONDS CLIENTS      for script/soak: also closes and captures; prints a table
#        python3 web_routes.py TESTDATA --fail LIBRARY       with allocations that fail (fail_alloc.c)
# The routes are those of the tables in src/front/web/pages/views.c and actions/post.c. No request may end the server, and an answer is one
# of STATUSES, never a connection that is closed.

import json
import os
import random
import re
import sys
import threading
import time
import urllib.parse

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "browser"))
from server import Server  # noqa: E402
from web_requests import Client, usage  # noqa: E402

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
EXTENSIONS = ["", "txt", "json", "csv", "md", "html", "svg", "pdf", "png", "folded", "dot", "pb.gz", "callgrind", "x"]
KINDS = ["go-cpu.pb.gz", "go-heap1.pb.gz", "go-heap2.pb.gz", "go-mutex.pb.gz", "edge/no-samples.pb.gz", "cpp.contention",
         "edge/names-hostile.pb.gz", "edge/labels.pb.gz", "rust-cpu.pb.gz", "edge/deep-stack.pb.gz"]
QUERIES = ["", "", "f=main", "f=.&n=5", "si=nosuch", "f=%28", "g=lines", "calltree=t", "scale=total", "i=.", "width=700",
           "g=addresses&trim=f", "by=bytes", "rows=all", "f=nosuch"]
STATUSES = {200, 303, 304, 307, 400, 403, 404, 405, 413, 415, 501, 503, 507}
GROWTH_MAX = 64 << 20  # of the memory, between the second and the last quarter of a soak


def names_in(file, pattern):
    with open(os.path.join(TOP, "src/front/web", file), encoding="utf-8") as f:
        return re.findall(pattern, f.read())


VIEWS = names_in("pages/views.c", r'\{ \.path = "([^"]+)"') + ["binaries", "comments"]
ACTIONS = [name for name in names_in("actions/post.c", r'\{ \.name = "([^"]+)"') if name != "open"]
OTHERS = ["", "flamegraph2", "progress", "progress?capture=1", "saveconfig?config=a", "deleteconfig?config=a", "no/such/page",
          "enter", "assets/web.css"]


class Site:
    """A server and its open profiles."""

    def __init__(self, data, *args, environment=None):
        self.data, self.lock = data, threading.Lock()
        config = {"XDG_CONFIG_HOME": os.environ.get("TMPDIR", "/tmp") + "/cpa-web-routes"}
        files = [flag + eq + os.path.join(data, file) for flag, eq, file in (arg.rpartition("=") for arg in args)]
        self.server = Server("-symbolize=none", *files, environment={**config, **(environment or {})})
        self.odd, self.counts, self.ids, self.token, self.good = [], {}, [], "", []
        client = Client(self.server)
        while not self.token:  # until the profile is loaded
            page = client.send("GET", "/ui/open", {"Accept": "text/html"})[2].decode(errors="replace")
            self.token = (re.search(r'name="token" content="([^"]+)"', page) or ["", ""])[1]
            time.sleep(0.05)
        client.close()

    def upload(self, client, name):
        with open(os.path.join(self.data, name), "rb") as f:
            body = f.read()
        headers = {"X-Cpa-Token": self.token, "Content-Type": "application/octet-stream", "Accept": "application/json"}
        status, _, answer = client.send("POST", "/ui/do/open?name=" + os.path.basename(name), headers, body)
        self.count("/ui/do/open", status)
        if status == 200:
            with self.lock:
                self.ids = (self.ids + [json.loads(answer)["id"]])[-12:]

    def count(self, target, status):
        with self.lock:
            self.counts[status] = self.counts.get(status, 0) + 1
            if status not in STATUSES and not (status == 500 and "/graph." in target):  # dot fails for large pictures
                self.odd.append((target, status))

    def sides(self, rand):
        """Parameters that choose no, one or several profiles for each side."""
        with self.lock:
            ids = list(self.ids)
        if not ids or rand.random() < 0.1:
            ids.append("00000000")
        pairs = []
        for key, most in (("prof", 3), ("base", 2)):
            n = rand.choice([0, 0, 1, most])
            if n:
                pairs.append(f"{key}=" + ",".join(rand.choice(ids) for _ in range(n)))
        return pairs

    def run_one(self, client, rand, path):
        query = "&".join(p for p in self.sides(rand) + [rand.choice(QUERIES)] if p)
        target = "/ui/" + path + (("&" if "?" in path else "?") + query if query else "")
        headers = {"Accept": rand.choice(["*/*", "text/html", "text/plain"])}
        if rand.random() < 0.3:
            headers["Accept-Encoding"] = "gzip"
        status = client.send("GET", target, headers)[0]
        self.count(target, status)
        return status

    def run_action(self, client, rand, name):
        with self.lock:
            ids = list(self.ids)
        fields = {"token": self.token if rand.random() < 0.9 else "0", "server": "0", "kind": "heap", "config": "a",
                  "folder": "0", "file": "go-cpu.pb.gz"}
        if ids and rand.random() < 0.7:
            fields["id"] = rand.choice(ids)
            if name == "close":
                with self.lock:
                    self.ids = [i for i in self.ids if i != fields["id"]]
        headers = {"Content-Type": "application/x-www-form-urlencoded", "Accept": rand.choice(["text/html", "*/*"])}
        self.count("/ui/do/" + name, client.send("POST", "/ui/do/" + name, headers, urllib.parse.urlencode(fields))[0])


def all_paths():
    paths = [view + ("." + ext if ext else "") for view in VIEWS for ext in EXTENSIONS]
    return paths + OTHERS + ["do/" + name for name in ACTIONS]


def client_main(site, seed, paths, end, actions):
    """Request each path once, then random ones, most of them those that had an answer, until the end."""
    rand = random.Random(seed)
    todo = rand.sample(paths, len(paths))
    client = None
    while todo or time.monotonic() < end:
        try:
            client = client or Client(site.server)
            kind = rand.random()
            if kind < 0.03:
                site.upload(client, rand.choice(KINDS))
            elif kind < 0.06 and actions:
                site.run_action(client, rand, rand.choice(actions))
            else:
                path = todo.pop() if todo else rand.choice(site.good if site.good and rand.random() < 0.8 else paths)
                if site.run_one(client, rand, path) == 200 and path not in site.good:
                    site.good.append(path)
        except OSError as error:  # includes a closed connection
            if site.server.process.poll() is not None:
                return
            with site.lock:
                site.odd.append((type(error).__name__, str(error)))
            client = None
        except Exception as error:  # pylint: disable=broad-except
            with site.lock:
                site.odd.append((type(error).__name__, str(error)))
            client = None
    if client:
        client.close()


def run_clients(site, paths, n, seconds, actions, seed=1):
    """Clients share the paths; each requests its part at least once."""
    end = time.monotonic() + seconds
    parts = [paths[i::n] for i in range(n)]
    threads = [threading.Thread(target=client_main, args=(site, seed + i, parts[i], end, actions)) for i in range(n)]
    for t in threads:
        t.start()
    return threads


def reports(site):
    bad = ("Sanitizer", "runtime error", "out of memory")
    return [line for line in site.server.lines if any(b in line for b in bad) and not line.startswith("cpa: dot ")]


def test(data, seconds):
    count = failed = 0
    cases = {"no profile": [], "one profile": ["go-cpu.pb.gz"], "a base": ["-base=go-heap1.pb.gz", "go-heap2.pb.gz"],
             "two profiles": ["go-heap1.pb.gz", "go-heap2.pb.gz"]}
    for seed, (name, files) in enumerate(cases.items()):
        site = Site(data, *files)
        n_before = 0
        if files:
            client = Client(site.server)
            for kind in KINDS[:5]:
                site.upload(client, kind)
            client.close()
            n_before = len(site.ids)
        for t in run_clients(site, all_paths(), 8, seconds, ["save", "delete", "merge", "close", "store"], 100 * seed):
            t.join()
        status = site.server.stop() if site.server.process.poll() is None else site.server.process.returncode
        bad = reports(site)
        good = status == -15 and not bad and not site.odd and site.counts.get(200, 0) > 10 and (not files or n_before == 5)
        count, failed = count + 1, failed + (not good)
        print("ok" if good else "not ok", count, "-", f"every route is answered with {name}, by 8 clients at the same time")
        print("#", sum(site.counts.values()), "requests", dict(sorted(site.counts.items())))
        if not good:
            for note in [f"status {status}", *bad[:20], *site.odd[:10], *site.server.lines[-8:]]:
                print("#", str(note)[:300].rstrip())
        sys.stdout.flush()
    print(f"1..{count}")
    return failed > 0


def test_failing(data, library):
    """One of 1,000 allocations of the program fails. Those of libraries do not: cairo crashes without memory."""
    after = os.environ.get("TMPDIR", "/tmp") + "/fail-now"
    environment = {"LD_PRELOAD": library, "FAIL_ALLOC": "1000", "FAIL_ALLOC_AFTER": after, "FAIL_ALLOC_OWN": "1"}
    site = Site(data, "go-cpu.pb.gz", environment=environment)
    client = Client(site.server)
    for kind in KINDS[:5]:
        site.upload(client, kind)
    client.close()
    with open(after, "w", encoding="ascii"):
        pass
    for t in run_clients(site, all_paths(), 8, 10, ["save", "delete", "merge", "close"], 1000):
        t.join()
    ended = site.server.process.poll()
    status = site.server.stop() if ended is None else ended
    good = status == -15 and not site.odd and site.counts.get(200, 0) > 10 and site.counts.get(507, 0) > 0
    print("ok" if good else "not ok", 1, "-", "every route is answered while one of 1,000 allocations of the program fails")
    print("#", sum(site.counts.values()), "requests", dict(sorted(site.counts.items())))
    if not good:
        for note in [f"status {status}", *site.odd[:10], *site.server.lines[-8:]]:
            print("#", str(note)[:300].rstrip())
    print("1..1")
    return not good


def soak(data, seconds, clients):
    site = Site(data, "go-cpu.pb.gz")
    client = Client(site.server)
    for kind in KINDS[:5]:
        site.upload(client, kind)
    client.close()
    threads = run_clients(site, all_paths(), clients, seconds, ACTIONS)
    seen, every = [], max(1, seconds / 60)
    while any(t.is_alive() for t in threads):
        time.sleep(every)
        if site.server.process.poll() is None:
            seen.append(usage(site.server))
    quarter = max(1, len(seen) // 4)
    print("| number | second quarter | last quarter | |\n|---|---|---|---|")
    bad = site.server.process.poll() is not None
    for i, (name, most) in enumerate([("files", 2 * clients), ("threads", 2 * clients), ("memory", GROWTH_MAX)]):
        before = max(s[i] for s in seen[quarter:2 * quarter] or seen[:1])
        after = max(s[i] for s in seen[-quarter:])
        bad |= after - before > most
        print(f"| {name} | {before} | {after} | {'grows' if after - before > most else ''} |")
    status = site.server.stop() if site.server.process.poll() is None else site.server.process.returncode
    print(f"\n{sum(site.counts.values())} requests of {clients} clients: {dict(sorted(site.counts.items()))}; "
          f"{len(site.odd)} without a proper answer {site.odd[:5]}; the server ended with {status} {reports(site)[:5]}")
    return bad or bool(site.odd) or status != -15 or bool(reports(site))


if __name__ == "__main__":
    if len(sys.argv) > 3 and sys.argv[2] == "--fail":
        sys.exit(test_failing(sys.argv[1], sys.argv[3]))
    if len(sys.argv) > 3:
        sys.exit(soak(sys.argv[1], float(sys.argv[2]), int(sys.argv[3])))
    sys.exit(test(sys.argv[1], float(sys.argv[2]) if len(sys.argv) > 2 else 4))
