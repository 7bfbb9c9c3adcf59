#!/usr/bin/env python3
# hostile.py - write a profile with names that look like markup or code
# SPDX-License-Identifier: Apache-2.0
"""usage: hostile.py OUT [DEPTH]     with DEPTH: one stack of that many frames"""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cli"))
from wire import message, number, packed  # noqa: E402

NAMES = [
    b"<script>alert(1)</script>", b"]]>", b"]]><script>alert(2)</script><![CDATA[", b'"onload=alert(3)',
    b"'onmouseover='alert(4)", b"</title></svg><img src=x onerror=alert(5)>", b"<!--", b"-->", b"&lt;&#60;&amp;&bogus;",
    b"javascript:alert(6)", b"</script><script>alert(7)</script>", b"${alert(8)}{{alert(9)}}", b"\x01\x02\x1b[31m\x7f",
    b"\xff\xfe\xc3", b"\xe2\x80\xaeright to left", b"\xef\xbf\xbe\xef\xbf\xbf not characters", b"nul\x00nul", b"\xc2\x85\xc2\x9b",
    b"line\nfeed\rtab\there", b"long" * 2500, b"()[]{}^$.|?*+\\", b"__proto__", b"constructor", b"%00%3Cscript%3E",
    "日本語の関数".encode(), "e\u0301\u0301\u0301".encode(), b"url(https://example.com/)", b"</style>", b"", b"a" * 40 + b"!",
]


def main():
    depth = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    names = [b"f%d" % i for i in range(depth)] or NAMES
    strings = [b"", b"samples", b"count", b"main"] + names
    out = message(1, number(1, 1) + number(2, 2))
    for i in range(len(names) if not depth else 1):
        ids = range(2, depth + 2) if depth else [i + 2, 1]
        out += message(2, packed(1, ids) + number(2, 1))
    for k in range(1, len(names) + 2):
        out += message(4, number(1, k) + message(4, number(1, k)))
        out += message(5, number(1, k) + number(2, k + 2) + number(4, k + 2))
    out += b"".join(message(6, s) for s in strings)
    with open(sys.argv[1], "wb") as f:
        f.write(out)


main()
