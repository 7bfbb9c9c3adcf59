# symbols.py - rules on the objects of a build: calls between folders, prefixes of functions, names of structs
# SPDX-License-Identifier: Apache-2.0
#
# usage: symbols.py TOP BUILD; prints TAP, one line per rule, with the findings before it.
#
# The includes are checked by source.py. It misses an upward call whose declaration is in a header of
# another folder or in no header; the symbol tables show it. All of src/libcpaprof is one shared object, and all of
# src/front/cli one program, so the linker does not find it either.

import collections
import os
import re
import subprocess
import sys

ROOTS = "src", "viewers", "proto"
TWO_WORDS = "cpi", "cpa", "cmd", "shell", "url", "web"  # the prefix is two words: cpi_heap_, cmd_run_, url_params_

top, build = sys.argv[1:]
count = failed = 0


def result(name, findings):
    global count, failed
    count += 1
    for line in sorted(set(findings)):
        print("# " + line)
    failed += bool(findings)
    print(("not ok" if findings else "ok"), count, "-", name)


def read(path):
    with open(os.path.join(top, path), encoding="utf-8") as f:
        return f.read()


def files(folder, end):
    for path, dirs, names in os.walk(folder):
        dirs.sort()
        for name in sorted(names):
            if name.endswith(end):
                yield os.path.relpath(os.path.join(path, name), folder)


def folder_of(path):
    folder = os.path.dirname(path)
    return folder[4:] if folder.startswith("src/") else folder


def source_of(obj):
    """The source of an object, which automake may have named after the library too; None: an old object."""
    path = os.path.join(os.path.dirname(obj), os.path.basename(obj)[:-2].split("-")[-1] + ".c")
    return path if any(os.path.exists(os.path.join(root, path)) for root in (top, build)) else None


def find_objects():
    """[(object, source)] of the build tree."""
    found = []
    for root in ROOTS:
        for obj in files(os.path.join(build, root), ".o"):
            path = os.path.join(root, obj)
            if source_of(path):
                found.append((path, source_of(path)))
    return found


def read_symbols(objects):
    """Names that each source defines, those that are functions, and names that it needs; not of the C library."""
    defined, functions, needed = (collections.defaultdict(set) for _ in range(3))
    wrapped = {line for line in read("tests/runtime/exported.txt").splitlines()
               if line and line[0] != "#" and not line.startswith("cpa_")}
    text = subprocess.run(["nm", "-A", "-P", "-g", *(path for path, _ in objects)], cwd=build, check=True,
                          stdout=subprocess.PIPE, universal_newlines=True).stdout
    source = dict(objects)
    for line in text.splitlines():
        path, rest = line.split(": ", 1)
        name, kind = rest.split()[:2]
        if name in wrapped or name.startswith("_"):
            continue
        (needed if kind in "Uwv" else defined)[source[path]].add(name)
        if kind in "TWi":
            functions[source[path]].add(name)
    return defined, functions, needed


def read_layers():
    layers = {"proto": []}
    for line in read("tests/lint/layers.txt").splitlines():
        if line and not line.startswith("#"):
            folder, inner, _ = line.split(":")
            layers[folder] = inner.split()
    return layers


def check_built():
    """A missing.c is for builds without the part in its folder, so one of the two has objects."""
    sources = {os.path.join(root, path) for root in ROOTS[:2] for path in files(os.path.join(top, root), ".c")}
    built = {source for _, source in objects}
    return [f"{path}: has no object, so its calls are not checked; build first" for path in sources - built
            if os.path.basename(path) != "missing.c" and os.path.join(os.path.dirname(path), "missing.c") not in built]


def check_calls():
    layers, homes, findings = read_layers(), collections.defaultdict(set), []
    for path, names in defined.items():
        for name in names:
            homes[name].add(folder_of(path))
    for path, names in needed.items():
        folder = folder_of(path)
        allowed = {folder, *layers.get(folder, [])}
        allowed |= {f for f in layers if f.startswith("front/cli") and folder.startswith("front/cli")}  # one layer
        findings += [f"{path}: {folder} may not use {name} of {', '.join(sorted(homes[name]))}"
                     for name in names if name in homes and not homes[name] & allowed]
    return findings


def check_prefixes():
    homes = collections.defaultdict(lambda: collections.defaultdict(set))
    for path, names in functions.items():
        for name in names:
            words = name.split("_")
            prefix = "_".join(words[:2 if words[0] in TWO_WORDS else 1])
            homes[prefix][folder_of(path)].add(name)
    return [f"{prefix}: " + "; ".join(f"{min(names)} is in {folder}" for folder, names in sorted(folders.items()))
            for prefix, folders in homes.items() if len(folders) > 1]


def check_structs():
    homes = collections.defaultdict(set)
    for root in ROOTS[:2]:
        for path in [*files(os.path.join(top, root), ".h"), *files(os.path.join(top, root), ".c")]:
            path = os.path.join(root, path)
            text = re.sub(r"/\*.*?\*/", " ", read(path), flags=re.S)
            for name in re.findall(r"\b(?:struct|enum|union)\s+(\w+)\s*\{", text):
                homes[name].add(path)
    return [f"{name}: {', '.join(sorted(paths))}" for name, paths in homes.items() if len(paths) > 1]


objects = find_objects()
defined, functions, needed = read_symbols(objects)

result("each source has an object", check_built())
result("no folder calls a higher layer (tests/lint/layers.txt)", check_calls())
result("a function prefix belongs to one folder", check_prefixes())
result("no struct, enum or union is defined in two files", check_structs())
print(f"1..{count}")
sys.exit(failed > 0)
