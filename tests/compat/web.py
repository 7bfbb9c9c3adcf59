# web.py - compare the web UI of cpa with that of pprof, or with recorded responses of pprof
#
# SPDX-License-Identifier: Apache-2.0
"""usage: web.py live PPROF CPA NAME N [FILE]...  compares both programs for the command lines of web_cases.txt and these files
       web.py recorded CPA FOLDER               compares cpa with the recorded responses
       web.py record PPROF FOLDER               records the responses

Run in testdata. Each request is a test. The first word of its name is "web"; with a field inserted after it, the name is
what the patterns of differences.txt match: "web FIELD METHOD TARGET COMMAND_LINE".
"""
import fnmatch
import glob
import hashlib
import http.client
import itertools
import json
import os
import re
import socket
import subprocess
import sys
import tempfile
import time
import urllib.parse

import web_cpa
import web_pprof

HERE = os.path.dirname(os.path.abspath(__file__))
START_SECONDS = 60
REQUEST_SECONDS = 120
LONG_VALUE = 3000  # bytes of JSON; longer ones are recorded as hashes


class Server:
    """A program that serves its web UI until close() is called."""

    def __init__(self, program, reader, args, folder):
        self.reader = reader
        self.folder = folder
        self.program = program
        self.connection = None
        self.token = ""
        self.errors = tempfile.TemporaryFile(dir=folder)
        port = 0 if reader is web_cpa else free_port()
        env = dict(os.environ, XDG_CONFIG_HOME=folder)
        words = [program, "-no_browser", f"-http=127.0.0.1:{port}", "-symbolize=none", *args]
        self.process = subprocess.Popen(words, env=env, stdin=subprocess.DEVNULL, stdout=self.errors, stderr=self.errors)
        self.port = self.wait()

    def output(self):
        return os.pread(self.errors.fileno(), 1 << 20, 0).decode("utf-8", "backslashreplace")

    def wait(self):
        """Returns the port once the server listens, or 0 if it ended."""
        deadline = time.monotonic() + START_SECONDS
        while time.monotonic() < deadline:
            found = re.search(r"^(?:cpa: )?Serving web UI on http://127\.0\.0\.1:(\d+)$", self.output(), re.M)
            if found and can_connect(int(found.group(1))):
                return int(found.group(1))
            if self.process.poll() is not None:
                return 0
            time.sleep(0.01)
        raise SystemExit(f"{self.program} does not listen after {START_SECONDS} s: {self.output()}")

    def request(self, method, target):
        """Returns status, headers (names in lower case) and body of the response."""
        headers = {"Accept": "*/*"}
        if self.token:
            headers[web_cpa.TOKEN_HEADER] = self.token
        self.connection = self.connection or http.client.HTTPConnection("127.0.0.1", self.port, timeout=REQUEST_SECONDS)
        try:
            self.connection.request(method, target, headers=headers)
            response = self.connection.getresponse()
            body = response.read()
        except (http.client.HTTPException, OSError):
            self.connection.close()
            raise
        return response.status, {k.lower(): v for k, v in response.getheaders()}, body

    def close(self):
        if self.connection:
            self.connection.close()
        self.process.kill()
        self.process.wait()
        self.errors.close()


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def can_connect(port):
    try:
        socket.create_connection(("127.0.0.1", port), 5).close()
    except OSError:
        return False
    return True


def profile_hash(raw_command, body, folder):
    """Returns a hash of what "-raw" prints for a downloaded profile."""
    path = os.path.join(folder, "download.pb.gz")
    with open(path, "wb") as f:
        f.write(body)
    raw = subprocess.run([*raw_command, path], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False).stdout
    return hashlib.sha256(raw).hexdigest()


def unescape(value):
    """Undo the escapes of control characters by cpa in all texts of a value. Bytes that are not UTF-8 become U+FFFD."""
    if isinstance(value, str):
        value = re.sub(r"\\u\{([0-9a-f]+)\}", lambda m: chr(int(m.group(1), 16)), value)
        value = re.sub(r"\\x([0-9a-f]{2})", lambda m: chr(int(m.group(1), 16)) if m.group(1) < "80" else "\ufffd", value)
        value = value.replace("\0", "\ufffd")
        return value.replace("\\n", "\n").replace("\\t", "\t").replace("\\r", "\r")
    if isinstance(value, list):
        return [unescape(x) for x in value]
    return {k: unescape(v) for k, v in value.items()} if isinstance(value, dict) else value


def absolute(target, location):
    """A redirect to /ui/ as pprof writes it. cpa's is relative, and other paths lead to /ui/ at once, not through /ui."""
    match = re.fullmatch(r"(?:\.\./)*ui/(\?.*)?", location or "")
    if not match or urllib.parse.urljoin(target, location).partition("?")[0] != "/ui/":
        return location
    return ("/ui/" if target.partition("?")[0] == "/ui" else "/ui") + (match[1] or "")


def answer(server, method, target, raw_command):
    """Send a request. Returns what both programs must have in common, as a dictionary of fields."""

    def fetch(name, query=""):
        path = f"/ui/{name}?{'&'.join(x for x in (target.partition('?')[2], query) if x)}"
        return server.request("GET", path)[2].decode("utf-8", "backslashreplace")

    status, headers, body = server.request(method, target)
    kind = headers.get("content-type", "").partition(";")[0]
    found = {"status": status}
    text = body.decode("utf-8", "backslashreplace")
    route = target.partition("?")[0].rpartition("/")[2]
    if 300 <= status < 400:
        found["location"] = absolute(target, headers.get("location"))
    elif status != 200:
        found.update(type=kind, error=text.strip())
    elif route == "download":
        found.update(type=kind, disposition=headers.get("content-disposition"))
        found["profile"] = profile_hash(raw_command, body, server.folder)
    elif kind == "text/html" and method != "HEAD":
        found.update(server.reader.page(route, text, fetch))
    else:
        found.update(type=kind, text=text.strip())
    return unescape(found)


class Cases:
    """What web_cases.txt contains: lists of words."""

    def __init__(self):
        self.start, self.refuse, self.session, self.request = [], [], [], []
        with open(os.path.join(HERE, "web_cases.txt"), encoding="utf-8") as f:
            for line in f:
                words = line.split()
                if words and words[0] in ("start", "refuse", "session"):
                    getattr(self, words[0]).append(words[1:])
                elif words and words[0] != "#":
                    self.request.append(words)


def settings(folder):
    """Returns the saved configs."""
    try:
        with open(os.path.join(folder, "pprof", "settings.json"), encoding="utf-8") as f:
            return json.load(f)
    except FileNotFoundError:
        return None


def session_answer(server, method, target):
    """Send a request of a session. Returns the configs that the page offers, or those saved by the request."""
    found = answer(server, method, target, None)
    found = {field: found[field] for field in ("status", "error", "configs") if field in found}
    if method != "GET":
        found["saved"] = settings(server.folder)
    return found


def refusal(program, args):
    """Returns the exit status and the message of a program that does not start to serve; status None if it serves."""
    with tempfile.TemporaryDirectory() as folder:
        words = [program, *args]
        env = dict(os.environ, XDG_CONFIG_HOME=folder, BROWSER="false")
        with subprocess.Popen(words, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as run:
            try:
                text = run.communicate(timeout=START_SECONDS)[1].decode("utf-8", "backslashreplace")
            except subprocess.TimeoutExpired:
                run.kill()
                return {"status": None}
        lines = text.strip().split("\n")
        line = next((x for x in reversed(lines) if x.startswith(("pprof: ", "cpa: "))), lines[0 if "usage:" in lines else -1])
        return {"status": run.returncode, "message": re.sub("^(pprof|cpa): ", "", line)}


def quoted(name):
    """Returns an expression for a name, as pprof's pages write it, for a URL."""
    return urllib.parse.quote("^" + re.sub(r"([\\.?+*\[\](){}|^$])", r"\\\1", name) + "$", safe="")


def fill_in(requests, server):
    """Replace the names in braces by those of the profile that pprof serves."""
    status, _, body = server.request("GET", "/ui/top")
    page = web_pprof.page("top", body.decode("utf-8", "backslashreplace"), None) if status == 200 else {"rows": [], "types": []}
    name = page["rows"][0][0] if page["rows"] else "main"
    part = re.match(r"[A-Za-z]{0,5}", name).group() or "m"
    kind = page["types"][0] if page["types"] else "0"
    values = {"{name}": quoted(name), "{part}": part, "{type}": urllib.parse.quote(kind, safe="")}
    return [[method, re.sub(r"\{\w+\}", lambda m: values[m.group()], target)] for method, target in requests]


def around(want, got):
    """Describe where two values differ by the text around the first difference."""
    want, got = json.dumps(want, ensure_ascii=True), json.dumps(got, ensure_ascii=True)
    equal = len(os.path.commonprefix([want, got]))
    start = max(0, equal - 80)
    return [f"{name} {'...' * bool(start)}{text[start:equal + 200]}" for name, text in (("pprof:", want), ("cpa:  ", got))]


def first_difference(want, got):
    """Describe where two values differ, in two lines."""
    if isinstance(want, str) and isinstance(got, str) and ("\n" in want or "\n" in got):
        want, got = want.split("\n"), got.split("\n")
    if isinstance(want, list) and isinstance(got, list):
        for i, (a, b) in enumerate(itertools.zip_longest(want, got)):
            if a != b:
                return [f"item {i}: {x}" for x in around(a, b)]
    return around(want, got)


class Test:
    """Prints the results, one line of TAP for each request."""

    def __init__(self, name, count):
        self.name, self.count = name, count
        with open(os.path.join(HERE, "differences.txt"), encoding="utf-8") as f:
            rules = [x.strip().split(" # ", 1) for x in f if x.strip() and x[0] != "#"]
        self.rules = rules

    def reason(self, field, name):
        """Returns why a field may differ (differences.txt), or None."""
        for words in {f"web {field} {name}", f"{self.name} {field} {name}"}:
            for pattern, reason in self.rules:
                if fnmatch.fnmatchcase(words, pattern):
                    return reason
        return None

    def result(self, ok, name, reason=""):
        self.count += 1
        name = f"{self.name} {name}".replace("#", "%23")
        print(f"{'ok' if ok else 'not ok'} {self.count} - {name}" + (f" # SKIP {reason}" if reason else ""), flush=True)

    def compare(self, name, want, got):
        differ = [x for x in sorted({*want, *got}) if want.get(x) != got.get(x)]
        if "status" in differ:
            differ = ["status"]
        unknown = [x for x in differ if not self.reason(x, name)]
        for field in unknown:
            print(f"# {field} differs:")
            for line in first_difference(want.get(field), got.get(field)):
                print(f"#   {line}")
        if "status" in unknown and (want.get("error") or got.get("error")):
            print(f"#   error of pprof: {want.get('error')}\n#   error of cpa:   {got.get('error')}")
        known = [f"{x}: {self.reason(x, name)}" for x in differ if x not in unknown]
        if known and not unknown and differ != ["status"]:
            self.result(True, f"{name}, except {', '.join(known)}")
        else:
            self.result(not unknown, name, self.reason("status", name) if known and not unknown else "")


def expect(found):
    """Change a response of pprof as docs/differences.md says: no permanent redirects, no link to an explanation of
    graphs, no warnings about units of labels, no additional blanks in others."""
    found = dict(found, status=307) if found["status"] == 301 else found
    if "legend" in found:
        found["legend"] = [x for x in found["legend"] if "git.io" not in x]
    if "warnings" in found:
        shown = (x for x in found["warnings"] if not x.startswith("For tag "))
        found["warnings"] = [re.sub(" :Interpreted ' (.*) ' as", r":Interpreted '\1' as", x) for x in shown]
    return found


def live_requests(test, pprof, cpa, args, cases, part=(0, 1)):
    """Compare requests and the session, each program with its own folder. part: (first, step) of the requests."""
    raw = [pprof, "-raw", "-symbolize=none"]
    with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as other:
        theirs = Server(pprof, web_pprof, args, one)
        ours = Server(cpa, web_cpa, args, other)
        words = " ".join(args)
        if theirs.port and ours.port:
            web_cpa.take_token(ours)
            for method, target in fill_in(cases.request, theirs)[part[0]::part[1]]:
                want = expect(answer(theirs, method, target, raw))
                test.compare(f"{method} {target} {words}", want, answer(ours, method, target, raw))
            for method, target in cases.session if part[1] == 1 else []:
                want = session_answer(theirs, method, target)
                test.compare(f"session {method} {target} {words}", want, session_answer(ours, method, target))
        else:
            test.compare(f"start {words}", {"starts": bool(theirs.port)}, {"starts": bool(ours.port)})
        theirs.close()
        ours.close()


def live_session(test, pprof, cpa, args, cases):
    """Compare what the two offer while they share a folder. They save and delete by turns."""
    with tempfile.TemporaryDirectory() as folder:
        servers = [Server(pprof, web_pprof, args, folder), Server(cpa, web_cpa, args, folder)]
        web_cpa.take_token(servers[1])
        for method, target in cases.session:
            if method != "GET":
                session_answer(servers[0], method, target)
                servers.reverse()
                continue
            found = {x.program: session_answer(x, method, target) for x in servers}
            test.compare(f"shared {method} {target} {' '.join(args)}", found[pprof], found[cpa])
        for x in servers:
            x.close()


# Each profile gets every 12th request, and each request several profiles. WEB_ALL=1 sends all requests to all profiles,
# which takes ten minutes.
LIVE_STEP = 1 if os.environ.get("WEB_ALL") else 12


def live(test, pprof, cpa, files, cases):
    for args in cases.start:
        live_requests(test, pprof, cpa, args, cases)
    for i, args in enumerate(files):
        live_requests(test, pprof, cpa, args, cases, (i % LIVE_STEP, LIVE_STEP))
    live_session(test, pprof, cpa, cases.start[0], cases)
    for args in [] if os.environ.get("NOREFUSE") else cases.refuse:
        test.compare(f"refuse {' '.join(args)}", refusal(pprof, args), refusal(cpa, args))


def record_path(folder, args):
    return os.path.join(folder, " ".join(args).replace(" ", ".").replace("/", "_") + ".json")


class Record:
    """Responses as they are recorded: values once, one per line; a response is the numbers of its fields and values."""

    def __init__(self):
        self.values, self.numbers, self.parts = [], {}, {"request": [], "session": [], "refuse": []}

    def number(self, value):
        key = json.dumps(value)
        if len(key) > LONG_VALUE:
            key = json.dumps(shortened(value))
        if key not in self.numbers:
            self.numbers[key] = len(self.values)
            self.values.append(key)
        return self.numbers[key]

    def add(self, part, words, found):
        row = [" ".join(words), self.number(list(found)), *(self.number(x) for x in found.values())]
        self.parts[part].append(json.dumps(row, separators=(",", ":")))

    def write(self, path):
        parts = [f'"{name}":[\n' + ",\n".join(rows) + "]" for name, rows in self.parts.items()]
        with open(path, "w", encoding="ascii") as f:
            f.write('{"values":[\n' + ",\n".join(self.values) + "],\n" + ",\n".join(parts) + "}\n")


def shortened(value):
    """Returns what is recorded for a long value."""
    return {"sha256": hashlib.sha256(json.dumps(value).encode()).hexdigest()}


def read_record(path, part):
    """Yields the recorded requests of a part, as words, each with its response."""
    with open(path, encoding="ascii") as f:
        data = json.load(f)
    for words, *numbers in data[part]:
        fields, *values = [data["values"][i] for i in numbers]
        yield words.split(" "), dict(zip(fields, values))


def record(pprof, folder, cases):
    for args in cases.start:
        out = Record()
        with tempfile.TemporaryDirectory() as home:
            server = Server(pprof, web_pprof, args, home)
            if not server.port:
                raise SystemExit(f"{' '.join(args)}: {server.output()}")
            for words in fill_in(cases.request, server):
                out.add("request", words, expect(answer(server, *words, [pprof, "-raw", "-symbolize=none"])))
            for words in cases.session if args == cases.start[0] else []:
                out.add("session", words, session_answer(server, *words))
            server.close()
        out.write(record_path(folder, args))
    out = Record()
    for args in cases.refuse:
        out.add("refuse", args, refusal(pprof, args))
    out.write(os.path.join(folder, "refuse.json"))


def compare_recorded(test, name, want, got):
    """Compare with a recorded response, whose long values are hashes."""
    hashed = {field for field, value in want.items() if isinstance(value, dict) and [*value] == ["sha256"]}
    got = {field: shortened(value) if field in hashed else value for field, value in got.items()}
    test.compare(name, want, got)


def recorded(test, cpa, folder, cases):
    for args in cases.start:
        path = record_path(folder, args)
        with tempfile.TemporaryDirectory() as home:
            server = Server(cpa, web_cpa, args, home)
            if not server.port:
                test.result(False, f"start {' '.join(args)}: {server.output().strip()}")
                continue
            web_cpa.take_token(server)
            for words, want in read_record(path, "request"):
                got = answer(server, *words, [cpa, "raw", "-symbolize=none"])
                compare_recorded(test, f"{' '.join(words)} {' '.join(args)}", want, got)
            for words, want in read_record(path, "session"):
                compare_recorded(test, f"session {' '.join(words)} {' '.join(args)}", want, session_answer(server, *words))
            server.close()
    for args, want in read_record(os.path.join(folder, "refuse.json"), "refuse"):
        compare_recorded(test, f"refuse {' '.join(args)}", want, refusal(cpa, args))


def main():
    sys.setrecursionlimit(1 << 20)  # of deep stacks
    command, program, *rest = sys.argv[1:]
    cases = Cases()
    if command == "record":
        record(program, rest[0], cases)
    elif command == "live":
        files = rest[3:] or [x for x in sorted(glob.glob("*.*") + glob.glob("edge/*")) if not x.endswith((".md", ".mk"))]
        live(Test(rest[1], int(rest[2])), program, rest[0], [[x] for x in files], cases)
    else:
        test = Test("web", 0)
        recorded(test, program, rest[0], cases)
        print(f"1..{test.count}")


main()
