# svg.py - test SVG flame graphs in a browser
# SPDX-License-Identifier: Apache-2.0
"""usage: svg.py FOLDER     with the files that t241-browser-svg.t draws"""

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
    """Name, x and width of the widest visible box of each name."""
    found = {}
    for name, x, width, _ in b.run(SHOWN):
        if name not in found or width > found[name][1]:
            found[name] = (x, width)
    return found


def share(pattern, within=None):
    """The percentage of stacks with a frame that matches, from the folded stacks; of those with within, if given."""
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
    b.equal(after[ROUTE], (10, 1180), "a clicked box takes the whole width")
    b.result(after["all"] == (10, 1180) and "net/http.(*conn).serve" in after, "ancestors of a clicked box take the whole width")
    child = "shop/route.(*Planner).extend"
    ratio = after[child][1] / before[child][1]
    b.result(abs(ratio - 1180 / before[ROUTE][1]) < .01, "children of a clicked box grow with it", ratio)
    b.result("encoding/json.(*Encoder).Encode" not in after, "neighbours of a clicked box are hidden")
    faded = [c for name, _, _, c in b.run(SHOWN) if name == "all"]
    b.result(" a" in faded[0], "ancestors of a clicked box are faded")
    b.back()
    b.result(b.wait("return !location.hash"), "back restores the address")
    b.equal(widest(b), before, "back restores the picture")
    b.forward()
    b.result(b.wait("return location.hash.startsWith('#zoom=')"), "forward zooms again")
    b.equal(widest(b)[ROUTE], (10, 1180), "forward zooms to the same box")
    b.click(b.run(FIND, "all"))
    b.equal(widest(b), before, "a click on the root shows everything")


def restores_links(b):
    b.open(svg("plain"))
    b.click(b.run(FIND, ROUTE))
    b.keys("/", "runtime\\..*gc", Keys.ENTER)
    link, shown, shown_text = b.run("return location.hash"), widest(b), b.run(STATUS)
    b.open(svg("plain"), link)
    b.result("&search=" in link and widest(b) == shown, "a link restores the zoom", link)
    b.equal(b.run(STATUS), shown_text, "a link restores the search")
    b.equal(b.run("return document.querySelector('input').value"), "runtime\\..*gc", "a link restores the text of the search")
    b.open(svg("icicle"), link)
    b.equal(widest(b)[ROUTE], (10, 1180), "the link selects the same box in another picture of the stacks")


def searches(b):
    b.open(svg("plain"))
    for words, pattern in (("sort", "(?i)sort"), ("\\.(extend|nearest)?$", "\\.(extend|nearest)?$"), ("^runtime\\.", "^runtime\\."), ("(*Planner).", r"\(\*Planner\)\.")):
        b.run("const i = document.querySelector('input'); i.value = arguments[0]; i.dispatchEvent(new Event('input'))", words)
        shown_text = re.match(r"matched ([0-9.]+)%: (\d+) box", b.run(STATUS))
        b.result(shown_text and abs(float(shown_text[1]) - share(pattern)) < .006, f"the share of {words} matches the stacks",
                 b.run(STATUS), share(pattern))
        marked = b.run("return [...document.querySelectorAll('.rows .m > title')].map(e => e.textContent.split('\\n')[0])")
        b.result(len(marked) == int(shown_text[2]) and all(re.search(pattern, m) for m in marked), "matches of a search are marked")
    b.click(b.run(FIND, ROUTE))
    shown_text = re.search(r"([0-9.]+)% of the zoomed box", b.run(STATUS))
    b.result(shown_text and abs(float(shown_text[1]) - share(r"\(\*Planner\)\.", ROUTE)) < .06, "when zoomed, the share of the zoomed box is shown too")
    b.run("const i = document.querySelector('input'); i.value = 'depot|nearest'; i.dispatchEvent(new Event('input'))")
    shown_text = re.search(r"([0-9.]+)% of the zoomed box", b.run(STATUS))
    b.result(shown_text and abs(float(shown_text[1]) - share("depot|nearest", ROUTE)) < .06, "the share of the zoomed box ignores boxes around it")
    b.equal(b.run(BAR)[2], b.run(STATUS), "the details bar shows the share too, for pictures higher than the window")
    b.keys("/", Keys.HOME, Keys.DELETE * 20, "zzz", Keys.ENTER)
    b.equal(b.run(STATUS), "no match", "an unknown name has no match")
    b.keys(Keys.ESCAPE)
    b.equal((b.run(STATUS), len(b.find_all(".rows rect.m"))), ("", 0), "Escape clears the search")
    b.open(svg("diff"), "#search=parse")
    b.result(re.match(r"matched [0-9.]+% of the width: 2 boxes$", b.run(STATUS)), "in a comparison the share is that of the width",
             b.run(STATUS))


def obeys_keys(b):
    b.open(svg("plain"))
    b.keys(Keys.TAB)
    b.run("document.querySelector('.rows rect').focus()")
    b.keys(Keys.ARROW_UP)
    b.equal(b.run(NAME), "net/http.(*conn).serve", "arrow up goes to the widest callee")
    b.keys(Keys.ARROW_RIGHT)
    b.result(b.run(NAME) != "net/http.(*conn).serve", "arrow right goes to the next box")
    b.keys(Keys.ARROW_LEFT, Keys.ENTER)
    b.equal(widest(b)["net/http.(*conn).serve"], (10, 1180), "Enter zooms")
    b.result(b.run(BAR)[0] == "net/http.(*conn).serve", "the details bar shows the focused box")
    b.keys(Keys.ARROW_UP, Keys.ARROW_UP, Keys.ENTER, Keys.ESCAPE)
    b.result(b.run("return location.hash") != "", "Escape zooms out one step")
    b.keys(Keys.BACKSPACE, Keys.BACKSPACE)
    b.equal(b.run("return location.hash"), "", "Backspace zooms out up to the root")
    b.chord(Keys.CONTROL, "f")
    b.keys("nearest", Keys.ENTER)
    first = b.run("return document.activeElement.getAttribute('x') + document.activeElement.parentNode.getAttribute('transform')")
    b.result("nearest" in b.run(NAME), "Ctrl-F searches, and Enter goes to a match")
    b.keys("n")
    second = b.run("return document.activeElement.getAttribute('x') + document.activeElement.parentNode.getAttribute('transform')")
    b.result(second != first and "nearest" in b.run(NAME), "n goes to the next match")
    b.keys("N")
    b.equal(b.run("return document.activeElement.getAttribute('x') + document.activeElement.parentNode.getAttribute('transform')"),
            first, "N goes to the previous match")
    b.keys(Keys.ENTER, "0")
    b.result("zoom" not in b.run("return location.hash"), "0 shows everything")
    b.keys("?")
    b.result(len(b.find_all(".help")) == 1, "? shows the keys")
    b.keys(Keys.ESCAPE)
    b.result(not b.find_all(".help"), "Escape hides the keys")
    b.open(svg("icicle"))
    b.run("document.querySelector('.rows rect').focus()")
    b.keys(Keys.ARROW_DOWN)
    b.equal(b.run(NAME), "net/http.(*conn).serve", "arrow down goes to the widest callee of an icicle")


def shows_details_and_resets(b):
    b.open(svg("plain"))
    box = b.run(FIND, ROUTE)
    b.hover(box)
    shown_text = b.run(BAR)
    b.result(shown_text[0] == ROUTE and "flat " in shown_text[1] and "cum " in shown_text[1] and "%" in shown_text[1],
             "the details bar shows the box under the pointer", shown_text)
    b.equal(b.run("return arguments[0].querySelector('title').textContent.split('\\n')[0]", box), ROUTE, "the tooltip shows the box under the pointer")
    bottom = b.run("return document.querySelector('.ui > g').getBoundingClientRect().bottom <= innerHeight + 1")
    b.result(bottom, "the details bar is inside the window")
    b.click(box)
    b.run("const i = document.querySelector('input'); i.value = 'sort'; i.dispatchEvent(new Event('input'))")
    b.click(b.find("button"))
    b.equal((b.run("return location.hash"), b.run(STATUS), widest(b)["all"]), ("", "", (10, 1180)), "Reset clears zoom and search")
    b.open(svg("diff"))
    b.hover(b.run(FIND, "parse /build/ci/42/xml/parse.c"))
    shown_text = b.run(BAR)[1]
    b.result("before 100ms" in shown_text and "after 200ms" in shown_text and "change +100ms" in shown_text, "the details of a comparison show both sides", shown_text)


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
        # Names with U+FFFE and U+FFFF may differ: XML cannot contain these, so they are escaped after names are shortened.
        odd = [pair for pair in zip(live, drawn) if pair[0] != pair[1] and "\\u{fff" not in pair[1][0]]
        b.result(len(live) == len(drawn) and not odd, f"the script shortens names like cpa ({name})", *odd[:5])
        b.result(not b.find_all(".ui"), "without scripts there are no controls")
    b.open(svg("plain"))
    for width in (600, 2400, 320, 1200):
        b.resize(width, 800)
        b.wait(f"return document.documentElement.getAttribute('viewBox').startsWith('0 0 {width} ')")
        root = widest(b)["all"]
        b.equal(root, (10, width - 20), f"the picture fills a window {width} pixels wide")
        over = b.run("""const box = new Map([...document.querySelectorAll('.rows rect')].map(e => [e, e.getBoundingClientRect()]));
            return [...document.querySelectorAll('.rows text')].filter(t => t.getBoundingClientRect().right >
                box.get(t.previousSibling).right + .5).map(t => t.textContent)""")
        b.equal(over, [], "no name exceeds its box")
        wide = b.run("return [...document.querySelectorAll('text')].filter(t => t.getBoundingClientRect().right > innerWidth)"
                     ".map(t => t.textContent)")
        b.equal(wide, [], "no text exceeds the window")
    b.resize(1200, 900)


def opens_with_title_and_legend(b):
    inside = """return [...document.querySelectorAll('.title text, .sub text, .legend text, input')].map(e => e.getBoundingClientRect())
        .filter(r => r.top < 0 || r.left < 0 || r.bottom > innerHeight || r.right > innerWidth).length"""
    seen = """const y = arguments[0].getBoundingClientRect(), line = document.querySelector('.ui > g').getBoundingClientRect();
        return y.top >= 0 && y.bottom <= line.top"""
    for width, height in (1280, 720), (800, 600), (1200, 330):
        b.resize(width, height)
        for name in "plain", "icicle", "diff", "deep":
            b.open(svg(name))
            b.equal(b.run("return scrollY"), 0, f"{name} opens at its top in a window of {width} x {height}")
            b.equal(b.run(inside), 0, "title, legend and search are inside the window")
            below = name in ("plain", "deep")
            b.equal("The root is below" in b.run(BAR)[1], below, "a hint appears only if the root is below")
    b.open(svg("plain"))
    b.keys(Keys.END)
    b.result(b.wait("return scrollY > 0") and b.run(seen, b.run(FIND, "all")), "End shows the root")
    b.result(b.run("return document.querySelector('input').getBoundingClientRect().top >= 0"), "the search stays inside the window")
    b.result("The root is below" not in b.run(BAR)[1], "the hint about the root is gone")
    b.resize(1200, 900)


def shows_hostile_names_as_text(b):
    b.open(svg("names"))
    names = b.run("return [...document.querySelectorAll('.rows rect > title')].map(e => e.textContent.split('\\n')[0])")
    b.result("<script>alert(1)</script>" in names and "]]>" in names, "names are shown unchanged", names)
    for i, box in enumerate(b.find_all(".rows rect")):
        if i % 3 == 0:
            b.hover(box)
            b.run("arguments[0].dispatchEvent(new MouseEvent('click', {bubbles: true}))", box)
            b.keys("0")
    b.keys("/", "<script>", Keys.ENTER)
    b.result(b.run(STATUS).startswith("matched "), "a search for markup matches it as text", b.run(STATUS))
    b.equal((len(b.find_all("script")), len(b.find_all("img, iframe, a, image, use"))), (1, 0), "names create no elements")


def explains_a_comparison(b):
    b.open(svg("diff"))
    b.result("width: the larger of before and after, per stack" in b.run("return [...document.querySelectorAll('.legend text')].map(e => e.textContent)"),
             "the legend of a comparison explains the width")
    fills = b.run("""const root = arguments[0], fill = e => getComputedStyle(e).fill;
        return [fill(root), ...[...document.querySelectorAll('.legend rect')].map(fill)]""", b.run(FIND, "all"))
    b.result(fills[0] in fills[1:], "the root has a colour of the legend", fills)


def ignores_hostile_links(b):
    for link in ("#zoom=<script>alert(1)</script>", "#zoom=__proto__&search=constructor", "#zoom=-1", "#zoom=1e9", "#zoom=%",
                 "#zoom=%FF&search=%E0%A4%A", "#search=%3Cscript%3Ealert(1)%3C/script%3E", "#svgView(viewBox(0,0,1,1))",
                 "#search=[", "#search=" + "a" * 5000, "#zoom", "#=&=&&", "#javascript:alert(1)", *("#search=" + e for e in SLOW)):
        start = b.cpu_seconds()
        b.open(svg("names"), link)
        good = b.run("return document.querySelectorAll('script').length === 1") and widest(b)["all"] == (10, 1180)
        took = b.cpu_seconds() - start
        b.result(good and took < 15, f"{link[:40]} is ignored", took)


def works_inside_other_pages(b):
    b.open(svg("empty"))
    b.result("no samples" in b.run("return document.documentElement.textContent"), "an empty picture has a note")
    b.keys(Keys.ENTER, Keys.ARROW_UP, "n", "0", Keys.ESCAPE)
    page = os.path.join(folder, "page.html")
    with open(page, "w", encoding="utf-8") as f:
        f.write("<!DOCTYPE html><title>page</title><img src=plain.svg width=800><object data=plain.svg width=800 height=500></object>"
                "<iframe src=diff.svg width=900 height=300></iframe>")
    b.open(page)
    b.equal(b.run("return [document.images[0].naturalWidth, document.images[0].complete]"), [1200, True], "the SVG works as an image")
    b.driver.switch_to.frame(b.find("object"))
    b.equal(widest(b)["all"], (10, 780), "the SVG adopts the width of an object")
    b.click(b.run(FIND, ROUTE))
    b.equal(widest(b)[ROUTE], (10, 780), "the SVG zooms in an object")
    b.driver.switch_to.default_content()
    b.driver.switch_to.frame(b.find("iframe"))
    b.equal(widest(b)["all"], (10, 880), "the SVG adopts the width of a frame")
    b.driver.switch_to.default_content()


def follows_the_preferred_theme(b):
    paper = "return getComputedStyle(document.querySelector('rect.b')).fill"
    b.open(svg("plain"))
    light = b.run(paper)
    b.prefer("dark")
    dark = b.run(paper)
    b.prefer("dark", "print")
    b.equal((light != dark, b.run(paper)), (True, light), "the SVG is dark if the reader prefers that, except in print")
    b.equal(b.run("return getComputedStyle(document.querySelector('.ui')).display"), "none", "the print has no controls")
    b.prefer("light")


with Browser() as browser:
    for case in (zooms_by_click, restores_links, searches, obeys_keys, shows_details_and_resets, fits_any_width, opens_with_title_and_legend,
                 explains_a_comparison, shows_hostile_names_as_text, ignores_hostile_links, works_inside_other_pages, follows_the_preferred_theme):
        browser.case(case)
    browser.done()
