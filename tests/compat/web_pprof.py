# web_pprof.py - read the pages of pprof's web UI
#
# SPDX-License-Identifier: Apache-2.0
"""Reads the pages that pprof's templates make into dictionaries, which web.py compares with those of web_cpa.py.

page(route, text, _) returns the contents of a page:
  title, legend (lines), warnings (lines), types (sample types of the menu), configs (of the menu), and by route
  top          rows of [name, inlined, flat, flat%, cum, cum%]
  peek         text, and rows of its cells without empty ones
  disasm       text
  source       functions of [name, file, flat, lines]; a line is [number, flat, text, instructions]; and values of cum
  flamegraph   boxes of [depth, name, inlined, self, before, after], from the root down
  graph        nodes, edges and labels: their texts, sorted
"""
import html
import json
import re
import urllib.parse

WIDTH = 1400  # of the flame graph, in pixels
NARROW = 4  # pprof draws no box below this width

DIV = re.compile(r"<div>(.*?)</div>", re.S)
TITLE = re.compile(r"<title>(.*?)</title>", re.S)
LEGEND = re.compile(r'<div id="detailsbox">(.*?)\n    </div>', re.S)
WARNINGS = re.compile(r'<div id="errors">(.*?)\n?</div>\s*\n', re.S)
TYPE = re.compile(r'<a href="\?si=[^"]*" id="sampletype-[^"]*">(.*?)</a>', re.S)
CONFIGS = re.compile(r'id="save-config">Save as \.\.\.</a>\s*<hr>(.*?)</div>\s*</div>', re.S)
CONFIG = re.compile(r'<a href="([^"]*)">(.*?)</a>', re.S)
PLAIN = re.compile(r"<pre>\n      (.*)\n    </pre>", re.S)
FUNCTION = re.compile(r'<h2>(.*?)</h2><p class="filename">(.*?)</p>\n<pre onClick="[^"]*">\n(.*?)\n</pre>', re.S)
TOTAL = re.compile(r"  Total: +(\S+) +(\S+) \(flat, cum\) +(\S*)")
LINE = re.compile(r" {2} *(\S+) +(\S+) {11}(.*) $", re.S)
INSTRUCTION = re.compile(r" {10}(.{10}) (.{10}) +([0-9a-f]+): (.*) $", re.S)
INLINED = re.compile(r" *<span class=inlinesrc>(.*?)</span> <span class=unimportant>(.*?)</span>$", re.S)


def texts(pattern, text):
    return [html.unescape(x) for x in pattern.findall(text)]


def parameters(link):
    """Returns the parameters of a URL, sorted, as text. pprof sorts them only if it changes one."""
    pairs = urllib.parse.parse_qsl(link.partition("?")[2], keep_blank_values=True)
    return urllib.parse.urlencode(sorted(x for x in pairs if x[1] and ";" not in x[1]))


def config(link, name):
    return {
        "name": html.unescape(re.sub(r"<span.*?</span>", "", name, flags=re.S)).strip(),
        "link": parameters(html.unescape(link)),
        "is_current": "menu-check-mark" in name,
        "can_delete": "menu-delete-btn" in name,
    }


def head(text):
    """Returns what all pages contain."""
    legend, warnings = LEGEND.search(text), WARNINGS.search(text)
    return {
        "title": html.unescape(TITLE.search(text).group(1)),
        "legend": texts(DIV, legend.group(1)),
        "warnings": texts(DIV, warnings.group(1)) if warnings else [],
        "types": texts(TYPE, text),
        "configs": [config(*x) for x in CONFIG.findall(CONFIGS.search(text).group(1))],
    }


def script_values(text, call):
    """Returns the arguments of the last call of a function by a script: values of JSON, separated by commas."""
    at = text.rindex(call) + len(call)
    values = []
    while text[at] != ")":
        if text[at] in " ,":
            at += 1
            continue
        value, at = json.JSONDecoder().raw_decode(text, at)
        values.append(value)
    return values


def share(value, total):
    """Returns a percentage in the digits of text reports. The script of pprof always writes two."""
    percent = abs(value / total) * 100 if total else 0
    if 99.95 <= percent <= 100.05:
        return "100%"
    return f"{percent:.2f}%" if percent >= 1 else f"{percent:.2g}%"


def top(text):
    total, rows = script_values(text, "\n    makeTopTable(")
    values = [[x["FlatFormat"], share(x["Flat"], total), x["CumFormat"], share(x["Cum"], total)] for x in rows or []]
    return {"rows": [[x["Name"], x["InlineLabel"], *y] for x, y in zip(rows or [], values)]}


def plain(text):
    return {"text": html.unescape(PLAIN.search(text).group(1)).strip()}


def peek(text):
    found = plain(text)
    lines = [x.partition(" | ") for x in found["text"].split("\n") if " | " in x]
    found["rows"] = [[*values.split(), name.strip()] for values, _, name in lines]
    return found


def instruction(line):
    """Reads a line below a source line: the mark of a new block, an inlined call, or an instruction."""
    if "\u22ee" in line:
        return ["new block"]
    called = INLINED.match(line)
    if called:
        return ["call"] + [html.unescape(x).strip() for x in called.groups()]
    code, _, place = line.partition("<span class=unimportant>")
    flat, cum, address, words = INSTRUCTION.match(code).groups()
    place = html.unescape(place.removesuffix("</span>"))
    return ["code", flat.strip(), cum.strip(), address, html.unescape(words).strip(), place]


def source_line(line):
    number, _, rest = line.partition("</span> ")
    text, _, code = rest.partition("</span>")
    flat, cum, words = LINE.match(text.partition(">")[2]).groups()
    code = code.removeprefix("<span class=asm>").removesuffix("</span>")
    below = [instruction(x) for x in code.split("\n") if x.strip()]
    return [int(number), flat, cum, html.unescape(words), below]


def source(text):
    functions = []
    for name, path, body in FUNCTION.findall(text):
        first, *lines = body.split("\n<span class=line>")
        flat, cum, percent = TOTAL.match(html.unescape(first)).groups()
        lines = [source_line(x) for x in lines]
        functions.append([html.unescape(name), html.unescape(path), flat, cum, percent, lines])
    return sort_functions(functions)


def sort_functions(functions):
    """Returns functions, and separately their values of cum. What pprof shows in random order is sorted: files of equal
    weight, and calls under a line without instructions, where blocks are not marked."""
    for *_, lines in functions:
        for line in lines:
            if "code" not in (x[0] for x in line[4]):
                line[4] = sorted(x for x in line[4] if x[0] == "call")
    functions = sorted(functions, key=lambda x: (x[1], x[0], [y[0] for y in x[5]]))
    values = [[x[0], x[3], x[4], *([y[0], y[2]] for y in x[5])] for x in functions]
    return {"functions": [[*x[:3], [[y[0], y[1], *y[3:]] for y in x[5]]] for x in functions], "cum": values}


def merge(group):
    """Merge trees with equal names: lists of [name, inlined, self, before, after, children], widest first. The result is
    inlined if all are."""
    found = {}
    for name, inlined, *values, below in group:
        tree = found.setdefault(name, [name, True, 0, 0, 0, []])
        tree[1] = tree[1] and inlined
        for i, value in enumerate(values):
            tree[2 + i] += value
        tree[5] += below
    return sorted(found.values(), key=lambda x: (-x[3] - x[4], x[0], x[1]))


def draw(group, narrow, depth=0):
    """Returns the boxes of trees that are not narrow: lists of [depth, name, inlined, self, before, after]."""
    boxes = []
    for tree in merge(group):
        if tree[3] + tree[4] >= narrow:
            boxes += [[depth, *tree[:5]], *draw(tree[5], narrow, depth + 1)]
    return boxes


def skip_unnamed(tree):
    """Remove boxes without a name, of which pprof shows only some. Their self and children are then those of the parent."""
    below = []
    for child in tree[5]:
        skip_unnamed(child)
        unnamed = re.match(r"([0-9a-f]{16} )?(\[.*\]|<unknown>)?$", child[0], re.S)
        below += child[5] if unnamed else [child]
        tree[2] += child[2] if unnamed else 0
    tree[5] = below


def draw_all(root):
    """Returns the boxes of a tree that are as wide as those pprof draws."""
    total = root[3] + root[4]
    skip_unnamed(root)
    return draw([root], NARROW * total / (WIDTH - 4)) if total else []


def grow(data, group, at):
    """Returns the trees of stacks from a position on. Like stacks.js, with sources of equal names in one box."""
    found = {}
    for stack in group:
        if at < len(stack["Sources"]):
            found.setdefault(stack["Sources"][at], []).append(stack)
    trees = []
    for number, stacks in found.items():
        source, values = data["Sources"][number], [x["Value"] for x in stacks]
        own = sum(x["Value"] for x in stacks if len(x["Sources"]) == at + 1)
        before, after = -sum(x for x in values if x < 0), sum(x for x in values if x > 0)
        trees.append([source["FullName"], source["Inlined"], own, before, after, grow(data, stacks, at + 1)])
    return trees


def flamegraph(text):
    data, _ = script_values(text, "\n    stackViewer(")
    return {"boxes": draw_all(next(iter(grow(data, data["Stacks"], 0)), ["root", False, 0, 0, 0, []]))}


def graph(text):
    """The titles of nodes and edges contain their names and values, those of labels their values."""
    found = re.findall(r'<g id="([^"]*)" class="(?:node|edge)">\s*<title>.*?</title>\s*<g [^>]*><a xlink:title="(.*?)">(.*?)</a>', text, re.S)
    parts = {"node": [], "edge": [], "N": []}
    for name, title, shape in found:
        kind = re.match("node|edge|N", name).group()
        if kind == "N":
            title = "\n".join(re.findall(r"<text [^>]*>(.*?)</text>", shape)) + f" ({title})"
        if kind != "edge" or " (" in title:
            parts[kind].append(html.unescape(title))
    return {"nodes": sorted(parts["node"]), "edges": sorted(parts["edge"]), "labels": sorted(parts["N"])}


def filter_lines(legend):
    """Returns the legend of a flame graph without the part that is shown, which is always 100 % in pprof."""
    return [x for x in legend if not x.startswith("Showing nodes accounting for ")]


BODIES = {"top": top, "peek": peek, "disasm": plain, "source": source, "flamegraph": flamegraph, "graph": graph}


def page(route, text, _):
    found = head(text)
    if route == "flamegraph":
        found["legend"] = filter_lines(found["legend"])
    if route in BODIES:
        found.update(BODIES[route](text))
    return found
