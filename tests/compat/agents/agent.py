#!/usr/bin/env python3
# agent.py - a program that pushes every kind of profile of pyroscope-io
#
# SPDX-License-Identifier: Apache-2.0
#
# usage: agent.py URL SERVICE SECONDS
import sys
import threading
import time

import pyroscope

url, service, seconds = sys.argv[1:4]
options = {"application_name": service, "server_address": url, "tags": {"hostname": "py-host", "region": "eu"}}
try:
    pyroscope.configure(**options, report_pid=True, report_thread_id=True, report_thread_name=True, upload_interval=5,
                        mem_enabled=True, mem_heap_sample_size=16384)
except TypeError:  # older versions have neither an interval nor memory profiles
    pyroscope.configure(**options)
until = time.monotonic() + float(seconds)
kept = []


def work(name):
    while time.monotonic() < until:
        with pyroscope.tag_wrapper({"controller": name}):
            sum(i * i for i in range(100000))
            kept.append(bytearray(100000))
            del kept[:-100]


threads = [threading.Thread(target=work, args=("c%d" % i,), name="worker-%d" % i) for i in range(2)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
time.sleep(6)
pyroscope.shutdown()
