#!/usr/bin/env python3
# make_profile.py - write a CPU profile of bare addresses
# SPDX-License-Identifier: Apache-2.0
"""usage: make_profile.py OUT [START-LIMIT@OFFSET=FILE[#BUILD_ID]]... ADDRESS[,CALLER]...[*COUNT]...

Numbers are hexadecimal. Each stack is a list of addresses, leaf first; an address lies in the first
mapping that holds it; one with ! before it is given to the first mapping in any case. Prints nothing."""
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cli"))
from wire import message, number  # noqa: E402


def main():
    strings, maps, locs, strays, out = [""], [], {}, set(), b""

    def text(s):
        if s not in strings:
            strings.append(s)
        return strings.index(s)

    out += message(1, number(1, text("samples")) + number(2, text("count")))
    samples = b""
    for word in sys.argv[2:]:
        m = re.fullmatch(r"(\w+)-(\w+)@(\w+)=([^#]*)(?:#(.*))?", word)
        if m:
            start, limit, offset = (int(m.group(i), 16) for i in (1, 2, 3))
            maps.append((start, limit, offset, text(m.group(4)), text(m.group(5) or "")))
            continue
        stack, _, count = word.partition("*")
        ids = b""
        for word in stack.split(","):
            a = int(word.lstrip("!"), 16)
            if word[0] == "!":
                strays.add(a)
            ids += number(1, locs.setdefault(a, len(locs) + 1))
        samples += message(2, ids + number(2, int(count or 1)))
    out += samples
    for i, (start, limit, offset, name, build_id) in enumerate(maps):
        out += message(3, number(1, i + 1) + number(2, start) + number(3, limit) + number(4, offset)
                       + number(5, name) + number(6, build_id))
    for a, i in locs.items():
        own = [k + 1 for k, m in enumerate(maps) if m[0] <= a < m[1] or a in strays]
        out += message(4, number(1, i) + number(2, own[0] if own else 0) + number(3, a))
    for s in strings:
        out += message(6, s.encode())
    out += number(9, 1700000000000000000)
    with open(sys.argv[1], "wb") as f:
        f.write(out)


main()
