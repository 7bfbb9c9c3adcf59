# wording.py - words and patterns that comments, messages, names and commit subjects avoid
# SPDX-License-Identifier: Apache-2.0
#
# usage: wording.py TOP [PATH...]       check the files of TOP, or only these; print one finding per line
#        wording.py TOP --text KIND     check lines of standard input; print those without a finding
#        wording.py TOP --subjects      the same for commit subjects: print those with a finding
# The rules are in wording-rules.txt, exceptions in wording-allowed.txt.

import fnmatch
import os
import re
import sys

ROOTS = ["src", "viewers", "tests", "script", "docs", "examples", "README.md", "NEWS.md", "CONTRIBUTING.md", "testdata/README.md", "configure.ac",
         "Makefile.am"]
SKIPPED = re.compile(r"/(corpus|golden|recorded)/|\.schema\.json$")
KINDS = {".c": "C", ".h": "C", ".hpp": "C", ".def": "C", ".js": "C", ".t": "shell", ".sh": "shell", ".py": "shell",
         ".mk": "shell", ".ac": "shell", ".am": "shell", ".md": "document"}
TOKEN = re.compile(r'/\*(.*?)\*/|"((?:\\.|[^"\\\n])*)"|\'(?:\\.|[^\'\\\n])*\'', re.S)

here = os.path.dirname(os.path.abspath(__file__))


def table(name, columns):
    with open(os.path.join(here, name), encoding="utf-8") as f:
        for line in f:
            if line.strip() and not line.startswith("#"):
                yield (line.rstrip("\n").split("\t") + [""] * columns)[:columns]


class Rules:
    def __init__(self):
        self.rules = [(where, re.compile(pattern, re.I if where != "n" else 0), remedy)
                      for where, pattern, remedy in table("wording-rules.txt", 3)]
        self.allowed = [(path, re.compile(pattern)) for path, pattern in table("wording-allowed.txt", 2)]

    def check(self, kind, text, path=""):
        """The (match, remedy) of each rule that text of a kind breaks."""
        is_argument = re.match(r"\s*\w+  ", text)  # "name   meaning", as comments of functions list arguments
        text = " ".join(text.split())
        for where, pattern, remedy in self.rules:
            if where == "title":
                m = kind == "c" and not is_argument and pattern.match(text)
            else:
                m = kind in where and pattern.search(text)
            if m and not any(fnmatch.fnmatch(path, p) and a.search(text) for p, a in self.allowed):
                yield m.group(0), remedy


def texts_of_c(text):
    """(line, kind, text) of the comments, strings and names of C or JavaScript."""
    code, at = [], 0
    for m in TOKEN.finditer(text):
        line = text.count("\n", 0, m.start()) + 1
        code.append(text[at:m.start()])
        at = m.end()
        if m.group(1) is not None:
            for part in re.split(r"\n[ \t]*\*?[ \t]*\n", m.group(1)):
                comment = re.sub(r"\n[ \t]*\*", "\n", part).strip(" \t\n*")
                comment = re.sub(r"^[\w.-]+\.\w+ - ", "", comment)
                yield line, "c", comment
        elif m.group(2) is not None:
            yield line, "s", m.group(2)
    code.append(text[at:])
    for name in sorted(set(re.findall(r"[A-Za-z_]\w+", " ".join(code)))):
        yield 1, "n", name


def texts_of_lines(text, kind):
    """(line, kind, text) of the paragraphs of a script or document: comments of a script, else everything."""
    comment = []
    for number, line in enumerate(text.split("\n") + [""], 1):
        m = re.match(r"\s*#(?!!) ?(.*)", line) if kind == "shell" else None
        if m and m.group(1):
            comment.append(re.sub(r"^[\w.-]+ - ", "", m.group(1)))
            continue
        if comment:
            yield number - len(comment), "c", " ".join(comment)
        comment = []
        yield number, "d" if kind == "document" else "s", line


def findings(rules, top, path):
    with open(os.path.join(top, path), encoding="utf-8", errors="replace") as f:
        text = f.read()
    language = KINDS.get(os.path.splitext(path)[1], "document" if path.startswith("docs/man") else "shell")
    for line, kind, part in texts_of_c(text) if language == "C" else texts_of_lines(text, language):
        for match, remedy in rules.check(kind, part, path):
            yield f"{path}:{line}: {match!r}: {remedy}"


def files(top):
    for root in ROOTS:
        if os.path.isfile(os.path.join(top, root)):
            yield root
        for folder, dirs, names in os.walk(os.path.join(top, root)):
            dirs.sort()
            for name in sorted(names):
                path = os.path.relpath(os.path.join(folder, name), top)
                known = os.path.splitext(name)[1] in KINDS or folder.endswith(("script", "docs/man"))
                if known and not SKIPPED.search(path):
                    yield path


def main(top, words):
    rules = Rules()
    if words[:1] == ["--text"]:
        lines = [line.rstrip("\n") for line in sys.stdin]
        found = [line for line in lines if not any(rules.check(words[1], line))]
    elif words == ["--subjects"]:
        found = [f"{line.rstrip()}: {remedy}" for line in sys.stdin for _, remedy in rules.check("g", line.rstrip("\n"))]
    else:
        found = [line for path in words or files(top) for line in findings(rules, top, path)]
    print("\n".join(found), end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
