#!/usr/bin/env python3
# flame_page.py - check the policy and the data of the page of a flame graph
# SPDX-License-Identifier: Apache-2.0
"""usage: flame_page.py PAGE [FOLDED]; prints errors and exits with 1 if there are any"""
import base64
import hashlib
import html.parser
import json
import re
import sys

errors = []


def expect(good, message):
    if not good:
        errors.append(message)


class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.tags, self.texts, self.policy = [], [], ""

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        self.texts.append((tag, dict(attrs), []))
        if dict(attrs).get("http-equiv") == "Content-Security-Policy":
            self.policy = dict(attrs)["content"]

    def handle_endtag(self, tag):
        self.texts.append(("", {}, []))

    def handle_data(self, data):
        if self.texts:
            self.texts[-1][2].append(data)


def hash_source(text):
    return "'sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() + "'"


def check_policy(page):
    rules = dict(r.strip().split(" ", 1) for r in page.policy.split(";"))
    expect(rules.get("default-src") == "'none'", "default-src is not 'none'")
    expect("unsafe" not in page.policy, "the policy contains an unsafe source")
    text = {t: "".join(x) for t, a, x in page.texts if t in ("style", "script") and "type" not in a}
    for tag in "style", "script":
        expect(sum(t == tag and "type" not in a for t, a in page.tags) == 1, f"there is not one {tag}")
        expect(rules.get(tag + "-src") == hash_source(text.get(tag, "")), f"the policy has no hash of the {tag}")
    for tag, attrs in page.tags:
        bad = [k for k in attrs if k.startswith("on") or k in ("style", "src", "href", "srcset", "action", "data")]
        expect(not bad and tag not in ("img", "link", "iframe", "object", "base"), f"{tag} has {bad}")
    expect(page.tags[1][0] == "head" and page.tags[3][1].get("http-equiv"), "the policy is not first")


def short(name):
    """Shortens an ASCII name of more than 1,000 bytes, as cpa does."""
    return name if len(name) <= 1000 else name[:499] + "\u2026" + name[-498:]


def check_data(data, folded):
    n, names = len(data["frame"]), data["frames"]["name"]
    width, step, own = data.get("width") or data["total"][0], data["step"], data["self"]
    parent = [sum(data["parent"][: i + 1]) for i in range(n)] if n < 5000 else []
    filled = [max(s[i] for s in own) for i in range(n)]
    for i in range(1, n):
        filled[parent[i]] += width[i]
        expect(data["rows"][0] <= parent[i] < i, f"the parent of box {i} is not before it")
    rest = set(data["rest"][::2])
    missing = sum(width[i] - filled[i] for i in range(n) if i not in rest)
    expect(all(f <= w for f, w in zip(filled, width)), "children are wider than their parent")
    expect(missing <= data["cutWidth"], f"{missing} of the width is lost")
    for key in "frame", "color":
        expect(len(data[key]) == n, f"{key} is not a column of {n}")
    if not folded:
        return
    total, paths = 0, {}
    with open(folded, encoding="utf-8") as f:
        for line in f:
            stack, value = line.rstrip("\n").rsplit(" ", 1)
            stack = ";".join(map(short, stack.split(";"))).replace("\\x3b", ";")
            paths[stack] = paths.get(stack, 0) + int(value)
            total += int(value)
    path = [""] * n
    for i in range(1, n):
        name = names[data["frame"][i]].replace("\t", "\\x09")
        path[i] = path[parent[i]] + ";" + name if parent[i] else name
    expect(data["total"][0][0] * step == total, "the root is not the sum of the stacks")
    expect({path[i]: own[0][i] * step for i in range(n) if own[0][i]} == {k: v for k, v in paths.items() if k},
           "the self values of boxes differ from the stacks")


def main():
    with open(sys.argv[1], encoding="utf-8") as f:
        text = f.read()
    page = Page()
    page.feed(text)
    check_policy(page)
    blocks = ["".join(x) for t, a, x in page.texts if a.get("type") == "application/json"]
    expect(len(blocks) == 1 and not re.search("[<>&\u2028\u2029]", blocks[0]), "the data is not one escaped block")
    check_data(json.loads(blocks[0]), sys.argv[2] if len(sys.argv) > 2 else None)
    for error in errors:
        print(error)
    sys.exit(bool(errors))


main()
