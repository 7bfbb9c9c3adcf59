# flame_html.py - test flame graph pages in a browser
# SPDX-License-Identifier: Apache-2.0
"""usage: flame_html.py FOLDER     with the files that t251-browser-html.t draws"""

import collections
import html
import os
import re
import sys

from browser import SLOW, Browser, Keys

folder = sys.argv[1]
SHORTEST = "shop/route.(*Planner).Shortest"
FIND = """const name = arguments[0]; let best = -1;
    for (let i = 0; i < model.n; i++)
        if (model.name(i) === name && (best < 0 || model.w[i] > model.w[best])) best = i;
    return best"""
DETAILS = """const out = []; for (let i = 0; i < top_.n; i++) out.push([titleOf(top_, i),
    ...factsOf(top_, i).map(([word, text]) => word ? word + ' ' + text : text)].join('\\n')); return out"""
AT = "const [x, w] = picture.place(arguments[0]); return [x, w, picture.rowTop(model.row[arguments[0]]) - picture.scroller.scrollTop]"
# The sums of a model: [total, self] for each path from the root.
PATHS = """const m = arguments[0] === 'top' ? top_ : invertedModel(top_), out = [];
    for (let i = 0; i < m.n; i++) out.push([m.path(i).slice(1).map(b => m.name(b)).join('\\u0000'),
        m.total[0][i] * data.step, m.self[0][i] * data.step]); return out"""


def read(name):
    with open(os.path.join(folder, name), encoding="utf-8") as f:
        return f.read()


def stacks(name):
    for line in read(name).splitlines():
        stack, value = line.rsplit(" ", 1)
        yield [re.sub(r"\\x3b", ";", frame) for frame in stack.split(";")], int(value)


def paths(name):
    """The same as PATHS, from folded stacks."""
    total, own = collections.Counter(), collections.Counter()
    for frames, value in stacks(name):
        for n in range(len(frames) + 1):
            total["\0".join(frames[:n])] += value
        own["\0".join(frames)] += value
    return sorted([path, total[path], own[path]] for path in total)


def page(b, name, fragment=""):
    b.open(os.path.join(folder, name + ".html"), fragment)


def settle(b):
    """Wait until animations have ended and everything is drawn."""
    b.driver.execute_async_script(
        "const done = arguments[0]; setTimeout(() => requestAnimationFrame(() => requestAnimationFrame(done)), 230)")


def box(b, name):
    return b.run(FIND, name)


def click_box(b, index):
    x, width, y = b.run(AT, index)
    pane = b.find("#over")
    b.click(pane, x + width / 2 - pane.size["width"] / 2, y + 9 - pane.size["height"] / 2)
    settle(b)


def has_the_numbers_of_the_svg(b):
    for name in ("plain", "heap", "inverted", "heat", "diff", "self", "self-inverted", "names", "large", "large-gb", "counts",
                 "counts-diff"):
        page(b, name)
        want = sorted(html.unescape(t) for t in re.findall(r"<title>(.*?)</title>", read(name + ".svg"), re.S)[1:])
        got = sorted(re.sub("[\ufffe\uffff]", lambda m: f"\\u{{{ord(m[0]):x}}}", t) for t in b.run(DETAILS))  # as XML must
        wrong = [pair for pair in zip(got, want) if pair[0] != pair[1]]
        b.result(len(got) == len(want) > 3 and not wrong, f"{name}: the page has the same details for each box as the SVG",
                 len(got), len(want), *wrong[:2])


def trees_have_the_sums_of_the_stacks(b):
    page(b, "plain")
    b.equal(sorted(b.run(PATHS, "top")), paths("plain.folded"), "boxes have the sums of the stacks")
    b.equal(sorted(b.run(PATHS, "inverted")), paths("inverted.folded"), "boxes of the inverted view have the sums of the stacks")
    page(b, "inverted")
    b.equal(sorted([p, t] for p, t, _ in b.run(PATHS, "inverted")), [[p, t] for p, t, _ in paths("plain.folded")],
            "the other view of an inverted graph is the graph from the root")
    want = sum(v for f, v in stacks("plain.folded") if SHORTEST in f)
    page(b, "plain")
    b.run("around(frames.name.indexOf(arguments[0]))", SHORTEST)
    b.equal(b.run("return model.total[0][model.root] * data.step"), want, "the view around a function has the cum value of the function")
    b.result(b.run("""const m = model, r = m.root; return m.row[r] > 0 && m.rows > m.row[r] + 1 &&
        [true, false].every(back => { let s = 0; const [lo, hi] = m.children(r, back);
        for (let i = lo; i < hi; i++) s += m.total[0][i]; return s > 0 && s <= m.total[0][r]; })"""),
             "callers are below and callees above, neither exceeds the function")


def colours_changes_like_the_svg(b):
    for name in "diff", "self", "self-inverted":
        page(b, name)
        b.equal(b.run("""let wrong = 0, seen = new Set(); for (let i = 0; i < top_.n; i++) {
            const [sign, color] = changeOf(top_, i); seen.add(sign);
            if (sign !== top_.sign[i] || (!top_.rest.has(i) && color !== top_.color[i])) wrong++; }
            return [wrong, seen.size > 3]"""), [0, True], f"{name}: other views colour changes like the first")
    colors = """const m = arguments[0] ? invertedModel(top_) : top_, out = {};
        for (let i = 1; i < m.n; i++) if (m.parent[i] === m.root && m.frame[i] >= 0) out[m.name(i)] = [m.sign[i], m.color[i]];
        return out"""
    for name in "self", "heat":
        page(b, name)
        got = b.run(colors, True)
        page(b, name + "-inverted")
        b.result(got and got == b.run(colors, False), f"{name}: functions of the inverted view have the same colours as in C")


def explains_comparisons(b):
    page(b, "diff")
    b.result("width: the larger of before and after, per stack" in b.find("#colors").text, "the legend explains the width", b.find("#colors").text)
    b.equal(b.run("return data.legend.some(e => e[0] === top_.color[top_.root] && e[1] === top_.sign[top_.root])"), True,
            "the root has a colour of the legend")
    page(b, "plain")
    b.result("width" not in b.find("#colors").text, "the legend of one profile does not explain the width")


def table_has_the_numbers_of_top(b):
    page(b, "plain", "#table=t")
    b.find("#more").click()
    got = b.run("""return [...document.querySelectorAll('#rows tr')].map(tr =>
        [...tr.children].map(td => td.textContent))""")
    want = []
    for line in read("plain.top").splitlines():
        m = re.match(r"\s*(\S+)\s+(\S+)%\s+\S+%\s+(\S+)\s+(\S+)%\s+(.*?)( \(inline\))?$", line)
        if m:
            want.append([m[1], m[2] + "%", m[3], m[4] + "%", m[5]])
    seconds = lambda text: float(re.sub(r"[a-z]+$", "", text)) * (0.001 if text.endswith("ms") else 1)
    key = lambda rows: sorted((r[4], round(seconds(r[0]), 2), r[1], round(seconds(r[2]), 2), r[3]) for r in rows)
    b.equal(key(got), key(want), "the table has the numbers of cpa top")
    b.result(all(seconds(x[0]) >= seconds(y[0]) for x, y in zip(got, got[1:])), "the table is sorted by flat")
    b.find("th[data-key=cum] button").click()
    b.equal(b.run("return document.querySelector('#rows tr td:nth-child(3)').textContent"),
            max((r[2] for r in want), key=seconds), "a click on a heading sorts by it")
    b.find("#rows button").click()
    b.equal(b.run("""return [found.match.count > 0, state.q.startsWith('^'), model.frame[selected] === frameOfSearch(),
        document.querySelectorAll('#rows tr').length > 50, document.querySelectorAll('#rows tr.match').length]"""), [True, True, True, True, 1],
            "a click on a row finds its boxes, selects the widest one and keeps the table")


def table_covers_boxes_left_out(b):
    page(b, "cut", "#table=t")
    b.run("table.limit = Infinity; table.draw()")
    got = b.run("""return [...document.querySelectorAll('#rows tr')].map(tr => [...tr.children].map(td => td.textContent))""")
    flat, cum = collections.Counter(), collections.Counter()
    for frames, value in stacks("plain.folded"):
        flat[frames[-1]] += value
        cum.update(dict.fromkeys(frames, value))
    write = lambda values: b.run("return arguments[0].map(writeValue)", values)
    b.equal([[r[0], r[2]] for r in got], [list(p) for p in zip(write([flat[r[4]] for r in got]), write([cum[r[4]] for r in got]))],
            "flat and cum cover all stacks, although boxes are left out")
    b.equal(sorted(r[4] for r in got), sorted(cum), "functions that have no box are in the table too")


def zooms_with_history(b):
    page(b, "plain")
    settle(b)
    click_box(b, box(b, SHORTEST))
    x, width, _ = b.run(AT, box(b, SHORTEST))
    b.result(abs(x) < 0.01 and abs(width - b.run("return picture.width")) < 0.01, "a click zooms to a box")
    link = b.run("return location.hash")
    b.equal(b.run("return document.querySelector('#path [aria-current]').textContent"), SHORTEST, "the path ends in it")
    click_box(b, box(b, "shop/depot.(*Depot).tour"))
    b.back()
    settle(b)
    b.equal(b.run("return [location.hash, zoomBox]"), [link, box(b, SHORTEST)], "back returns to the previous step")
    b.back()
    settle(b)
    b.equal(b.run("return [zoomBox, picture.view[1] === model.w[0]]"), [-1, True], "back returns to the whole picture")
    b.forward()
    settle(b)
    b.equal(b.run("return location.hash"), link, "forward repeats the step")
    page(b, "plain", link + "&q=runtime&turn=t&table=t")
    b.equal(b.run("return [model.name(zoomBox), state.q, state.turn, document.getElementById('list').hidden]"),
            [SHORTEST, "runtime", True, False], "a link restores zoom, search, side and table")
    page(b, "diff", link + "&q=runtime")
    b.equal(b.run("return [zoomBox, state.q]"), [-1, "runtime"], "a link to a box that this picture does not have shows everything")
    page(b, "cut", link)
    b.equal(b.run("return model.name(zoomBox)"), SHORTEST, "a link also works for a picture with other boxes")
    for bad in "#z=99999999", "#z=0123456789abcdef", "#x=1_0_0", "#x=NaN_1_0", "#p=nobody", "#p=((", "#inv=x", "#q=(((", "#%", "#z=1e9&x=__":
        page(b, "plain", bad)
        b.result(b.run("return zoomBox === -1 && model === top_ && model.n > 100"), f"{bad} is ignored")


def searches(b):
    page(b, "plain")
    b.keys("/")
    b.keys("runtime")
    b.wait("return state.q === 'runtime' && found.match")
    cum = sum(v for f, v in stacks("plain.folded") if any("runtime" in x for x in f))
    own = sum(v for f, v in stacks("plain.folded") if "runtime" in f[-1])
    b.equal(b.run("return [found.match.total[0] * data.step, found.match.self[0] * data.step]"), [cum, own],
            "sums of matches count each stack once, and flat values")
    text = b.find("#found").text
    b.result(b.run("return arguments[0].includes(writeValue(arguments[1])) && arguments[0].includes(writeValue(arguments[2]))",
                   text, cum, own), "the sums are shown", text)
    b.keys(Keys.ENTER)
    first = b.run("return selected")
    b.keys(Keys.ENTER)
    second = b.run("return selected")
    b.result(first != second and "runtime" in b.run("return model.name(selected)"), "Enter goes to the next match")
    b.keys(Keys.ARROW_DOWN, "N")
    b.equal(b.run("return selected"), first, "N goes to the previous match")
    b.keys("/", "(", "[")
    b.wait("return state.q === '(['")
    b.equal(b.find("#found").get_attribute("class"), "error", "an invalid expression is reported")
    b.find("#rx").click()
    b.equal(b.find("#found").text, "no match", "an invalid expression is valid as plain text")


def stops_slow_searches(b):
    for words in SLOW:
        start = b.cpu_seconds()
        page(b, "names", "#only=t&q=" + words)
        good = b.run("return top_.n > 20")
        took = b.cpu_seconds() - start
        b.result(good and took < 15, f"a link that searches {words[:30]} does not block the page", took)
    page(b, "plain", "#q=(e%2B)%2B")
    b.equal(b.find("#found").text, "/(e+)+/ could take too long", "the reader sees the reason")
    b.run("""const now = performance.now; let at = 0; performance.now = () => at += 300;
        go({ q: "e+" }); performance.now = now""")
    b.result(b.find("#found").text.startswith("search stopped, it takes too long; so far "), "a search that takes too long stops and reports that",
             b.find("#found").text)
    b.equal(b.run("""return ["(foo|bar)\\\\.(baz|.*)$", "^[+*({|]+\\(\\)$", "(?:a|b)?c{2}", "a?b?c?d?"].filter(e => !safeLength(e))"""), [],
            "common expressions are allowed")


def shows_only_matches(b):
    page(b, "plain", "#q=mallocgc&only=t&table=t")
    total, own = collections.Counter({"": 0}), collections.Counter()
    for frames, value in stacks("plain.folded"):
        if any("mallocgc" in f for f in frames):
            for n in range(len(frames) + 1):
                total["\0".join(frames[:n])] += value
            own["\0".join(frames)] += value
    b.equal(sorted(b.run(PATHS.replace("top_", "model"), "top")), sorted([p, total[p], own[p]] for p in total),
            "only stacks with a match remain, with all their frames")
    b.result(b.run("""const m = model; for (let i = 1; i < m.n; i++) { const p = m.parent[i];
        if (m.x[i] < m.x[p] || m.x[i] + m.w[i] > m.x[p] + m.w[p]) return false; } return m.n > 50"""), "each box is within its parent")
    b.keys("i")
    settle(b)
    b.equal(b.run("return [state.inv, model.total[0][0] * data.step]"), [True, total[""]], "the inverted view of them has the same total")
    b.keys("i", "m")
    settle(b)
    b.equal(b.run("return model === top_ && table.list.length"), b.run("return functionsOf(top_).length"), "m shows all stacks again")
    page(b, "diff", "#q=parse&only=t")
    b.result(b.run("return model.n > 2 && model.n < top_.n && model.sign[1] !== undefined"), "comparisons can show only matches too")


def obeys_keys(b):
    page(b, "plain")
    b.run("document.getElementById('over').focus()")
    b.keys(Keys.ARROW_UP)
    b.equal(b.run("return selected"), 0, "the first arrow selects the root")
    b.keys(Keys.ARROW_UP)
    child = b.run("return selected")
    b.result(b.run("return model.parent[selected] === 0 && document.getElementById('status').textContent.length > 10"),
             "up selects the widest callee and announces it")
    b.keys(Keys.ARROW_RIGHT)
    b.equal(b.run("return selected"), child + 1, "right selects its neighbour")
    b.keys("h", Keys.ENTER)
    settle(b)
    b.equal(b.run("return zoomBox"), child, "Enter zooms")
    b.keys(Keys.ARROW_UP, Keys.ENTER)
    settle(b)
    b.keys(Keys.ESCAPE)
    settle(b)
    b.equal(b.run("return zoomBox"), child, "Escape zooms out by one box")
    b.keys("I")
    b.equal(b.run("return picture.rowTop(0)"), 0, "I flips the picture upside down")
    b.keys("p")
    settle(b)
    b.equal(b.run("return [model.isAround, model.row[model.root] >= 0]"), [True, True], "p shows callers and callees")
    b.keys("0")
    settle(b)
    b.equal(b.run("return [model.isAround, zoomBox, state.turn]"), [False, -1, True], "0 resets the view")
    b.keys("i")
    b.equal(b.run("return state.inv"), True, "i shows the inverted tree")
    b.keys("T")
    b.equal(b.run("return document.getElementById('list').hidden"), False, "T shows the table")
    b.keys("L")
    b.equal(b.run("return getComputedStyle(document.body).color !== '' && picture.dark"), True, "L switches to the dark theme")
    b.keys("?")
    b.equal(b.run("return document.getElementById('keys').open"), True, "? shows the keys")
    b.equal(b.run("""return [...actionsOf(KEYS).keys()].filter(key => !document.getElementById('key-list').textContent.includes(SHOWN[key] || key))"""),
            [], "the help has all keys")
    b.keys(Keys.ESCAPE)
    b.equal(b.run("return document.getElementById('keys').open"), False, "Escape hides them")


def animates_zoom(b):
    b.prefer(motion="no-preference")
    page(b, "plain")
    to = box(b, SHORTEST)
    b.result(b.run("zoomTo(arguments[0]); return picture.view[1] > model.x[arguments[0]] + model.w[arguments[0]]", to),
             "a click does not jump to the box")
    b.result(b.wait("const i = zoomBox; return picture.view[0] === model.x[i] && picture.view[1] === model.x[i] + model.w[i]"),
             "the picture moves to the box")
    b.prefer()
    b.run("zoomTo(model.root)")
    b.equal(b.run("return picture.view"), b.run("return [0, model.w[0]]"), "with reduced motion the picture jumps to the box")


def undoes_a_search(b):
    page(b, "plain")
    b.keys("/", "runtime")
    b.wait("return state.q === 'runtime'")
    b.back()
    b.result(b.wait("return state.q === ''"), "back undoes a search")
    b.equal(b.run("return document.getElementById('q').value"), "", "back clears the search field, although it has the focus")


def works_in_sandboxed_frames(b):
    with open(os.path.join(folder, "frame.html"), "w", encoding="utf-8") as f:
        f.write("<!DOCTYPE html><iframe sandbox=allow-scripts width=900 height=500 srcdoc=\""
                + html.escape(read("plain.html")) + "\"></iframe>")
    b.open(os.path.join(folder, "frame.html"))
    b.driver.switch_to.frame(b.find("iframe"))
    b.wait("return typeof go === 'function'")
    index = box(b, SHORTEST)
    b.run("zoomTo(arguments[0])", index)
    b.equal(b.run("return zoomBox"), index, "zooming works in a frame that cannot change its address")
    b.driver.switch_to.default_content()


def zooms_to_ranges(b):
    page(b, "plain")
    b.run("""const o = document.getElementById('over'); for (let k = 0; k < 9; k++)
        o.dispatchEvent(new WheelEvent('wheel', { deltaY: -100, ctrlKey: true, clientX: 300, clientY: 300, cancelable: true }))""")
    settle(b)
    b.result(b.run("return state.x !== null && picture.view[1] - picture.view[0] < model.w[0] / 5"), "Ctrl and the wheel zoom")
    link, view = b.run("return [location.hash, picture.view]")
    page(b, "plain", link)
    b.result(all(abs(x - y) < view[1] * 1e-6 for x, y in zip(b.run("return picture.view"), view)), "a link restores the range")
    b.keys(Keys.ESCAPE)
    settle(b)
    b.equal(b.run("return picture.view"), b.run("return [0, model.w[0]]"), "Escape shows the whole picture")


def touch(b, kind, *points):
    b.driver.execute_cdp_cmd("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [
        {"x": x, "y": y, "id": i} for i, (x, y) in enumerate(points)]})


def obeys_touch(b):
    b.driver.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": True, "maxTouchPoints": 2})
    page(b, "plain")
    settle(b)
    x, width, y = b.run(AT, box(b, SHORTEST))
    y += b.run("return document.getElementById('over').getBoundingClientRect().top") + 9
    for tap in 1, 2:
        touch(b, "touchStart", (x + width / 2, y))
        touch(b, "touchEnd")
        settle(b)
        b.equal(b.run("return [model.name(selected), zoomBox >= 0]"), [SHORTEST, tap == 2],
                "a tap shows details of a box" if tap == 1 else "a second tap zooms to it")
    b.keys("0")
    settle(b)
    touch(b, "touchStart", (500, y), (600, y))
    for k in range(1, 6):
        touch(b, "touchMove", (500 - 40 * k, y), (600 + 40 * k, y))
    touch(b, "touchEnd")
    settle(b)
    lo, hi = b.run("return picture.view.map(v => v / model.w[0])")
    b.result(abs((hi - lo) - 100 / 500) < 0.02 and lo < 550 / 1200 < hi, "two fingers zoom", lo, hi)
    touch(b, "touchStart", (500, y))
    for k in range(1, 6):
        touch(b, "touchMove", (500 + 20 * k, y))
    touch(b, "touchEnd")
    settle(b)
    after = b.run("return picture.view.map(v => v / model.w[0])")
    b.result(abs((lo - after[0]) - 100 / 1200 * (hi - lo)) < 0.01 and after[0] < lo, "one finger pans", lo, after)
    b.driver.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": False})


def shows_hostile_names_as_text(b):
    page(b, "names", "#table=t")
    for script in "invert()", "go({ q: 'script' })", "around(1)", "turnTheme()":
        b.run(script)
        settle(b)
    b.run("for (let i = 0; i < top_.n; i++) { hover = i; showFacts(document.getElementById('facts'), top_, i, 0); select(-1); }")
    b.equal(b.run("return [document.scripts.length, document.images.length, document.querySelectorAll('svg, img, iframe, a').length]"),
            [2, 0, 0], "hostile names create no elements")
    b.result(b.run("return frames.name.some(n => n.includes('<script>alert(1)</script>'))"), "hostile names are shown as text")
    b.result(not re.search(r"[\x00-\x08\x0b-\x1f\x7f\u202a-\u202e\u2066-\u2069]", b.run("return frames.name.join('')")),
             "control characters and direction marks are escaped")
    b.equal(b.run("""return performance.getEntriesByType('resource').length"""), 0, "no network request is made")


def enforces_its_policy(b):
    page(b, "plain")
    # The page runs this code as a task, because its policy does not apply to code that the driver runs.
    b.run("""setTimeout(() => { let made = 0;
        try { document.body.innerHTML = '<b>x</b>'; made++; } catch (e) {}
        try { eval('made++'); } catch (e) {}
        try { document.body.setAttribute('onclick', 'made++'); made++; } catch (e) {}
        try { new Function('made++')(); made++; } catch (e) {}
        window.made = made; })""")
    settle(b)
    b.equal(b.run("return window.made"), 0, "markup, code and handlers from strings are refused")
    b.complaints()
    b.run("""const s = document.createElement('style'), i = new Image(); s.textContent = 'body { display: none }';
        document.head.append(s); i.src = 'https://example.com/'; fetch('https://example.com/').catch(() => 0);""")
    settle(b)
    b.equal(b.run("return getComputedStyle(document.body).display"), "flex", "styles are refused")
    refused = [c for c in b.complaints() if "Content Security Policy" in c]
    b.result(all(any(what in c for c in refused) for what in ("inline style", "image", "Fetch")), "requests are refused", *refused)


def draws_empty_deep_and_cut_graphs(b):
    page(b, "empty")
    b.equal(b.run("return [top_.n, top_.w[0]]"), [1, 0], "a graph without samples makes a page")
    page(b, "deep")
    b.result(b.run("return model.rows >= 1500"), "1500 levels are drawn")
    b.run("select(model.rowStart[1400])")
    b.result(b.run("return picture.scroller.scrollTop < picture.rowTop(1400)"), "the page scrolls to a deep level")
    page(b, "cut", "#table=t&q=e&only=t")
    b.result("left out" in b.run("return document.getElementById('missing').textContent"), "the table has a note about boxes left out")
    b.run("go({ q: 'runtime', only: false })")
    named = b.run("return frames.name.filter(n => n.includes('runtime'))")
    own = sum(v for f, v in stacks("plain.folded") if f[-1] in named)
    b.result(b.run("return arguments[0].includes('flat ' + writeValue(arguments[1]) + ' ')", b.find("#found").text, own),
             "flat values of a search cover all stacks")
    known = [sum(v for f, v in stacks("plain.folded") if any("runtime" in x for x in f)), *b.run("const s = boxSums(found.match); return [s.cum[0], s.more].map(v => v * data.step)")]
    b.result(known[1] <= known[0] <= known[1] + known[2], "the sum of a search is in the range that is shown", known)
    b.result(re.search("cum .* to .*, flat ", b.find("#found").text), "the range is shown", b.find("#found").text)
    b.run("go({ q: '^runtime.mallocgc$' })")
    name, total = "runtime.mallocgc", collections.Counter()
    for f, v in stacks("plain.folded"):
        total.update(dict.fromkeys(f, v))
    b.result(b.run("return arguments[0].startsWith('1 of ' + grouped(frames.name.length) + ' match; cum ' + writeValue(arguments[1]) + ' ')", b.find("#found").text, total[name]),
             "the sum of one function is exact", b.find("#found").text)
    b.run("go({ q: '', p: '^runtime.mallocgc$' })")
    b.equal(b.run("return model.total[0][model.root] * data.step"), total[name], "its callers and callees have this sum")
    b.scripts(False)
    b.open(os.path.join(folder, "plain.html"))
    b.scripts(True)
    shown = b.run("return [...document.querySelectorAll('noscript, #bar, main')].map(e => e.getBoundingClientRect().height > 0)")
    b.equal(shown, [False, False, True], "without scripts the page has a table and no controls")


def draws_many_boxes_fast(b):
    """Times are printed. Only extreme ones fail, because test machines are slow and shared."""
    b.resize(1600, 1000)
    page(b, "many")
    boxes = b.run("return model.n")
    times = b.run("""const time = f => { const all = [];
            for (let k = 0; k < 9; k++) { const t = performance.now(); f(k); all.push(performance.now() - t); }
            return all.sort((a, b) => a - b)[4]; };
        return { draw: time(() => drawNow()), hover: time(k => { hover = picture.hit(170 * k, 900); drawFrames(); }),
            zoom: time(k => { picture.view = [0, model.w[0] / (k + 1)]; drawNow(); }),
            search: time(k => { state.q = "40[0-9]*" + k; search(); drawNow(); }),
            other: time(() => invertedModel(top_)), table: time(() => functionsOf(top_)) }""")
    print(f"# {boxes} boxes, milliseconds:", ", ".join(f"{k} {v:.1f}" for k, v in times.items()))
    b.result(boxes >= 100000 and max(v for k, v in times.items() if k != "other") < 1000, "100,000 boxes take less than a second", times)
    b.resize(1200, 900)


def prints(b):
    page(b, "plain", "#table=t")
    before = b.run("return [picture.width, picture.height, document.documentElement.dataset.theme]")
    size = len(b.driver.execute_cdp_cmd("Page.printToPDF", {"landscape": True})["data"])
    settle(b)
    b.equal(b.run("return [picture.width, picture.height, document.documentElement.dataset.theme]"), before, "printing does not change the page")
    b.result(size > 20000, "the print is not empty", size)
    page(b, "deep")
    dots = b.run("""Object.defineProperty(window, "devicePixelRatio", { value: 4 }); setPrinting(true);
        const dots = picture.ink.width * picture.ink.height; setPrinting(false); return dots""")
    b.result(1e7 < dots < 1e8, "the canvas for printing is within the limit of browsers, on any screen", dots)


def keeps_the_root_visible(b):
    b.resize(1200, 330)
    page(b, "plain")
    for height in (330, 420, 900, 360):
        b.resize(1200, height)
        settle(b)
        _, _, y = b.run(AT, 0)
        b.equal(y + b.run("return ROW"), b.run("return picture.height"), f"a window {height} pixels high shows the root at the bottom")
    b.resize(1200, 900)


def fits_any_window(b):
    for width, height in (400, 700), (1200, 800), (3840, 2000):
        b.resize(width, height)
        page(b, "diff", "#table=t")
        settle(b)
        b.equal(b.run("""return [document.documentElement.scrollWidth <= innerWidth, document.documentElement.scrollHeight <= innerHeight,
            picture.width > 150, picture.height > 100, document.getElementById('list').clientHeight > 100]"""), [True] * 5,
                f"everything fits into {width} pixels")
    b.resize(1200, 900)


with Browser() as browser:
    for case in (has_the_numbers_of_the_svg, trees_have_the_sums_of_the_stacks, colours_changes_like_the_svg, explains_comparisons,
                 table_has_the_numbers_of_top,
                 table_covers_boxes_left_out, zooms_with_history, searches, stops_slow_searches, shows_only_matches, obeys_keys,
                 animates_zoom, undoes_a_search, works_in_sandboxed_frames, zooms_to_ranges, obeys_touch,
                 shows_hostile_names_as_text, enforces_its_policy,
                 draws_empty_deep_and_cut_graphs, draws_many_boxes_fast, prints,
                 keeps_the_root_visible, fits_any_window):
        browser.case(case)
    browser.done()
