"""flame_tools.py - compare our stacks, as shown by other tools, with cpa top

SPDX-License-Identifier: Apache-2.0

usage: flame_tools.py inferno TOP.json STACKS SVG       flame_tools.py speedscope TOP.json PAGE
       flame_tools.py wrap PROFILE.json                 (prints the script that speedscope's own command writes)
"""
import base64
import html
import json
import re
import sys

UNITS = {"ns": 1, "µs": 1e3, "ms": 1e6, "s": 1e9, "B": 1, "KB": 1024, "MB": 1024**2, "GB": 1024**3, "": 1}


def top(path):
    report = json.load(open(path, encoding="utf-8"))
    return report["total"], {row["name"]: (row["cum"], row["flat"]) for row in report["rows"]}


def inferno(top_path, stacks_path, svg_path):
    """Check that the frames of a name add up to its cum, unless it calls itself, and the picture to the total."""
    total, want = top(top_path)
    recursive = set()
    for line in open(stacks_path, encoding="utf-8"):
        frames = line.rsplit(" ", 1)[0].split(";")
        recursive.update(f for f in frames if frames.count(f) > 1)
    shown = {}
    for title in re.findall("<title>(.*?)</title>", open(svg_path, encoding="utf-8").read()):
        found = re.fullmatch(r"(.*) \(([0-9,]+) samples, [0-9.]+%\)", html.unescape(title))
        assert found, title
        shown[found[1]] = shown.get(found[1], 0) + int(found[2].replace(",", ""))
    assert shown.pop("all") == total, "the total"
    assert set(shown) == set(want), set(shown) ^ set(want)
    wrong = [name for name in shown if name not in recursive and shown[name] != want[name][0]]
    assert not wrong, wrong[:3]
    return len(shown)


def is_near(text, value):
    number, unit = re.match(r"([0-9.]+) ?([^ ]*) \(", text).groups()
    digits = len(number.partition(".")[2])
    return abs(float(number) * UNITS[unit] - value) <= 0.5001 * 10**-digits * UNITS[unit]


def speedscope(top_path, page_path):
    """Check that the visible rows of the sandwich view have the cum and flat of top."""
    _, want = top(top_path)
    page = open(page_path, encoding="utf-8").read()
    texts = [html.unescape(t) for t in re.findall(">([^<>]+)<", page)]
    value = re.compile(r"[0-9.]+ ?(ns|µs|ms|s|B|KB|MB|GB)? \([<0-9.]+%\)")
    rows = 0
    for cum, flat, name in zip(texts, texts[1:], texts[2:]):
        if value.fullmatch(cum) and value.fullmatch(flat):
            assert name in want, name
            assert is_near(cum, want[name][0]) and is_near(flat, want[name][1]), (name, cum, flat, want[name])
            rows += 1
    assert rows >= min(8, len(want)), (rows, texts[:40])
    return rows


def wrap(path):
    data = base64.b64encode(open(path, "rb").read()).decode()
    return 'speedscope.loadFileFromBase64("x.json", "%s")' % data


print({"inferno": inferno, "speedscope": speedscope, "wrap": wrap}[sys.argv[1]](*sys.argv[2:]))
