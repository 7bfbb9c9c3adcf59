# server.py - start cpa -http for a test
# SPDX-License-Identifier: Apache-2.0
"""with Server("go-cpu.pb.gz") as s: b.open_url(s.url("ui/top"))"""

import os
import queue
import re
import subprocess
import threading
import time

__all__ = ["Server"]


class Server:
    """A running cpa -http. Its messages are in lines."""

    def __init__(self, *args, address="localhost:0", environment=None, seconds=60):
        self.lines, self.queue = [], queue.Queue()
        environment = {**os.environ, **(environment or {})}
        self.process = subprocess.Popen(
            [os.environ["CPA"], f"-http={address}", "-no_browser", *args], env=environment, text=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, errors="replace")
        threading.Thread(target=self.read, daemon=True).start()
        self.base, end = None, time.monotonic() + seconds
        while not self.base:
            line = self.queue.get(timeout=max(0.01, end - time.monotonic()))
            if line is None:
                raise RuntimeError("the server ended: " + "".join(self.lines))
            match = re.search(r"Serving web UI on (http://\S+)", line)
            self.base = match and match[1]

    def read(self):
        for line in self.process.stderr:
            self.lines.append(line)
            self.queue.put(line)
        self.queue.put(None)

    def url(self, path=""):
        """The URL of a path such as "ui/top?f=main"."""
        return f"{self.base}/{path}"

    def stop(self):
        """Send SIGTERM. Returns the exit status."""
        self.process.terminate()
        return self.process.wait(60)

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
