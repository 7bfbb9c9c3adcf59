#!/usr/bin/env python3
# store_kills.py - kills processes that write a store at random moments; nothing acknowledged may be lost
#
# SPDX-License-Identifier: Apache-2.0
#
# usage: store_kills.py CPA DIRECTORY KILLS [SEED]
# Creates, fills and repairs stores with CPA below DIRECTORY, and kills it with SIGKILL, KILLS times in all: imports that
# create a store, imports of profiles that are there already, imports beside another writer, a collector that receives new and
# repeated pushes, and repair. After each kill the store must be sound for verify, take profiles, and have each acknowledged profile
# once. Prints a line of counts; at the first fault prints what was seen, and exits 1.
import calendar
import glob
import http.client
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time

from collect_client import Unix
from make_profile import PERIOD, encode

START = 1795780800


def profile(start_ns, n):
    """A CPU profile of one sample, whose value is its number."""
    return encode([(["work%d" % (n % 7), "main"], [n, n * PERIOD], {})], time_ns=start_ns, duration_ns=10**9)


class Fault(Exception):
    pass


class Trial:
    """A store, with the numbers of the profiles that were acknowledged, by service."""

    def __init__(self, cpa, folder, rng):
        self.cpa, self.rng, self.folder = cpa, rng, folder
        self.store = os.path.join(folder, "store")
        self.files = os.path.join(folder, "files")
        self.acknowledged = {}
        self.possible = {}
        self.next = 1
        self.n_pushed = 0
        os.makedirs(self.files)

    def run(self, *args):
        done = subprocess.run([self.cpa, *args], capture_output=True, text=True, timeout=120)
        return done.returncode, done.stdout, done.stderr

    def file(self):
        number, self.next = self.next, self.next + 1
        path = os.path.join(self.files, f"{number}.pb")
        with open(path, "wb") as file:
            file.write(profile((START + number) * 10**9, number))
        return number, path

    def note(self, service, numbers, is_acknowledged):
        self.possible.setdefault(service, set()).update(numbers)
        if is_acknowledged:
            self.acknowledged.setdefault(service, set()).update(numbers)

    def kill(self, process, seconds):
        """Kill a process after some time. Returns whether it had ended well before."""
        try:
            process.wait(seconds)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
        return process.wait() == 0

    def start_import(self, service, paths):
        return subprocess.Popen([self.cpa, "store", "import", f"--store={self.store}", f"--service={service}", *paths],
                                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def import_files(self, service, new, repeated=()):
        files = [self.file() for _ in range(new)]
        paths = [path for _, path in files] + [os.path.join(self.files, f"{n}.pb") for n in repeated]
        self.rng.shuffle(paths)
        process = self.start_import(service, paths)
        done = self.kill(process, self.rng.random() * 0.06)
        self.note(service, [number for number, _ in files] + list(repeated), done)

    def check(self):
        code, out, err = self.run("store", "verify", f"--store={self.store}")
        # before a store is complete, and while its index is replaced, there is none; the next writer makes it
        if code != 0 and "no store" not in err and "is not a store" not in err and "index.db: No such file" not in err:
            raise Fault(f"verify after the kill: {code} {out}{err}")
        number, path = self.file()
        code, out, err = self.run("store", "import", f"--store={self.store}", "--service=after", path)
        if code != 0:
            raise Fault(f"the next import: {code} {out}{err}")
        self.note("after", [number], True)
        code, out, err = self.run("store", "verify", "--deep", f"--store={self.store}")
        if code != 0:
            raise Fault(f"verify: {code} {out}{err}")
        code, out, err = self.run("store", "ls", "--profiles", "--json", f"--store={self.store}", "*@all")
        if code != 0:
            raise Fault(f"ls: {code} {err}")
        seen = {}
        for row in json.loads(out):
            at = time.strptime(row["start"][:19], "%Y-%m-%dT%H:%M:%S")
            seen.setdefault(row["service"], []).append(calendar.timegm(at) - START)
        for service in set(seen) | set(self.acknowledged):
            has = seen.get(service, [])
            lost = self.acknowledged.get(service, set()) - set(has)
            if lost or len(has) != len(set(has)) or set(has) - self.possible.get(service, set()):
                raise Fault(f"{service}: lost {sorted(lost)[:9]}, {len(has)} profiles, {len(set(has))} different")

    def create(self):
        shutil.rmtree(self.store, ignore_errors=True)
        self.acknowledged, self.possible = {}, {}
        self.import_files("shop", 1)

    def repeat(self):
        known = sorted(self.acknowledged.get("shop", set()))
        self.import_files("shop" if self.rng.random() < 0.7 else f"new{self.next}", self.rng.randint(0, 9),
                          [] if not known else self.rng.sample(known, min(len(known), 5)))

    def two_writers(self):
        files = [self.file() for _ in range(5)]
        others = [self.start_import("shop", [path for _, path in files]) for _ in range(2)]
        done = [self.kill(process, self.rng.random() * 0.05) for process in others]
        self.note("shop", [number for number, _ in files], any(done))

    def collector_socket(self, process):
        for _ in range(600):
            with open(os.path.join(self.store, "lock")) as file:
                lines = dict(line.rstrip("\n").split(" ", 1) for line in file)
            if lines.get("pid") == str(process.pid) and os.path.exists(lines.get("socket", "")):
                return lines["socket"]
            if process.poll() is not None:
                raise Fault("the collector ended")
            time.sleep(0.02)
        raise Fault("the collector has no socket")

    def push(self, process, service, number, start_ns):
        try:
            client = Unix(self.collector_socket(process))
            client.request("POST", f"/v1/profiles?service={service}", profile(start_ns, number))
            return client.getresponse().status in (200, 204)
        except (OSError, http.client.HTTPException, Fault):
            return False

    def collect(self):
        if not os.path.exists(os.path.join(self.store, "lock")):
            self.import_files("shop", 1)
            self.check()
        process = subprocess.Popen([self.cpa, "collect", f"--store={self.store}", "--listen=127.0.0.1:0"],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            self.collector_socket(process)
            end = time.monotonic() + self.rng.random() * 1.2
            pushed = []
            while time.monotonic() < end:
                again = pushed and self.rng.random() < 0.4
                number = self.rng.choice(pushed) if again else self.next
                service = f"p{number % 5}"
                start_ns = (self.base + number) * 10**9
                if not again:
                    self.next += 1
                    pushed.append(number)
                self.possible.setdefault(service, set()).add(self.base + number - START)
                if self.push(process, service, number, start_ns):
                    self.acknowledged.setdefault(service, set()).add(self.base + number - START)
                    self.n_pushed += 1
        finally:
            process.kill()
            process.wait()

    def repair(self):
        process = subprocess.Popen([self.cpa, "store", "repair", f"--store={self.store}"],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        if self.rng.random() < 0.3:
            for name in glob.glob(os.path.join(self.store, "index.db*")):
                os.unlink(name)
        self.kill(process, self.rng.random() * 0.05)


def main():
    cpa, folder, kills = os.path.abspath(sys.argv[1]), sys.argv[2], int(sys.argv[3])
    seed = int(sys.argv[4]) if len(sys.argv) > 4 else random.randrange(1 << 30)
    os.environ["XDG_RUNTIME_DIR"] = folder
    trial = Trial(cpa, folder, random.Random(seed))
    trial.base = int(time.time()) - 3000  # pushes must be of the last hour
    counts = {}
    for i in range(kills):
        if i % 200 == 0:
            trial.create()
            action = "create"
        else:
            action = trial.rng.choices(["create", "repeat", "two_writers", "collect", "repair"], [3, 6, 3, 1, 4])[0]
            getattr(trial, action)()
        counts[action] = counts.get(action, 0) + 1
        try:
            trial.check()
        except Fault as fault:
            print(f"{action}, kill {i}, seed {seed}: {fault}")
            return 1
    print(f"{kills} kills, seed {seed}: {', '.join(f'{n} in {action}' for action, n in sorted(counts.items()))};",
          f"{trial.n_pushed} pushes acknowledged")
    return 0


if __name__ == "__main__":
    sys.exit(main())
