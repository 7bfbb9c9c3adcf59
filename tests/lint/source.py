# source.py - rules on the C files: layers, includes, head lines, lengths, functions never called
# SPDX-License-Identifier: Apache-2.0
#
# usage: source.py TOP; prints TAP, one line per rule, with the findings before it
#        source.py TOP --write; rewrites the table of folders in docs/DESIGN.md

import fnmatch
import glob
import os
import re
import sys

MAX_FILE, MAX_FUNCTION = 700, 60
FORBIDDEN = "strcpy sprintf vsprintf gets alloca strtok system popen tmpnam mktemp"
GENERATED = {
    "built_parts.h": "base",     "profile.pb-c.h": "proto", "push.pb-c.h": "proto", "viewers/html/flame_parts.h": "viewers/html", "engine/query_filter.h": "engine",
    "engine/query_load.h": "engine", "engine/query_report.h": "engine", "engine/query_draw.h": "engine", "viewers/svg/script.js.h": "viewers/svg",
    "viewers/graph/callgraph.css.h": "viewers/graph",
    "front/web/assets/web_parts.h": "front/web/assets"}

top = sys.argv[1]
count = failed = 0


def result(name, findings):
    global count, failed
    count += 1
    for line in findings:
        print("# " + line)
    failed += bool(findings)
    print(("not ok" if findings else "ok"), count, "-", name)


def walk(*roots):
    for root in roots:
        for folder, dirs, files in os.walk(os.path.join(top, root)):
            dirs.sort()
            for f in sorted(files):
                yield os.path.relpath(os.path.join(folder, f), top)


def read(path):
    with open(os.path.join(top, path), encoding="utf-8") as f:
        return f.read()


def folder_of(path):
    folder = os.path.dirname(path)
    return folder[4:] if folder.startswith("src/") else folder


def code_of(text):
    """The text with comments and quoted text blanked; line numbers stay."""
    def blank(m):
        s = m.group(0)
        return s[0] + s[-1] if s[0] in "\"'" else " " + "\n" * s.count("\n")
    return re.sub(r'/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', blank, text, flags=re.S)


class Layer:
    """A line of layers.txt: folders that may be included, patterns of outside headers, what belongs into the folder."""
    def __init__(self, inner, outer, purpose):
        self.inner, self.outer, self.purpose = inner.split(), outer.split(), purpose


def read_layers():
    layers, purpose = {}, ""
    for line in read("tests/lint/layers.txt").splitlines():
        if line.startswith("#"):
            purpose = line[2:]
        elif line:
            folder, inner, outer = line.split(":")
            layers[folder] = Layer(inner, outer, purpose)
    return layers


def used_by_folders():
    """What the files of each folder include: the folders, and the headers that are in no folder of ours."""
    used = {}
    for path, text in ours.items():
        inner, outer = used.setdefault(folder_of(path), (set(), set()))
        for mark, name in re.findall(r'^#include ([<"])([^>"]+)', text, re.M):
            if mark == "<":
                outer.add(name)
            elif name != "config.h":
                inner.add(GENERATED.get(name, os.path.dirname(name)))
    return used


def check_layers():
    """layers.txt has what is included, no more and no less, and each folder after those it includes."""
    layers, findings = read_layers(), []
    place = {folder: i for i, folder in enumerate(layers)}
    packages = {p for layer in layers.values() for p in layer.outer}
    for folder, (inner, outer) in used_by_folders().items():
        if folder not in layers:
            findings.append(f"{folder} is not in layers.txt")
            continue
        layer = layers[folder]
        findings += [f"{folder} may not include {f}" for f in sorted(inner - {folder} - set(layer.inner))]
        findings += [f"{folder} does not include {f}, which layers.txt lets it" for f in layer.inner if f not in inner]
        findings += [f"{folder} is before {f}, which it includes" for f in layer.inner
                     if place.get(f, -1) > place[folder] and not (f.startswith("front/cli") and folder.startswith("front/cli"))]
        for name in sorted(outer):
            if any(fnmatch.fnmatch(name, p) for p in packages) and not any(fnmatch.fnmatch(name, p) for p in layer.outer):
                findings.append(f"{folder} may not include <{name}>")
        findings += [f"{folder} does not include <{p}>, which layers.txt lets it" for p in layer.outer
                     if not any(fnmatch.fnmatch(name, p) for name in outer)]
    for folder in layers:
        if not os.path.isdir(os.path.join(top, "src", folder)) and not os.path.isdir(os.path.join(top, folder)):
            findings.append(f"{folder}: there is no such folder")
    for path, text in ours.items():
        for name in re.findall(r'^#include "([^"]+_int\.h)"', text, re.M):
            if os.path.dirname(name) != folder_of(path):
                findings.append(f"{path}: {name} is for {os.path.dirname(name)} alone")
    return findings


TABLE = re.compile(r"(?<=<!-- made by tests/lint/source.py --write -->\n).*?(?=\n<!-- end -->)", re.S)


def layer_table():
    """The table of docs/DESIGN.md: for each folder its purpose and the folders that it includes."""
    rows = ["| folder | what belongs there | includes | outside headers |", "|---|---|---|---|"]
    for folder, layer in read_layers().items():
        path = f"src/{folder}" if os.path.isdir(os.path.join(top, "src", folder)) else folder
        rows.append(f"| {path} | {layer.purpose} | {' '.join(layer.inner)} | {' '.join(layer.outer)} |")
    return "\n".join(rows)


def check_table():
    found = TABLE.search(read("docs/DESIGN.md"))
    return [] if found and found.group(0) == layer_table() else \
        ["docs/DESIGN.md has another table than layers.txt; python3 tests/lint/source.py . --write writes it"]


def check_documents():
    """Files of ours that documents name exist; a name in backquotes may lack src/ and, in its paragraph, its folder."""
    roots = ["", "src", "src/libcpaprof", "src/libcpaprof/target", "src/libcpaprof/collector",
             "src/libcpaprof/endpoint", "docs"]
    named = re.compile(r"`((?:[\w.*-]+/)+[\w.*-]+\.(?:c|h|t|py|sh|js|def|txt|md)|[\w*-]+\.[ch])`")
    findings = []
    for page in [p for p in walk("docs") if p.endswith(".md")] + ["README.md", "CONTRIBUTING.md"]:
        for i, line in enumerate(read(page).splitlines() if os.path.exists(os.path.join(top, page)) else [], 1):
            for name in named.findall(line):
                if not any(glob.glob(os.path.join(top, root, name)) for root in roots) and \
                        not ("/" not in name and any(fnmatch.fnmatch(os.path.basename(p), name) for p in sources)):
                    findings.append(f"{page}:{i}: there is no {name}")
    return findings


def check_includes():
    """Ours are in quotes with their folder, and exist there; config.h comes first in every C file."""
    findings = []
    for path, text in {**ours, **tests}.items():
        names = re.findall(r'^#include (\S+)', text, re.M)
        for name in names:
            plain = name.strip('<>"')
            places = [f"src/{plain}", plain]
            if path in tests:
                places.append(os.path.join(os.path.dirname(path), plain))
            exists = any(os.path.exists(os.path.join(top, p)) for p in places) or plain in GENERATED
            if name.startswith('"') and plain != "config.h" and not exists:
                findings.append(f"{path}: there is no {name}")
            if name.startswith("<") and exists:
                findings.append(f"{path}: {name} is ours, so in quotes")
            if name.startswith('"') and "/" not in plain and path in ours and plain not in [*GENERATED, "config.h"]:
                findings.append(f"{path}: {name} lacks its folder")
        if path.endswith(".c") and path in ours and names[:1] != ['"config.h"']:
            findings.append(f"{path}: the first include is not \"config.h\"")
    return findings


def check_heads():
    findings = []
    for path, text in {**ours, **tests}.items():
        name = re.escape(os.path.basename(path))
        if not re.match(r"/\*\n \* " + name + r" - \S.*\n(.*\n)*? \* SPDX-License-Identifier: Apache-2.0\n", text):
            findings.append(f"{path}: does not begin with its name, its purpose and the SPDX line")
    return findings


def check_lengths():
    findings = []
    for path, text in ours.items():
        lines = text.splitlines()
        if len(lines) > MAX_FILE:
            findings.append(f"{path}: {len(lines)} lines, {MAX_FILE} are allowed")
        start = None
        for i, line in enumerate(lines):
            if line.startswith("{"):
                start = i
            elif line == "}" and start is not None:
                if i - start + 1 > MAX_FUNCTION:
                    findings.append(f"{path}:{start}: a function of {i - start + 1} lines, {MAX_FUNCTION} are allowed")
                start = None
    return findings


def check_names():
    """A name says where a function is: in a debugger, a profile of cpa, and for a tag jump. missing.c replaces other files."""
    function = re.compile(r"^[a-z][\w \t*]*?\b(\w+)\((?:[^;{}()]|\([^;{}]*?\))*\)\s*\{", re.M)
    findings, owner = [], {}
    for path, text in ours.items():
        if os.path.basename(path) == "missing.c":
            continue
        for m in function.finditer(code_of(text)):
            if owner.setdefault(m.group(1), path) != path:
                findings.append(f"{path}: {m.group(1)} is also a function of {owner[m.group(1)]}")
    return findings


def check_calls():
    call = re.compile(r"\b(" + "|".join(FORBIDDEN.split()) + r")\s*\(")
    return [f"{path}:{i}: {m.group(1)} is not to be used"
            for path, text in ours.items()
            for i, line in enumerate(code_of(text).splitlines(), 1) for m in call.finditer(line)]


def check_comments():
    return [f"{path}:{i}: a // comment"
            for path, text in {**ours, **tests}.items()
            for i, line in enumerate(code_of(text).splitlines(), 1) if "//" in line]


def check_lists():
    """Each source and test script is in the local.mk of its folder, so that it is built and distributed."""
    findings = []
    for path in [*ours, *tests, *(p for p in walk("tests") if p.endswith(".t"))]:
        make = os.path.join(os.path.dirname(path), "local.mk")
        listed = read(make) if os.path.exists(os.path.join(top, make)) else ""
        name = path[:-2] if path.startswith("tests/") and path.endswith(".c") else path
        if not re.search(re.escape(name) + r"(\.c)?(\s|$)", listed):
            findings.append(f"{path}: is not in {make}")
    return findings


def check_numbers():
    """Test scripts have a number of their own in their folder, so that a number names one."""
    findings, owner = [], {}
    for path in walk("tests"):
        m = re.match(r"tests/\w+/t\d+(?=-[^/]*\.t$)", path)
        if m and owner.setdefault(m.group(0), path) != path:
            findings.append(f"{path}: has the number of {owner[m.group(0)]}")
    return findings


if sys.argv[2:] == ["--write"]:
    page = TABLE.sub(lambda _: layer_table(), read("docs/DESIGN.md"))
    with open(os.path.join(top, "docs/DESIGN.md"), "w", encoding="utf-8") as f:
        f.write(page)
    sys.exit(0)

sources = [p for p in walk("src", "viewers", "tests") if p.endswith((".c", ".h", ".def"))]
ours = {p: read(p) for p in sources if not p.startswith("tests/")}
tests = {p: read(p) for p in sources if p.startswith("tests/")}

result("no folder includes a higher layer (tests/lint/layers.txt)", check_layers())
result("the table of folders in docs/DESIGN.md matches layers.txt", check_table())
result("files named in documents exist", check_documents())
result("our headers are included as \"folder/file.h\", config.h first", check_includes())
result("each file starts with its name, purpose and licence", check_heads())
result(f"no file is over {MAX_FILE} lines, no function over {MAX_FUNCTION}", check_lengths())
result("no two files define functions of the same name", check_names())
result("no unsafe function is called", check_calls())
result("comments are /* */", check_comments())
result("each file is in the local.mk of its folder", check_lists())
result("no two test scripts of a folder have the same number", check_numbers())
print(f"1..{count}")
sys.exit(failed > 0)
