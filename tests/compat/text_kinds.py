# text_kinds.py - kinds of lines in the texts of a server
#
# SPDX-License-Identifier: Apache-2.0
"""usage: text_kinds.py PORT VERSION > texts.txt

Each path is followed by the kinds of lines of its text, each once: H is a number in hexadecimal, N another one. The
index is followed by where its links lead.
"""
import re
import sys
import time
import urllib.error
import urllib.request

PATHS = ["heap?debug=1", "allocs?debug=1", "goroutine?debug=1", "block?debug=1", "mutex?debug=1",
         "threadcreate?debug=1", "my.custom?debug=1", "goroutine?debug=2"]


def fetch(port, path):
    while True:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/debug/pprof/{path}", timeout=60) as r:
                return r.read().decode()
        except urllib.error.HTTPError as e:
            if e.code != 429:
                raise
            time.sleep(0.1)


def kind(line):
    line = re.sub(r"\t+", "\t", line)
    line = re.sub(r"^# [A-Za-z][\w ]* = .*", "# NAME = VALUE", line)
    line = re.sub(r"^(#\t0x[0-9a-f]+)\t.*\+(0x[0-9a-f]+)\t.+:(\d+)$", r"\1\tNAME+\2\tFILE:\3", line)
    line = re.sub(r"^[\w.-]+ profile: total ", "NAME profile: total ", line)
    line = re.sub(r"^\t\S.*:(\d+)( \+0x[0-9a-f]+|)$", r"\tFILE:\1\2", line)
    line = re.sub(r"^created by .*", "created by NAME", line)
    line = re.sub(r"^(goroutine \d+) \[[^\]]+\]:$", r"\1 [WAITS]:", line)
    line = re.sub(r"^[^\s#].*\(.*\)$", "NAME(...)", line)
    line = re.sub(r"^0x[0-9a-f]+-0x[0-9a-f]+ .* \(@[0-9a-f]+\).*", "MAPPING", line)
    line = re.sub(r"0x[0-9a-f]+", "H", line)
    line = re.sub(r"( H)+$", " H...", line)
    return re.sub(r"\b\d+\b", "N", line)


def main():
    print(f"# kinds of lines in texts of {sys.argv[2]}; made by text_kinds.py, see answers.t")
    for path in PATHS:
        print("\n> " + path)
        for line in sorted({kind(line) for line in fetch(sys.argv[1], path).split("\n")} - {""}):
            print(line)
    print("\n> index")
    for link in sorted(set(re.findall(r"href=['\"]([^'\"]*)", fetch(sys.argv[1], "")))):
        print(link)


if __name__ == "__main__":
    main()
