#!/usr/bin/python3
# replicas.py - two replicas of a store in ClickHouse have the answers of a local store, also while one of them is down
# SPDX-License-Identifier: Apache-2.0
"""usage: replicas.py CPA FOLDER STORE START END QUESTIONS

Copies STORE, whose profiles start in [START, END), to one of two servers with ReplicatedReplacingMergeTree and ZooKeeper, asks both, kills
one, writes to the other, and waits until the first one has everything again. Prints a line "ok WHAT" or "not ok WHAT" for each check.
"""
import os
import subprocess
import sys
import time

import servers

cpa, folder, store, start, end, questions = sys.argv[1:7]
here = os.path.dirname(os.path.abspath(__file__))
JARS = "/usr/share/java"
SHARD = "<shard><internal_replication>true</internal_replication>{}</shard>"
REPLICA = "<replica><host>127.0.0.1</host><port>{}</port></replica>"
MORE = """<zookeeper><node><host>127.0.0.1</host><port>{keeper}</port></node></zookeeper>
<macros><shard>1</shard><replica>{name}</replica></macros><interserver_http_port>{port}</interserver_http_port>
<interserver_http_host>127.0.0.1</interserver_http_host></yandex>"""


def run(*words):
    done = subprocess.run([cpa, *words], capture_output=True, text=True, check=False, env=dict(os.environ, TZ="UTC"))
    return done.returncode, done.stdout + done.stderr


def report(is_ok, what):
    print("ok" if is_ok else "not ok", what, flush=True)


def start_keeper(port):
    with open(f"{folder}/zoo.cfg", "w", encoding="utf-8") as f:
        f.write(f"tickTime=2000\ndataDir={folder}/zookeeper\nclientPort={port}\nclientPortAddress=127.0.0.1\nadmin.enableServer=false\n")
    with open(f"{folder}/zookeeper.log", "wb") as log:
        return subprocess.Popen(["java", "-Xmx256m", "-cp", f"{JARS}/*", "org.apache.zookeeper.server.quorum.QuorumPeerMain",
                                 f"{folder}/zoo.cfg"], cwd=folder, stdout=log, stderr=log)


def start_replicas(keeper, program):
    ports, pair = servers.free_ports(6), []
    for i in range(2):
        own = f"{folder}/replica{i}"
        os.makedirs(own)
        shards = SHARD.format("".join(map(REPLICA.format, ports[2:4])))
        text = servers.CONFIG.format(folder=own, port=ports[i], native=ports[2 + i], shards=shards)
        more = MORE.format(keeper=keeper, name=f"r{i}", port=ports[4 + i])
        for name, content in (("config.xml", text.replace("</yandex>", more)), ("users.xml", servers.USERS)):
            with open(f"{own}/{name}", "w", encoding="utf-8") as f:
                f.write(content)
        pair.append(servers.Server([program, "--config-file=config.xml"], own, ports[i]))
    return pair


def count(server):
    return int(servers.ask(server.port, "SELECT uniqExact(series, ts) FROM replicas.profiles_local"))


def wait_for(condition, limit=180):
    until = time.monotonic() + limit
    while not condition() and time.monotonic() < until:
        time.sleep(0.5)
    return condition()


def ask(places, seed):
    done = subprocess.run([sys.executable, f"{here}/questions.py", cpa, questions, str(seed), start, end, store, *places],
                          capture_output=True, text=True, check=False, env=dict(os.environ, TZ="UTC"))
    report(done.returncode == 0, f"{len(places)} replicas: " + (done.stdout.splitlines()[-1] if done.stdout else done.stderr))


def check(pair, places):
    for place in places:
        report(wait_for(lambda: run("store", "init", place, "--cluster=pair", "--replicated")[0] == 0), "the tables of a replica are made")
    status, text = run("store", "copy", f"--store={store}", "*", places[0])
    report(status == 0 and "are equal" in text, f"a replica: {text.splitlines()[0]}")
    report(wait_for(lambda: count(pair[0]) == count(pair[1]) > 0), f"both replicas have {count(pair[1])} profiles")
    ask(places, 1)
    pair[0].kill()
    ask(places[1:], 2)
    report(run("store", "mark", f"--store={places[1]}", "shop", "note", "written to one")[0] == 0, "a mark is written while a replica is down")
    pair[0].start()
    marks = "SELECT count() FROM replicas.marks_local"
    report(wait_for(lambda: servers.ask(pair[0].port, marks) == servers.ask(pair[1].port, marks)), "the replica gets it when it is up")


def main():
    program = servers.find_program()
    if not program or not os.path.exists(f"{JARS}/zookeeper.jar"):
        print("ok # SKIP no replicas: clickhouse-server or zookeeper is not installed")
        return
    keeper_port = servers.free_ports(1)[0]
    keeper, pair = start_keeper(keeper_port), []
    try:
        pair = start_replicas(keeper_port, program)
        check(pair, [f"clickhouse://127.0.0.1:{server.port}/replicas" for server in pair])
    finally:
        for server in pair:
            server.kill()
        keeper.kill()
        keeper.wait()


if __name__ == "__main__":
    main()
