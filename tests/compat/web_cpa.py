# web_cpa.py - read the pages of cpa's web UI
#
# SPDX-License-Identifier: Apache-2.0
"""page(route, text, fetch) returns the contents of a page like web_pprof.page. fetch(NAME) returns the text of another
page for the same query."""
import html.parser
import itertools
import json
import re

import web_pprof

TOKEN_HEADER = "X-Cpa-Token"
VOID = {"area", "base", "br", "col", "hr", "img", "input", "link", "meta", "source", "wbr"}


class Element:
    """An element of a page, with its elements and texts in order."""

    def __init__(self, tag, attributes):
        self.tag, self.attributes, self.children = tag, dict(attributes), []

    def has(self, tag, attributes):
        mine = {k: v or "" for k, v in self.attributes.items()}
        return tag in ("", self.tag) and all(v in mine.get(k, "").split() or v == mine.get(k) for k, v in attributes.items())

    def find_all(self, tag="", **attributes):
        """Returns the elements below this one with a tag and attributes, of which each contains a word."""
        found = []
        for child in self.children:
            if isinstance(child, Element):
                found += [child] if child.has(tag, {k.replace("_", "-").rstrip("-"): v for k, v in attributes.items()}) else []
                found += child.find_all(tag, **attributes)
        return found

    def find(self, tag="", **attributes):
        """Returns the first such element, or an empty one."""
        return next(iter(self.find_all(tag, **attributes)), Element("", {}))

    def text(self):
        return "".join(x.text() if isinstance(x, Element) else x for x in self.children)


class Reader(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.open = [Element("document", {})]
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        element = Element(tag, attrs)
        self.open[-1].children.append(element)
        if tag not in VOID:
            self.open.append(element)

    def handle_endtag(self, tag):
        if tag in [x.tag for x in self.open]:
            while self.open.pop().tag != tag:
                pass

    def handle_data(self, data):
        self.open[-1].children.append(data)


def read(text):
    return Reader(text).open[0]


def take_token(server):
    """Read the token that requests need to change configs."""
    _, _, body = server.request("GET", "/ui/top")
    found = read(body.decode("utf-8", "backslashreplace")).find("meta", name="token")
    server.token = found.attributes.get("content", "")


def config(entry):
    link = entry.find("a")
    return {
        "name": link.text().strip(),
        "link": web_pprof.parameters(link.attributes.get("href", "")),
        "is_current": link.attributes.get("aria-current") == "true",
        "can_delete": bool(entry.find_all("form")),
    }


def menu(document, name):
    """Returns the entries with a link of a menu."""
    for element in document.find_all("details", class_="menu"):
        if element.find("summary").text().partition(":")[0] == name:
            return [x for x in element.find_all("li") if x.find_all("a")]
    return []


def warnings(document):
    """Returns the messages of a page without the explanations that pprof lacks."""
    lines = (x.text().partition("; ")[0] for x in document.find(id="errors").find_all("div"))
    return [x for x in lines if not x.startswith(("No samples are left after ", "no machine code of "))]


def head(document):
    """Returns what all pages contain."""
    return {
        "title": document.find("title").text().rpartition(" · ")[0],
        "legend": [x.text() for x in document.find(id="legend").find("div").find_all("div")],
        "warnings": warnings(document),
        "types": [x.find("a").text() for x in menu(document, "Sample")],
        "configs": [config(x) for x in menu(document, "Config")],
    }


def cells(row):
    """Returns the texts of a row, with the name and the note after it as the last two."""
    found = [x for x in row.children if isinstance(x, Element)]
    line = found[-1].find(class_="line")
    notes = [x.text() for x in line.children if isinstance(x, Element) and x.has("span", {"class": "faint"})]
    return [*(x.text().strip() for x in found[:-1]), line.find(class_="end").text(), "".join(x for x in notes if x[0] == "(")]


def table_rows(document):
    return [cells(x) for body in document.find_all("tbody") for x in body.find_all("tr")]


def top(document, fetch):
    rows = table_rows(read(fetch("top", "rows=all")))
    return {"rows": [[x[5], x[6], x[0], x[1], x[3], x[4]] for x in rows[:500]]}


def peek(document, fetch):
    rows = table_rows(read(fetch("peek", "rows=all")))
    rows = [[*(x for x in row[:-2] if x), " ".join(row[-2:]).strip()] for row in rows]
    return {"rows": rows, "text": fetch("peek.txt").strip()}


def full_name(data, functions, number):
    """Returns the name that pprof gives a frame: its function, or its file without one, then line and column."""
    name = data["frames"]["name"][number]
    line = re.search(r":\d+(?::\d+)?$", name)
    return functions[number] + (line.group() if line else "") if functions.get(number) else name


def flamegraph(document, fetch):
    text = fetch("data/flame", "width=16777216")
    if not text.startswith("{"):
        return {"boxes": text}
    data = json.loads(text)
    functions, inlined = dict(data["frames"]["function"]), set(data["inlined"])
    trees, parent = [], 0
    for i, number in enumerate(data["frame"]):
        after, before = [*(x[i] * data["step"] for x in data["total"]), 0][:2]
        own = [*(x[i] * data["step"] for x in data["self"]), 0]
        name = "root" if i == 0 else full_name(data, functions, number)
        trees.append([name, i in inlined, own[0] - own[1], before, after, []])
        parent += data["parent"][i]
        if i and i not in data["rest"][::2]:
            trees[parent][5].append(trees[i])
    return {"boxes": web_pprof.draw_all(trees[0])}


def graph(document, fetch):
    picture = document.find("svg")

    def titles(kind, shapes):
        return sorted(x.find("title").text() for x in shapes if x.find_all(kind) and x.find_all("title"))

    labels = picture.find_all("g", class_="label")
    edges = titles("path", (x for x in picture.find_all("g") if x.attributes.get("class")))
    edges = [x.replace(", inlined)", ")").replace(" \u2192 ", " -> ") for x in edges]
    return {"nodes": titles("rect", picture.find_all("a")), "edges": sorted(edges), "labels": titles("rect", labels)}


def instruction(row):
    columns = [x.text().strip() for x in row.children if isinstance(x, Element)]
    if row.has("tr", {"class": "gap"}):
        return ["new block"]
    if row.has("tr", {"class": "inlined"}):
        return ["call", *columns[1:]]
    address, flat, cum, words, place = columns
    return ["code", flat, cum, address, words, place]


def body_rows(table):
    """Returns the rows of a table, without those of tables in them."""
    bodies = [x for x in table.children if isinstance(x, Element) and x.tag == "tbody"]
    return [x for body in bodies for x in body.children if isinstance(x, Element)]


def source_line(row):
    number, flat, cum, _, code = (x for x in row.children if isinstance(x, Element))
    below = [instruction(x) for table in code.find_all("table") for x in body_rows(table)]
    return [int(number.text()), flat.text(), cum.text(), code.find("code").text(), below]


def source(document, fetch):
    functions = []
    for section in document.find_all("section", class_="source"):
        flat, cum, share = re.search(r"flat (\S+), cum (\S+) \((\S+)\)$", section.find("p").text()).groups()
        lines = [source_line(x) for x in body_rows(section.find("table", class_="lines"))]
        functions.append([section.find("h2").text(), section.find("p").find("bdi").text(), flat, cum, share, lines])
    return web_pprof.sort_functions(functions)


def disasm(document, fetch):
    return {"text": fetch("disasm.txt")}


BODIES = {"top": top, "peek": peek, "disasm": disasm, "flamegraph": flamegraph, "graph": graph, "source": source}


def page(route, text, fetch):
    document = read(text)
    found = head(document)
    if route in ("peek", "source", "disasm"):  # pprof shows no filters here
        found["legend"] = list(itertools.takewhile(lambda x: not x.startswith(("Active ", "Showing ")), found["legend"]))
    if route == "flamegraph":
        found["legend"] = web_pprof.filter_lines(found["legend"])
    if route in BODIES:
        found.update(BODIES[route](document, fetch))
    return found
