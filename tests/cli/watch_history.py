#!/usr/bin/python3
# watch_history.py - profiles of the last 9 days, every 6 hours, until the last whole window of cpa watch --every=6h
# SPDX-License-Identifier: Apache-2.0
"""usage: watch_history.py FOLDER SERVICE SEED CHANGE

CHANGE yes: a function with 3 to 12 % of the time is slower by half in the last window. Prints the name of that function or
-, and the end of the last window in seconds since 1970.
"""
import os
import random
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "bench"))
import watch  # noqa: E402

folder, service, seed, change = sys.argv[1:]
end = (int(time.time()) - 120) // watch.EVERY * watch.EVERY
watch.START = end - 9 * watch.DAY
large = watch.make_service(folder + ".probe", service, 1, 10, random.Random(int(seed)), None)[0]
planted = (large, end - watch.EVERY) if change == "yes" else None
watch.make_service(folder, service, 9, 20000, random.Random(int(seed)), planted)
print(f"f{large}" if planted else "-", end)
