# web_access.py - start cpa -http and check its addresses, messages and access control
# SPDX-License-Identifier: Apache-2.0
#
# usage: python3 web_access.py PROFILE FOLDER; prints TAP. CPA is the program; FOLDER is private and empty.

import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "browser"))
from server import Server  # noqa: E402

CPA, OTHER_USER, SECRET_DIGITS = os.environ["CPA"], 65534, 64
profile, folder = sys.argv[1:]
count = 0


def ok(passed, name, *details):
    global count
    count += 1
    for detail in details if not passed else ():
        for line in str(detail).splitlines():
            print("# " + line)
    print(("ok" if passed else "not ok"), count, "-", name, flush=True)


def equal(got, wanted, name):
    ok(got == wanted, name, f"got:    {got}", f"wanted: {wanted}")


# ---- clients ----

def connect(server, timeout=60):
    port = int(server.base.rsplit(":", 1)[1])
    return socket.create_connection(("127.0.0.1", port), timeout)


def exchange(sock, data):
    """Send bytes and read until the server closes. Returns status, head, body."""
    try:
        sock.sendall(data)
    except OSError:
        pass  # refused before everything was sent
    answer = b""
    try:
        while part := sock.recv(65536):
            answer += part
    except OSError:
        pass
    sock.close()
    head, _, body = answer.partition(b"\r\n\r\n")
    match = re.match(rb"HTTP/1\.1 (\d+)", head)
    return int(match[1]) if match else None, head.decode("latin-1"), body


def ask(server, method="GET", path="/ui/top", body=b"", host="localhost", **headers):
    """Send one request. A header name has _ instead of -. host None: no Host."""
    lines = [f"{method} {path} HTTP/1.1", *([f"Host: {host}"] if host is not None else []), "Connection: close"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    lines += [f"Content-Length: {len(body)}"] if body or method == "POST" else []
    return exchange(connect(server), "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + body)


def status(*arguments, **options):
    return ask(*arguments, **options)[0]


def fields(head, name):
    return [line.split(": ", 1)[1] for line in head.split("\r\n")[1:] if line.lower().startswith(name.lower() + ": ")]


# ---- start and end ----

def run_failing(*arguments):
    done = subprocess.run([CPA, *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60,
                          check=False)
    return done.returncode, done.stdout, done.stderr


def check_messages():
    port = ":0"
    for arguments, wanted in [
            (["-http=localhost"], "could not split http address: address localhost: missing port in address"),
            (["-http=::1:80"], "could not split http address: address ::1:80: too many colons in address"),
            (["-http=[::1:80"], "could not split http address: address [::1:80: missing ']' in address"),
            (["-http=[::1]80"], "could not split http address: address [::1]80: missing port in address"),
            (["-http=a]:80"], "could not split http address: address a]:80: unexpected ']' in address"),
            (["-http=:http"], 'invalid port number: strconv.Atoi: parsing "http": invalid syntax'),
            (["-http=:99999999999999999999"],
             'invalid port number: strconv.Atoi: parsing "99999999999999999999": value out of range'),
            (["-http=:65536"], "localhost:65536: the port must be a number from 0 to 65535"),
            (["-http=host.example:80"],
             'host.example:80: host names are not resolved; use an address or "localhost"'),
            (["-top", "-http=:"], "-http is not compatible with an output format on the command line"),
            (["-no_browser"], "-no_browser only makes sense with -http"),
            (["-http=0.0.0.0:0"],
             "0.0.0.0:0: other machines can connect to this address, so a secret is required (--http-secret=new); "
             "or listen on 127.0.0.1 and use ssh -L"),
            (["-http=[::]:0"],
             "[::]:0: other machines can connect to this address, so a secret is required (--http-secret=new); "
             "or listen on 127.0.0.1 and use ssh -L"),
            (["-http=unix:"], "unix:: not the path of a file"),
            ([f"-http={port}", "--http-cache=-1"], "--http-cache=-1: not a size such as 256MB or 20GiB"),
            ([f"-http={port}", "--http-upload=x"], "--http-upload=x: not a size such as 256MB or 20GiB"),
            ([f"-http={port}", "--http-idle=2MB"], "--http-idle=2MB: not a duration such as 30s, 10m or 1h30m")]:
        equal(run_failing(*arguments, profile), (2, "", f"cpa: {wanted}\n"), f"{' '.join(arguments)} is refused")
    code, _, errors = run_failing("-http=:", f"-base={profile}")
    ok(code == 2 and "no profile source specified" in errors, "-http with a base only is refused", errors)
    path = os.path.join(folder, "open-secret")
    with open(path, "w", encoding="ascii") as out:
        out.write("s" * 40)
    os.chmod(path, 0o644)
    equal(run_failing("-http=:", f"--http-secret={path}", profile),
          (2, "", f"cpa: --http-secret: secret file {path}: accessible to other users; use chmod 600\n"),
          "a secret that others can read is refused")


def listening(port):
    """Addresses of sockets that listen on a TCP port, as /proc has them."""
    found = []
    for name in "tcp", "tcp6":
        with open(f"/proc/net/{name}", encoding="ascii") as lines:
            for line in list(lines)[1:]:
                words = line.split()
                address, there = words[1].split(":")
                if int(there, 16) == port and words[3] == "0A":
                    found.append(address)
    return sorted(found)


LOOPBACK = ["00000000000000000000000001000000", "0100007F"]


def check_addresses():
    with Server(profile, address=":") as server:
        port = int(server.base.rsplit(":", 1)[1])
        equal(server.base, f"http://localhost:{port}", "-http=: prints localhost and the real port")
        equal(listening(port), LOOPBACK, "-http=: listens on 127.0.0.1 and ::1 only")
        equal(server.lines, [f"Serving web UI on {server.base}\n"], "nothing else is printed")
        taken = run_failing(f"-http={port}", profile)
        ok(taken[0] == 2 and "Address already in use" in taken[2], "a port in use is an error", taken)
        equal(status(server), 200, "a request is answered")
        equal(server.stop(), -signal.SIGTERM, "SIGTERM ends the server, and the shell sees it")
    with Server(profile, address=str(port)) as server:
        equal(server.base, f"http://localhost:{port}", "-http=PORT listens on localhost")
        server.process.send_signal(signal.SIGINT)
        equal(server.process.wait(60), -signal.SIGINT, "SIGINT ends the server, and the shell sees it")
    with Server(profile, address="[::1]:") as server:
        ok(re.fullmatch(r"http://\[::1\]:\d+", server.base), "-http=[::1]: prints the address", server.base)
        equal(listening(int(server.base.rsplit(":", 1)[1])), LOOPBACK[:1], "-http=[::1]: listens on ::1 only")
    with Server(profile, "--http-secret=new", address="0.0.0.0:0") as server:
        equal(listening(int(server.base.rsplit(":", 1)[1])), ["00000000"], "-http=0.0.0.0: listens with a secret")
        wait_for_lines(server, 3)
        ok("cpa: the connection is not encrypted" in "".join(server.lines), "a public address has a warning",
           server.lines)
        equal(status(server, host="0.0.0.0"), 401, "requests to a public address need the secret")


def wait_for_lines(server, n, seconds=60):
    end = time.monotonic() + seconds
    while len(server.lines) < n and time.monotonic() < end:
        time.sleep(0.01)


def start_on_unix(path):
    process = subprocess.Popen([CPA, f"-http=unix:{path}", "-no_browser", profile], stdin=subprocess.DEVNULL,
                               stderr=subprocess.PIPE, text=True)
    return process, process.stderr.readline()


def ask_unix(path, host):
    sock = socket.socket(socket.AF_UNIX)
    sock.connect(path)
    return exchange(sock, f"GET /ui/top HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n".encode())[0]


def check_unix():
    path = os.path.join(folder, "web.sock")
    process, line = start_on_unix(path)
    equal(line, f"Serving web UI on unix:{path}\n", "-http=unix:/PATH prints the path")
    equal(oct(os.stat(path).st_mode & 0o777), "0o600", "the socket is accessible to this user only")
    equal(ask_unix(path, "localhost"), 200, "a request on the socket is answered")
    equal(ask_unix(path, "evil.example"), 403, "Host is checked on the socket too")
    process.terminate()
    process.wait(60)
    process.stderr.close()
    ok(not os.path.exists(path), "the socket is removed at the end")


def check_failed_load():
    code, _, errors = run_failing("-http=:", "-no_browser", os.path.join(folder, "nosuch.pb.gz"))
    ok(code == 2 and "nosuch.pb.gz" in errors and errors.startswith("Serving web UI on"),
       "a profile that cannot be loaded ends the server with status 2", errors)
    start = time.monotonic()
    code, _, errors = run_failing("-http=:", "-no_browser", "--http-idle=0.5s", profile)
    ok(code == 0 and "no request for 0.5s" in errors and time.monotonic() - start >= 0.5,
       "--http-idle ends a server without requests", code, errors)


def check_loading():
    """The source is a pipe, so that the load lasts until the test writes to it."""
    path = os.path.join(folder, "pipe")
    os.mkfifo(path)
    with Server(path) as server:
        with open(path, "wb") as pipe:
            body = ask(server, Accept="text/html")[2]
            ok(b"Loading" in body, "a browser gets a page while the profile is loaded", body)
            answers = []
            thread = threading.Thread(target=lambda: answers.append(ask(server)))
            thread.start()
            time.sleep(0.2)
            ok(not answers, "other requests wait for the profile", answers)
            pipe.write(b"no profile")
        thread.join(60)
        ok(answers and answers[0][0] == 500 and b"pipe" in answers[0][2], "they get the error if it cannot be loaded",
           answers)
        equal(server.process.wait(60), 2, "then the server ends with status 2")
    with Server(path) as server, open(path, "wb"):
        start = time.monotonic()
        equal(server.stop(), -signal.SIGTERM, "SIGTERM ends the server during a load")
        ok(time.monotonic() - start < 20, "without waiting for the load", time.monotonic() - start)


def run_with_display(name, environment, *options):
    """Start with a fake browser. Returns what the browser got and the second line of messages."""
    out = os.path.join(folder, "browser." + name)
    script = os.path.join(folder, "browser")
    with open(script, "w", encoding="ascii") as program:
        program.write('#!/bin/sh\necho "$@" >"$OUT.new" && mv "$OUT.new" "$OUT"\necho noise\necho noise >&2\n')
    os.chmod(script, 0o700)
    clean = {key: value for key, value in os.environ.items()
             if key not in ("BROWSER", "DISPLAY", "WAYLAND_DISPLAY", "SSH_CONNECTION")}
    process = subprocess.Popen([CPA, "-http=:", *options, profile], stdin=subprocess.DEVNULL, text=True,
                               stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                               env={**clean, "OUT": out, **environment(script)})
    first = process.stderr.readline()
    end = time.monotonic() + 60
    while "BROWSER" in environment(script) and "SSH_CONNECTION" not in environment(script) and \
            not os.path.exists(out) and time.monotonic() < end:
        time.sleep(0.01)
    given = ""
    if os.path.exists(out):
        with open(out, encoding="utf-8") as text:
            given = text.read()
        process.terminate()
        rest = process.stderr.read()
    else:
        rest = process.stderr.readline()
        process.terminate()
        process.stderr.read()
    process.wait(60)
    process.stderr.close()
    return first.split()[-1], given, rest


def check_browser():
    url, given, rest = run_with_display("a", lambda s: {"BROWSER": s + " --new", "DISPLAY": ":0"}, "-focus=main")
    equal((given, rest), (f"--new {url}/?f=main\n", ""), "$BROWSER gets the URL, and its output is discarded")
    url, given, rest = run_with_display("b", lambda s: {"BROWSER": s + " x %s y", "DISPLAY": ":0"})
    equal(given, f"x {url}/ y\n", "%s in $BROWSER is replaced by the URL")
    url, given, rest = run_with_display("c", lambda s: {"BROWSER": s, "SSH_CONNECTION": "1 2 3 4"})
    port = url.rsplit(":", 1)[1]
    ok(given == "" and f"ssh -L {port}:localhost:{port} " in rest, "over SSH an ssh command is printed", given, rest)
    url, given, rest = run_with_display("d", lambda s: {})
    ok(f"ssh -L {url.rsplit(':', 1)[1]}:localhost" in rest, "without a display an ssh command is printed", rest)


# ---- requests ----

HOSTS = [("localhost", 200), ("localhost:9000", 200), ("LOCALHOST:1", 200), ("127.0.0.1:9000", 200), ("[::1]:80", 200),
         ("192.0.2.1", 200), ("web.localhost", 200), ("tools.example:80", 200), ("evil.example", 403),
         ("localhost.evil.example", 403), ("127.0.0.1.evil.example", 403), ("0.0.0.0", 403), ("[::]", 403), ("", 403),
         ("localhost:http", 403), ("tools.example.evil.example", 403)]


def check_hosts(server):
    for path in "/ui/top", "/ui/assets/x.css", "/nosuch":
        good = {"/ui/top": 200, "/ui/assets/x.css": 404, "/nosuch": 307}[path]
        for host, wanted in HOSTS:
            got = status(server, path=path, host=host)
            equal(got, good if wanted == 200 else 403, f"Host {host!r} for {path}")
    equal(status(server, host=None), 400, "a request without Host")
    equal(status(server, Host="localhost"), 403, "a request with two Hosts")


def check_origins(server):
    for origin, host, wanted in [("http://localhost:9000", "localhost:9000", 200), ("http://localhost", "localhost", 200),
                                 ("http://localhost:9000", "localhost", 403), ("http://evil.example", "localhost", 403),
                                 ("null", "localhost", 403), ("", "localhost", 403)]:
        equal(status(server, host=host, Origin=origin), wanted, f"Origin {origin!r} for Host {host}")
    for site, mode, dest, wanted in [
            ("none", "navigate", "document", 200), ("same-origin", "cors", "empty", 200),
            ("cross-site", "navigate", "document", 200), ("same-site", "navigate", "document", 200),
            ("cross-site", "navigate", "iframe", 403), ("cross-site", "no-cors", "image", 403),
            ("same-site", "no-cors", "script", 403), ("same-site", "cors", "empty", 403),
            ("same-site", "websocket", "websocket", 403)]:
        equal(status(server, Sec_Fetch_Site=site, Sec_Fetch_Mode=mode, Sec_Fetch_Dest=dest), wanted,
              f"a {site} request, mode {mode}, for {dest}")
    equal(status(server, "POST", "/ui/do/close", Sec_Fetch_Site="cross-site", Sec_Fetch_Mode="navigate",
                 Sec_Fetch_Dest="document"), 403, "a form of another site")
    code, head, _ = ask(server, "OPTIONS", Origin="http://evil.example", Access_Control_Request_Method="POST")
    ok(code == 403 and not fields(head, "Access-Control-Allow-Origin"), "a preflight request of another site", head)


def check_methods(server):
    for method in "OPTIONS", "PUT", "PATCH", "TRACE", "get":
        equal(status(server, method), 405, f"the method {method}")
    token = re.search(rb'name="token" value="([0-9a-f]{32})"', ask(server, path="/ui/open")[2])
    form = {"Content_Type": "application/x-www-form-urlencoded"}
    for path in "/ui/do/close", "/ui/do/merge", "/ui/do/store", "/ui/saveconfig?config=a", "/ui/deleteconfig?config=a":
        equal(status(server, path=path), 405, f"GET {path}")
        equal(status(server, "POST", path, b"id=0", **form), 403, f"POST {path} without a token")
        equal(status(server, "POST", path, b"token=" + 32 * b"0", **form), 403, f"POST {path} with a wrong token")
    ok(not os.path.exists(os.path.join(os.environ["XDG_CONFIG_HOME"], "pprof")), "no settings were written")
    if token:
        code = status(server, "POST", "/ui/do/close", b"id=0&token=" + token[1], **form)
        ok(code not in (403, 405), "POST with the token is accepted", code)
    else:
        ok(False, "the page /ui/open has a token")


POLICY = ("default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
          "form-action 'self'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'")


def check_headers(server):
    for method, path, headers, wanted in [
            ("GET", "/ui/top", {}, 200), ("HEAD", "/ui/top", {}, 200), ("GET", "/", {}, 307), ("GET", "/ui/no", {}, 404),
            ("GET", "/ui/top?n=x", {}, 400), ("PUT", "/ui/top", {}, 405), ("GET", "/ui/top", {"Origin": "x"}, 403),
            ("GET", "http://localhost/ui/top", {}, 400), ("POST", "/ui/do/close", {"Content_Length": "x"}, 400)]:
        code, head, body = ask(server, method, path, **headers) if "Content_Length" not in headers else \
            exchange(connect(server), b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999\r\n\r\n")
        wanted = 413 if "Content_Length" in headers else wanted
        ok(code == wanted and fields(head, "Content-Security-Policy") == [POLICY] and
           fields(head, "X-Content-Type-Options") == ["nosniff"] and fields(head, "Referrer-Policy") == ["same-origin"] and
           fields(head, "Cross-Origin-Opener-Policy") == fields(head, "Cross-Origin-Resource-Policy") ==
           ["same-origin"] and not fields(head, "Server") and (method != "HEAD" or not body),
           f"{method} {path}: status {wanted} with the headers of every response", head)


def check_limits(server):
    equal(status(server, path="/ui/top?f=" + 15000 * "x"), 200, "a head of 15 KB")
    equal(status(server, path="/ui/top?f=" + 17000 * "x"), 431, "a head of 17 KB")
    equal(status(server, "POST", "/ui/do/close", 65537 * b"x"), 413, "a form of more than 64 KiB")
    code = exchange(connect(server), b"POST /ui/do/open HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
                                     b"Content-Type: application/octet-stream\r\nContent-Length: 1048577\r\n\r\n" +
                    1048577 * b"x")[0]
    equal(code, 413, "an upload larger than --http-upload")
    start = time.monotonic()
    head = connect(server)
    code = exchange_slowly(head, b"GET /ui/top HTTP/1.1\r\nHost: localhost\r\n", 30)
    ok(code is None and 5 < time.monotonic() - start < 60, "a head that does not end is closed after 10 s",
       code, time.monotonic() - start)


def exchange_slowly(sock, start, seconds):
    """Send a head, and then a header each half second, until the server closes the connection."""
    end, answer = time.monotonic() + seconds, b""
    sock.sendall(start)
    sock.settimeout(0.5)
    while time.monotonic() < end:
        try:
            part = sock.recv(65536)
            if not part:
                break
            answer += part
        except TimeoutError:
            try:
                sock.sendall(b"X-Slow: 1\r\n")
            except OSError:
                break
        except OSError:
            break
    sock.close()
    return answer or None


def check_connections(server):
    idle = [connect(server) for _ in range(64)]
    for sock in idle:
        sock.sendall(b"GET /ui/assets/x HTTP/1.1\r\nHost: localhost\r\n\r\n")
        sock.recv(65536)
    start = time.monotonic()
    equal(status(server), 200, "a request while 64 connections are idle")
    ok(time.monotonic() - start < 8, "it does not wait for their time limit", time.monotonic() - start)
    for sock in idle:
        sock.close()


def run_as_other(function):
    """The result of a function in a child process of another user."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.setgroups([])
        os.setgid(OTHER_USER)
        os.setuid(OTHER_USER)
        try:
            answer = str(function())
        except OSError as error:
            answer = type(error).__name__
        os.write(writer, answer.encode())
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as pipe:
        answer = pipe.read().decode()
    os.waitpid(child, 0)
    return answer


def check_users(server):
    if os.geteuid() != 0:
        print(f"ok {count_one()} - requests of another user # SKIP not root")
        return
    equal(run_as_other(lambda: status(server)), "403", "a request of another user of this machine")
    path = os.path.join(folder, "user.sock")
    os.chmod(folder, 0o755)
    process, _ = start_on_unix(path)
    equal(run_as_other(lambda: ask_unix(path, "localhost")), "PermissionError", "another user and the Unix socket")
    process.terminate()
    process.wait(60)
    process.stderr.close()
    os.chmod(folder, 0o700)


def count_one():
    global count
    count += 1
    return count


def check_secret():
    with Server(profile, "--http-secret=new", address="localhost:0") as server:
        wait_for_lines(server, 2)
        link = re.fullmatch(rf"cpa: open {re.escape(server.base)}/ui/enter#([0-9a-f]{{{SECRET_DIGITS}}})\n", server.lines[1])
        ok(link, "--http-secret=new prints one link", server.lines)
        secret = link[1] if link else "?"
        equal(len(server.lines), 2, "nothing else is printed on localhost")
        port = server.base.rsplit(":", 1)[1]
        code, head, body = ask(server)
        ok(code == 401 and fields(head, "WWW-Authenticate") == ["Bearer"] and secret.encode() not in body,
           "a request without the secret", head)
        equal(status(server, Authorization="Bearer " + secret), 200, "a request with the secret")
        start = time.monotonic()
        equal(status(server, Authorization="Bearer wrong"), 401, "a request with a wrong secret")
        ok(time.monotonic() - start >= 0.2, "it is answered after 200 ms")
        code, head, body = ask(server, path="/ui/top?f=x", Accept="text/html")
        ok(code == 401 and b'action="enter"' in body and b'name="to" value="top?f=x"' in body,
           "a browser gets a page with a field", head, body)
        script = re.search(rb'src="(assets/enter[^"]*)"', body)
        equal(status(server, path="/ui/" + script[1].decode()) if script else None, 200, "its script needs no secret")
        code, head, _ = ask(server, "POST", "/ui/enter", f"to=top%3Ff%3Dx&secret={secret}".encode())
        cookie = re.match(r"(cpa-(\d+)=[0-9a-f]{32}); Path=/; HttpOnly; SameSite=Lax$", "".join(fields(head, "Set-Cookie")))
        ok(code == 303 and fields(head, "Location") == ["top?f=x"] and cookie and cookie[2] == port and
           secret not in head, "the secret sets a cookie with another value and opens the page", head)
        equal(status(server, Cookie=cookie[1] if cookie else ""), 200, "a request with the cookie")
        equal(status(server, Cookie=f"cpa-{port}=" + 32 * "0"), 401, "a request with a wrong cookie")
        equal(status(server, Cookie=cookie[1] if cookie else "", Origin="http://evil.example"), 403,
              "a request of another site with the cookie")
        for to in "//evil.example", "https://evil.example", "/x", "..", "a%0d%0ab":
            head = ask(server, "POST", "/ui/enter", f"to={to}&secret={secret}".encode())[1]
            ok(fields(head, "Location") == ["./"], f"after the secret, {to} is not opened", head)
        check_delays(server)
    path = os.path.join(folder, "secret")
    with open(path, "w", encoding="ascii") as out:
        out.write(40 * "s" + "\n")
    os.chmod(path, 0o600)
    with Server(profile, f"--http-secret={path}", address="localhost:0") as server:
        wait_for_lines(server, 2)
        equal(server.lines[1:], [f"cpa: open {server.base}/ui/enter and enter the secret in {path}\n"],
              "the secret of a file is not printed")
        equal(status(server, Authorization="Bearer " + 40 * "s"), 200, "a request with the secret of the file")


def check_delays(server):
    """Of 40 wrong secrets at the same time some are answered after a second."""
    times = []

    def wrong():
        start = time.monotonic()
        status(server, Authorization="Bearer wrong")
        times.append(time.monotonic() - start)

    threads = [threading.Thread(target=wrong) for _ in range(40)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    ok(len(times) == 40 and min(times) >= 0.2 and max(times) >= 1, "many wrong secrets are answered later", times)


check_messages()
check_addresses()
check_unix()
check_failed_load()
check_loading()
check_browser()
with Server(profile, "--http-allow-host=tools.example", "--http-upload=1MB") as main:
    check_hosts(main)
    check_origins(main)
    check_methods(main)
    check_headers(main)
    check_limits(main)
    check_connections(main)
    check_users(main)
    ok(main.process.poll() is None, "the server still runs")
check_secret()
print(f"1..{count}")
