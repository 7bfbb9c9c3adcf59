#!/usr/bin/env python3
# datadog.py - a program that pushes every kind of profile of ddtrace
#
# SPDX-License-Identifier: Apache-2.0
#
# usage: datadog.py URL SERVICE SECONDS
import os
import sys
import threading
import time

url, service, seconds = sys.argv[1:4]
os.environ.update({
    "DD_TRACE_AGENT_URL": url, "DD_SERVICE": service, "DD_ENV": "test", "DD_VERSION": "1.2.3", "DD_TAGS": "region:eu",
    "DD_PROFILING_UPLOAD_INTERVAL": "5", "DD_TRACE_ENABLED": "false", "DD_INSTRUMENTATION_TELEMETRY_ENABLED": "false",
    "DD_REMOTE_CONFIGURATION_ENABLED": "false", "DD_PROFILING_HEAP_SAMPLE_SIZE": "16384"})
from ddtrace.profiling import Profiler  # noqa: E402

profiler = Profiler()
profiler.start()
until = time.monotonic() + float(seconds)
kept = []
lock = threading.Lock()


def work():
    while time.monotonic() < until:
        with lock:
            sum(i * i for i in range(100000))
            kept.append(bytearray(100000))
            del kept[:-100]


threads = [threading.Thread(target=work, name="worker-%d" % i) for i in range(2)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
profiler.stop()
