# web_random.py - click and type at random on the web UI; no console message may appear
# SPDX-License-Identifier: Apache-2.0
"""
usage: web_random.py SECONDS [SEED]

Each step clicks a visible control, link or place, presses a key, types, goes back, or changes the size of the window. A
failure prints the last steps and the seed, which repeats them.
"""

import random
import sys
import time

from browser import Browser, Keys
from server import Server
from selenium.common.exceptions import WebDriverException

seconds = float(sys.argv[1])
seed = int(sys.argv[2]) if len(sys.argv) > 2 else 1
rng = random.Random(seed)
KEYS = list("123456789/nNhjkl0fxHFpeatrbcSiIKdRsy?mvguo+-") + [
    Keys.ENTER, Keys.ESCAPE, Keys.BACKSPACE, Keys.TAB, Keys.ARROW_DOWN, Keys.ARROW_UP, Keys.ARROW_LEFT, Keys.ARROW_RIGHT,
    Keys.HOME, Keys.END, Keys.PAGE_DOWN, Keys.SPACE]
TEXTS = ["main", "runtime", "(", "[a-z]+", "nearest|Price", "<b>", "\\", "^$", "%2B", "a" * 300]
# Marks a visible control at random, which is then clicked. Downloads are left out.
PICK = """const all = [...document.querySelectorAll('a[href], button, summary, select, input, canvas, th, tr, label')].filter(e =>
        e.checkVisibility() && e.getBoundingClientRect().width > 0 && !e.disabled && e.type !== 'file' &&
        !(e.href && (!e.href.startsWith(location.origin + '/ui/') || e.hasAttribute('download') ||
            /[.](txt|json|csv|md|svg|pdf|png|html|gz|folded|dot|grind|callgrind)([?]|$)/.test(e.href) ||
            e.href.includes('/ui/download'))));
    if (!all.length) return null;
    const e = all[Math.floor(arguments[0] * all.length)];
    e.scrollIntoView({ block: 'center' });
    const r = e.getBoundingClientRect();
    return [r.left + r.width * arguments[1], r.top + r.height * arguments[2],
        e.tagName + ' ' + (e.textContent || e.name || '').trim().slice(0, 40)]"""


def click(b, x, y, button="left"):
    for kind in ("mousePressed", "mouseReleased"):
        b.driver.execute_cdp_cmd("Input.dispatchMouseEvent", {"type": kind, "x": x, "y": y, "button": button, "clickCount": 1})


def step(b, server):
    """One action. Returns its description."""
    kind = rng.random()
    if kind < 0.5:
        found = b.run(PICK, rng.random(), rng.random(), rng.random())
        if found:
            click(b, found[0], found[1], "right" if rng.random() < 0.1 else "left")
        return f"click {found}"
    if kind < 0.75:
        key = rng.choice(KEYS)
        b.keys(key)
        return f"key {key!r}"
    if kind < 0.82:
        text = rng.choice(TEXTS)
        b.keys("/", text, *([Keys.ENTER] if rng.random() < 0.5 else []))
        return f"type {text!r}"
    if kind < 0.92:
        rng.choice([b.back, b.forward])()
        return "back or forward"
    if kind < 0.96:
        width, height = rng.choice([(1400, 900), (900, 700), (420, 800), (320, 480)])
        b.resize(width, height)
        return f"resize {width} {height}"
    b.open_url(server.url("ui/" + rng.choice(["", "top", "graph", "peek?f=Short", "source?f=nearest", "flamegraph?si=samples"])))
    return "open"


with Browser() as b, Server("go-cpu.pb.gz") as server:
    b.open_url(server.url("ui/"))
    steps, end, messages, pages = [], time.monotonic() + seconds, [], set()
    while time.monotonic() < end and not messages and server.process.poll() is None:
        try:
            steps.append(step(b, server))
        except WebDriverException as e:  # the page is changing, or there is a dialogue
            steps.append(type(e).__name__)
            if b.alerted():
                messages.append("a dialogue of the browser opened")
        pages.add(b.driver.current_url.split("?")[0])
        if not b.driver.current_url.startswith(server.base):
            b.open_url(server.url("ui/"))
        # answers that the steps ask for, such as an invalid expression (400), are not errors of the page
        messages += [m for m in b.complaints() if "the server responded with a status of 4" not in m]
    b.result(not messages, f"{len(steps)} random steps on {len(pages)} pages (seed {seed}) print nothing on the console",
             *messages, *steps[-12:])
    b.result(server.process.poll() is None, "the server still runs", *server.lines[-5:])
    b.done()
