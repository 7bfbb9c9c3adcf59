# graph_pages.py - call graph, source and instructions of the web UI in a browser: zoom, drag, selection, widths, themes
# SPDX-License-Identifier: Apache-2.0
#
# usage: python3 graph_pages.py PROFILE HOSTILE_PROFILE

import re
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
FILL = "return getComputedStyle(document.querySelector('svg.callgraph a.k7 rect')).fill"
TEXT = "return getComputedStyle(document.querySelector('svg.callgraph a.k7 text')).fill"
OVERFLOW = "return document.documentElement.scrollWidth - document.documentElement.clientWidth"


def near(a, b, limit=3):
    return all(abs(x - y) <= limit for x, y in zip(a, b))


def zoom(b, s):
    b.open_url(s.url("ui/graph"))
    start = b.run(WIDTH)
    b.keys("+")
    b.result(abs(b.run(WIDTH) - start * 1.25) < 1, "+ zooms in, without a click before it")
    b.keys("-", "-")
    b.result(abs(b.run(WIDTH) - start / 1.25) < 1, "- zooms out")
    b.keys("0")
    b.result(b.run("const g = document.getElementById('graph'); return g.scrollWidth <= g.clientWidth && "
                   "g.scrollHeight <= g.clientHeight + 1"), "0 shows the whole graph")
    b.find("button[title$='original size']").click()
    natural = b.run("return document.querySelector('svg.callgraph').viewBox.baseVal.width")
    b.result(abs(b.run(WIDTH) - natural) < 1, "a button shows the original size")
    box = b.run(FIND)
    b.run("arguments[0].focus()", box)
    b.run("arguments[0].scrollIntoView({block: 'center', inline: 'center'})", box)
    at = b.run(BOX)
    b.run("""document.getElementById('graph').dispatchEvent(new WheelEvent('wheel', { deltaY: -100, bubbles: true,
        cancelable: true, clientX: arguments[0], clientY: arguments[1] }))""", *at)
    b.result(b.run(WIDTH) > natural * 1.2 and near(b.run(BOX), at), "the wheel zooms and keeps the box below the mouse",
             (at, b.run(BOX)))


def opens_at_the_root(b, s):
    for path, width, height in (("ui/graph", 390, 800), ("ui/graph", 1280, 800), ("ui/graph", 2560, 3000), ("ui/graph?n=200&nf=0", 1280, 800)):
        b.resize(width, height)
        b.open_url(s.url(path))
        b.result(b.run("""const frame = document.getElementById('graph').getBoundingClientRect();
            const root = [...document.querySelectorAll('svg.callgraph a')].find((a) => a.textContent.includes('(87.35%)'));
            const box = root.getBoundingClientRect();
            return box.left >= frame.left && box.right <= frame.right && box.top >= frame.top && box.bottom < frame.top + 150"""),
                 f"{path} opens with its root at the top at {width} px")
        whole, scale = b.run("""const g = document.getElementById('graph'), svg = g.querySelector('svg');
            const size = svg.viewBox.baseVal, whole = Math.min(1, g.clientWidth / size.width, g.clientHeight / size.height);
            return [whole, svg.getBoundingClientRect().width / size.width]""")
        b.result(0.59 < scale < 1.01 and (whole < 0.6 or abs(whole - scale) < 0.01), "readable, and fitted if that is", (whole, scale))
    b.resize(1200, 900)


def searches(b, s):
    match = "return [...document.querySelectorAll('svg.callgraph a.match title')].map((t) => t.textContent.split(' ')[0])"
    all_names = "return [...document.querySelectorAll('svg.callgraph a title')].map((t) => t.textContent.split(' ')[0])"
    b.open_url(s.url("ui/graph"))
    names = b.run(all_names)
    for typed, test in (("sort", lambda n: "sort" in n.lower()), ("Sort", lambda n: "Sort" in n), (r"^net/http\b", lambda n: n.startswith("net/http"))):
        want = [n for n in names if test(n)]
        b.run("const f = document.getElementById('search'); f.value = arguments[0]; f.dispatchEvent(new Event('input'))", typed)
        b.result(b.wait(f"return document.getElementById('found').textContent === '{len(want)} of {len(names)} match'") and want,
                 f"{typed}: matches are counted", b.run("return document.getElementById('found').textContent"), want)
        b.equal(b.run(match), want, f"{typed}: they are marked")
    shown = """const box = document.querySelector('svg.callgraph a.selected').getBoundingClientRect();
        const frame = document.getElementById('graph').getBoundingClientRect();
        return [document.querySelector('a.selected title').textContent.split(' ')[0],
            box.top >= frame.top && box.bottom <= frame.bottom && box.left >= frame.left && box.right <= frame.right]"""
    b.keys("n", "n")
    b.equal(b.run(shown), [want[1], True], "n selects the next match and shows it")
    b.keys("N", "N")
    b.equal(b.run(shown), [want[-1], True], "N the previous one")
    b.run("const f = document.getElementById('search'); f.value = '('; f.dispatchEvent(new Event('input'))")
    b.result(b.wait("return document.getElementById('found').textContent.includes('invalid')"), "an invalid expression is reported")


COLORS = """const box = [...document.querySelectorAll('svg.callgraph a')], of = (a, tag) => getComputedStyle(a.querySelector(tag)).fill;
    return box.map((a) => [Number(/k(\\d)/.exec(a.getAttribute('class'))[1]) * (a.classList.contains('down') ? -1 : 1),
        of(a, 'rect'), of(a, 'text')])"""


def rgb(text):
    """Red, green and blue from 0 to 1: of "rgb(1, 2, 3)" or "color(srgb 0.1 0.2 0.3)"."""
    numbers = [float(x) for x in re.findall(r"[\d.]+", text.replace("srgb", ""))[:3]]
    return [x / 255 for x in numbers] if text.startswith("rgb") else numbers


def luminance(text):
    return sum(k * (x / 12.92 if x <= 0.03928 else ((x + 0.055) / 1.055) ** 2.4) for k, x in zip((0.2126, 0.7152, 0.0722), rgb(text)))


def hot_nodes(b, s, diff):
    for theme in ("light", "dark"):
        b.prefer(theme)
        for path in (s.url("ui/graph"), diff.url("ui/graph")):
            b.open_url(path)
            colors = b.run(COLORS)
            ratio = [(max(x, y) + 0.05) / (min(x, y) + 0.05) for _, box, text in colors for x, y in [(luminance(box), luminance(text))]]
            b.result(min(ratio) >= 4.5, f"{theme}: text has contrast", min(ratio))
            strength = {abs(step): max(rgb(box)) - min(rgb(box)) for step, box, _ in colors}
            b.result(strength[max(strength)] > max(strength) * 0.035 > strength.get(0, 0),
                     f"{theme}: hot nodes have colour, cold ones do not", strength)
            b.result(all((step < 0) == (rgb(box)[2] > rgb(box)[0]) for step, box, _ in colors if step),
                     f"{theme}: decreases are blue, increases red")
    b.prefer("light")


def drag(b, s):
    b.open_url(s.url("ui/graph"))
    before, box = b.run(SCROLL), b.run(BOX)
    frame = b.find("#graph")
    ActionChains(b.driver, duration=0).move_to_element(frame).click_and_hold().move_by_offset(60, -20).move_by_offset(40, -30) \
        .release().perform()
    after = b.run(SCROLL)
    b.result(near([after[0] - before[0], after[1] - before[1]], [-100, 50], 8), "dragging moves the graph", (before, after))
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
            for function in (zoom, opens_at_the_root, searches, drag, select, themes, widths, without_scripts, source):
                b.case(function, s)
            with Server("-symbolize=none", "-base=gate/slow-1.pb.gz", "gate/base-1.pb.gz") as diff:
                b.case(hot_nodes, s, diff)
        with Server("-symbolize=none", sys.argv[2]) as s:
            b.case(hostile, s)
        b.done()


main()
