# web.py - measure the web UI: start, responses, cancellation, memory
#
# SPDX-License-Identifier: Apache-2.0
#
# usage: python3 web.py ROUNDS PARTS HUGE LABELS SMALL [PPROF]     PARTS: start,cold,response,stop,tabs,memory,weight
# CPA is the program. HUGE is a profile of a million samples, LABELS one with labels. PPROF answers the same requests for comparison, once.
# Prints Markdown for docs/bench.md; exits 1 if a goal is missed.

import gzip
import http.client
import os
import re
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time

FOLDER = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(FOLDER, "..", "browser"), os.path.join(FOLDER, "..", "cli")]
from server import Server  # noqa: E402
from web_requests import Client, raw_connection, requests, settled, usage  # noqa: E402

HTML = {"Accept": "text/html"}
# name, URL, limit in ms of the first response
RESPONSES = [("top", "/ui/top?", 300), ("peek", "/ui/peek?f=^%s$", 300), ("tree", "/ui/tree?", None),
             ("flame graph data", "/ui/data/flame?width=1400", 500), ("graph", "/ui/graph?", None)]
CACHED_MS, UNCHANGED_MS = 20, 5
COLD_PERCENT = 130  # of the time of cpa top
PPROF_VIEWS = ["top", "peek?f=^%s$", "flamegraph", "graph"]
missed = False


def number(value, digits=1):
    return "–" if value is None else f"{value:.{digits}f}" if value < 100 else f"{value:.0f}"


def goal(text, value, most, unit="ms"):
    global missed
    met = value <= most
    missed |= not met
    print(f"- {text}, at most {most} {unit}: {number(value)}, {'met' if met else '**missed**'}")


def table(head, rows):
    print("\n| " + " | ".join(head) + " |\n|---|" + "--:|" * (len(head) - 1))
    for row in rows:
        print("| " + " | ".join(row) + " |")
    print()


def timed(call):
    start = time.monotonic()
    value = call()
    return (time.monotonic() - start) * 1000, value


def cpu_ms(server):
    """CPU time of the server so far; the clock of the kernel has steps of 10 ms."""
    with open(f"/proc/{server.process.pid}/stat", encoding="ascii") as f:
        fields = f.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) * 1000 / os.sysconf("SC_CLK_TCK")


def one(server, target, headers=None):
    """Milliseconds and the response of a request on a new connection."""
    client = Client(server)
    ms, answer = timed(lambda: client.get(target, headers))
    client.close()
    return ms, answer


def loaded(profile, *options):
    server = Server("-symbolize=none", *options, profile)
    one(server, "/ui/top?n=1")
    return server


def hottest(server):
    """The name of the first function of top, as an expression."""
    body = one(server, "/ui/top?n=1")[1][2].decode()
    name = re.search(r"<bdi>([^<]*)</bdi></a>|class=\"name\"><bdi>([^<]*)<", body[body.index("<tbody"):])
    return re.sub(r"[^A-Za-z0-9_]", ".", name[1] or name[2])


def first_byte(server, target):
    sock = raw_connection(server)
    start = time.monotonic()
    sock.sendall(f"GET {target} HTTP/1.1\r\nHost: localhost\r\nAccept: text/html\r\n\r\n".encode())
    sock.recv(1)
    ms = (time.monotonic() - start) * 1000
    rest = sock.recv(1 << 16)
    sock.close()
    return ms, rest


def measure_start(rounds, huge):
    listening, first = [], []
    for _ in range(rounds):
        ms, server = timed(lambda: Server("-symbolize=none", huge))
        listening.append(ms)
        with server:
            ms, body = first_byte(server, "/ui/top")
            if b'http-equiv="refresh"' in body:
                first.append(ms)
    goal("from the start of the process to the line that it listens", statistics.median(listening), 20)
    if first:
        goal(f"first byte of the loading page, while {len(first)} profiles were being read", statistics.median(first), 5)


def spawn(*arguments, **options):
    return subprocess.Popen([os.environ["CPA"], *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                            close_fds=False, **options)


def cpu_at_end(process):
    """Wait for a process. Returns its CPU time in ms."""
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return (used.ru_utime + used.ru_stime) * 1000


def cold_command(file):
    """Milliseconds of cpa top, elapsed and of CPU time."""
    start = time.monotonic()
    cpu = cpu_at_end(spawn("top", "-symbolize=none", file, stderr=subprocess.DEVNULL))
    return (time.monotonic() - start) * 1000, cpu


def cold_page(file):
    """The same from the start of a server to the last byte of its first Top."""
    start = time.monotonic()
    process = spawn("-http=localhost:0", "-no_browser", "-symbolize=none", file, stderr=subprocess.PIPE)
    port = re.search(rb":(\d+)$", process.stderr.readline().rstrip())[1]
    with socket.create_connection(("localhost", int(port))) as sock:
        sock.sendall(b"GET /ui/top HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        while sock.recv(1 << 20):
            pass
    ms = (time.monotonic() - start) * 1000
    process.kill()
    process.stderr.close()
    return ms, cpu_at_end(process)


def measure_cold(rounds, files):
    rows, shares = [], []
    for file in files:
        runs = [(*cold_command(file), *cold_page(file)) for _ in range(rounds)]
        top, top_cpu, page, page_cpu = (statistics.median(column) for column in zip(*runs))
        name = os.path.basename(file)
        rows.append((name, number(top), number(page), number(page / top, 2), number(top_cpu), number(page_cpu),
                     number(page_cpu / top_cpu, 2)))
        shares.append((f"first Top of {name}, from the start of the server, as a share of cpa top", page / top * 100))
    table(["file", "cpa top ms", "first Top ms", "ratio", "cpa top CPU ms", "first Top CPU ms", "ratio"], rows)
    for text, share in shares:
        goal(text, share, COLD_PERCENT, "%")


def measure_response(rounds, huge):
    rows, goals = [], []
    with loaded(huge) as server:
        name = hottest(server)
        for title, url, most in RESPONSES:
            url = url % name if "%" in url else url
            cold, warm, same, cpu = [], [], [], 0
            for i in range(rounds):
                target = f"{url}&round={i}"
                cpu -= cpu_ms(server)
                ms, answer = one(server, target)
                cpu += cpu_ms(server)
                if answer[0] != 200:
                    break
                cold.append(ms)
                warm.append(one(server, target)[0])
                same.append(one(server, target, {"If-None-Match": answer[1]["ETag"]})[0])
            if not cold:
                continue
            med = [statistics.median(x) for x in (cold, warm, same)]
            rows.append((title, f"{len(answer[2]) / 1e6:.2f}", number(med[0]), f"{min(cold):.0f}–{max(cold):.0f}",
                         number(cpu / rounds), number(med[1]), number(med[2])))
            if most:
                goals.append((f"{title}, computed", med[0], most))
            goals += [(f"{title}, from the cache", med[1], CACHED_MS), (f"{title}, unchanged (304)", med[2], UNCHANGED_MS)]
    table(["response", "MB", "computed ms", "min–max ms", "CPU ms", "cached ms", "304 ms"], rows)
    for each in goals:
        goal(*each)


def measure_stop(rounds, huge):
    """Milliseconds from the end of a connection to the end of its job."""
    times = []
    with loaded(huge) as server:
        watcher = Client(server)
        for i in range(rounds * 3):
            sock = raw_connection(server)
            sock.sendall(b"GET /ui/tree?round=%d HTTP/1.1\r\nHost: localhost\r\nX-Cpa-Tab: t%d\r\n\r\n" % (i, i))
            running = False
            for _ in range(200):
                running = b'"running"' in watcher.get(f"/ui/progress?tab=t{i}")[2]
                if running:
                    break
            time.sleep(0.005 * (i % 8))
            start = time.monotonic()
            sock.close()
            while running and b'"running"' in watcher.get(f"/ui/progress?tab=t{i}")[2]:
                pass
            if running:
                times.append((time.monotonic() - start) * 1000)
        watcher.close()
    goal(f"request dropped, until its job has ended (median of {len(times)}; max {max(times):.0f})",
         statistics.median(times), 50)


def measure_tabs(huge, n=8):
    """n tabs with different filters at the same time."""
    with loaded(huge) as server:
        before, times, peak = usage(server)[2], [], [0]

        def tab(i):
            times.append(one(server, f"/ui/data/flame?width=1400&n={20 + i}&i=nosuch{i}", {"X-Cpa-Tab": str(i)})[0])

        tabs = [threading.Thread(target=tab, args=(i,)) for i in range(n)]
        for t in tabs:
            t.start()
        while any(t.is_alive() for t in tabs):
            peak[0] = max(peak[0], usage(server)[2])
            time.sleep(0.002)
        goal(f"{n} tabs with different filters, slowest response", max(times), 3000)
        goal("memory above the loaded profile meanwhile", (peak[0] - before) / 1e6, 128 + 300, "MB")
        print(f"- memory of the loaded profile: {before / 1e6:.0f} MB")


def measure_memory(small, n=1000):
    with loaded(small, "--http-cache=0") as server:
        client = Client(server)

        def run(seed):
            for request in requests(seed, n):
                client.send(*request)
            return usage(server)

        run(1)
        before = settled(server, (0, 0), 1)
        first = usage(server)[2]
        run(2)
        after = settled(server, before)
        last = usage(server)[2]
        client.close()
        print(f"- open files and threads before and after {n} random requests: {before} and {after}")
        goal(f"memory after {2 * n} random requests, as a share of that after {n} (nothing cached)",
             last / first * 100, 105, "%")


def measure_weight(small):
    sizes = {}
    with loaded(small) as server:
        for view in ("flamegraph", "top"):
            page = one(server, f"/ui/{view}", HTML)[1][2].decode()
            parts = {view: page.encode()}
            for url in re.findall(r'(?:src|href)="(assets/[^"]+)"', page):
                parts[url] = one(server, "/ui/" + url)[1][2]
            sizes[view] = {name: len(gzip.compress(part, 9)) for name, part in parts.items()}
    rows = [(name, f"{size / 1e3:.1f}") for name, size in sizes["flamegraph"].items()]
    table(["part of the page of the flame graph", "KB by gzip"], rows)
    goal("HTML, CSS and scripts by gzip", sum(sizes["flamegraph"].values()) / 1e3, 60, "KB")
    print(f"- the page top of the same profile: {sum(sizes['top'].values()) / 1e3:.1f} KB")


def measure_pprof(pprof, huge, name):
    """The same requests to pprof, once."""
    process = subprocess.Popen([pprof, "-http=localhost:18099", "-no_browser", "-symbolize=none", huge],
                               stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env={**os.environ, "PPROF_TMPDIR": tempfile.gettempdir()})
    rows, start = [], time.monotonic()
    for view in PPROF_VIEWS:
        while True:
            connection = http.client.HTTPConnection("localhost", 18099, timeout=600)
            try:
                ms, size = timed(lambda c=connection, v=view: (c.request("GET", "/ui/" + (v % name if "%" in v else v)),
                                                               len(c.getresponse().read()))[1])
                break
            except ConnectionRefusedError:
                time.sleep(0.05)
        if not rows:
            print(f"\npprof answers {time.monotonic() - start - ms / 1000:.1f} s after its start.")
        rows.append((view.split("?")[0], f"{size / 1e6:.2f}", number(ms)))
    with open(f"/proc/{process.pid}/status", encoding="ascii") as f:
        peak = re.search(r"VmHWM:\s*(\d+)", f.read())[1]
    process.kill()
    process.wait()
    table(["pprof, each once", "MB", "ms"], rows)
    print(f"- peak memory of pprof: {int(peak) / 1e3:.0f} MB")


def main():
    rounds, parts = int(sys.argv[1]), sys.argv[2].split(",")
    huge, labels, small = sys.argv[3:6]
    if "start" in parts:
        measure_start(rounds, huge)
    if "cold" in parts:
        measure_cold(rounds, [labels, huge])
    if "response" in parts:
        measure_response(rounds, huge)
    if "stop" in parts:
        measure_stop(rounds, huge)
    if "tabs" in parts:
        measure_tabs(huge)
    if "memory" in parts:
        measure_memory(small)
    if "weight" in parts:
        measure_weight(small)
    if len(sys.argv) > 6:
        with loaded(huge) as server:
            name = hottest(server)
        measure_pprof(sys.argv[6], huge, name)
    sys.exit(missed)


if __name__ == "__main__":
    main()
