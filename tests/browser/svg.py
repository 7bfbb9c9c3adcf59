# svg.py - flame graphs as SVG, driven
# SPDX-License-Identifier: Apache-2.0
"""usage: svg.py FOLDER, which holds the files that t241-browser-svg.t draws"""

import os
import re
import sys

from browser import SLOW, Browser, Keys

folder = sys.argv[1]
ROUTE = "shop/route.(*Planner).Shortest"
FIND = "return [...document.querySelectorAll('.rows rect')].find(e => e.firstChild.textContent.split('\\n')[0] === arguments[0])"
SHOWN = """return [...document.querySelectorAll('.rows rect')].filter(e => !e.hasAttribute('display'))
    .map(e => [e.firstChild.textContent.split('\\n')[0], +e.getAttribute('x'), +e.getAttribute('width'), e.getAttribute('class')])"""
NAME = "return document.activeElement.firstChild.textContent.split('\\n')[0]"
STATUS = "return document.querySelector('[role=status]').textContent"
BAR = "return [...document.querySelectorAll('.ui > g > text')].map(e => e.textContent)"
TEXTS = "return [...document.querySelectorAll('.rows text')].map(e => [e.textContent, e.getAttribute('x'), e.getAttribute('y')])"


def svg(name):
    return os.path.join(folder, name + ".svg")


def widest(b):
    """Name, x and width of what is shown, by name; the widest of a name."""
    found = {}
    for name, x, width, _ in b.run(SHOWN):
        if name not in found or width > found[name][1]:
            found[name] = (x, width)
    return found


def share(pattern, within=None):
    """The share of stacks with a frame that matches, from the folded stacks: in percent, and of those with within."""
    hit = total = 0
    with open(os.path.join(folder, "plain.folded"), encoding="utf-8") as f:
        for line in f:
            stack, value = line.rsplit(" ", 1)
            frames = stack.split(";")
            if within:
                if within not in frames:
                    continue
                frames = frames[frames.index(within):]
            total += int(value)
            hit += int(value) if any(re.search(pattern, name) for name in frames) else 0
    return 100 * hit / total


def zooms_by_click(b):
    b.open(svg("plain"))
    before = widest(b)
    b.click(b.run(FIND, ROUTE))
    after = widest(b)
    b.equal(after[ROUTE], (10, 1180), "a box that is clicked takes all the width")
    b.result(after["all"] == (10, 1180) and "net/http.(*conn).serve" in after, "and so do those it is called from")
    child = "shop/route.(*Planner).extend"
    ratio = after[child][1] / before[child][1]
    b.result(abs(ratio - 1180 / before[ROUTE][1]) < .01, "what it calls grows with it", ratio)
    b.result("encoding/json.(*Encoder).Encode" not in after, "what is beside it is gone")
    faded = [c for name, _, _, c in b.run(SHOWN) if name == "all"]
    b.result(" a" in faded[0], "what it is called from is faded")
    b.back()
    b.result(b.wait("return !location.hash"), "back takes the address back")
    b.equal(widest(b), before, "and the picture")
    b.forward()
    b.result(b.wait("return location.hash.startsWith('#zoom=')"), "forward zooms again")
    b.equal(widest(b)[ROUTE], (10, 1180), "to the same box")
    b.click(b.run(FIND, "all"))
    b.equal(widest(b), before, "a click on the root shows all of it")


def restores_links(b):
    b.open(svg("plain"))
    b.click(b.run(FIND, ROUTE))
    b.keys("/", "runtime\\..*gc", Keys.ENTER)
    link, shown, said = b.run("return location.hash"), widest(b), b.run(STATUS)
    b.open(svg("plain"), link)
    b.result("&search=" in link and widest(b) == shown, "a link restores the zoom", link)
    b.equal(b.run(STATUS), said, "and the search")
    b.equal(b.run("return document.querySelector('input').value"), "runtime\\..*gc", "with its words")
    b.open(svg("icicle"), link)
    b.equal(widest(b)[ROUTE], (10, 1180), "it knows the same box in another picture of these stacks")


def searches(b):
    b.open(svg("plain"))
    for words, pattern in (("sort", "(?i)sort"), ("\\.(extend|nearest)?$", "\\.(extend|nearest)?$"), ("^runtime\\.", "^runtime\\."), ("(*Planner).", r"\(\*Planner\)\.")):
        b.run("const i = document.querySelector('input'); i.value = arguments[0]; i.dispatchEvent(new Event('input'))", words)
        said = re.match(r"matched ([0-9.]+)%: (\d+) box", b.run(STATUS))
        b.result(said and abs(float(said[1]) - share(pattern)) < .006, f"the share of {words} is that of the stacks",
                 b.run(STATUS), share(pattern))
        marked = b.run("return [...document.querySelectorAll('.rows .m > title')].map(e => e.textContent.split('\\n')[0])")
        b.result(len(marked) == int(said[2]) and all(re.search(pattern, m) for m in marked), "and what matches is marked")
    b.click(b.run(FIND, ROUTE))
    said = re.search(r"([0-9.]+)% of this", b.run(STATUS))
    b.result(said and abs(float(said[1]) - share(r"\(\*Planner\)\.", ROUTE)) < .06, "when zoomed, it tells the share of that too")
    b.run("const i = document.querySelector('input'); i.value = 'depot|nearest'; i.dispatchEvent(new Event('input'))")
    said = re.search(r"([0-9.]+)% of this", b.run(STATUS))
    b.result(said and abs(float(said[1]) - share("depot|nearest", ROUTE)) < .06, "but nothing of what is around it")
    b.equal(b.run(BAR)[2], b.run(STATUS), "the line below tells it as well, for pictures higher than the window")
    b.keys("/", Keys.HOME, Keys.DELETE * 20, "zzz", Keys.ENTER)
    b.equal(b.run(STATUS), "nothing matches", "it says so when nothing matches")
    b.keys(Keys.ESCAPE)
    b.equal((b.run(STATUS), len(b.find_all(".rows rect.m"))), ("", 0), "Escape forgets the search")
    b.open(svg("diff"), "#search=parse")
    b.result(re.match(r"matched [0-9.]+% of the width: 1 box$", b.run(STATUS)), "of a difference, it tells of what its share is",
             b.run(STATUS))


def obeys_keys(b):
    b.open(svg("plain"))
    b.keys(Keys.TAB)
    b.run("document.querySelector('.rows rect').focus()")
    b.keys(Keys.ARROW_UP)
    b.equal(b.run(NAME), "net/http.(*conn).serve", "the arrow up goes to the widest box that is called")
    b.keys(Keys.ARROW_RIGHT)
    b.result(b.run(NAME) != "net/http.(*conn).serve", "the arrow to the right goes to the next")
    b.keys(Keys.ARROW_LEFT, Keys.ENTER)
    b.equal(widest(b)["net/http.(*conn).serve"], (10, 1180), "Enter zooms")
    b.result(b.run(BAR)[0] == "net/http.(*conn).serve", "the line below tells of the box that has the focus")
    b.keys(Keys.ARROW_UP, Keys.ARROW_UP, Keys.ENTER, Keys.ESCAPE)
    b.result(b.run("return location.hash") != "", "Escape goes out one step")
    b.keys(Keys.BACKSPACE, Keys.BACKSPACE)
    b.equal(b.run("return location.hash"), "", "Backspace as well, up to the root")
    b.chord(Keys.CONTROL, "f")
    b.keys("nearest", Keys.ENTER)
    first = b.run("return document.activeElement.getAttribute('x') + document.activeElement.parentNode.getAttribute('transform')")
    b.result("nearest" in b.run(NAME), "Ctrl-F searches, and Enter goes to a match")
    b.keys("n")
    second = b.run("return document.activeElement.getAttribute('x') + document.activeElement.parentNode.getAttribute('transform')")
    b.result(second != first and "nearest" in b.run(NAME), "n goes to the next match")
    b.keys("N")
    b.equal(b.run("return document.activeElement.getAttribute('x') + document.activeElement.parentNode.getAttribute('transform')"),
            first, "N back to the one before")
    b.keys(Keys.ENTER, "0")
    b.result("zoom" not in b.run("return location.hash"), "0 shows all of it")
    b.keys("?")
    b.result(len(b.find_all(".help")) == 1, "? shows the keys")
    b.keys(Keys.ESCAPE)
    b.result(not b.find_all(".help"), "Escape takes them away")
    b.open(svg("icicle"))
    b.run("document.querySelector('.rows rect').focus()")
    b.keys(Keys.ARROW_DOWN)
    b.equal(b.run(NAME), "net/http.(*conn).serve", "in an icicle it is the arrow down")


def tells_and_resets(b):
    b.open(svg("plain"))
    box = b.run(FIND, ROUTE)
    b.hover(box)
    said = b.run(BAR)
    b.result(said[0] == ROUTE and "flat " in said[1] and "cum " in said[1] and "%" in said[1],
             "the line below tells of the box under the mouse", said)
    b.equal(b.run("return arguments[0].querySelector('title').textContent.split('\\n')[0]", box), ROUTE, "and so does its tooltip")
    bottom = b.run("return document.querySelector('.ui > g').getBoundingClientRect().bottom <= innerHeight + 1")
    b.result(bottom, "the line is in the window")
    b.click(box)
    b.run("const i = document.querySelector('input'); i.value = 'sort'; i.dispatchEvent(new Event('input'))")
    b.click(b.find("button"))
    b.equal((b.run("return location.hash"), b.run(STATUS), widest(b)["all"]), ("", "", (10, 1180)), "Reset forgets zoom and search")
    b.open(svg("diff"))
    b.hover(b.run(FIND, "parse"))
    said = b.run(BAR)[1]
    b.result("before 300ms" in said and "after 350ms" in said and "change +50ms" in said, "of a difference it tells both sides", said)


def fits_any_width(b):
    b.open(svg("plain"))
    for name in "plain", "names", "diff", "rust", "cpp", "deep":
        b.open(svg(name))
        b.resize(600, 800)
        b.wait("return document.documentElement.getAttribute('viewBox').startsWith('0 0 600 ')")
        b.resize(1200, 900)
        b.wait("return document.documentElement.getAttribute('viewBox').startsWith('0 0 1200 ')")
        live = b.run(TEXTS)
        b.scripts(False)
        b.open(svg(name))
        b.scripts(True)
        drawn = b.run(TEXTS)
        # But for U+FFFE and U+FFFF, which are spelt out after names are shortened, since XML has no way to say them.
        odd = [pair for pair in zip(live, drawn) if pair[0] != pair[1] and "\\u{fff" not in pair[1][0]]
        b.result(len(live) == len(drawn) and not odd, f"the script fits names as cpa does ({name})", *odd[:5])
        b.result(not b.find_all(".ui"), "without scripts there are no buttons")
    b.open(svg("plain"))
    for width in (600, 2400, 320, 1200):
        b.resize(width, 800)
        b.wait(f"return document.documentElement.getAttribute('viewBox').startsWith('0 0 {width} ')")
        root = widest(b)["all"]
        b.equal(root, (10, width - 20), f"the picture is as wide as a window of {width}")
        over = b.run("""const box = new Map([...document.querySelectorAll('.rows rect')].map(e => [e, e.getBoundingClientRect()]));
            return [...document.querySelectorAll('.rows text')].filter(t => t.getBoundingClientRect().right >
                box.get(t.previousSibling).right + .5).map(t => t.textContent)""")
        b.equal(over, [], "no name leaves its box")
        wide = b.run("return [...document.querySelectorAll('text')].filter(t => t.getBoundingClientRect().right > innerWidth)"
                     ".map(t => t.textContent)")
        b.equal(wide, [], "nor the window")
    b.resize(1200, 900)


def begins_at_the_root(b):
    seen = """const y = arguments[0].getBoundingClientRect(), line = document.querySelector('.ui > g').getBoundingClientRect();
        return y.top >= 0 && y.bottom <= line.top"""
    b.resize(1200, 330)
    b.open(svg("plain"))
    b.result(b.run(seen, b.run(FIND, "all")) and b.run("return scrollY > 0"), "of a flame too high for the window the root is seen")
    b.result(b.run("return document.querySelector('input').getBoundingClientRect().top >= 0"), "and where to search")
    b.open(svg("icicle"))
    b.equal((b.run(seen, b.run(FIND, "all")), b.run("return scrollY")), (True, 0), "of an icicle too")
    b.resize(1200, 900)


def hostile_names_are_text(b):
    b.open(svg("names"))
    names = b.run("return [...document.querySelectorAll('.rows rect > title')].map(e => e.textContent.split('\\n')[0])")
    b.result("<script>alert(1)</script>" in names and "]]>" in names, "names are shown as they are", names)
    for i, box in enumerate(b.find_all(".rows rect")):
        if i % 3 == 0:
            b.hover(box)
            b.run("arguments[0].dispatchEvent(new MouseEvent('click', {bubbles: true}))", box)
            b.keys("0")
    b.keys("/", "<script>", Keys.ENTER)
    b.result(b.run(STATUS).startswith("matched "), "a name is searched for as it is written", b.run(STATUS))
    b.equal((len(b.find_all("script")), len(b.find_all("img, iframe, a, image, use"))), (1, 0), "no name became an element")


def hostile_links_are_inert(b):
    for link in ("#zoom=<script>alert(1)</script>", "#zoom=__proto__&search=constructor", "#zoom=-1", "#zoom=1e9", "#zoom=%",
                 "#zoom=%FF&search=%E0%A4%A", "#search=%3Cscript%3Ealert(1)%3C/script%3E", "#svgView(viewBox(0,0,1,1))",
                 "#search=[", "#search=" + "a" * 5000, "#zoom", "#=&=&&", "#javascript:alert(1)", *("#search=" + e for e in SLOW)):
        start = b.cpu_seconds()
        b.open(svg("names"), link)
        good = b.run("return document.querySelectorAll('script').length === 1") and widest(b)["all"] == (10, 1180)
        took = b.cpu_seconds() - start
        b.result(good and took < 15, f"{link[:40]} does nothing", took)


def lives_elsewhere(b):
    b.open(svg("empty"))
    b.result("no samples" in b.run("return document.documentElement.textContent"), "an empty picture says so")
    b.keys(Keys.ENTER, Keys.ARROW_UP, "n", "0", Keys.ESCAPE)
    page = os.path.join(folder, "page.html")
    with open(page, "w", encoding="utf-8") as f:
        f.write("<!DOCTYPE html><title>page</title><img src=plain.svg width=800><object data=plain.svg width=800 height=500></object>"
                "<iframe src=diff.svg width=900 height=300></iframe>")
    b.open(page)
    b.equal(b.run("return [document.images[0].naturalWidth, document.images[0].complete]"), [1200, True], "it can be an image")
    b.driver.switch_to.frame(b.find("object"))
    b.equal(widest(b)["all"], (10, 780), "in an object it has its width")
    b.click(b.run(FIND, ROUTE))
    b.equal(widest(b)[ROUTE], (10, 780), "and zooms there")
    b.driver.switch_to.default_content()
    b.driver.switch_to.frame(b.find("iframe"))
    b.equal(widest(b)["all"], (10, 880), "in a frame too")
    b.driver.switch_to.default_content()


def follows_the_reader(b):
    paper = "return getComputedStyle(document.querySelector('rect.b')).fill"
    b.open(svg("plain"))
    light = b.run(paper)
    b.prefer("dark")
    dark = b.run(paper)
    b.prefer("dark", "print")
    b.equal((light != dark, b.run(paper)), (True, light), "dark for those who prefer it, but not on paper")
    b.equal(b.run("return getComputedStyle(document.querySelector('.ui')).display"), "none", "where there are no buttons")
    b.prefer("light")


with Browser() as browser:
    for case in (zooms_by_click, restores_links, searches, obeys_keys, tells_and_resets, fits_any_width, begins_at_the_root,
                 hostile_names_are_text, hostile_links_are_inert, lives_elsewhere, follows_the_reader):
        browser.case(case)
    browser.done()
