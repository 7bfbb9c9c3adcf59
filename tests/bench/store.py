"""Measure the store: bytes per profile, and times of sums over hours, days and weeks.

SPDX-License-Identifier: Apache-2.0

usage: store.py BIN DATA PARTS LIGHT BUSY HEAP
BIN has store_blocks and store_days, DATA is a folder for stores, the last three are folders of profiles.
"""

import glob
import os
import re
import shutil
import subprocess
import sys


def run(*command):
    print("bench:", " ".join(command)[:200], file=sys.stderr)
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def profiles(folder):
    return sorted(glob.glob(os.path.join(folder, "*.pb.gz")))


def sizes(bin_folder, folders):
    print("\n### Bytes per profile\n")
    print("| profiles | number | rows each | zstd | samples | dictionary |\n|---|--:|--:|--:|--:|--:|")
    pattern = r"(\d+) profiles of (\d+) rows, level (\d+): samples ([\d.]+) bytes, dictionary ([\d.]+)"
    for name, folder in folders.items():
        files = profiles(folder)
        steps = [n for n in (10, 100, 1000, 10000) if n < len(files)] + [len(files)]
        for n, level in [(n, "3") for n in steps] + [(len(files), "9")]:
            out = run(f"{bin_folder}/store_blocks", "-l", level, "-n", str(n), *files)
            print("|", " | ".join([name, *re.search(pattern, out).groups()]), "|")


def sums(bin_folder, folders):
    print("\n### Sums of 10,000 profiles, one thread, CPU time, without the dictionary\n")
    for name in ("light", "busy"):
        out = run(f"{bin_folder}/store_blocks", "-n", "10000", *profiles(folders[name]))
        rows = re.search(r"profiles of (\d+) rows", out).group(1)
        print(f"- {name}, {rows} rows:", re.search(r"sum of column 1: (.*)", out).group(1))


def drop_cached(folder):
    for parent, _, names in os.walk(folder):
        for name in names:
            with open(os.path.join(parent, name), "rb") as f:
                os.fsync(f.fileno())
                os.posix_fadvise(f.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def fill(bin_folder, data, files, shape, windows):
    instances, days, minutes = shape
    store = os.path.join(data, "store")
    shutil.rmtree(store, ignore_errors=True)
    print(f"\n### {instances} instances, {days} days, every {minutes} minutes\n")
    for line in run(f"{bin_folder}/store_days", "fill", store, *shape, *files).splitlines():
        print("-", line)
    for window in windows:
        drop_cached(store)
        for line in run(f"{bin_folder}/store_days", "read", store, "9", window).splitlines():
            print(f"- sum of {window} days:", line)
    shutil.rmtree(store)


def main(bin_folder, data, parts, light, busy, heap):
    folders = {"light": light, "busy": busy, "heap": heap}
    if "sizes" in parts:
        sizes(bin_folder, folders)
    if "sums" in parts:
        sums(bin_folder, folders)
    if "days" in parts:
        fill(bin_folder, data, profiles(light), ("50", "1", "10"), ["1"])
    if "weeks" in parts:
        fill(bin_folder, data, profiles(light), ("10", "14", "10"), ["1", "7", "14"])


main(*sys.argv[1:])
