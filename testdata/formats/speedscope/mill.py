# mill.py - a program of two threads for py-spy; README.md has the command
# SPDX-License-Identifier: Apache-2.0
import threading
import time

END = time.monotonic() + 1


def sift(n):
    return sum(i * 7919 % 97 for i in range(n))


def grind(depth):
    return sift(20000) if depth == 0 else grind(depth - 1)


def work():
    while time.monotonic() < END:
        grind(3)


threading.Thread(target=work, name="worker one").start()
work()
