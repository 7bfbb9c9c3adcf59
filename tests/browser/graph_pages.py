# graph_pages.py - call graph, source and instructions of the web UI in a browser: zoom, drag, selection, widths, themes
# SPDX-License-Identifier: Apache-2.0
#
# usage: python3 graph_pages.py PROFILE HOSTILE_PROFILE

import sys

from selenium.webdriver.common.action_chains import ActionChains

from browser import Browser, Keys
from server import Server

# Width of the picture; position of a box in the window; the name in the title of a box.
WIDTH = "return document.querySelector('svg.callgraph').getBoundingClientRect().width"
BOX = """const box = [...document.querySelectorAll('svg.callgraph a')].find((a) => a.textContent.includes('nearest'));
    const r = box.getBoundingClientRect(); return [r.left + r.width / 2, r.top + r.height / 2];"""
FIND = "return [...document.querySelectorAll('svg.callgraph a')].find((a) => a.textContent.includes('nearest'))"
SCROLL = "const g = document.getElementById('graph'); return [g.scrollLeft, g.scrollTop]"
LINKS = "return [...document.querySelectorAll('p.selected a')].map((a) => a.textContent)"
FILL = "return getComputedStyle(document.querySelector('svg.callgraph a.k8 rect')).fill"
TEXT = "return getComputedStyle(document.querySelector('svg.callgraph a.k8 text')).fill"
OVERFLOW = "return document.documentElement.scrollWidth - document.documentElement.clientWidth"


def near(a, b, limit=3):
    return all(abs(x - y) <= limit for x, y in zip(a, b))


def zoom(b, s):
    b.open_url(s.url("ui/graph"))
    start = b.run(WIDTH)
    b.run("document.getElementById('graph').focus()")
    b.keys("+")
    b.result(abs(b.run(WIDTH) - start * 1.25) < 1, "+ zooms in")
    b.keys("-", "-")
    b.result(abs(b.run(WIDTH) - start / 1.25) < 1, "- zooms out")
    b.keys("0")
    b.result(b.run("const g = document.getElementById('graph'); return g.scrollWidth <= g.clientWidth && "
                   "g.scrollHeight <= g.clientHeight + 1"), "0 shows the whole graph")
    b.find("button[title$='original size']").click()
    b.result(abs(b.run(WIDTH) - start) < 1, "a button restores the size")
    box = b.run(FIND)
    b.run("arguments[0].focus()", box)
    b.run("arguments[0].scrollIntoView({block: 'center', inline: 'center'})", box)
    at = b.run(BOX)
    b.run("""document.getElementById('graph').dispatchEvent(new WheelEvent('wheel', { deltaY: -100, bubbles: true,
        cancelable: true, clientX: arguments[0], clientY: arguments[1] }))""", *at)
    b.result(b.run(WIDTH) > start * 1.2 and near(b.run(BOX), at), "the wheel zooms and keeps the box below the mouse",
             (at, b.run(BOX)))


def drag(b, s):
    b.open_url(s.url("ui/graph"))
    before, box = b.run(SCROLL), b.run(BOX)
    frame = b.find("#graph")
    ActionChains(b.driver, duration=0).move_to_element(frame).click_and_hold().move_by_offset(60, 20).move_by_offset(40, 30) \
        .release().perform()
    after = b.run(SCROLL)
    b.result(near([after[0] - before[0], after[1] - before[1]], [-100, -50], 8), "dragging moves the graph", (before, after))
    b.equal(b.run(LINKS), [], "and selects nothing")
    b.result(b.run("return location.pathname").endswith("/ui/graph"), "and follows no link", box)


def select(b, s):
    b.open_url(s.url("ui/graph"))
    box = b.run(FIND)
    b.run("arguments[0].scrollIntoView({block: 'center', inline: 'center'})", box)
    b.click(box)
    b.equal(b.run(LINKS), ["callers and callees", "flame graph", "source", "instructions", "focus"], "a click shows links")
    b.result("nearest" in b.find("p.selected").text and "2.50s" in b.find("p.selected").text, "with the name and cum")
    b.result(b.run("return arguments[0].classList.contains('selected')", box), "the box is marked")
    hrefs = [a.get_attribute("href").split("/ui/")[1] for a in b.find_all("p.selected a")]
    b.equal([x.split("?")[0] for x in hrefs], ["peek", "flamegraph", "source", "disasm", "graph"], "links go to these views")
    b.result("p=%5E" in hrefs[1] and "f=" not in hrefs[1], "the flame graph gets a pivot and no filter", hrefs[1])
    b.find_all("p.selected a")[4].click()
    b.wait("return location.search.startsWith('?f=')")
    b.result(len(b.find_all("svg.callgraph a")) < 42, "focus keeps only the stacks of the function")
    box = b.run(FIND)
    b.run("arguments[0].focus()", box)
    b.keys(Keys.ENTER)
    hrefs = [a.get_attribute("href").split("/ui/")[1] for a in b.find_all("p.selected a")]
    b.result(hrefs and "arg=%5E" in hrefs[0] and "f=%5E" in hrefs[0], "Enter selects too; links of a filtered page keep the filter",
             hrefs)


def themes(b, s):
    b.prefer("light")
    b.open_url(s.url("ui/graph"))
    light = [b.run(FILL), b.run(TEXT)]
    b.prefer("dark")
    dark = [b.run(FILL), b.run(TEXT)]
    b.result(light[0] != dark[0] and light[1] != dark[1], "boxes and texts have the colours of the theme", (light, dark))
    b.prefer("light")


def widths(b, s):
    for path in ["ui/graph", "ui/source?f=nearest", "ui/source?f=mallocgc"]:
        for width in [320, 900, 2560]:
            b.resize(width, 800)
            b.open_url(s.url(path))
            b.result(b.run(OVERFLOW) <= 0, f"{path} needs no horizontal scrolling at {width} px")
    b.resize(1200, 900)


def without_scripts(b, s):
    b.scripts(False)
    b.open_url(s.url("ui/graph"))
    b.scripts(True)
    b.equal(b.run("return document.querySelectorAll('.graph-bar, p.selected').length"), 0, "without scripts there are no buttons")
    b.result(b.run("const g = document.getElementById('graph'); return g.scrollWidth > g.clientWidth"), "the picture scrolls")
    b.run("arguments[0].scrollIntoView({block: 'center', inline: 'center'})", b.run(FIND))
    b.click(b.run(FIND))
    b.result(b.wait("return location.pathname.endsWith('/ui/peek')"), "a box links to callers and callees")


def source(b, s):
    b.open_url(s.url("ui/source?f=nearest"))
    b.result("nearest" in b.find("section.source h2").text, "a section for each function")
    b.equal([x.text for x in b.find_all("section.source:first-of-type thead th")][:3], ["Line", "Flat", "Cum"], "columns have headings")
    b.result(b.find_all("div.missing li"), "paths tried are listed")


def hostile(b, s):
    for path in ("graph", "source?f=.", "graph?n=0&g=lines"):
        b.open_url(s.url("ui/" + path))
        b.result(not b.alerted() and not b.run("return document.querySelector('main img, main style, main iframe, main [onload]')"),
                 f"{path}: hostile names are text")
        links = b.run("""return [...document.querySelectorAll('main a[href]')].map((a) =>
            new URL(typeof a.href === 'string' ? a.href : a.href.baseVal, document.baseURI).protocol)""")
        b.equal(set(links), {"http:"}, f"{path}: all links lead to this server")


def main():
    with Browser() as b:
        with Server("-symbolize=none", sys.argv[1]) as s:
            for function in (zoom, drag, select, themes, widths, without_scripts, source):
                b.case(function, s)
        with Server("-symbolize=none", sys.argv[2]) as s:
            b.case(hostile, s)
        b.done()


main()
