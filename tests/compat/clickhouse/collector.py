#!/usr/bin/env python3
# collector.py - the profiles of a collector arrive in ClickHouse once, while servers and the collector are killed
# SPDX-License-Identifier: Apache-2.0
#
# usage: collector.py CPA FOLDER PROFILES KILLS      prints "ok ..." or "not ok ..." lines
import os
import random
import signal
import subprocess
import sys
import time
import urllib.parse
import urllib.request

import servers

cpa, folder, n_profiles, n_kills = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
KINDS = {"cpu": "go-cpu.pb.gz", "heap": "go-heap1.pb.gz"}
INSTANCES, MARKS = 4, 5
draw = random.Random(3)


def check(is_fine, what):
    print("ok" if is_fine else "not ok", what, flush=True)


def wait_for(condition, limit=120):
    end = time.monotonic() + limit
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.1)
    return True


class Collector:
    def __init__(self, server):
        self.store = os.path.join(folder, "local")
        self.file = os.path.join(folder, "collect.cpa")
        self.port = servers.free_ports(1)[0]
        with open(self.file, "w", encoding="utf-8") as f:
            f.write(f"store {self.store}\nlisten 127.0.0.1:{self.port}\npush-rate 0\npush-age 2d\n"
                    f"sink cluster clickhouse://127.0.0.1:{server.port}/live\n")
        self.start()

    def start(self):
        with open(os.path.join(folder, "collector.log"), "ab") as log:
            self.process = subprocess.Popen([cpa, "collect", self.file], stdout=log, stderr=log)
        wait_for(self.is_up)

    def is_up(self):
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/healthz", timeout=10):
                return True
        except OSError:
            return False

    def push(self, kind, instance, start):
        query = urllib.parse.urlencode({"service": "shop", "instance": f"i{instance}", "kind": kind, "from": start, "until": start + 10})
        with open(os.path.join(TOP, "testdata", KINDS[kind]), "rb") as f:
            request = urllib.request.Request(f"http://127.0.0.1:{self.port}/v1/profiles?{query}", f.read(), method="POST")
        try:
            with urllib.request.urlopen(request, timeout=60):
                return True
        except OSError:
            return False


def kill_one(server, collector):
    if draw.random() < 0.5:
        server.kill()
        time.sleep(draw.random())
        server.start()
    else:
        collector.process.send_signal(signal.SIGKILL)
        collector.process.wait()
        collector.start()


def mark(store, text, time_s):
    """Add a mark; a collector that was killed may not be up yet."""
    when = "--time=" + time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time_s))
    for _ in range(100):
        done = subprocess.run([cpa, "store", "mark", f"--store={store}", "shop", "deploy", text, when], capture_output=True, check=False)
        if done.returncode == 0:
            return
        time.sleep(0.1)


def lines(where, source, *options):
    done = subprocess.run([cpa, *options, f"store:{where}#{source}"], capture_output=True, text=True, timeout=600, check=False)
    return [line for line in done.stdout.splitlines() if "store:" not in line]


def main():
    own = os.path.join(folder, "servers")
    os.makedirs(own)
    pair = servers.start_pair(own)
    if not pair:
        print("skip clickhouse-server is not installed")
        return
    place = f"clickhouse://127.0.0.1:{pair[0].port}/live"
    subprocess.run([cpa, "store", "init", place], check=True, capture_output=True)
    collector = Collector(pair[0])
    start, pushed = int(time.time()) - 20 * n_profiles // INSTANCES, 0
    kills = sorted(draw.sample(range(n_profiles), n_kills))
    for i in range(n_profiles):
        if i % (n_profiles // MARKS) == 0:
            mark(collector.store, f"v{i}", start + 20 * (i // INSTANCES))
        if i in kills:
            kill_one(pair[0], collector)
        kind = "heap" if i // INSTANCES % 3 == 0 else "cpu"
        for _ in range(100):
            if collector.push(kind, i % INSTANCES, start + 20 * (i // INSTANCES)):
                pushed += 1
                break
            time.sleep(0.1)
    check(pushed == n_profiles, "all pushes were accepted, after repetition")

    def arrived():
        try:
            return int(servers.ask(pair[0].port, "SELECT uniqExact(series, ts) FROM profiles", "live"))
        except OSError:
            return -1

    check(wait_for(lambda: arrived() == n_profiles), f"all {n_profiles} profiles arrive ({arrived()})")
    times = [subprocess.run([cpa, "store", "ls", "--marks", f"--store={where}"], capture_output=True, text=True, check=False).stdout
             for where in (collector.store, place)]
    check(times[0] == times[1] and times[0].count("deploy") >= MARKS, f"each mark arrives once ({times[0].count('deploy')})")
    for name, source, options in (("cpu", "shop/cpu@all", ["top", "-nodecount=100"]), ("heap", "shop/heap@all", ["top"]),
                                  ("counters", "shop/heap@all", ["top", "-sample_index=alloc_space"]),
                                  ("an instance", "shop/cpu{instance=i1}@all", ["top"]), ("series", "shop/cpu@all", ["series"])):
        here, there = lines(collector.store, source, *options), lines(place, source, *options)
        check(here and here == there, f"the answers are equal: {name}")
        for one, other in zip(here, there) if here != there else []:
            if one != other:
                print("#", one, "|", other)
    collector.process.send_signal(signal.SIGTERM)
    check(collector.process.wait(timeout=120) == 0, "the collector ends with status 0")
    for server in pair:
        server.kill()


main()
