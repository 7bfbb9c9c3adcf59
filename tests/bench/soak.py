# soak.py - send requests of all kinds for an hour, to a program with its own server and to one under cpa run
# SPDX-License-Identifier: Apache-2.0
# usage: soak.py BUILD_DIR SECONDS     called by script/soak
#
# Each server has four clients that request everything; one of them disconnects early. Memory, mappings, open files and
# threads of each process are recorded once a minute. No number may grow by more than its limit between the second and
# the last quarter: that would be a leak.

import os
import random
import re
import socket
import subprocess
import sys
import threading
import time

BUILD, SECONDS = sys.argv[1], int(sys.argv[2])
LIBRARY = os.path.join(BUILD, "src/libcpaprof/libcpaprof.so")
PATHS = ["/debug/pprof/", "/debug/pprof/cmdline", "/debug/pprof/heap", "/debug/pprof/heap?debug=1",
         "/debug/pprof/heap?seconds=1", "/debug/pprof/allocs?seconds=1&delta=alloc", "/debug/pprof/block",
         "/debug/pprof/mutex?debug=1", "/debug/pprof/mutex?seconds=1", "/debug/pprof/threads", "/debug/pprof/goroutine",
         "/debug/pprof/threads?debug=2", "/debug/pprof/threads?debug=1", "/debug/pprof/threadcreate",
         "/debug/pprof/profile?seconds=1", "/debug/pprof/profile?seconds=1&hz=500", "/debug/pprof/trace?seconds=0.5",
         "/debug/pprof/symbol?0x1234", "/debug/pprof/delta_heap", "/debug/pprof/nothing", "/pprof/heap", "/pprof/profile?seconds=1"]
# allowed growth: rss in bytes, the others as counts
LIMITS = {"rss": 2 << 20, "maps": 32, "files": 10, "threads": 8}


class Server:
    def __init__(self, name, argv, env, pids):
        self.name, self.counts, self.failed, self.seen, self.over = name, {}, [], [], False
        self.lock = threading.Lock()
        full = dict(os.environ)
        full.update(env)
        self.process = subprocess.Popen(argv, env=full, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        line = self.process.stderr.readline()
        found = re.search(r"http://([\d.]+):(\d+)/", line)
        if not found:
            sys.exit("soak: %s: %s" % (name, line))
        self.at = (found.group(1), int(found.group(2)))
        self.pids = pids(self.process.pid)

    def ask(self, path, hang_up):
        """Send a request. Returns the status; 0 if hang_up closes the connection early."""
        with socket.create_connection(self.at, timeout=30) as s:
            s.sendall(("GET %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n" % path).encode())
            if hang_up:
                time.sleep(random.random())
                return 0
            data = b""
            while True:
                more = s.recv(65536)
                if not more:
                    break
                data += more
        head, _, body = data.partition(b"\r\n\r\n")
        status = int(head.split()[1])
        length = re.search(rb"Content-Length: (\d+)", head)
        if length and int(length.group(1)) != len(body):
            raise OSError("%d bytes of %s" % (len(body), length.group(1).decode()))
        return status

    def client(self, number):
        while not self.over:
            path = random.choice(PATHS)
            try:
                status = self.ask(path, number == 3)
            except (OSError, IndexError, ValueError) as e:
                if not self.over:
                    with self.lock:
                        self.failed.append("%s: %s" % (path, e))
                time.sleep(0.2)
                continue
            with self.lock:
                self.counts[status] = self.counts.get(status, 0) + 1
            time.sleep(0.3)

    def record(self):
        """Record the current numbers of each process."""
        if self.process.poll() is not None:
            sys.exit("soak: %s: ended with %d after %s answers: %s" % (self.name, self.process.returncode, self.counts,
                                                                       self.process.stderr.read()))
        for role, pid in self.pids.items():
            with open("/proc/%d/status" % pid, encoding="utf-8") as f:
                status = f.read()
            with open("/proc/%d/maps" % pid, encoding="utf-8") as f:
                maps = len(f.readlines())
            self.seen.append((role, {"rss": int(re.search(r"VmRSS:\s+(\d+)", status).group(1)) * 1024, "maps": maps,
                                     "files": len(os.listdir("/proc/%d/fd" % pid)),
                                     "threads": int(re.search(r"Threads:\s+(\d+)", status).group(1))}))

    def verdict(self):
        """A row for each process and number: the maximum of the second and of the last quarter."""
        rows = []
        for role in self.pids:
            seen = [numbers for r, numbers in self.seen if r == role]
            quarter = max(1, len(seen) // 4)
            for key, limit in LIMITS.items():
                # the second quarter, since all tables are in memory by then
                before = max(n[key] for n in seen[quarter:2 * quarter] or seen[:1])
                after = max(n[key] for n in seen[-quarter:])
                rows.append((role, key, before, after, after - before <= limit))
        return rows


def only_child(pid):
    for _ in range(100):
        with open("/proc/%d/task/%d/children" % (pid, pid), encoding="utf-8") as f:
            found = f.read().split()
        if found:
            return int(found[0])
        time.sleep(0.1)
    sys.exit("soak: the program did not start")


def main():
    load = [os.path.join(BUILD, "tests/bench/soak_load"), str(SECONDS + 60)]
    rates = {"CPA_BLOCK_RATE": "1000", "CPA_MUTEX_FRACTION": "1"}
    servers = [
        Server("itself", load, dict(rates, LD_PRELOAD=LIBRARY, CPA_LISTEN="127.0.0.1:0"), lambda pid: {"program": pid}),
        Server("cpa run", [os.path.join(BUILD, "src/cpa"), "run", "--enable-profiling", "--block-rate=1us",
                           "--mutex-fraction=1", "--", *load], {}, lambda pid: {"cpa": pid, "program": only_child(pid)})]
    threads = [threading.Thread(target=s.client, args=(i,), daemon=True) for s in servers for i in range(4)]
    for t in threads:
        t.start()
    end, every = time.monotonic() + SECONDS, max(2, SECONDS / 60)
    while time.monotonic() < end:
        time.sleep(every)
        for s in servers:
            s.record()
    bad = False
    print("| served by | process | number | second quarter | last quarter | |\n|---|---|---|---|---|---|")
    for s in servers:
        s.over = True
        for role, key, before, after, fine in s.verdict():
            bad |= not fine
            print("| %s | %s | %s | %d | %d | %s |" % (s.name, role, key, before, after, "" if fine else "grows"))
    for s in servers:
        for t in threads:
            t.join(40)
        s.process.send_signal(15)
        s.process.wait(60)
        total = ", ".join("%d of %d" % (n, status) for status, n in sorted(s.counts.items()))
        print("\n%s: answers by status: %s; %d failed %s" % (s.name, total, len(s.failed), s.failed[:5]))
        bad |= bool(s.failed) or 200 not in s.counts
    return 1 if bad else 0


sys.exit(main())
