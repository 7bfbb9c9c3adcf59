"""Measure reports of two stores of 10,000 profiles: one with 2.1 million distinct stacks, one with two.

SPDX-License-Identifier: Apache-2.0

usage: store_distinct.py BUILD DATA [BINARY...]
DATA is a folder for the stores, which are made once. Each BINARY (BUILD/src/cpa) takes turns; prints medians as Markdown.
"""

import glob
import os
import statistics
import subprocess
import sys
import time

TAKES, ROUNDS, START = 3333, 5, 1795356000
TOOLS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cli", "stored_profiles.py")


def measure(*command):
    """Seconds, CPU seconds and peak MB of a command."""
    begin = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    message = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        sys.exit(f"{command}: {message.decode()}")
    return time.monotonic() - begin, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def fill(cpa, gen, data):
    distinct, few = os.path.join(data, "distinct"), os.path.join(data, "few")
    if os.path.exists(os.path.join(few, "done")):
        return
    files = os.path.join(data, "takes")
    os.makedirs(files, exist_ok=True)
    for take in range(TAKES):
        subprocess.run([gen, "ordinary", f"{files}/{take:05}.pb.gz", str(take)], check=True, stdout=subprocess.DEVNULL)
    for instance in "abc":
        measure(cpa, "store", "import", f"--store={distinct}", "--service=shop", f"--label=instance={instance}", files)
    folder = os.path.join(data, "two")
    subprocess.run([sys.executable, TOOLS, folder, "cpu", str(START), "60", "10000"], check=True)
    measure(cpa, "store", "import", f"--store={few}", "--service=shop", folder)
    for name in glob.glob(f"{files}/*.pb.gz") + glob.glob(f"{folder}/*.pb.gz"):
        os.unlink(name)
    open(os.path.join(few, "done"), "w", encoding="utf-8").close()


def main(build, data, *binaries):
    binaries = binaries or (os.path.join(build, "src/cpa"),)
    fill(binaries[0], os.path.join(build, "tests/bench/gen"), data)
    a, b = ("store:shop{instance=%s}@all" % i for i in "ab")
    print("\n### Windows of 10,000 profiles\n\n| stacks | command | binary | ms | CPU ms | MB |\n|---|---|---|--:|--:|--:|")
    top = ["top", "store:shop@all"]
    for store, commands in (("distinct", [top, ["peek", "main", "store:shop@all"], ["diff", a, b]]), ("few", [top])):
        for command in commands:
            runs = {binary: [] for binary in binaries}
            for _ in range(ROUNDS):
                for binary in binaries:
                    runs[binary].append(measure(binary, command[0], f"--store={os.path.join(data, store)}", *command[1:]))
            for binary, values in runs.items():
                wall, cpu, peak = (statistics.median(v) for v in zip(*values))
                print(f"| {store} | {command[0]} | {binary} | {wall * 1000:.0f} | {cpu * 1000:.0f} | {peak:.0f} |", flush=True)


main(*sys.argv[1:])
