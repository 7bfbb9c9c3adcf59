# web_profiles.py - test several profiles in a browser: dropped files, differences, captures
# SPDX-License-Identifier: Apache-2.0
"""usage: web_profiles.py PROFILE_SERVER [PICTURES]     in the folder of testdata; PICTURES: folder for screenshots"""

import base64
import contextlib
import os
import subprocess
import sys
import time

from browser import Browser
from server import Server

PICTURES = sys.argv[2] if len(sys.argv) > 2 else None
DROP = """const data = new DataTransfer();
    for (const [name, text] of arguments[0])
        data.items.add(new File([Uint8Array.from(atob(text), c => c.charCodeAt(0))], name));
    const target = document.querySelector('main');
    for (const type of ['dragover', 'drop'])
        target.dispatchEvent(new DragEvent(type, { dataTransfer: data, bubbles: true, cancelable: true }))"""


def visit(b, server, path):
    b.driver.get("about:blank")
    b.driver.get(server.url("ui/" + path))
    b.wait("return document.querySelector('meta[name=token]') !== null", 30)  # the page of a load has none


def drop(b, *files):
    """Drop files, pairs of a name and bytes, on the page."""
    b.run(DROP, [[name, base64.b64encode(data).decode()] for name, data in files])


def read(name):
    with open(name, "rb") as file:
        return file.read()


def reached(b, path, seconds=20):
    """Wait until the browser shows this page."""
    end = time.monotonic() + seconds
    while "/ui/" + path not in b.driver.current_url or b.run("return document.readyState") != "complete":
        if time.monotonic() > end:
            return False
        time.sleep(0.05)
    return True


def picture(b, name):
    for width, height, scheme in ((1400, 900, "light"), (420, 900, "dark")):
        if PICTURES:
            b.prefer(scheme)
            b.screenshot(os.path.join(PICTURES, f"{name}-{width}-{scheme}.png"), width, height)
    b.prefer("light")
    b.resize(1200, 900)


def fits(b):
    """No horizontal scrolling of the page, at 320 px."""
    b.resize(320, 800)
    width = b.run("return document.documentElement.scrollWidth")
    b.resize(1200, 900)
    return width <= 320


def one_file_is_opened(b, server):
    visit(b, server, "top")
    drop(b, ("heap.pb.gz", read("go-heap1.pb.gz")))
    b.result(reached(b, "flamegraph?prof="), "a dropped file is opened", b.driver.current_url)
    visit(b, server, "compare")
    b.result("heap.pb.gz" in b.find("main").text, "it is in the list of open profiles")
    picture(b, "compare")
    b.result(fits(b), "the list fits into 320 pixels")


def two_files_are_compared(b, server):
    visit(b, server, "peek?f=main")
    drop(b, ("slow.pb.gz", read("gate/slow-1.pb.gz")), ("base.pb.gz", read("gate/base-1.pb.gz")))
    b.result(reached(b, "diff?base="), "two dropped files are compared", b.driver.current_url)
    text = b.find("main").text
    b.result(text.index("before") < text.index("base.pb.gz") < text.index("after") < text.index("slow.pb.gz"),
             "the older one is the base", text[:300])
    b.equal(len(b.find_all("tbody tr td.more")) > 3 and "UNRESOLVED" in text, True, "changes have verdicts")
    picture(b, "diff")
    b.result(fits(b), "the difference fits into 320 pixels")
    b.run("[...document.querySelectorAll('main a')].find(a => a.textContent === 'why?').click()")
    b.result(reached(b, "gate?"), "a link leads to the reasons")
    b.result("SUSPECT" in b.find("main").text or "UNRESOLVED" in b.find("main").text, "the gate lists its verdicts")
    picture(b, "gate")
    b.result(fits(b), "the gate's page fits into 320 pixels")


def recordings_of_perf_are_opened(b, server):
    visit(b, server, "top")
    drop(b, ("perf.data", read("formats/perf/two-zstd.data")))
    b.result(reached(b, "flamegraph?prof="), "a dropped recording of perf is opened", b.driver.current_url)
    visit(b, server, b.driver.current_url.split("/ui/")[1].replace("flamegraph?", "top?"))
    text = b.find("main").text
    b.result("cpu-clock:u; 100 % is 22.04ms" in text and "[perfmill]" in text, "it has its type, total and binary", text[:300])
    visit(b, server, "top")
    drop(b, ("gmon.out", b"gmon\x01" + bytes(60)))
    b.result(b.wait("return document.getElementById('errors')?.textContent.includes('gprof PROGRAM FILE')"),
             "a format that is not read is named", b.run("return document.getElementById('errors')?.textContent"))
    b.complaints()  # the status 400


def corrupt_files_are_errors(b, server):
    visit(b, server, "top")
    drop(b, ("<b>notes.txt", b"no profile"))
    b.result(b.wait("return document.getElementById('errors')?.textContent.includes('notes.txt: ')"),
             "a corrupt file gives an error", b.run("return document.getElementById('errors')?.textContent"))
    b.result("/ui/top" in b.driver.current_url and not b.find_all("#errors b"), "the page and its profile remain")
    b.complaints()  # the status 400


def trends_have_charts(b, server):
    visit(b, server, "trend?all=t&si=samples")
    b.result(len(b.find_all("svg.chart polyline")) > 3, "each function of a trend has a chart")
    picture(b, "trend")


def forms_work_without_scripts(b, server):
    visit(b, server, "compare")
    b.scripts(False)
    boxes = b.find_all("input[name=base]")
    boxes[-1].click()
    next(e for e in b.find_all("main button") if e.text == "Difference").click()
    b.scripts(True)
    b.result(reached(b, "diff?") and "before" in b.find("main").text, "the form of a difference works without scripts")


def files_of_the_command_line_are_chosen(b, server):
    visit(b, server, "compare")
    b.equal([row.text for row in b.find_all("tbody td.name a")], ["go-heap1.pb.gz and 1 more", "go-heap1.pb.gz", "go-heap2.pb.gz"],
            "the merged profile and each file is a row")
    picture(b, "files")
    b.result(fits(b), "the list of files fits into 320 pixels")
    b.equal([e.get_attribute("value") for e in b.find_all("input:checked")], [], "the merged profile is not chosen beside its files")
    b.find("[aria-label='before: go-heap1.pb.gz']").click()
    b.find("[aria-label='after: go-heap2.pb.gz']").click()
    next(e for e in b.find_all("main button") if e.text == "Difference").click()
    b.result(reached(b, "diff?base=s"), "two files are compared", b.driver.current_url)
    text = b.find("main").text
    b.result("8,674.75kB" in text and "33,772.49kB" in text and "cpa diff go-heap1.pb.gz go-heap2.pb.gz" in b.find("#command").text,
             "before and after are the files that were chosen", text[:300])
    visit(b, server, "compare")
    b.find_all("tbody td.name a")[2].click()
    b.result(reached(b, "flamegraph?prof=s") and "go-heap2.pb.gz" in b.find(".about").text, "a file is opened alone")


def start(b, seconds, kind="profile"):
    b.find(f"input[value={kind}]").click()
    field = b.find("input[name=seconds]")
    field.clear()
    field.send_keys(str(seconds))
    next(e for e in b.find_all("main button") if e.text.startswith("Start")).click()


def captures_show_progress_and_open(b, server):
    visit(b, server, "capture")
    picture(b, "capture")
    start(b, 12)
    b.result(reached(b, "capture?") and b.wait("return document.querySelector('.capture .count').textContent.includes('samples')"),
             "progress shows the samples of complete pieces")
    picture(b, "capturing")
    b.result(reached(b, "flamegraph?prof="), "a finished capture is shown")


def stopped_captures_keep_data(b, server):
    visit(b, server, "capture")
    start(b, 100)
    b.wait("return document.querySelector('.capture .count')?.textContent.includes('samples')")
    next(e for e in b.find_all(".capture button") if e.text == "Stop and keep").click()
    b.result(reached(b, "diff?base=") or reached(b, "flamegraph?prof=", 1), "a stopped capture keeps its data",
             b.driver.current_url, b.find("main").text[:500])


def ended_captures_move_on_once(b, server):
    visit(b, server, "capture?capture=1")  # it ended before this page was loaded
    b.result(reached(b, "flamegraph?prof="), "the page of an ended capture moves on to its profile")
    b.driver.back()
    b.result(reached(b, "capture") and b.wait("return document.querySelectorAll('table.report tbody tr').length > 0") and
             "capture?" not in b.driver.current_url, "going back shows the list", b.driver.current_url)


def dead_servers_are_errors(b, server):
    visit(b, server, "capture")
    start(b, 0, "allocs")
    b.result(b.wait("return document.querySelector('td .error') !== null"), "the error of a server that exits is shown")
    picture(b, "captures")
    visit(b, server, "top")
    b.result("inuse_space" in b.find("main").text or "inuse_space" in b.find("header").text, "the old profile remains")


@contextlib.contextmanager
def profile_server():
    with subprocess.Popen([sys.executable, sys.argv[1], "."], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as p:
        yield f"127.0.0.1:{int(p.stdout.readline())}"
        p.kill()


with Browser() as b:
    with Server("go-cpu.pb.gz") as server:
        for case in (one_file_is_opened, two_files_are_compared, recordings_of_perf_are_opened, corrupt_files_are_errors,
                     trends_have_charts, forms_work_without_scripts):
            b.case(case, server)
        b.driver.get("about:blank")
    with Server("go-heap1.pb.gz", "go-heap2.pb.gz") as server:
        b.case(files_of_the_command_line_are_chosen, server)
        b.driver.get("about:blank")
    with profile_server() as address, Server(address + "/debug/pprof/heap") as server:
        for case in (captures_show_progress_and_open, ended_captures_move_on_once, stopped_captures_keep_data,
                     dead_servers_are_errors):
            b.case(case, server)
        b.driver.get("about:blank")
    b.done()
