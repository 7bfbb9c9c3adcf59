#!/usr/bin/env python3
# sink_test.py - profiles stored by a collector arrive at its sinks, whatever happens in between
#
# SPDX-License-Identifier: Apache-2.0
#
# usage: sink_test.py CPA FOLDER TEST...
# Prints a line of TAP for each check. A test is one of scenarios, denied, outage, kills (KILLS of the environment, 6 by default), tree,
# reload, push.
import json
import os
import random
import signal
import subprocess
import sys
import time

import pprof_rows
from collect_client import Unix
from push_fake import Fake

CPU = [("samples", "count"), ("cpu", "nanoseconds")]
HEAP = [("alloc_objects", "count"), ("alloc_space", "bytes"), ("inuse-objects", "count"), ("inuse_space", "bytes")]
cpa, folder = sys.argv[1:3]
count = 0


def check(is_fine, what, detail=""):
    global count
    count += 1
    if not is_fine:
        print("#", detail)
    print("ok" if is_fine else "not ok", count, "-", what, flush=True)


def wait_for(condition, limit=90):
    end = time.monotonic() + limit
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.05)
    return bool(condition())


def run(*args):
    done = subprocess.run([cpa, *args], capture_output=True, text=True, timeout=120)
    return done.returncode, done.stdout, done.stderr


class Collector:
    """cpa collect with a store of its own."""

    def __init__(self, name, lines=()):
        self.folder = os.path.join(folder, name)
        self.store = os.path.join(self.folder, "store")
        self.file = os.path.join(self.folder, "collect.cpa")
        self.log = os.path.join(self.folder, "log")
        os.makedirs(self.folder)
        self.configure(lines)
        self.start()

    def configure(self, lines):
        with open(self.file, "w") as f:
            f.write("\n".join([f"store {self.store}", "push-rate 0", "listen unix:auto", "listen 127.0.0.1:0", *lines, ""]))

    def start(self):
        with open(self.log, "a") as log:
            before = os.path.getsize(self.log)
            self.process = subprocess.Popen([cpa, "collect", self.file], stderr=log, stdout=log)

        def is_ready():
            with open(self.log) as f:
                f.seek(before)
                return "status: " in f.read() or self.process.poll() is not None
        wait_for(is_ready)
        with open(os.path.join(self.store, "lock")) as f:
            self.socket = dict(line.split(" ", 1) for line in f.read().splitlines())["socket"]
        self.port = self.status()["listen"][1].rstrip("/").rpartition(":")[2]

    def end(self, number=signal.SIGTERM):
        self.process.send_signal(number)
        return self.process.wait(60)

    def request(self, method, path, body=None):
        c = Unix(self.socket)
        c.request(method, path, body)
        r = c.getresponse()
        data = r.read()
        c.close()
        return r.status, data

    def status(self):
        return json.loads(self.request("GET", "/status.json")[1])

    def sink(self, name):
        return next(s for s in self.status()["sinks"] if s["name"] == name)

    def messages(self):
        with open(self.log) as f:
            return f.read()


def rows_of(i):
    return [((f"work{i % 5}", "main"), (i + 1, (i + 1) * 10)), (("idle", "main"), (1, 3))]


def push(c, i, labels="env=prod", service="shop"):
    """Push CPU profile i; returns what is to arrive."""
    now = time.time_ns()
    status, body = c.request("POST", f"/v1/profiles?service={service}&{labels}",
                             pprof_rows.make(CPU, rows_of(i), now, 10**9))
    if status != 204:
        raise SystemExit(f"# push: {status} {body}")
    return service, now, {";".join(s): list(v) for s, v in rows_of(i)}


def arrived(fake, sent):
    """Are all profiles there, with equal rows?"""
    with fake.lock:
        have = {(labels["service_name"], p["time"]): p["rows"] for _, labels, p in fake.stored}
    return all(have.get((service, t)) == rows for service, t, rows in sent)


def ids_agree(fake):
    """Repeats have equal ids, and others do not."""
    with fake.lock:
        pairs = {(i, labels["service_name"], labels["__name__"], p["time"]) for i, labels, p in fake.stored}
    return len({p[0] for p in pairs}) == len({p[1:] for p in pairs}) == len(pairs)


def test_scenarios():
    fake = Fake()
    c = Collector("scenarios", [f"sink all pyroscope+http://127.0.0.1:{fake.port}",
                                f"sink some pyroscope+http://127.0.0.1:{fake.port}/x match={{env=dev}}",
                                f"sink words pyroscope+http://127.0.0.1:{fake.port} match={{env=~pro.*,service=secret}}"])
    sent = []
    for number, script in enumerate([[], [429, 429], [503, 503], ["half"], ["slow"], [500, 500, 500]]):
        with fake.lock:
            fake.script += script
        for i in range(5):
            sent.append(push(c, number * 5 + i, "env=prod&a-b.c=1" + "".join(f"&l{k}=v" for k in range(28))))
        check(wait_for(lambda: arrived(fake, sent)), f"thirty profiles arrive, after {script or 'no failure'}", fake.statuses)
    check(ids_agree(fake), "repeats have equal ids")
    check(not fake.faults, "no request breaks a rule", fake.faults[:3])
    check(wait_for(lambda: c.sink("all")["sent"] == len(sent)), "the status counts what was sent", c.sink("all"))
    check(c.sink("some")["sent"] == 0 and len(fake.statuses) == fake.n_requests, "a sink with a match sends nothing else")
    fake.refused_service = "secret"
    sent += [push(c, 7), push(c, 8, service="secret"), push(c, 9)]
    good = [s for s in sent if s[0] == "shop"]
    check(wait_for(lambda: arrived(fake, good) and c.sink("all")["refused"] == 1), "a refused profile is dropped alone",
          c.sink("all"))
    check("profile=refused service=\"secret\"" in c.messages() and "does not take" in c.messages(), "the log has the reason")
    metrics = c.request("GET", "/metrics")[1].decode()
    check('cpa_collect_sink_dropped_total{sink="all",reason="refused"} 1' in metrics and
          'cpa_collect_sink_lag_seconds{sink="all"} 0' in metrics, "metrics have the numbers")
    check(wait_for(lambda: c.sink("words")["refused"] == 1) and c.sink("words")["sent"] == 0, "a match may be of services, and an expression", c.sink("words"))
    counters(c, fake)
    check(c.end() == 0, "the collector ends")
    fake.close()


def counters(c, fake):
    """Counters are sent as increases, and gauges as they are."""
    for values in ((10, 100, 5, 50), (14, 140, 4, 40), (14, 140, 4, 40), (3, 30, 3, 30)):
        rows = [(("alloc", "main"), values)]
        c.request("POST", "/v1/profiles?service=heap", pprof_rows.make(HEAP, rows, time.time_ns()))
    want = [[0, 0, 5, 50], [4, 40, 4, 40], [0, 0, 4, 40], [3, 30, 3, 30]]

    def got():
        with fake.lock:
            some = sorted((p["time"], p) for _, labels, p in fake.stored if labels["service_name"] == "heap")
        return [p["rows"].get("alloc;main") for _, p in some]
    check(wait_for(lambda: got() == want), "counters become increases, also after a restart", got())
    with fake.lock:
        p = next(p for _, labels, p in fake.stored if labels["__name__"] == "memory")
    check(["inuse_objects", "count"] in p["types"], "names of sample types have no -", p["types"])
    check(c.sink("all")["first"] == 1, "the first profile of a series is counted")
    c.end()
    c.start()
    c.request("POST", "/v1/profiles?service=heap", pprof_rows.make(HEAP, [(("alloc", "main"), (8, 80, 3, 30))], time.time_ns()))
    want.append([5, 50, 3, 30])
    check(wait_for(lambda: got() == want) and c.sink("all")["first"] == 0, "and after one of the collector", got())


def test_denied():
    """A token that is wrong loses nothing, however long it is wrong."""
    fake = Fake()
    fake.token = "new"
    token = os.path.join(folder, "token")

    def write(text):
        with open(token, "w", opener=lambda path, flags: os.open(path, flags, 0o600)) as f:
            f.write(text)
    write("old")
    c = Collector("denied", [f"sink far pyroscope+http://127.0.0.1:{fake.port} bearer-file={token}"])
    sent = [push(c, i) for i in range(5)]
    check(wait_for(lambda: c.sink("far")["retries"] > 1), "a sink whose token is refused tries again", c.sink("far"))
    c.end()
    c.start()
    check(wait_for(lambda: "401" in c.sink("far")["last_error"]), "also after a restart", c.sink("far"))
    check(" 401" in run("collect", "--status", f"--store={c.store}")[1], "--status has the reason")
    status, out, err = run("push", f"--to=pyroscope+http://127.0.0.1:{fake.port}", f"--bearer-file={token}", f"store:{c.store}#shop@-1h")
    check(status == 2 and out == "sent 0 of 5 profiles, 5 failed\n" and "check the token" in err and "again" not in err,
          "cpa push fails at once, with the reason", (status, out, err))
    sent.append(push(c, 5))
    write("new")
    check(wait_for(lambda: arrived(fake, sent)), "with a new token in the file all profiles arrive", c.messages())
    check(wait_for(lambda: c.sink("far")["sent"] == 6) and c.sink("far")["refused"] == c.sink("far")["lost"] == 0, "none is refused or lost", c.sink("far"))
    check(c.messages().count("sink=far state=denied retry_ms=") == 2 and "HTTP 401" in c.messages() and "sink=far state=ok" in c.messages(),
          "the log names it once for each start", c.messages())
    check(c.end() == 0, "the collector ends")
    fake.close()


def test_outage():
    fake = Fake()
    port = fake.port
    c = Collector("outage", [f"sink far pyroscope+http://127.0.0.1:{port}", f"sink tiny pyroscope+http://127.0.0.1:{port} spool=1"])
    sent = [push(c, 0)]
    check(wait_for(lambda: c.sink("far")["sent"] == c.sink("tiny")["sent"] == 1), "a profile arrives before the outage")
    fake.close()
    sent = [push(c, i) for i in range(1, 9)]
    check(wait_for(lambda: c.sink("far")["last_error"]), "the status has the error", c.sink("far"))
    c.end()
    check(c.process.returncode == 0, "the collector ends during the outage")
    c.start()
    kept = [n for n in os.listdir(os.path.join(c.store, "spool")) if n.endswith(".cpj")]
    check(len(kept) == 1, "a flushed journal is kept", kept)
    check(wait_for(lambda: c.sink("tiny")["lost"] == 8), "a sink without room loses profiles, and counts them", c.sink("tiny"))
    sent += [push(c, i) for i in range(9, 12)]
    check(c.sink("far")["spool_bytes"] > 0 and c.sink("far")["lost"] == 0, "the spool has a size", c.sink("far"))
    fake = Fake(port)
    check(wait_for(lambda: arrived(fake, sent)), "all profiles arrive after the outage", fake.statuses)
    check(ids_agree(fake), "their ids differ")
    check(wait_for(lambda: not [n for n in os.listdir(os.path.join(c.store, "spool")) if n.endswith(".cpj")], 120),
          "the kept journal is removed")
    check(c.end() == 0, "the collector ends")
    fake.close()


def test_kills():
    fake = Fake()
    c = Collector("kills", [f"sink far pyroscope+http://127.0.0.1:{fake.port}"])
    seed = int(os.environ.get("SEED", "1"))
    rng = random.Random(seed)
    sent, n = [], 0
    for _ in range(int(os.environ.get("KILLS", "6"))):
        with fake.lock:
            fake.script += rng.choice([[], [503], ["half"], ["slow"]])
        end = time.monotonic() + rng.uniform(0, 0.6)
        while time.monotonic() < end:
            sent.append(push(c, n))
            n += 1
        c.end(rng.choice([signal.SIGKILL, signal.SIGKILL, signal.SIGKILL, signal.SIGTERM]))
        c.start()
    sent.append(push(c, n))
    check(wait_for(lambda: arrived(fake, sent)), "nothing acknowledged is lost at the end of the sink",
          f"seed {seed}, {len(sent)} profiles, {len(fake.stored)} stored")
    check(ids_agree(fake), "repeats have equal ids")
    repeats = len(fake.stored) - len({i for i, _, _ in fake.stored})
    print(f"# {len(sent)} profiles, {repeats} repeats")
    check(c.end() == 0, "the collector ends")
    fake.close()


def report(c, source):
    """The value of each stack."""
    return sorted(run("folded", f"--store={c.store}", source)[1].splitlines())


def test_tree():
    upper = Collector("upper")
    c = Collector("lower", [f"sink plain cpa+http://127.0.0.1:{upper.port}",
                            f"sink connect pyroscope+http://127.0.0.1:{upper.port} match={{service=shop}}"])
    sent = [push(c, i, f"env=prod&instance=i{i % 3}") for i in range(30)]
    for i in range(30):
        c.request("POST", "/v1/profiles?service=heap&instance=x",
                  pprof_rows.make(HEAP, [(("alloc", "main"), (i, i * 10, 5, 50))], time.time_ns()))
    check(wait_for(lambda: c.sink("plain")["sent"] == 60 and c.sink("connect")["sent"] == 30), "two sinks send to a collector",
          c.status()["sinks"])
    for source in ("store:shop/cpu@-1h", "store:heap/heap@-1h", "store:shop/cpu{instance=i1}@-1h"):
        check(report(c, source) == report(upper, source) and len(report(c, source)) > 0,
              f"{source} is the same in both stores", (report(c, source), report(upper, source)))
    got = subprocess.run([cpa, "store", "ls", f"--store={upper.store}"], capture_output=True, text=True).stdout.split("\n")
    check([line.split()[:4] for line in got[1:3]] == [["heap", "heap", "1", "30"], ["shop", "cpu", "3", str(len(sent))]],
          "a profile that comes twice is stored once", got)
    check(c.end() == 0 and upper.end() == 0, "both collectors end")


def test_reload():
    fake = Fake()
    line = f"pyroscope+http://127.0.0.1:{fake.port}"
    c = Collector("reload", [f"sink one {line}", f"sink two {line}/two"])
    fake.script += ["slow", "slow"]  # both sinks are waiting for their responses when the configuration changes
    sent = [push(c, 0)]
    wait_for(lambda: arrived(fake, sent))
    c.configure([f"sink one {line} spool=64MiB"])
    c.process.send_signal(signal.SIGHUP)
    check(wait_for(lambda: "sink=two state=removed" in c.messages()), "a removed sink is released", c.messages())
    sent.append(push(c, 1))
    check(wait_for(lambda: arrived(fake, sent)), "a changed sink continues where it was")
    check(len([1 for _, _, p in fake.stored if p["time"] == sent[0][1]]) == 1, "nothing is sent twice")
    check(wait_for(lambda: os.listdir(os.path.join(c.store, "spool")) == ["one.sink"]), "its files are removed",
          os.listdir(os.path.join(c.store, "spool")))
    c.configure([f"sink one {line}/ nonsense=1"])
    c.process.send_signal(signal.SIGHUP)
    check(wait_for(lambda: "reload=failed" in c.messages()), "a wrong line keeps the configuration")
    check(c.end() == 0, "the collector ends")
    fake.close()


def test_push():
    fake, upper = Fake(), Collector("pushed")
    to = f"--to=pyroscope+http://127.0.0.1:{fake.port}"
    files = []
    for i in range(3):
        files.append(os.path.join(folder, f"{i}.pb"))
        with open(files[-1], "wb") as f:
            f.write(pprof_rows.make(CPU, rows_of(i), time.time_ns(), 10**9))
    status, out, _ = run("push", to, "--dry-run", "--service=shop", "--label=env=prod", *files)
    check(status == 0 and out.count("pyroscope shop/cpu{env=prod} ") == 3 and "would send 3 profiles, " in out and
          fake.n_requests == 0, "a dry run prints what would be sent", out)
    with fake.lock:
        fake.script += [503]
    status, out, err = run("push", to, "--service=shop", "--label=env=prod", *files)
    check((status, out) == (0, "sent 3 of 3 profiles\n") and "HTTP 503" in err, "files are sent, after a failure", (out, err))
    check(sorted(p["rows"]["idle;main"] for _, _, p in fake.stored) == [[1, 3]] * 3, "their rows arrive", fake.stored)
    check(all(labels["env"] == "prod" and labels["service_name"] == "shop" for _, labels, _ in fake.stored), "and their labels")
    fake.refused_service = "secret"
    status, out, err = run("push", to, "--service=secret", files[0])
    check(status == 1 and "sent 0 of 1 profile, 1 refused" in out and "does not take this service" in err,
          "a refusal has status 1 and the reason", (status, out, err))
    status, out, err = run("push", to, "--service=x", os.path.join(folder, "nosuch"), files[0])
    check(status == 2 and "nosuch" in err and "sent 1 of 1 profile, 1 failed" in out, "a missing file has status 2", (out, err))
    lower = Collector("pushing")
    sent = [push(lower, i, f"instance=i{i % 3}", "shelf") for i in range(30)]
    source = f"store:{lower.store}#shelf@-1h"
    status, out, _ = run("push", f"--to=cpa+http://127.0.0.1:{upper.port}", source)
    check((status, out) == (0, "sent 30 of 30 profiles\n"), "each profile of a window is sent", out)
    check(report(upper, "store:shelf/cpu@-1h") == report(lower, "store:shelf/cpu@-1h"), "what is read back is equal")
    status, out, _ = run("push", f"--to=cpa+http://127.0.0.1:{upper.port}", source)
    got = run("store", "ls", f"--store={upper.store}")[1].split("\n")[1].split()
    check(status == 0 and got[:4] == ["shelf", "cpu", "3", str(len(sent))], "a second push adds nothing", got)
    status, out, _ = run("push", to, source)
    check(status == 0 and arrived(fake, sent), "Pyroscope gets them, too", fake.faults[:2])
    for n in (1, 4):
        lower.request("POST", "/v1/profiles?service=leak", pprof_rows.make(HEAP, [(("f",), (n, n, n, n))], time.time_ns()))
    status, out, err = run("push", to, f"store:{lower.store}#leak@-1h")
    got = sorted(p["rows"]["f"] for _, labels, p in fake.stored if labels["service_name"] == "leak")
    check(status == 0 and got == [[0, 0, 1, 1], [3, 3, 4, 4]] and "counters of 1 profile are sent as 0" in err,
          "counters of a window become increases", (got, err))
    many = [((f"function_number_{i}",), (i + 1, 1)) for i in range(40000)]
    with open(files[0], "wb") as f:
        f.write(pprof_rows.make(CPU, many, time.time_ns()))
    status, out, err = run("push", to, "--service=large", files[0])
    parts = [(i, p) for i, labels, p in fake.stored if labels["service_name"] == "large"]
    rows = {}
    for _, p in parts:
        rows.update(p["rows"])
    check(status == 0 and len(parts) > 2 and len({i[:-4] for i, _ in parts}) == 1 and len({i for i, _ in parts}) == len(parts) and
          rows == {s[0]: list(v) for s, v in many}, "a large profile is sent in parts with ids that begin alike", (out, err, len(parts)))
    for args, text in ((["nosuch+http://x", files[0]], "pyroscope+, cpa+"), (["pyroscope+http://x"], "no source"),
                       (["pyroscope+http://x?y=1", files[0]], "no ? and #")):
        status, _, err = run("push", "--to=" + args[0], *args[1:])
        check(status == 2 and text in err, f"{args[0]} is refused", err)
    check("pyroscope+https://HOST\n" in run("help", "sinks")[1], "cpa help sinks lists the systems")
    check(not fake.faults, "no request breaks a rule", fake.faults[:3])
    lower.end()
    upper.end()
    fake.close()


for test in sys.argv[3:]:
    {"push": test_push, "denied": test_denied, "scenarios": test_scenarios, "outage": test_outage, "kills": test_kills, "tree": test_tree, "reload": test_reload}[test]()
print(f"1..{count}")
