#!/usr/bin/python3
# compare.py - stores in ClickHouse answer as a local store does, also after servers and writers were killed
# SPDX-License-Identifier: Apache-2.0
"""usage: compare.py CPA FOLDER PROFILES QUESTIONS KILLS

Fills a store with PROFILES of each series (history.py), copies it to each engine that is installed, asks QUESTIONS, and copies it series
by series while servers and copies are killed, KILLS times. Prints a line "ok WHAT" or "not ok WHAT" for each check.
"""
import os
import random
import re
import shutil
import subprocess
import sys
import time
import urllib.request

import servers

cpa, folder, profiles, questions, kills = sys.argv[1], sys.argv[2], *map(int, sys.argv[3:6])
here, rng = os.path.dirname(os.path.abspath(__file__)), random.Random(4)
START, EVERY = 1795348800, 1800


def run(*words, check=True):
    done = subprocess.run([cpa, *words], capture_output=True, text=True, check=False)
    if check and done.returncode:
        raise RuntimeError(f"{' '.join(words)}: {done.stdout}{done.stderr}")
    return done.stdout


def report(is_ok, what):
    print("ok" if is_ok else "not ok", what, flush=True)


def fill(store):
    history = os.path.join(folder, "history")
    subprocess.run([sys.executable, f"{here}/history.py", history, "1", str(START), str(EVERY), str(profiles)], check=True)
    for path, folders, _ in sorted(os.walk(history)):
        if not folders:
            service, kind, instance, version = path[len(history) + 1:].split("/")
            run("store", "import", f"--store={store}", f"--service={service}", f"--kind={kind}", f"--label=instance={instance}",
                f"--label=version={version}", path)
    run("store", "mark", f"--store={store}", "shop", "deploy", "1.1", "--time=2026-11-23T14:00Z")
    run("store", "gc", f"--store={store}")  # few segments: of many, only some are searched for the values of a label


def count_rows(server, database):
    """Rows of profiles, and distinct profiles."""
    return tuple(map(int, servers.ask(server.port, f"SELECT count(), uniqExact(series, ts) FROM {database}.profiles").split()))


def copy(store, place, what):
    text = run("store", "copy", f"--store={store}", "*", place)
    report("are equal" in text, f"{what}: {text.splitlines()[0]}, and the totals are equal")
    text = run("store", "copy", f"--store={store}", "*", place)
    report("copied 0 profiles" in text, f"{what}: nothing is copied twice")


def ask(store, places):
    end = START + EVERY * profiles
    done = subprocess.run([sys.executable, f"{here}/questions.py", cpa, str(questions), "1", str(START), str(end), store, *places],
                          capture_output=True, text=True, check=False)
    report(done.returncode == 0, done.stdout.splitlines()[-1] if done.stdout else done.stderr)
    print("".join(f"# {line}\n" for line in done.stdout.splitlines()), end="")


class Collector:
    """A collector that serves a copy of a store."""

    def __init__(self, store):
        self.port = servers.free_ports(1)[0]
        own, file = os.path.join(folder, "served"), os.path.join(folder, "collect.cpa")
        run("store", "copy", f"--store={store}", "*", own)
        with open(file, "w", encoding="utf-8") as f:
            f.write(f"store {own}\nlisten 127.0.0.1:{self.port}\n")
        with open(os.path.join(folder, "collector"), "wb") as log:
            self.process = subprocess.Popen([cpa, "collect", file], stdout=log, stderr=log)
        for _ in range(600):
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/healthz", timeout=10):
                    return
            except OSError:
                time.sleep(0.1)
        raise OSError("the collector does not answer")

    def end(self):
        self.process.terminate()
        self.process.wait()


def run_statements(server):
    """The statements of docs/clickhouse.md."""
    with open(f"{here}/../../../docs/clickhouse.md", encoding="utf-8") as f:
        statements = re.findall(r"```sql\n(.*?)```", f.read(), re.S)
    rows = [len(servers.ask(server.port, text.replace("2026-11-23", "2026-11-22"), "one").splitlines()) for text in statements]
    report(len(rows) >= 5 and min(rows) > 0, f"the statements of docs/clickhouse.md have {rows} rows")


def copy_through_proxy(store, server):
    """Each batch is stored twice, since the response to the first try is lost. Returns the place."""
    place = f"clickhouse://127.0.0.1:{server.port}/lost"
    run("store", "init", place)
    with servers.LosingProxy(server.port) as proxy:
        text = run("store", "copy", f"--store={store}", "*", f"clickhouse://127.0.0.1:{proxy.server_address[1]}/lost")
        proxy.shutdown()
    rows, distinct = count_rows(server, "lost")
    report("are equal" in text and proxy.n_lost > 0, f"{proxy.n_lost} responses were lost: {rows} rows of {distinct} profiles")
    return place


def ask_through_damage(server):
    """Results that are damaged are errors, or other numbers, but they end no process."""
    statuses = {}
    with servers.DamagingProxy(server.port, 5) as proxy:
        place = f"store:clickhouse://127.0.0.1:{proxy.server_address[1]}/one#*"
        for i in range(2 * questions):
            words = ["raw", place + ["", "/heap", "/goroutine"][i % 3] + "@all"] if i % 4 else ["series", place + "@all"]
            done = subprocess.run([cpa, *words], capture_output=True, check=False, timeout=100)
            status = done.returncode if b"runtime error" not in done.stderr and b"Sanitizer" not in done.stderr else "sanitizer"
            statuses[status] = statuses.get(status, 0) + 1
            if status not in (0, 2):
                print("#", " ".join(words), done.stderr[-1500:].decode(errors="replace").replace("\n", "\n# "))
        proxy.shutdown()
    report(set(statuses) <= {0, 2}, f"damaged results: statuses {statuses}")


def copy_with_kills(store, server, place):
    """Copy the series one by one; kill the server or the copy meanwhile."""
    selectors = [f"{service}/{kind}{{instance={instance}}}" for service in ("cart", "shop", "shop-eu")
                 for kind in ("cpu", "heap", "mutex", "goroutine") for instance in ("a:1", "b:1", "c:1")]
    for i in range(kills):
        command = [cpa, "store", "copy", f"--store={store}", selectors[i % len(selectors)] if i % 5 else "*", place]
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
            time.sleep(rng.random() * 0.05)
            if i % 3:
                server.kill()
                server.start()
            else:
                process.kill()
            process.wait()
    copy(store, place, "after kills")


def main():
    store = os.path.join(folder, "store")
    os.environ["TZ"] = "UTC"
    pair, engine = servers.start_pair(folder), servers.start_engine(folder)
    if not pair + engine:
        print("skip no clickhouse-server, and no chdb-core for $CHDB_PYTHON")
        return
    try:
        fill(store)
        places = [f"clickhouse://127.0.0.1:{server.port}/one" for server in pair[:1] + engine]
        for place in places:
            run("store", "init", place)
            copy(store, place, "one server")
        for server in pair:
            run("store", "init", f"clickhouse://127.0.0.1:{server.port}/two", "--cluster=pair")
        if pair:
            places.append(f"clickhouse://127.0.0.1:{pair[1].port}/two")
            copy(store, places[-1], "two shards")
            parts = [int(servers.ask(s.port, "SELECT count() FROM two.profiles_local")) for s in pair]
            report(sum(parts) == count_rows(pair[0], "two")[0] and min(parts) > 0, f"two shards have {parts} profiles")
        back = os.path.join(folder, "back")
        copy_text = run("store", "copy", f"--store={places[0]}", "*", back)
        report("are equal" in copy_text, "back to a directory: the totals are equal")
        collector = Collector(store)
        ask(store, [back, *places, f"http://127.0.0.1:{collector.port}"])
        collector.end()
        for server in pair[:1] + engine:
            run_statements(server)
        ask_through_damage((pair + engine)[0])
        lost = [copy_through_proxy(store, server) for server in pair[:1] + engine]
        ask(store, lost)
        replicas = os.path.join(folder, "replicas")
        os.makedirs(replicas)
        subprocess.run([sys.executable, f"{here}/replicas.py", cpa, replicas, store, str(START), str(START + EVERY * profiles), str(questions)],
                       check=True)
        if pair and kills:
            place = f"clickhouse://127.0.0.1:{pair[0].port}/kills"
            run("store", "init", place)
            copy_with_kills(store, pair[0], place)
            rows, distinct = count_rows(pair[0], "kills")
            report(distinct == count_rows(pair[0], "one")[1], f"after kills: {rows} rows of {distinct} profiles")
            ask(store, [place])
    finally:
        for server in pair + engine:
            server.kill()


if __name__ == "__main__":
    main()
    shutil.rmtree(os.path.join(folder, "history"), ignore_errors=True)
