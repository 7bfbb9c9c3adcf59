# table_pages.py - tables of the web UI in a browser: order, keys, search, menus, widths, pages without scripts
# SPDX-License-Identifier: Apache-2.0
#
# usage: python3 table_pages.py PROFILE HOSTILE_PROFILE

import sys

from browser import Browser, Keys
from server import Server

NAMES = "return [...document.querySelectorAll('tbody tr')].map((row) => row.dataset.name)"
CURRENT = "const row = document.activeElement.closest('tr'); return row && row.dataset.name"
# Marks the document: after a request for another page, the mark is gone.
MARK = "window.mark = true"
IS_MARKED = "return window.mark === true"


def order(b, s):
    b.open_url(s.url("ui/top"))
    start = b.run(NAMES)
    b.run(MARK)
    b.find("th.name a").click()
    b.equal(b.run(NAMES), sorted(start), "a click on the heading of names sorts by name")
    b.equal(b.run("return location.search"), "?col=name", "the address has the order")
    b.find("th.name a").click()
    b.equal(b.run(NAMES), sorted(start, reverse=True), "a second click reverses the order")
    b.find("th[data-key=flat] a").click()
    b.equal(b.run(NAMES), start, "a click on flat restores the order of the report")
    b.find("th[data-key=flat] a").click()
    b.equal(b.run(NAMES), start[::-1], "a second click on flat shows the smallest value first")
    b.result(b.run(IS_MARKED), "all rows are loaded, so nothing was requested")
    own = b.run(NAMES)
    b.run("location.reload()")
    b.wait("return document.readyState === 'complete' && !window.mark")
    b.equal(b.run(NAMES), own, "the server has the same order for this address")
    b.equal(b.find("th[aria-sort]").get_attribute("aria-sort"), "ascending", "the heading says so")


def order_of_a_part(b, s):
    b.open_url(s.url("ui/top?rows=10"))
    part = b.run(NAMES)
    b.run(MARK)
    b.find("th.name a").click()
    b.result(b.wait("return document.readyState === 'complete' && !window.mark"), "a part of the rows is sorted by the server")
    names = b.run(NAMES)
    b.result(len(names) == 10 and names == sorted(names) and names != sorted(part), "so the first of all names are shown", names)


def comparison(b, s):
    """Each heading of Difference and Gate sorts without a request as its link does on the server."""
    for path, first in (("ui/diff", "change"), ("ui/gate", "verdict")):
        b.open_url(s.url(path))
        start = b.run(NAMES)
        keys = b.run("return [...document.querySelectorAll('th a')].map((a) => a.closest('th').dataset.key)")
        b.result(len(keys) > 6 and first in keys and "name" in keys, f"{path}: headings sort", keys)
        orders = {}
        for key in keys:
            b.open_url(s.url(path))
            b.run(MARK)
            for turn in range(2):
                b.find(f"th[data-key={key}] a").click()
                orders[b.run("return location.search")] = b.run(NAMES)
            b.result(b.run(IS_MARKED), f"{path}: {key} sorts without a request")
        b.equal(len(orders), 2 * len(keys), f"{path}: both directions of each have an address of their own")
        server = {}
        for address in orders:
            b.open_url(s.url(path + address))
            server[address] = b.run(NAMES)
        b.equal(server, orders, f"{path}: the links have the same orders")
        b.result(orders[""] == start and orders["?desc=f"] == start[::-1] and orders["?col=name"] == sorted(start),
                 f"{path}: by {first}, reversed, and by name")
        b.open_url(s.url(path))
        titles = b.run("return [...document.querySelector('details.actions').querySelectorAll('a')].map((a) => a.dataset.key)")
        b.equal(titles, ["g", "p", "e", "a", "f", "x", "H", "F"], f"{path}: rows have the links of Top")
        b.keys("j", "x")
        b.result(b.wait("return location.search.startsWith('?i=')") and start[0] not in b.run(NAMES), f"{path}: x ignores a function")


def comparison_on_a_phone(b, s):
    b.resize(390, 800)
    for path in ("ui/diff", "ui/gate"):
        b.open_url(s.url(path))
        wide = b.run("return document.documentElement.scrollWidth")
        b.result(wide <= 390, f"{path} fits into 390 pixels", wide)
        b.result(b.run("""return [...document.querySelectorAll('tbody tr')].every((row) => {
            const name = row.querySelector('td.name'), box = name.getBoundingClientRect();
            return row.cells[0] === name && box.width > 300 && [...row.cells].slice(1).every((cell) =>
                !cell.offsetWidth || cell.getBoundingClientRect().top >= box.bottom - 1 && cell.getBoundingClientRect().right <= 390) })"""),
                 f"{path}: a name is above its numbers")
    b.resize(1200, 900)


def keys(b, s):
    b.open_url(s.url("ui/top"))
    names = b.run(NAMES)
    b.keys("j", "j", "j", "k")
    b.equal(b.run(CURRENT), names[1], "j and k go to rows")
    b.keys(Keys.ARROW_DOWN)
    b.equal(b.run(CURRENT), names[2], "the arrow too, in a row")
    b.keys(Keys.END)
    b.equal(b.run(CURRENT), names[-1], "End goes to the last row")
    b.keys(Keys.HOME, Keys.ENTER)
    b.result(b.run("return document.activeElement.closest('details.actions[open]') !== null"), "Enter opens the menu of the row")
    b.keys(Keys.ARROW_DOWN)
    b.equal(b.run("return document.activeElement.dataset.key"), "p", "arrows move in the menu")
    b.keys(Keys.ESCAPE)
    b.result(b.run(CURRENT) == names[0] and not b.find_all("details.actions[open]"), "Escape closes it and returns to the row")
    b.keys(" ")
    b.equal([x.get_attribute("data-selected") for x in b.find_all("[data-selected]")], [names[0]], "Space selects the row")
    b.keys("x")
    b.wait("return location.search.startsWith('?i=')")
    b.result(names[0] not in b.run(NAMES), "x ignores the function of the row")
    b.find("#search").click()
    b.keys("jk")
    b.equal(b.run("return document.activeElement.value"), "jk", "in a field, keys are text")


def search(b, s):
    b.open_url(s.url("ui/top"))
    names = b.run(NAMES)
    want = [x for x in names if "alloc" in x]
    b.find("#search").click()
    b.keys("alloc")
    b.result(b.wait("return document.querySelector('tr.match')"), "typing marks rows")
    b.equal([x.get_attribute("data-name") for x in b.find_all("tr.match")], want, "those with a match")
    b.equal(b.run("return document.getElementById('found').textContent"), f"{len(want)} of {len(names)} match", "their number is shown")
    marked = "return [document.querySelector('tr[aria-current]').dataset.name, document.getElementById('found').textContent, document.activeElement.id]"
    b.keys(Keys.ENTER, Keys.ENTER)
    b.equal(b.run(marked), [want[1], f"2 of {len(want)}", "search"], "Enter shows the next match and counts")
    b.chord(Keys.SHIFT, Keys.ENTER)
    b.equal(b.run(marked), [want[0], f"1 of {len(want)}", "search"], "Shift+Enter shows the previous one")
    b.chord(Keys.CONTROL, Keys.ENTER)
    b.result(b.wait("return location.search === '?f=alloc'"), "Ctrl+Enter sets the filter", b.run("return location.search"))
    b.back()
    b.wait("return location.search === '' && document.readyState === 'complete'")
    b.run("const f = document.getElementById('search'); f.value = 'alloc'; f.dispatchEvent(new Event('input')); f.blur()")
    b.wait("return document.querySelector('tr.match')")
    b.keys("n", "n")
    b.equal(b.run(CURRENT), want[1], "n goes to the next match")
    b.keys("N")
    b.equal(b.run(CURRENT), want[0], "N goes to the previous one")
    b.run("const f = document.getElementById('search'); f.value = '('; f.dispatchEvent(new Event('input'))")
    b.result(b.wait("return document.getElementById('found').textContent.includes('invalid')"), "an invalid expression is reported")


def widths(b, s):
    for width in (320, 420, 900, 1400):
        b.resize(width, 800)
        for path in ("top", "tree", "peek?f=nearest", "labels", "traces", "binaries", "comments", "help", "top?f=nosuch"):
            b.open_url(s.url("ui/" + path))
            wide = b.run("return document.documentElement.scrollWidth")
            b.result(wide <= width, f"{path} fits into {width} pixels", wide)
    b.resize(420, 800)
    b.open_url(s.url("ui/top"))
    shown = b.run("return [...document.querySelectorAll('th')].filter((th) => th.offsetWidth).map((th) => th.dataset.key)")
    b.equal(shown, ["flat", "cum", "name"], "a narrow page shows flat, cum and name")
    cut = b.run("""const cell = [...document.querySelectorAll('.end')].find((e) => e.scrollWidth > e.clientWidth + 20);
        const text = cell.querySelector('bdi').getBoundingClientRect(), box = cell.getBoundingClientRect();
        return [Math.abs(text.right - box.right) < 2, text.left < box.left]""")
    b.equal(cut, [True, True], "a long name keeps its end")
    b.resize(1200, 900)


# Links, buttons and summaries that are smaller than 24 pixels, and closer than that to another one (WCAG 2.5.8, as axe checks
# it); links within a sentence may be.
SMALL = """const all = [...document.querySelectorAll('main :is(a[href], button, summary, input)')].filter((e) => e.checkVisibility());
    const boxes = all.map((e) => e.getBoundingClientRect());
    const isSmall = (r) => r.width < 24 || r.height < 24;
    const isNear = (r, other) => {
        const x = (r.left + r.right) / 2, y = (r.top + r.bottom) / 2;
        const dx = Math.max(other.left - x, 0, x - other.right), dy = Math.max(other.top - y, 0, y - other.bottom);
        const ox = (other.left + other.right) / 2, oy = (other.top + other.bottom) / 2;
        return Math.hypot(dx, dy) < 12 || isSmall(other) && Math.hypot(ox - x, oy - y) < 23.9; };
    return all.filter((e, i) => isSmall(boxes[i]) && !e.closest('p:not(.label), caption') &&
        boxes.some((other, k) => k !== i && isNear(boxes[i], other))).map((e) => e.textContent + ' ' + e.outerHTML.slice(0, 90));"""


def targets(b, s):
    for width in (390, 1280):
        b.resize(width, 800)
        for path in ("traces", "source?f=shop", "labels", "top", "tree"):
            b.open_url(s.url("ui/" + path))
            small = b.run(SMALL)
            b.result(not small, f"{path}: links at {width} px have 24 pixels each", len(small), small[:3])
    b.resize(1200, 900)


def menu_is_above_other_rows(b, s):
    b.open_url(s.url("ui/top"))
    b.find("details.actions summary").click()
    b.result(b.run("""return [...document.querySelectorAll('details[open].actions li')].every((li) => {
        const box = li.getBoundingClientRect();
        return li.contains(document.elementFromPoint(box.right - 6, (box.top + box.bottom) / 2)) })"""),
             "the menu of a row covers the rows below")


def without_scripts(b, s):
    b.scripts(False)
    b.driver.get(s.url("ui/top?rows=10"))
    b.scripts(True)
    names = b.run(NAMES)
    b.equal(len(names), 10, "without scripts the page has its rows")
    for css, key in (("th.name a", "col=name"), (".pages a", "from=10")):
        b.scripts(False)
        b.driver.get(s.url("ui/top?rows=10"))
        link = b.driver.execute_cdp_cmd("Runtime.evaluate", {"expression": f"document.querySelector('{css}').href"})
        b.driver.get(link["result"]["value"])
        b.scripts(True)
        b.result(key in b.driver.current_url and b.run(NAMES) != names, f"the link with {key} works")


def hostile(b, s):
    for path in ("top", "tree", "peek?f=.", "labels", "traces", "binaries", "comments", "top?g=lines"):
        b.open_url(s.url("ui/" + path))
        b.result(not b.alerted() and b.run("return document.scripts.length > 0 && !document.querySelector('main img, main style')"),
                 f"{path}: hostile names are text")
        links = b.run("return [...document.links].map((a) => a.protocol)")
        b.equal(set(links) - {"http:"}, set(), f"{path}: all links lead to this server")


def main():
    with Browser() as b:
        with Server("-symbolize=none", "-source_path=make", sys.argv[1]) as s:
            for function in (order, order_of_a_part, keys, search, widths, targets, menu_is_above_other_rows, without_scripts):
                b.case(function, s)
        with Server("-symbolize=none", "-base=gate/base-1.pb.gz", "gate/slow-1.pb.gz") as s:
            for function in (comparison, comparison_on_a_phone):
                b.case(function, s)
        with Server("-symbolize=none", sys.argv[2]) as s:
            b.case(hostile, s)
        b.done()


main()
