#!/usr/bin/python3
# snapshots.py - one snapshot of a process, with exact values
# SPDX-License-Identifier: Apache-2.0
"""usage: snapshots.py FILE KIND HH:MM [build=ID] STACK=VALUE[,VALUE]...

Writes a profile of 2026-11-22. KIND goroutine: STACK=COUNT. KIND heap: STACK=IN_USE,ALLOCATED in MiB. Stacks are written as by
cpa folded: "main;work".
"""
import sys
import os

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import one_number  # noqa: E402


def main():
    file, kind, clock, *words = sys.argv[1:]
    build, rows = '', {}
    hour, minute = map(int, clock.split(':'))
    for word in words:
        stack, _, values = word.rpartition('=')
        if stack == 'build':
            build = values
            continue
        values = [int(v) for v in values.split(',')]
        if kind == 'heap':
            values = [0, values[1] << 20, 0, values[0] << 20]
        rows[tuple(reversed(stack.split(';'))), ''] = values
    when = (1795305600 + hour * 3600 + minute * 60) * one_number.SECOND  # 2026-11-22
    with open(file, 'wb') as f:
        f.write(one_number.encode(kind, one_number.Snapshot(None, when, build, 0, rows)))


if __name__ == '__main__':
    main()
