#!/usr/bin/python3
# soak.py - a collector sends to ClickHouse for minutes: lag, memory, parts, CPU time, and what arrived
# SPDX-License-Identifier: Apache-2.0
"""usage: soak.py CPA SECONDS RATE

Pushes RATE profiles a second, of 5,000 instances of 20 services, to a collector with a sink in ClickHouse. The server is down for a tenth
of the time, from the middle on. Prints a line every 10 s, and at the end whether each profile arrived once. Exits 1 if not.
"""
import http.client
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse

import servers

cpa, folder, seconds, rate = sys.argv[1], tempfile.mkdtemp(), int(sys.argv[2]), int(sys.argv[3])
TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
INSTANCES, CLIENTS = 5000, 200  # a push waits up to 200 ms until it is stored
with open(os.path.join(TOP, "testdata/go-cpu.pb.gz"), "rb") as profile:
    BODY = profile.read()


def cpu_seconds(pid):
    with open(f"/proc/{pid}/stat", encoding="ascii") as f:
        fields = f.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def rss_mb(pid):
    with open(f"/proc/{pid}/statm", encoding="ascii") as f:
        return int(f.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") >> 20


class Pushes:
    """Profile i is pushed at start + i / rate, or as soon as possible after it."""

    def __init__(self, port):
        self.port, self.start, self.next, self.done, self.refused, self.late = port, time.time(), 0, 0, 0, 0.0
        self.lock = threading.Lock()
        self.threads = [threading.Thread(target=self.run) for _ in range(CLIENTS)]
        for thread in self.threads:
            thread.start()

    def run(self):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        while True:
            with self.lock:
                i, self.next = self.next, self.next + 1
            due = self.start + i / rate
            if i >= seconds * rate:
                return
            time.sleep(max(0.0, due - time.time()))
            instance = i % INSTANCES
            query = urllib.parse.urlencode({"service": f"s{instance % 20}", "instance": f"i{instance}", "kind": "cpu",
                                            "from": f"{int(due * 1e9) - 10**10}", "until": f"{int(due * 1e9)}"})
            status = 0
            while status != 204:
                connection.request("POST", f"/v1/profiles?{query}", BODY)
                response = connection.getresponse()
                text, status = response.read(), response.status
                if status != 204:
                    with self.lock:
                        self.refused += 1
                    print("#", status, text[:200], flush=True)
                    time.sleep(0.5)
            with self.lock:
                self.done += 1
                self.late = max(self.late, time.time() - due)


def sink_status(port):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    connection.request("GET", "/status.json")
    return json.loads(connection.getresponse().read())["sinks"][0]


def count(server):
    try:
        rows = servers.ask(server.port, "SELECT count(), uniqExact(series, ts) FROM profiles", "soak").split()
        parts = servers.ask(server.port, "SELECT max(n) FROM (SELECT table, partition, count() AS n FROM system.parts "
                                         "WHERE active AND database = 'soak' GROUP BY table, partition)", "system").split()
        return int(rows[0]), int(rows[1]), int(parts[0]) if parts else 0
    except OSError:
        return -1, -1, -1


def start_collector(server):
    port, file = servers.free_ports(1)[0], os.path.join(folder, "collect.cpa")
    with open(file, "w", encoding="utf-8") as f:
        f.write(f"store {folder}/store\ncap 4GiB\nlisten 127.0.0.1:{port}\npush-rate 0\npush-running 1000\npush-age 2d\n"
                f"sink cluster clickhouse://127.0.0.1:{server.port}/soak\n")
    with open(os.path.join(folder, "collector.log"), "wb") as log:
        process = subprocess.Popen([cpa, "collect", file], stdout=log, stderr=log)
    for _ in range(600):
        try:
            sink_status(port)
            return process, port
        except OSError:
            time.sleep(0.1)
    raise OSError("the collector does not answer")


def watch(server, collector, port, pushes):
    """Print lines until all is sent; stop the server for a tenth of the time."""
    down, up, cpu, killed_cpu, is_down, limit = 0.5 * seconds, 0.6 * seconds, 0.0, 0.0, False, 4 * seconds + 120
    while True:
        now = time.time() - pushes.start
        if not is_down and down and now > down:
            killed_cpu = cpu_seconds(server.process.pid)
            server.kill(signal.SIGTERM)
            is_down, down = True, 0
        if is_down and now > up:
            server.start()
            is_down = False
        sink, (rows, distinct, parts) = sink_status(port), count(server) if not is_down else (-1, -1, -1)
        if not is_down:
            cpu = killed_cpu + cpu_seconds(server.process.pid)
        print(f"{now:4.0f} s  pushed {pushes.done}  late {pushes.late:.1f} s  sent {sink['sent']}  lag {sink['lag_seconds']:.1f} s  "
              f"spool {sink['spool_bytes'] >> 20} MB  collector {rss_mb(collector.pid)} MB {cpu_seconds(collector.pid):.1f} s  "
              + (f"server {rss_mb(server.process.pid)} MB {cpu:.1f} s  rows {rows}  parts {parts}" if not is_down else "server down"), flush=True)
        pushes.late = 0.0
        if now > limit or (pushes.done == seconds * rate and distinct >= pushes.done):
            return rows, distinct
        time.sleep(10)


def main():
    pair = servers.start_pair(folder)
    if not pair:
        sys.exit("clickhouse-server is not installed")
    pair.pop().kill()
    subprocess.run([cpa, "store", "init", f"clickhouse://127.0.0.1:{pair[0].port}/soak"], check=True)
    collector, port = start_collector(pair[0])
    try:
        pushes = Pushes(port)
        rows, distinct = watch(pair[0], collector, port, pushes)
    finally:
        collector.terminate()
        collector.wait()
        pair[0].kill()
    print(f"pushed {pushes.done}, refused and repeated {pushes.refused}; {distinct} profiles arrived, {rows} rows")
    return distinct != seconds * rate


if __name__ == "__main__":
    try:
        sys.exit(main())
    finally:
        shutil.rmtree(folder)
