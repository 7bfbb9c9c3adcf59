# flame_html.py - flame graphs as pages, driven
# SPDX-License-Identifier: Apache-2.0
"""usage: flame_html.py FOLDER, which holds the files that t251-browser-html.t draws"""

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
TOLD = """const out = []; for (let i = 0; i < top_.n; i++) out.push([titleOf(top_, i),
    ...factsOf(top_, i).map(([word, text]) => word ? word + ' ' + text : text)].join('\\n')); return out"""
AT = "const [x, w] = picture.place(arguments[0]); return [x, w, picture.rowTop(model.row[arguments[0]]) - picture.scroller.scrollTop]"
# The sums of each path from the root, of a model: path to [total, self].
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
    """What PATHS gives, from folded stacks."""
    total, own = collections.Counter(), collections.Counter()
    for frames, value in stacks(name):
        for n in range(len(frames) + 1):
            total["\0".join(frames[:n])] += value
        own["\0".join(frames)] += value
    return sorted([path, total[path], own[path]] for path in total)


def page(b, name, fragment=""):
    b.open(os.path.join(folder, name + ".html"), fragment)


def settled(b):
    """Wait until nothing moves and all is drawn."""
    b.driver.execute_async_script(
        "const done = arguments[0]; setTimeout(() => requestAnimationFrame(() => requestAnimationFrame(done)), 230)")


def box(b, name):
    return b.run(FIND, name)


def click_box(b, index):
    x, width, y = b.run(AT, index)
    pane = b.find("#over")
    b.click(pane, x + width / 2 - pane.size["width"] / 2, y + 9 - pane.size["height"] / 2)
    settled(b)


def numbers_are_those_of_c(b):
    for name in "plain", "heap", "inverted", "heat", "diff", "self", "self-inverted", "names", "large", "large-gb":
        page(b, name)
        want = sorted(html.unescape(t) for t in re.findall(r"<title>(.*?)</title>", read(name + ".svg"), re.S)[1:])
        got = sorted(re.sub("[\ufffe\uffff]", lambda m: f"\\u{{{ord(m[0]):x}}}", t) for t in b.run(TOLD))  # as XML must
        wrong = [pair for pair in zip(got, want) if pair[0] != pair[1]]
        b.result(len(got) == len(want) > 3 and not wrong, f"{name}: each box says in the page what it says as SVG",
                 len(got), len(want), *wrong[:2])


def trees_are_those_of_the_stacks(b):
    page(b, "plain")
    b.equal(sorted(b.run(PATHS, "top")), paths("plain.folded"), "boxes hold what the stacks hold")
    b.equal(sorted(b.run(PATHS, "inverted")), paths("inverted.folded"), "and those of the view from the leaf too")
    page(b, "inverted")
    b.equal(sorted([p, t] for p, t, _ in b.run(PATHS, "inverted")), [[p, t] for p, t, _ in paths("plain.folded")],
            "of a graph from the leaf the other view is from the root")
    want = sum(v for f, v in stacks("plain.folded") if SHORTEST in f)
    page(b, "plain")
    frame = b.run("return frames.name.indexOf(arguments[0])", SHORTEST)
    b.run("go({ view: 'around', frame: arguments[0] })", frame)
    b.equal(b.run("return model.total[0][model.root] * data.step"), want, "around a function is all that runs through it")
    b.result(b.run("""const m = model, r = m.root; return m.row[r] > 0 && m.rows > m.row[r] + 1 &&
        [true, false].every(back => { let s = 0; const [lo, hi] = m.children(r, back);
        for (let i = lo; i < hi; i++) s += m.total[0][i]; return s > 0 && s <= m.total[0][r]; })"""),
             "with callers below and callees above, neither more than it")


def changes_have_the_colours_of_c(b):
    for name in "diff", "self", "self-inverted":
        page(b, name)
        b.equal(b.run("""let wrong = 0, seen = new Set(); for (let i = 0; i < top_.n; i++) {
            const [sign, color] = changeOf(top_, i); seen.add(sign);
            if (sign !== top_.sign[i] || (top_.frame[i] >= 0 && color !== top_.color[i])) wrong++; }
            return [wrong, seen.size > 3]"""), [0, True], f"{name}: other views colour changes as the first does")
    colors = """const m = arguments[0] ? invertedModel(top_) : top_, out = {};
        for (let i = 1; i < m.n; i++) if (m.parent[i] === m.root && m.frame[i] >= 0) out[m.name(i)] = [m.sign[i], m.color[i]];
        return out"""
    for name in "self", "heat":
        page(b, name)
        got = b.run(colors, True)
        page(b, name + "-inverted")
        b.result(got and got == b.run(colors, False), f"{name}: from the leaf functions have the colour they have there in C")


def the_table_is_top(b):
    page(b, "plain", "#table=1")
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
    b.result(all(seconds(x[0]) >= seconds(y[0]) for x, y in zip(got, got[1:])), "and is in the order of flat")
    b.find("th[data-key=cum] button").click()
    b.equal(b.run("return document.querySelector('#rows tr td:nth-child(3)').textContent"),
            max((r[2] for r in want), key=seconds), "a click on a heading sorts by it")
    b.find("#rows button").click()
    b.result(b.run("return found.match.count > 0 && state.q.startsWith('^')"), "a click on a row finds its boxes")


def the_table_is_top_without_all_boxes(b):
    page(b, "cut", "#table=1")
    b.run("table.limit = Infinity; table.draw()")
    got = b.run("""return [...document.querySelectorAll('#rows tr')].map(tr => [...tr.children].map(td => td.textContent))""")
    flat, cum = collections.Counter(), collections.Counter()
    for frames, value in stacks("plain.folded"):
        flat[frames[-1]] += value
        cum.update(dict.fromkeys(frames, value))
    write = lambda values: b.run("return arguments[0].map(writeValue)", values)
    b.equal([[r[0], r[2]] for r in got], [list(p) for p in zip(write([flat[r[4]] for r in got]), write([cum[r[4]] for r in got]))],
            "flat and cum are of all stacks, though boxes are left out")
    b.result("left out" in b.run("return document.getElementById('missing').textContent"), "and what has no box is told of")


def zooms_with_history(b):
    page(b, "plain")
    settled(b)
    click_box(b, box(b, SHORTEST))
    x, width, _ = b.run(AT, box(b, SHORTEST))
    b.result(abs(x) < 0.01 and abs(width - b.run("return picture.width")) < 0.01, "a click zooms to a box")
    link = b.run("return location.hash")
    b.equal(b.run("return document.querySelector('#path [aria-current]').textContent"), SHORTEST, "the path ends in it")
    click_box(b, box(b, "shop/depot.(*Depot).tour"))
    b.back()
    settled(b)
    b.equal(b.run("return [location.hash, state.box]"), [link, box(b, SHORTEST)], "back goes one step back")
    b.back()
    settled(b)
    b.equal(b.run("return [state.box, picture.view[1] === model.w[0]]"), [-1, True], "and to all that there is")
    b.forward()
    settled(b)
    b.equal(b.run("return location.hash"), link, "forward goes there again")
    page(b, "plain", link + "&q=runtime&turn=1&table=1")
    b.equal(b.run("return [model.name(state.box), state.q, state.turn, document.getElementById('list').hidden]"),
            [SHORTEST, "runtime", True, False], "a link restores zoom, search, side and table")
    other = link.replace("of=", "of=x")
    page(b, "plain", other + "&q=runtime")
    b.equal(b.run("return [state.box, state.q, arguments[0] !== arguments[1]]", link, other), [-1, "runtime", True],
            "a link into another picture leads to no box of this one")
    for bad in "#box=99999999", "#x=1_0_0", "#x=NaN_1_0", "#view=around&f=-1", "#view=x", "#q=(((", "#%", "#box=1e9&x=__":
        page(b, "plain", f"{bad}&of={b.run('return pictureMark')}")
        b.result(b.run("return state.box === -1 && model === top_ && model.n > 100"), f"{bad} is as good as nothing")


def searches(b):
    page(b, "plain")
    b.keys("/")
    b.keys("runtime")
    b.wait("return state.q === 'runtime' && found.match")
    cum = sum(v for f, v in stacks("plain.folded") if any("runtime" in x for x in f))
    own = sum(v for f, v in stacks("plain.folded") if "runtime" in f[-1])
    b.equal(b.run("return [found.match.total[0] * data.step, found.match.self[0] * data.step]"), [cum, own],
            "what a search finds is summed once a stack, and its own values too")
    text = b.find("#found").text
    b.result(b.run("return arguments[0].includes(writeValue(arguments[1])) && arguments[0].includes(writeValue(arguments[2]))",
                   text, cum, own), "the sums are told", text)
    b.keys(Keys.ENTER)
    first = b.run("return selected")
    b.keys(Keys.ENTER)
    second = b.run("return selected")
    b.result(first != second and "runtime" in b.run("return model.name(selected)"), "Enter goes to the next match")
    b.keys(Keys.ARROW_DOWN, "N")
    b.equal(b.run("return selected"), first, "N goes back to the one before")
    b.keys("/", "(", "[")
    b.wait("return state.q === '(['")
    b.equal(b.find("#found").get_attribute("class"), "error", "a wrong expression is told")
    b.find("#rx").click()
    b.equal(b.find("#found").text, "no match", "and is found as text")


def searches_end(b):
    for words in SLOW:
        start = b.cpu_seconds()
        page(b, "names", "#only=1&q=" + words)
        good = b.run("return top_.n > 20")
        took = b.cpu_seconds() - start
        b.result(good and took < 15, f"a link to search {words[:30]} does no harm", took)
    page(b, "plain", "#q=(e%2B)%2B")
    b.equal(b.find("#found").text, "/(e+)+/ could take too long", "and the reader is told")
    b.run("""const now = performance.now; let at = 0; performance.now = () => at += 300;
        go({ q: "e+" }); performance.now = now""")
    b.result(b.find("#found").text.startswith("given up, this takes too long; until then "), "so is that a search was given up",
             b.find("#found").text)
    b.equal(b.run("""return ["(foo|bar)\\\\.(baz|.*)$", "^[+*({|]+\\(\\)$", "(?:a|b)?c{2}", "a?b?c?d?"].filter(e => !reach(e))"""), [],
            "what people search for is allowed")


def matches_alone_are_a_graph(b):
    page(b, "plain", "#q=mallocgc&only=1&table=1")
    total, own = collections.Counter({"": 0}), collections.Counter()
    for frames, value in stacks("plain.folded"):
        if any("mallocgc" in f for f in frames):
            for n in range(len(frames) + 1):
                total["\0".join(frames[:n])] += value
            own["\0".join(frames)] += value
    b.equal(sorted(b.run(PATHS.replace("top_", "model"), "top")), sorted([p, total[p], own[p]] for p in total),
            "only stacks with a match are left, with all they have")
    b.result(b.run("""const m = model; for (let i = 1; i < m.n; i++) { const p = m.parent[i];
        if (m.x[i] < m.x[p] || m.x[i] + m.w[i] > m.x[p] + m.w[p]) return false; } return m.n > 50"""), "each in its parent")
    b.keys("v")
    settled(b)
    b.equal(b.run("return [state.view, model.total[0][0] * data.step]"), ["other", total[""]], "they have another end too")
    b.keys("v", "m")
    settled(b)
    b.equal(b.run("return model === top_ && table.list.length"), b.run("return functionsOf(top_).length"), "m shows all again")
    page(b, "diff", "#q=parse&only=1")
    b.result(b.run("return model.n > 2 && model.n < top_.n && model.sign[1] !== undefined"), "changes have it as well")


def keys_do_all(b):
    page(b, "plain")
    b.run("document.getElementById('over').focus()")
    b.keys(Keys.ARROW_UP)
    b.equal(b.run("return selected"), 0, "the first arrow selects the root")
    b.keys(Keys.ARROW_UP)
    child = b.run("return selected")
    b.result(b.run("return model.parent[selected] === 0 && document.getElementById('status').textContent.length > 10"),
             "up goes to the widest callee and says it")
    b.keys(Keys.ARROW_RIGHT)
    b.equal(b.run("return selected"), child + 1, "right goes to its neighbour")
    b.keys("h", Keys.ENTER)
    settled(b)
    b.equal(b.run("return state.box"), child, "Enter zooms")
    b.keys(Keys.ARROW_UP, Keys.ENTER)
    settled(b)
    b.keys(Keys.ESCAPE)
    settled(b)
    b.equal(b.run("return state.box"), child, "Escape goes one box out")
    b.keys("i")
    b.equal(b.run("return picture.rowTop(0)"), 0, "i turns it upside down")
    b.keys("c")
    settled(b)
    b.equal(b.run("return [state.view, model.row[model.root] >= 0]"), ["around", True], "c shows callers and callees")
    b.keys("0")
    settled(b)
    b.equal(b.run("return [state.view, state.box, state.turn]"), ["all", -1, True], "0 shows all again")
    b.keys("v")
    b.equal(b.run("return state.view"), "other", "v shows the tree from the other end")
    b.keys("t")
    b.equal(b.run("return document.getElementById('list').hidden"), False, "t shows the table")
    b.keys("d")
    b.equal(b.run("return getComputedStyle(document.body).color !== '' && picture.dark"), True, "d makes it dark")
    b.keys("?")
    b.equal(b.run("return document.getElementById('keys').open"), True, "? tells the keys")
    b.keys(Keys.ESCAPE)
    b.equal(b.run("return document.getElementById('keys').open"), False, "and Escape puts them away")


def moves_to_what_is_zoomed(b):
    b.prefer(motion="no-preference")
    page(b, "plain")
    to = box(b, SHORTEST)
    b.result(b.run("zoomTo(arguments[0]); return picture.view[1] > model.x[arguments[0]] + model.w[arguments[0]]", to),
             "a click does not jump")
    b.result(b.wait("const i = state.box; return picture.view[0] === model.x[i] && picture.view[1] === model.x[i] + model.w[i]"),
             "the picture moves to a box")
    b.prefer()
    b.run("zoomTo(model.root)")
    b.equal(b.run("return picture.view"), b.run("return [0, model.w[0]]"), "or is there at once for readers who prefer that")


def goes_back_while_searching(b):
    page(b, "plain")
    b.keys("/", "runtime")
    b.wait("return state.q === 'runtime'")
    b.back()
    b.result(b.wait("return state.q === ''"), "back takes a search back")
    b.equal(b.run("return document.getElementById('q').value"), "", "and its words, though they have the focus")


def lives_in_frames(b):
    with open(os.path.join(folder, "frame.html"), "w", encoding="utf-8") as f:
        f.write("<!DOCTYPE html><iframe sandbox=allow-scripts width=900 height=500 srcdoc=\""
                + html.escape(read("plain.html")) + "\"></iframe>")
    b.open(os.path.join(folder, "frame.html"))
    b.driver.switch_to.frame(b.find("iframe"))
    b.wait("return typeof go === 'function'")
    index = box(b, SHORTEST)
    b.run("zoomTo(arguments[0])", index)
    b.equal(b.run("return state.box"), index, "zooms in a frame that may not change its address")
    b.driver.switch_to.default_content()


def ranges_zoom_and_move(b):
    page(b, "plain")
    b.run("""const o = document.getElementById('over'); for (let k = 0; k < 9; k++)
        o.dispatchEvent(new WheelEvent('wheel', { deltaY: -100, ctrlKey: true, clientX: 300, clientY: 300, cancelable: true }))""")
    settled(b)
    b.result(b.run("return state.x !== null && picture.view[1] - picture.view[0] < model.w[0] / 5"), "the wheel with Ctrl zooms")
    link, view = b.run("return [location.hash, picture.view]")
    page(b, "plain", link)
    b.result(all(abs(x - y) < view[1] * 1e-6 for x, y in zip(b.run("return picture.view"), view)), "a link restores the range")
    b.keys(Keys.ESCAPE)
    settled(b)
    b.equal(b.run("return picture.view"), b.run("return [0, model.w[0]]"), "Escape shows all again")


def touch(b, kind, *points):
    b.driver.execute_cdp_cmd("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [
        {"x": x, "y": y, "id": i} for i, (x, y) in enumerate(points)]})


def fingers_do_it_too(b):
    b.driver.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": True, "maxTouchPoints": 2})
    page(b, "plain")
    settled(b)
    x, width, y = b.run(AT, box(b, SHORTEST))
    y += b.run("return document.getElementById('over').getBoundingClientRect().top") + 9
    for tap in 1, 2:
        touch(b, "touchStart", (x + width / 2, y))
        touch(b, "touchEnd")
        settled(b)
        b.equal(b.run("return [model.name(selected), state.box >= 0]"), [SHORTEST, tap == 2],
                "a tap tells of a box" if tap == 1 else "and a second zooms to it")
    b.keys("0")
    settled(b)
    touch(b, "touchStart", (500, y), (600, y))
    for k in range(1, 6):
        touch(b, "touchMove", (500 - 40 * k, y), (600 + 40 * k, y))
    touch(b, "touchEnd")
    settled(b)
    lo, hi = b.run("return picture.view.map(v => v / model.w[0])")
    b.result(abs((hi - lo) - 100 / 500) < 0.02 and lo < 550 / 1200 < hi, "two fingers zoom", lo, hi)
    touch(b, "touchStart", (500, y))
    for k in range(1, 6):
        touch(b, "touchMove", (500 + 20 * k, y))
    touch(b, "touchEnd")
    settled(b)
    after = b.run("return picture.view.map(v => v / model.w[0])")
    b.result(abs((lo - after[0]) - 100 / 1200 * (hi - lo)) < 0.01 and after[0] < lo, "and one moves", lo, after)
    b.driver.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": False})


def names_stay_names(b):
    page(b, "names", "#table=1")
    for script in "go({ view: 'other' })", "go({ q: 'script' })", "go({ view: 'around', frame: 1 })", "turnTheme()":
        b.run(script)
        settled(b)
    b.run("for (let i = 0; i < top_.n; i++) { hover = i; showFacts(document.getElementById('tip'), top_, i); select(-1); }")
    b.equal(b.run("return [document.scripts.length, document.images.length, document.querySelectorAll('svg, img, iframe, a').length]"),
            [2, 0, 0], "hostile names made no elements")
    b.result(b.run("return frames.name.some(n => n.includes('<script>alert(1)</script>'))"), "and are there as text")
    b.result(not re.search(r"[\x00-\x08\x0b-\x1f\x7f\u202a-\u202e\u2066-\u2069]", b.run("return frames.name.join('')")),
             "with controls and marks of direction spelt out")
    b.equal(b.run("""return performance.getEntriesByType('resource').length"""), 0, "nothing is asked of any network")


def policy_holds(b):
    page(b, "plain")
    # In a task of its own: what a driver runs may do what the page may not.
    b.run("""setTimeout(() => { let made = 0;
        try { document.body.innerHTML = '<b>x</b>'; made++; } catch (e) {}
        try { eval('made++'); } catch (e) {}
        try { document.body.setAttribute('onclick', 'made++'); made++; } catch (e) {}
        try { new Function('made++')(); made++; } catch (e) {}
        window.made = made; })""")
    settled(b)
    b.equal(b.run("return window.made"), 0, "markup, code and handlers made of texts are refused")
    b.complaints()
    b.run("""const s = document.createElement('style'), i = new Image(); s.textContent = 'body { display: none }';
        document.head.append(s); i.src = 'https://example.com/'; fetch('https://example.com/').catch(() => 0);""")
    settled(b)
    b.equal(b.run("return getComputedStyle(document.body).display"), "flex", "and so are styles")
    refused = [c for c in b.complaints() if "Content Security Policy" in c]
    b.result(all(any(what in c for c in refused) for what in ("inline style", "image", "Fetch")), "and requests", *refused)


def odd_pages_work(b):
    page(b, "empty")
    b.equal(b.run("return [top_.n, top_.w[0]]"), [1, 0], "a graph of nothing is a page")
    page(b, "deep")
    b.result(b.run("return model.rows >= 1500"), "1500 levels are drawn")
    b.run("select(model.rowStart[1400])")
    b.result(b.run("return picture.scroller.scrollTop < picture.rowTop(1400)"), "and scrolled to")
    page(b, "cut", "#table=1&q=e&only=1")
    b.result("left out" in b.run("return document.getElementById('missing').textContent"), "what is left out is told at the table")
    b.run("go({ q: 'runtime', only: false })")
    named = b.run("return frames.name.filter(n => n.includes('runtime'))")
    own = sum(v for f, v in stacks("plain.folded") if f[-1] in named)
    b.result(b.run("return arguments[0].includes('flat ' + writeValue(arguments[1]) + ' ')", b.find("#found").text, own),
             "what functions have themselves is of all stacks")
    b.result(re.search("; up to .* more in what is left out", b.find("#found").text), "and of what is found")
    b.run("go({ q: 'net/http' })")
    b.equal(re.search("up to (.*) more", b.find("#found").text)[1],
            b.run("return write(top_.total[0][0] - found.match.total[0])"), "no more than what is not found yet")
    b.scripts(False)
    b.open(os.path.join(folder, "plain.html"))
    b.scripts(True)
    shown = b.run("return [...document.querySelectorAll('noscript, #bar, main')].map(e => e.getBoundingClientRect().height > 0)")
    b.equal(shown, [False, False, True], "without scripts there is a table and no controls")


def many_boxes_are_quick(b):
    """Times are told and not judged, but for what nobody would wait for: machines of tests are slow and shared."""
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
    b.result(boxes >= 100000 and max(v for k, v in times.items() if k != "other") < 1000, "100,000 boxes are nothing to wait for", times)
    b.resize(1200, 900)


def printing_leaves_no_trace(b):
    page(b, "plain", "#table=1")
    before = b.run("return [picture.width, picture.height, document.documentElement.dataset.theme]")
    size = len(b.driver.execute_cdp_cmd("Page.printToPDF", {"landscape": True})["data"])
    settled(b)
    b.equal(b.run("return [picture.width, picture.height, document.documentElement.dataset.theme]"), before, "printing changes nothing")
    b.result(size > 20000, "and there is something on paper", size)
    page(b, "deep")
    dots = b.run("""Object.defineProperty(window, "devicePixelRatio", { value: 4 }); paper(true);
        const dots = picture.ink.width * picture.ink.height; paper(false); return dots""")
    b.result(1e7 < dots < 1e8, "paper is no larger than what browsers can draw on, on any screen", dots)


def a_flame_stays_at_its_root(b):
    b.resize(1200, 330)
    page(b, "plain")
    for height in (330, 420, 900, 360):
        b.resize(1200, height)
        settled(b)
        _, _, y = b.run(AT, 0)
        b.equal(y + b.run("return ROW"), b.run("return picture.height"), f"{height} pixels show the root at the bottom")
    b.resize(1200, 900)


def pages_fit(b):
    for width, height in (400, 700), (1200, 800), (3840, 2000):
        b.resize(width, height)
        page(b, "diff", "#table=1")
        settled(b)
        b.equal(b.run("""return [document.documentElement.scrollWidth <= innerWidth, document.documentElement.scrollHeight <= innerHeight,
            picture.width > 150, picture.height > 100, document.getElementById('list').clientHeight > 100]"""), [True] * 5,
                f"all fits {width} pixels")
    b.resize(1200, 900)


with Browser() as browser:
    for case in (numbers_are_those_of_c, trees_are_those_of_the_stacks, changes_have_the_colours_of_c, the_table_is_top,
                 the_table_is_top_without_all_boxes, zooms_with_history, searches, searches_end, matches_alone_are_a_graph, keys_do_all,
                 moves_to_what_is_zoomed, goes_back_while_searching, lives_in_frames, ranges_zoom_and_move, fingers_do_it_too,
                 names_stay_names, policy_holds,
                 odd_pages_work, many_boxes_are_quick, printing_leaves_no_trace,
                 a_flame_stays_at_its_root, pages_fit):
        browser.case(case)
    browser.done()
