# web_pictures.py - draw the pictures of docs/web.md: pages of the web UI in a browser
# SPDX-License-Identifier: Apache-2.0
#
# usage: web_pictures.py CPA FOLDER, in testdata; needs chromium, chromium-driver, python3-selenium and graphviz

import os
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tests", "browser"))
os.environ["CPA"] = os.path.abspath(sys.argv[1])
from browser import Browser  # pylint: disable=wrong-import-position
from server import Server  # pylint: disable=wrong-import-position

# name, arguments of cpa -http, path, width and height, dark
PICTURES = [
    ("web-flame", ["go-cpu.pb.gz"], "flamegraph", 1240, 700, False),
    ("web-callers", ["go-cpu.pb.gz"], "flamegraph?p=%5Eshop%2Froute%5C.%5C%28%5C%2APlanner%5C%29%5C.nearest%24", 1240, 640, True),
    ("web-source", ["go-cpu.pb.gz"], "source?f=nearest", 1240, 560, False),
    ("web-graph", ["cpp-cpu.pb.gz"], "graph?n=15", 1240, 640, False),
    ("web-store", ["--store=STORE", "store:"], "store?service=shop&w0=2026-11-22T09:19&w1=2026-11-22T09:21"
     "&b0=2026-11-22T09:17&b1=2026-11-22T09:19", 1240, 1120, False),
    ("web-diff", ["-base=go-heap1.pb.gz", "go-heap2.pb.gz"], "flamegraph", 1240, 560, False),
]


def fill_store(folder):
    """A store with the CPU profiles of two programs as those of two versions of the service shop."""
    for version, name in ("2.4.0", "base"), ("2.4.1", "slow"):
        subprocess.run([os.environ["CPA"], "store", "import", f"--store={folder}", "--service=shop",
                        f"--label=version={version}", *(f"gate/{name}-{i}.pb.gz" for i in range(1, 7))], check=True)
    for time, kind, text in ("09:19:00", "deploy", "2.4.1"), ("09:20:00", "watch", "cpu FAIL +48% main.tally"):
        subprocess.run([os.environ["CPA"], "store", "mark", f"--store={folder}", f"--time=2026-11-22T{time}", "shop", kind, text],
                       check=True)


def main(folder):
    store = tempfile.mkdtemp()
    fill_store(store)
    for name, arguments, path, width, height, dark in PICTURES:
        with Browser(width, height, dark) as b, Server(*(a.replace("STORE", store) for a in arguments)) as server:
            b.open_url(server.url("ui/" + path))
            b.wait("return document.readyState === 'complete' && !document.querySelector('[aria-busy=true]')")
            b.driver.execute_async_script("setTimeout(arguments[0], 800)")
            b.screenshot(os.path.join(folder, name + ".png"))
    shutil.rmtree(store)


if __name__ == "__main__":
    main(sys.argv[2])
