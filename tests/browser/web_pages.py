# web_pages.py - test each page of the web UI in a browser: width, console, accessibility
# SPDX-License-Identifier: Apache-2.0
"""
usage: web_pages.py AXE|- [PICTURES]

AXE is the script of axe-core, which checks accessibility; - leaves that out. PICTURES is a folder for pictures of all
pages, for review.
"""

import os
import sys
import urllib.parse

from browser import Browser, Keys
from server import Server

SIZES = [(1400, "light"), (900, "light"), (320, "dark")]
AXE_RUN = """const done = arguments[0];
    axe.run(document, { resultTypes: ['violations'], iframes: false }).then(
        r => done(r.violations.map(v => [v.id, v.help, v.nodes.slice(0, 3).map(n => n.html.slice(0, 200) + ' ' +
            (n.failureSummary || '').slice(0, 300))])), e => done([['axe', String(e), []]]))"""
# Elements that are wider than the window and do not scroll by themselves.
TOO_WIDE = """const room = document.documentElement.clientWidth;
    if (document.scrollingElement.scrollWidth <= room) return [];
    return [...document.querySelectorAll('body *')].filter(e => e.checkVisibility() && !e.closest('.scroll') && e.getBoundingClientRect().right > room + 1)
        .slice(0, 5).map(e => e.tagName + '#' + e.id + '.' + e.className + ' ' + e.getBoundingClientRect().right)"""
# The focused element, and whether its focus is visible: by an outline, or in a picture by a thick border.
FOCUS = """const e = document.activeElement;
    if (!e || e === document.body) return null;
    const style = getComputedStyle(e), r = e.getBoundingClientRect(), box = e.ownerSVGElement && e.querySelector('rect');
    return [e.tagName, (e.textContent || e.value || e.name || '').trim().slice(0, 30),
        (style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 1) ||
        (box && parseFloat(getComputedStyle(box).strokeWidth) >= 2), r.width > 0 && r.height > 0]"""

axe = None if sys.argv[1] == "-" else sys.argv[1]
pictures = sys.argv[2] if len(sys.argv) > 2 else None


def views(b):
    """Paths and parameters of all pages that the menus link to, by view."""
    links = b.run("return [...document.querySelectorAll('header a[href]')].map(a => a.href)")
    paths = {}
    for link in links:
        url = urllib.parse.urlsplit(link)
        name = url.path.rpartition("/")[2]
        if url.path.startswith("/ui/") and name and "." not in name and name != "download":
            paths.setdefault(name, None)
    return list(paths)


def settle(b):
    b.wait("return document.readyState === 'complete' && !document.body.hasAttribute('aria-busy')")
    b.driver.execute_async_script(
        "const done = arguments[0]; setTimeout(() => requestAnimationFrame(() => requestAnimationFrame(done)), 100)")


def show(b, server, view, query, width, scheme):
    b.prefer(scheme)
    b.resize(width, 900)
    b.open_url(server.url(f"ui/{view}{query}"))
    settle(b)
    if pictures:
        b.screenshot(os.path.join(pictures, f"{view}-{width}-{scheme}.png"))


def fits(b, view, width):
    b.equal(b.run(TOO_WIDE), [], f"{view} at {width} pixels does not scroll sideways")


def is_accessible(b, view, scheme, width):
    if not axe:
        return
    found = b.driver.execute_async_script(AXE_RUN)
    b.result(not found, f"axe finds nothing in {view}, {scheme}, {width} pixels", *found)


def shows_the_focus(b, view):
    bad, seen = [], 0
    for _ in range(20):
        b.keys(Keys.TAB)
        focus = b.run(FOCUS)
        if not focus:
            break
        seen += 1
        if not (focus[2] and focus[3]):
            bad.append(focus)
    b.result(seen >= 3 and not bad, f"{view} shows the focus at each of its first Tab stops", seen, *bad)


# The title and the heading, and headings that are more than one level below the one before.
HEADINGS = """const levels = [...document.querySelectorAll('h1, h2, h3, h4, h5, h6')].map(e => Number(e.tagName[1]));
    return [document.title, [...document.querySelectorAll('h1')].map(e => e.textContent), levels.filter((n, i) => n > (levels[i - 1] || 0) + 1)]"""
# The height above the data: the flame graph, else the content without messages about it.
ABOVE = """const notes = document.getElementById('errors'), data = document.getElementById('panes');
    return (data || document.getElementById('main')).getBoundingClientRect().top - (notes ? notes.getBoundingClientRect().height : 0)"""


def has_room(b, view):
    """The parts above the data are low, also in a narrow window that is touched."""
    for width, most in (1280, 90), (390, 120):
        b.driver.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": width == 390})
        b.resize(width, 900)
        got = b.run(ABOVE)
        b.result(0 < got <= most, f"{view} at {width} pixels: at most {most} pixels are above the data", got)
    b.driver.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": False})


def has_headings(b, view, profile):
    title, headings, jumps = b.run(HEADINGS)
    name = headings[0].removesuffix(f" · {profile}") if headings else ""
    b.equal([title, headings, jumps], [f"{profile} · {name}", [f"{name} · {profile}"], []],
            f"{view}: title and heading name view and profile; no level of headings is left out")


def is_well_made(b, server, view, query, profile):
    for width, scheme in SIZES:
        show(b, server, view, query, width, scheme)
        fits(b, view, width)
        if width != 900:
            is_accessible(b, view, scheme, width)
        if width == 1400:
            has_headings(b, view, profile)
            b.equal(b.run("return document.documentElement.lang"), "en", f"{view} names its language")
            shows_the_focus(b, view)
            has_room(b, view)
    b.open_url(server.url(f"ui/{view}?h=runtime&i=gcBgMarkWorker{query.replace('?', '&')}"))
    has_room(b, f"{view} with filters")


def check(b, server, names, profile, ignored=""):
    """Check views. ignored is a message of the console that they may print."""
    complaints = b.complaints
    b.complaints = lambda: [m for m in complaints() if not ignored or ignored not in m]
    for name in names:
        query = "?f=Shortest" if name in ("source", "disasm", "peek") else ""
        b.case(is_well_made, server, name, query, profile)
    b.complaints = complaints


def single(b):
    with Server("go-cpu.pb.gz") as server:
        b.open_url(server.url("ui/"))
        settle(b)
        names = views(b)
        b.result({"top", "flamegraph", "graph", "peek", "source", "disasm"} <= set(names),
                 "the menus link to all views of pprof", names)
        check(b, server, [name for name in names if name not in ("disasm", "diff", "gate", "trend")], "shop cpu")
        # the program is missing, and there is nothing to compare: the errors are pages too
        check(b, server, ["disasm", "diff"], "shop cpu", "status of 400")
        b.case(keys_can_be_switched_off, server)


def keys_can_be_switched_off(b, server):
    def opens_tree():
        b.open_url(server.url("ui/top"))
        settle(b)
        b.keys("3")
        return b.wait("return location.pathname === '/ui/tree'", 3)

    b.result(opens_tree(), "a key opens a view")
    b.open_url(server.url("ui/help"))
    b.find("#single-keys").click()
    b.result(not opens_tree(), "single keys are switched off on the page Help")
    b.open_url(server.url("ui/help"))
    b.find("#single-keys").click()
    b.result(opens_tree(), "single keys are switched on again")


def alone(b):
    """Pages without a profile."""
    with Server() as server:
        for path, want in ("open", "Open a file"), ("help", "Help"), ("nosuch", "Error 404"):
            b.open_url(server.url("ui/" + path))
            b.equal(b.run(HEADINGS), [want, [want], []], f"{path}: one heading and a title without a profile")
        b.complaints()  # of status 404


def compared(b):
    with Server("-base=go-heap1.pb.gz", "go-heap2.pb.gz") as server:
        check(b, server, ["diff", "gate", "flamegraph"], "shop inuse_space")


with Browser() as b:
    if axe:  # runs in each page before its own scripts, whatever its policy
        with open(axe, encoding="utf-8") as f:
            b.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": f.read() + "; window.axe = axe"})
    single(b)
    alone(b)
    compared(b)
    b.done()
