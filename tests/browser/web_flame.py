# web_flame.py - test the flame graph of the web UI in a browser
# SPDX-License-Identifier: Apache-2.0
"""usage: web_flame.py FOLDER     with many.prof, names.pb and the folded stacks that t266-browser-web-flame.t writes"""

import collections
import contextlib
import json
import os
import re
import sys
import time
import urllib.error
import urllib.parse
import urllib.request

from browser import Browser, Keys
from server import Server

folder = sys.argv[1]
NEAREST = "shop/route.(*Planner).nearest"
READY = "return typeof model !== 'undefined' && model !== null && !requests.has('flame')"
# The text and the place of everything drawn on the canvas.
DRAWN = """const out = []; const fillText = picture.pen.fillText, fillRect = picture.pen.fillRect;
    picture.pen.fillText = (t, x, y) => out.push(t, Math.round(x), Math.round(y));
    picture.pen.fillRect = (...r) => out.push(r.map(Math.round).join());
    drawNow(); delete picture.pen.fillText; delete picture.pen.fillRect; return out.join(' ')"""
# [path, total] of all boxes with a name.
BOXES = """const m = top_, out = []; for (let i = 0; i < m.n; i++) { const path = m.path(i).slice(1);
    if (path.every(b => m.frame[b] >= 0)) out.push([path.map(b => m.name(b)).join('\\u0000'), m.total[0][i] * data.step]); } return out"""


def totals(name):
    """The total of each path, from folded stacks."""
    total = collections.Counter()
    with open(os.path.join(folder, name), encoding="utf-8") as f:
        for line in f:
            stack, value = line.rstrip("\n").rsplit(" ", 1)
            frames = [re.sub(r"\\x3b", ";", frame) for frame in stack.split(";")]
            for n in range(len(frames) + 1):
                total["\0".join(frames[:n])] += int(value)
    return total


@contextlib.contextmanager
def serving(b, *args):
    """A server that ends after the browser has left its page."""
    with Server(*args) as server:
        yield server
        b.driver.get("about:blank")


def visit(b, server, query=""):
    b.driver.get("about:blank")
    b.driver.get(server.url("ui/flamegraph" + query))
    return ready(b)


def ready(b):
    return b.wait(READY, 30)


def settle(b):
    b.driver.execute_async_script(
        "const done = arguments[0]; setTimeout(() => requestAnimationFrame(() => requestAnimationFrame(done)), 230)")


def box(b, name):
    return b.run("""let best = -1; for (let i = 0; i < model.n; i++)
        if (model.name(i) === arguments[0] && (best < 0 || model.w[i] > model.w[best])) best = i; return best""", name)


def click_box(b, index, button="left"):
    x, width, y = b.run("const [x, w] = picture.place(arguments[0]); "
                        "return [x, w, picture.rowTop(model.row[arguments[0]]) - picture.scroller.scrollTop]", index)
    pane = b.find("#over")
    dx, dy = x + width / 2 - pane.size["width"] / 2, y + 9 - pane.size["height"] / 2
    if button == "left":
        b.click(pane, dx, dy)
    else:
        b.context_click(pane, dx, dy)
    settle(b)


def parameters(b):
    return dict(urllib.parse.parse_qsl(urllib.parse.urlparse(b.driver.current_url).query))


def shows_the_profile(b):
    with serving(b, "go-cpu.pb.gz") as server:
        visit(b, server)
        b.equal(sorted(map(tuple, b.run(BOXES))), sorted(totals("cpu.folded").items()), "boxes have the sums of the stacks")
        b.equal(b.run("return [picture.rowTop(0), data.byWeight]"), [0, True], "the root is at the top, the widest box comes first")
        b.equal(b.find("#drawn").text, "100 % is 5.77s. All boxes are drawn.", "the page states what 100 % is, and that all boxes are drawn")
        b.run("table.limit = Infinity; table.draw()")
        got = b.run("return [...document.querySelectorAll('#rows tr')].map(tr => [...tr.children].map(td => td.textContent))")
        b.result(len(got) > 400 and got[0][4] == "shop/parcel.(*Parcel).Price" and got[0][0] == "650ms", "the table has all functions", got[:1])


def restores_views(b):
    server = Server("go-cpu.pb.gz")
    visit(b, server)
    pictures = [b.run(DRAWN)]
    click_box(b, box(b, "shop/route.(*Planner).Shortest"))
    pictures.append(b.run(DRAWN))
    b.result(len(parameters(b)["z"]) == 16, "a click writes the box to the address", parameters(b))
    b.run("select(arguments[0])", box(b, NEAREST))
    b.find("#over").send_keys("p")
    b.wait("return model.isAround")
    settle(b)
    pictures.append(b.run(DRAWN))
    b.equal(parameters(b).get("p"), r"^shop/route\.\(\*Planner\)\.nearest$", "p writes the pivot to the address, as pprof does")
    b.result(len(set(pictures)) == 3, "the three pictures differ")
    b.back()
    settle(b)
    b.result(b.run(DRAWN) == pictures[1], "back returns to the zoom")
    b.back()
    settle(b)
    b.result(b.run(DRAWN) == pictures[0], "back returns to the first picture")
    b.forward()
    settle(b)
    b.result(b.run(DRAWN) == pictures[1], "forward returns to the zoom")
    b.driver.refresh()
    ready(b)
    b.result(b.run(DRAWN) == pictures[1], "reloading shows the same picture")
    address = urllib.parse.urlparse(b.driver.current_url)
    b.driver.get("about:blank")
    server.__exit__(None, None, None)
    with serving(b, "go-cpu.pb.gz") as again:
        visit(b, again, "?" + address.query)
        b.result(b.run(DRAWN) == pictures[1], "the address shows the same picture after a restart")
        visit(b, again, "?p=" + urllib.parse.quote("route.go"))
        b.result(b.run("return model.isAround && model.rootName !== ''"), "a pivot matches names of files, as in pprof")


def searches(b):
    with serving(b, "go-cpu.pb.gz") as server:
        visit(b, server)
        b.keys("/", "mallocgc")
        b.wait("return state.q === 'mallocgc' && found && found.match && serverSums()")
        cum = sum(v for k, v in totals("cpu.folded").items() if "mallocgc" in k.split("\0")[-1] and "mallocgc" not in "\0".join(k.split("\0")[:-1]))
        b.equal(b.run("return found.match.total[0] * data.step"), cum, "the sum of matches counts each stack once")
        b.result(b.find("#found").text.startswith("5 of 437 match; cum 1.31s "), "count and sum are shown", b.find("#found").text)
        b.keys(Keys.ARROW_DOWN, "n")
        first = b.run("return selected")
        b.keys("n", "N")
        b.equal(b.run("return selected"), first, "n and N go to the next and the previous match")
        b.equal(b.run("return document.querySelector('[data-selected]').dataset.selected"), b.run("return model.name(selected)"),
                "menus of the page know the selected function")
        b.keys("/", "(", "[")
        b.result(b.wait("return document.getElementById('found').className === 'error'", 2), "an invalid expression is reported")
        visit(b, server)
        b.keys("/", "mallocgc", Keys.ENTER)
        first = b.run("return [selected, document.activeElement.id]")
        b.keys(Keys.ENTER)
        second = b.run("return selected")
        b.wait("return serverSums()")
        b.equal([b.find("#found").text.split(";")[0], first[1]], [f"2 of {b.run('return found.order.length')}", "q"],
                "Enter goes to the next match and stays in the field, which counts matches")
        b.chord(Keys.SHIFT, Keys.ENTER)
        b.result(first[0] == b.run("return selected") != second, "Shift+Enter goes to the previous match")
        b.chord(Keys.CONTROL, Keys.ENTER)
        b.wait("return model.isAround")
        b.equal([parameters(b).get("p"), b.run("return model.isAround")], ["mallocgc", True], "Ctrl+Enter shows callers and callees")
        b.keys(Keys.ARROW_DOWN, "m")
        settle(b)
        ready(b)
        b.equal(parameters(b).get("only"), "t", "m shows only stacks with a match")


def filters(b):
    with serving(b, "go-cpu.pb.gz") as server:
        for key, name, want in (("f", "f", NEAREST), ("x", "i", NEAREST), ("H", "h", NEAREST), ("F", "sf", NEAREST)):
            visit(b, server, "?i=nothing&h=nothing")
            b.run("select(arguments[0])", box(b, want))
            b.run("document.getElementById('over').focus()")
            before = b.run("return [model.n, data.total100]")
            b.keys(key)
            b.wait("return !location.search.includes('i=nothing&h=nothing') || location.search.includes('f=')")
            ready(b)
            quoted = r"^shop/route\.\(\*Planner\)\.nearest$"
            expected = ("nothing|" if name in "ih" else "") + quoted
            b.equal(parameters(b).get(name), expected, f"{key} sets {name} to the quoted name")
            b.result(b.run("return [model.n, data.total100]") != before, f"{key} changes the picture")
        visit(b, server)
        click_box(b, box(b, NEAREST), "right")
        items = {e.text.split("\n")[-1]: e for e in b.find_all("[role=menuitem]")}
        b.result(len(items) == 9, "a right click opens a menu", list(items))
        href = urllib.parse.urlparse(items["Source"].get_attribute("href"))
        b.equal([href.path.rpartition("/")[2], urllib.parse.parse_qs(href.query)["f"]], ["source", [r"^shop/route\.\(\*Planner\)\.nearest$"]],
                "it links to the source")
        b.keys(Keys.ARROW_DOWN, Keys.ARROW_DOWN)
        b.equal(b.run("return document.activeElement.textContent"), "eSource", "arrows move in the menu")
        b.keys(Keys.ESCAPE)
        b.equal(b.run("return [document.activeElement.id, document.querySelectorAll('[role=menu]').length]"), ["over", 0],
                "Escape closes it and returns the focus")
        b.keys("M")
        b.result(b.find("[role=menu]"), "M opens the menu without a mouse")
        b.keys(Keys.ESCAPE, "0")
        visit(b, server, "?g=lines")
        lines = b.run("let i = 0; while (model.name(i).indexOf('nearest') < 0) i++; return [model.name(i), functionOf(model.frame[i])]")
        b.result(lines[0].startswith(NEAREST + " ") and lines[1] == NEAREST, "expressions have no file and line", lines)


def inverts(b):
    with serving(b, "go-cpu.pb.gz") as server:
        visit(b, server)
        b.keys("i")
        b.wait("return data.inverted && !requests.has('flame')")
        b.equal(sorted(map(tuple, b.run(BOXES))), sorted(totals("inverted.folded").items()), "i shows the stacks from the leaf on")
        b.equal(parameters(b).get("inv"), "t", "inv is in the address")
        b.back()
        b.wait("return !data.inverted && !requests.has('flame')")
        b.equal(b.run("return [data.inverted, model === top_]"), [False, True], "back shows the stacks from the root on")
        visit(b, server, "?inv=t")
        b.equal(b.run("return data.inverted"), True, "the address restores it")


def loads_details(b):
    """Zooming requests the boxes that were too narrow, and shows the numbers of the stacks."""
    b.driver.get("about:blank")
    want = totals("many.folded")
    with serving(b, os.path.join(folder, "many.prof")) as server:
        b.resize(700, 600)
        visit(b, server, "?g=addresses&table=f")
        first = b.run("return [model.n, top_.cutWidth > 0]")
        b.result(first[0] < len(want) and first[1] and "too narrow to draw" in b.find("#drawn").text, "narrow boxes are left out, and the page states it",
                 first, b.find("#drawn").text)
        for _ in range(4):
            b.run("""let best = -1; const [lo, hi] = model.children(zoomed());
                for (let i = lo; i < hi; i++) if (!model.rest.has(i) && (best < 0 || model.w[i] > model.w[best])) best = i;
                if (best >= 0) zoomTo(best)""")
            b.wait("return requests.size > 0", 1)
            b.wait("return requests.size === 0")
            settle(b)
        more = b.run("return [model.n, requestedWidths.size]")
        b.result(more[0] > first[0] and more[1] > 0, "zooming loads more boxes", first, more)
        got = b.run(BOXES)
        wrong = [(p.split("\0"), v, want.get(p)) for p, v in got if want.get(p) != v]
        b.result(len(got) > 100 and not wrong, "all boxes have the sums of the stacks", len(got), *wrong[:3])
        b.equal(b.run("""const m = top_; let bad = 0; for (let i = 1; i < m.n; i++) { const p = m.parent[i];
            if (m.row[i] !== m.row[p] + 1 || m.x[i] < m.x[p] - 1e-6 || m.x[i] + m.w[i] > m.x[p] + m.w[p] + 1e-6) bad++;
            if (m.row[i] === m.row[i - 1] && m.x[i] < m.x[i - 1] + m.w[i - 1] - 1e-6) bad++; } return bad"""), 0,
                "every box is inside its parent and after its neighbour")
        b.result(b.run("return table.list.length > 0 && frames.name.length === frames.place.length && frames.flat[0].length === frames.name.length"),
                 "new functions have all columns")
    b.resize(1200, 900)


def compares(b):
    with serving(b, "-base=go-heap1.pb.gz", "go-heap2.pb.gz") as server:
        visit(b, server)
        rows = b.run("""table.limit = Infinity; table.draw();
            return table.list.map(f => [f.name, f.cum[1] * data.step, f.cum[0] * data.step, stateText(f.cum)])""")
        b.result(len(rows) > 20 and {r[3] for r in rows} >= {"new", "gone", "grew", "="}, "functions are new, gone, grew or =", {r[3] for r in rows})
        b.result(all((r[3] == "new") == (r[1] == 0) and (r[3] == "gone") == (r[2] == 0) for r in rows), "states follow from the values")
        heads = b.run("return [...document.querySelectorAll('#head th button')].map(e => e.textContent)")
        b.equal(heads[:4], ["cum before", "cum after", "cum change", "state"], "the table has before, after, change and state")
        b.result("only in go-heap2.pb.gz" in b.find("#colors").text and "width" in b.find("#colors").text, "the legend explains colours and widths")
        b.equal(b.run("return data.byWeight"), False, "boxes are in order of names")
        widths = b.run("return [...top_.w]")
        b.find("#shares").click()
        settle(b)
        b.equal(parameters(b).get("shares"), "t", "shares are in the address")
        b.equal(b.run("""const t = top_.total, r = top_.root; return [Math.round(t[0][r] - t[1][r]), write(t[0][r]), top_.sign[r]]"""), [0, "100%", "="],
                "both totals are 100 % and equal")
        b.equal(b.run("""const m = top_; let bad = 0; for (let i = 1; i < m.n; i++) { const p = m.parent[i];
            if (m.x[i] < m.x[p] - 1e-6 || m.x[i] + m.w[i] > m.x[p] + m.w[p] + 1e-6) bad++; } return bad"""), 0, "every box is inside its parent")
        b.find("#shares").click()
        settle(b)
        b.equal(b.run("return [...top_.w]"), widths, "values return")
        b.wait("return verdicts.size > 0")
        with urllib.request.urlopen(server.url("ui/data/verdicts"), timeout=60) as response:
            gate = json.load(response)
        want = {r["name"]: r["verdict"] for r in gate["rows"] if r["kind"] in ("flat", "cum")}
        want.update({r["name"]: r["verdict"] for r in gate["rows"] if r["kind"] == "cum"})
        got = b.run("return frames.name.map((n, i) => [n, (verdictOf(i) || { verdict: null }).verdict])")
        b.result(any(v for _, v in got) and all(v == want.get(n, v) for n, v in got), "functions have the verdicts of the gate")
        b.result(b.find("#gate").text.startswith(f"Gate: {gate['verdict'].upper()}"), "the page has the verdict on the whole profile", b.find("#gate").text)
        b.equal(b.run("return [...document.querySelectorAll('#head th')].map(e => e.dataset.key).includes('verdict')"), True, "the table has a column for it")
        words = b.run("""const at = [...document.querySelectorAll('#head th')].findIndex((e) => e.dataset.key === 'verdict');
            return [...document.querySelectorAll('#list tr:has(td)')].map((row) => row.cells[at].textContent)""")
        b.equal(set(words) - {"not tested"} <= {v.upper() for v in want.values()}, True, f"verdicts are words of cpa gate: {set(words)}")
    with serving(b, "go-heap1.pb.gz") as server:
        visit(b, server)
        b.equal(b.run("return [document.getElementById('shares').hidden, SIDES]"), [True, 1], "one profile has no shares to compare")


def works_without_scripts(b):
    with serving(b, "go-cpu.pb.gz") as server:
        b.scripts(False)
        b.driver.get(server.url("ui/flamegraph?f=mallocgc"))
        for _ in range(100):
            size = b.driver.execute_cdp_cmd("Runtime.evaluate", {"returnByValue": True, "expression":
                "[...document.images].map(i => [i.naturalWidth, i.complete, new URL(i.src).search])[0]"})["result"].get("value")
            if size and size[1] and size[0]:
                break
            time.sleep(0.05)
        b.result(size and size[0] > 100 and size[2] == "?f=mallocgc", "without scripts the page has a picture of the same query", size)
        b.find("noscript a").click()
        text = b.find("main").text
        b.scripts(True)
        b.result("runtime.mallocgc" in text, "a link leads to a picture and a table", text[:200])


def survives_a_restart(b):
    server = Server("go-cpu.pb.gz")
    port = urllib.parse.urlparse(server.base).port
    visit(b, server)
    server.process.kill()
    server.process.wait()
    b.run("invert()")
    b.result(b.wait("return document.getElementById('wait').textContent.includes('unreachable')"), "the page states that the server is unreachable")
    b.result(b.run("return model.n > 100 && model.leafFirst"), "it shows the inverted stacks that it has")
    with Server("go-cpu.pb.gz", address=f"localhost:{port}"):
        b.result(b.wait("return data.inverted && document.getElementById('wait').textContent === ''", 20), "it continues after a restart")
    b.complaints()  # the browser reports each failed request


def shows_only_the_last_response(b):
    with serving(b, "go-cpu.pb.gz") as server:
        visit(b, server)
        for _ in range(11):
            b.run("invert()")
        b.wait("return !requests.has('flame')")
        settle(b)
        b.equal(b.run("return [state.inv, data.inverted, shown.address.includes('inv=t')]"), [True, True, True], "after quick changes the last one is shown")
        first = b.run("return top_.n")
        b.run("const next = requestData('data/flame?width=333', 'test'); window.kept = []; next.then(t => kept.push(t));"
              "requestData('data/flame?width=444', 'test').then(t => kept.push(t))")
        b.wait("return kept.length === 2")
        b.result(b.run("return kept.filter(t => t === null).length === 1"), "a newer request of a slot replaces the older one", first)
        # the older request may reach the server later: then the newer one is refused once, and sent again
        b.equal([m for m in b.complaints() if "status of 503" not in m], [], "the console has no other message")


def obeys_keys(b):
    with serving(b, "go-cpu.pb.gz") as server:
        visit(b, server)
        b.run("document.getElementById('over').focus()")
        b.keys(Keys.ARROW_DOWN, Keys.ARROW_DOWN)
        b.equal(b.run("return [model.row[selected], document.getElementById('status').textContent.startsWith(model.name(selected))]"), [1, True],
                "arrows select a box, which is announced")
        b.keys(Keys.ENTER, Keys.ARROW_DOWN, Keys.ENTER)
        settle(b)
        b.keys(Keys.ESCAPE)
        settle(b)
        b.equal(b.run("return model.row[zoomed()]"), 1, "Enter zooms in, Escape zooms out one step")
        b.keys("0", "T")
        settle(b)
        b.equal(b.run("return [zoomBox, document.getElementById('list').hidden]"), [-1, True], "0 shows everything, T hides the table")
        b.keys("I")
        b.equal(b.run("return picture.rowTop(0) > 100"), True, "I puts the root at the bottom")
        b.keys("L")
        b.equal(b.run("return picture.dark"), True, "L switches to the dark theme")
        b.driver.get(server.url("ui/top"))
        b.equal(b.run("return document.documentElement.dataset.theme"), "dark", "other pages have it too")
        b.keys("L")
        visit(b, server)
        b.equal(b.run("return picture.dark"), False, "L works there, too")
        b.keys("K")
        b.wait("return location.search.includes('color=module')")
        ready(b)
        b.equal(b.run("return [data.colorBy, document.querySelector('.choice').value]"), ["module", "module"], "K colours by module")
        b.keys("?")
        b.equal(b.run("return [document.activeElement.id, document.getElementById('keys').scrollTop]"), ["keys-title", 0],
                "? opens the help at its top, with the focus there")
        shown = b.find("#key-list").text
        b.equal(b.run("return [...actionsOf(KEYS).keys()].filter(key => !arguments[0].includes(SHOWN[key] || key))", shown), [], "the help has all keys")
        b.keys(Keys.ESCAPE)


def points_at_boxes(b):
    tip = """const t = document.getElementById('tip'), r = t.getBoundingClientRect(), at = picture.over.getBoundingClientRect();
        const top = at.top + picture.rowTop(model.row[hover]) - picture.scroller.scrollTop;
        return { text: t.innerText, hidden: t.getAttribute('aria-hidden'), clear: r.top >= top + 2 * ROW || r.bottom <= top - ROW,
            inside: r.left >= 0 && r.right <= innerWidth && r.top >= 0 && r.bottom <= innerHeight, left: r.left }"""
    move = """const [x, w] = picture.place(arguments[0]), r = picture.over.getBoundingClientRect();
        const y = r.top + picture.rowTop(model.row[arguments[0]]) - picture.scroller.scrollTop + 9;
        pointAt(new PointerEvent('pointermove', { clientX: r.left + x + w * arguments[1], clientY: y, pointerType: arguments[2] }));"""
    with serving(b, "go-cpu.pb.gz") as server:
        visit(b, server)
        index = box(b, NEAREST)
        b.run("Object.defineProperty(PointerEvent.prototype, 'offsetX', { get() { return this.clientX - picture.over.getBoundingClientRect().left; } });"
              "Object.defineProperty(PointerEvent.prototype, 'offsetY', { get() { return this.clientY - picture.over.getBoundingClientRect().top; } })")
        b.run(move, index, 0.3, "mouse")
        got = b.run(tip)
        facts = b.run("return tipFacts(model, arguments[0]).map(f => f.join(' '))", index)
        b.result(len(facts) == 2 and all(f in got["text"] for f in facts) and NEAREST in got["text"] and "%" in got["text"],
                 "a tooltip has name, flat, cum and their shares", got, facts)
        b.equal([got["hidden"], got["clear"], got["inside"]], ["true", True, True], "it covers neither its box nor the next ones, and is not read aloud")
        b.run(move, index, 0.6, "mouse")
        b.result(b.run(tip)["left"] > got["left"], "it follows the pointer")
        for i in b.run("return [...model.rowStart.slice(0, -1)].map((_, row) => model.rowStart[row + 1] - 1)"):
            b.run(move, i, 0.5, "mouse")
            if b.run("return hover >= 0") and not b.run(tip)["inside"]:
                b.result(False, "the tooltip stays in the window", b.run(tip))
        b.run(move, index, 0.3, "touch")
        b.equal(b.run("return document.getElementById('tip').hidden"), True, "touch shows none")
        drawn = b.run("""const out = [[], []]; for (let i = 0; i < model.n; i++) { const [x, w] = picture.place(i);
            if (w >= 24 && !model.rest.has(i)) { const [text] = picture.label(i, w - GAP); out[w < 27 ? 0 : 1].push(text); } } return out""")
        b.result(drawn[0] and all(len(t) > 1 for t in drawn[0] + drawn[1]), "boxes have names from 24 pixels on", *drawn[0])
    with serving(b, "-base=go-heap1.pb.gz", "go-heap2.pb.gz") as server:
        visit(b, server)
        b.hover(b.find("#over"), 0, 9 - b.find("#over").size["height"] / 2)
        b.wait("return !document.getElementById('tip').hidden")
        b.equal(b.run("return [...document.querySelectorAll('#tip i')].map(e => e.textContent.trim())"), ["before", "after", "change"],
                "in a comparison it has before, after and change")
        b.hover(b.find("#facts"))
        b.equal(b.run("return document.getElementById('tip').hidden"), True, "it disappears with the pointer")


def selects_from_the_table(b):
    with serving(b, "go-cpu.pb.gz") as server:
        visit(b, server)
        b.run("table.sortBy('cum'); document.getElementById('list').scrollTop = 300")
        place = """return [table.sort, document.querySelectorAll('#rows tr').length, document.getElementById('list').scrollTop]"""
        row, before = "document.querySelectorAll('#rows tr')[40].querySelector('td.name')", b.run(place)
        name = b.run(f"return {row}.textContent")
        b.run(f"{row}.click()")
        b.equal(b.run("return [model.name(selected), found.match.mark[selected], document.querySelector('#rows tr.match td.name').textContent]"),
                [name, 1, name], "a click on a row selects the function's widest box, and finds the others")
        b.wait("return serverSums()")
        b.equal(b.run(place), before, "the table keeps its rows and its place")
        b.run("openPage(shown)")
        b.equal([*b.run(place), b.run("return document.querySelectorAll('#rows tr.match').length")], [*before, 1], "also when more boxes arrive")
        b.run(f"{row}.click()")
        b.equal([*b.run(place), b.run("return state.q")], [*before, ""], "a second click ends that")


def fits_any_window(b):
    with serving(b, "-base=go-heap1.pb.gz", "go-heap2.pb.gz") as server:
        for width, height in (320, 640), (420, 800), (900, 700), (1400, 900), (2560, 1400):
            b.resize(width, height)
            visit(b, server, "?q=net")
            b.wait("return serverSums()")
            settle(b)
            b.equal(b.run("""return [document.documentElement.scrollWidth <= innerWidth, picture.width > 150, picture.height > 60,
                document.getElementById('list').hidden === (innerWidth < 1100)]"""), [True] * 4, f"everything fits into {width} pixels")
        b.resize(900, 700)
        visit(b, server, "?table=t")
        b.equal(b.run("""return ['list', 'graph'].map(id => document.getElementById(id).getBoundingClientRect().width > 0)"""), [True, False],
                "a narrow window shows the table in place of the graph")
        b.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {"width": 1301, "height": 800, "deviceScaleFactor": 1.5, "mobile": False})
        visit(b, server)
        settle(b)
        b.result(b.run("return Math.abs(picture.ink.width - picture.width * 1.5) <= 1 && picture.ink.width <= 16384"), "the canvas has the pixels of the screen")
    b.resize(1200, 900)


def shows_hostile_names_as_text(b):
    with serving(b, os.path.join(folder, "names.pb")) as server:
        visit(b, server)
        b.run("for (let i = 0; i < top_.n; i++) { select(i); openMenuAtBox(); closeMenu(); }")
        for script in "invert()", "go({ q: 'script' })", "around(1)", "reset()":
            b.run(script)
            b.wait("return requests.size === 0")
            settle(b)
        b.equal(b.run("return [document.querySelectorAll('main :is(img, iframe, svg)').length, document.scripts.length < 6]"), [0, True],
                "hostile names create no elements")
        b.equal(b.run("""return ACTIONS.filter(a => a.link).map(a => new URL(a.link('a"&<>#%+;?/\\\\ b'), location.href)).filter(u =>
            u.origin !== location.origin || u.hash || ![...u.searchParams.values()].some(v => v.startsWith('^a"&<>#%\\\\+;\\\\?/')))"""), [],
                "links carry any name as one parameter")
        b.result(b.run("return frames.name.some(n => n.includes('<script>alert(1)</script>'))"), "hostile names are shown as text")


def refuses_bad_requests(b):
    with serving(b, "go-cpu.pb.gz") as server:
        for query, status in (("width=0", 200), ("way=1.2", 200), ("way=x", 400), ("way=-1", 400), ("way=" + "1." * 2100, 400),
                              ("f=(", 400), ("color=x", 400), ("levels=3", 200)):
            try:
                with urllib.request.urlopen(server.url("ui/data/flame?" + query), timeout=30) as response:
                    got = response.status
            except urllib.error.HTTPError as e:
                got = e.code
            b.equal(got, status, f"{query[:20]}: status {status}")
        for ext, start in ("svg", b"<?xml"), ("pdf", b"%PDF-"), ("png", b"\x89PNG"), ("html", b"<!DOCTYPE"), ("json", b"{"), ("folded", b""):
            with urllib.request.urlopen(server.url(f"ui/flamegraph.{ext}?f=mallocgc"), timeout=60) as response:
                got = response.read()
            b.result(len(got) > 100 and got.startswith(start), f"the graph is available as {ext}", got[:20])


def prints(b):
    with serving(b, "go-cpu.pb.gz") as server:
        visit(b, server)
        before = b.run("return [picture.width, getComputedStyle(document.body).color]")
        size = len(b.driver.execute_cdp_cmd("Page.printToPDF", {"landscape": True})["data"])
        settle(b)
        b.equal(b.run("return [picture.width, getComputedStyle(document.body).color]"), before, "printing does not change the page")
        b.result(size > 20000, "the print is not empty", size)
        b.prefer(media="print")
        b.equal(b.run("""return ['#colors button', '#rows td.name button', '#command', '#drawn', '#bar', '#acts', 'header nav'].map(css =>
            [...document.querySelectorAll(css)].some(e => e.getBoundingClientRect().height > 0))"""),
                [True, True, True, True, False, False, False], "it has legend, names and the command line, and no controls")
        b.prefer()


with Browser() as browser:
    for case in (shows_the_profile, restores_views, searches, filters, inverts, loads_details, compares, works_without_scripts,
                 survives_a_restart, shows_only_the_last_response, obeys_keys, points_at_boxes,
                 selects_from_the_table, fits_any_window, shows_hostile_names_as_text,
                 refuses_bad_requests, prints):
        browser.case(case)
    browser.done()
