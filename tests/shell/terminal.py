# terminal.py - the screen on real terminals: drawing, keys, and restoring the terminal
#
# SPDX-License-Identifier: Apache-2.0
#
# usage: python3 terminal.py PROBE CPA FILE [TERM...]
# Each case runs the program as a job of a small shell on its own pseudo terminal, and parses its output for changes of
# the modes of the terminal (not of its cells). Prints TAP.
import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time

TERMS = ["xterm-256color", "screen", "vt100", "linux", "tmux-256color"]
TIMEOUT_S = 20
STYLES = {"foreground", "background", "style"}
count = 0


def result(good, name, why="", measured=False):
    global count
    count += 1
    if measured and not good:
        print("# measured:", why)  # script/rerun-measured runs it again
    print(f"{'ok' if good else 'not ok'} {count} - {name}")
    for line in [] if good else str(why).splitlines():
        print("#", line)
    sys.stdout.flush()


class Modes:
    """The modes of a terminal after the bytes that it was sent."""

    PRIVATE = {"1049": "alternate", "47": "alternate", "1047": "alternate", "1000": "mouse", "1002": "mouse",
               "1003": "mouse", "1006": "mouse reports", "2004": "paste", "1": "cursor keys"}

    def __init__(self):
        self.state, self.read = set(), 0
        self.text = b""

    def feed(self, data):
        self.text += data

    @property
    def on(self):
        if self.read != len(self.text):
            self.parse()
        return self.state

    def parse(self):
        self.state, self.read = set(), len(self.text)
        for m in re.finditer(rb"\x1b(?:\[([?>]?)([0-9;:]*)([@-~])|([=>])|([()])(.))", self.text):
            self.code(*(x.decode("latin-1") if x else "" for x in m.groups()))
        if self.text.rfind(b"\x0e") > self.text.rfind(b"\x0f"):
            self.state.add("line drawing")

    def set(self, name, on):
        (self.state.add if on else self.state.discard)(name)

    def code(self, mark, numbers, last, keypad, charset, which):
        if keypad:
            self.set("keypad", keypad == "=")
        elif charset:
            self.set("charset " + charset, which == "0" and charset == "(")
        elif mark == "?" and last in "hl":
            for n in numbers.split(";"):
                if n == "25":
                    self.set("cursor hidden", last == "l")
                elif n in self.PRIVATE:
                    self.set(self.PRIVATE[n], last == "h")
        elif last == "m" and not mark:
            self.style(numbers)
        elif last == "r" and not mark:
            self.set("region", False)


    def style(self, numbers):
        for n in re.sub(r"([34]8)[;:](?:2[;:]+\d+[;:]\d+[;:]\d+|5[;:]\d+)", r"\1", numbers).split(";"):
            n = int(n or 0)
            if n == 0:
                self.state -= {"foreground", "background", "style"}
            elif n < 30:
                self.state.add("style")
            else:
                self.set("foreground" if n // 10 in (3, 9) else "background", n not in (39, 49))


class Job:
    """A program as the foreground job of a shell, which is a child process."""

    def __init__(self, argv, term, width=80, height=24, env=None):
        self.modes, self.ended, self.status = Modes(), False, None
        self.log = tempfile.NamedTemporaryFile()
        self.ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", height, width, 0, 0))
        self.before = termios.tcgetattr(self.ours)
        self.from_shell, to_parent = os.pipe()
        from_parent, self.to_shell = os.pipe()
        environment = {k: v for k, v in os.environ.items()
                       if k not in ("COLORTERM", "NO_COLOR", "LINES", "COLUMNS", "ESCDELAY", "TMUX")}
        # sanitizers must not handle crashes
        environment["ASAN_OPTIONS"] = environment.get("ASAN_OPTIONS", "") + ":handle_segv=0:handle_abort=0"
        environment.update(TERM=term, **(env or {}))
        self.shell = os.fork()
        if self.shell == 0:
            try:
                os.close(self.ours)
                self.be_shell([a.replace("LOG", self.log.name) for a in argv], theirs, to_parent, from_parent, environment)
            finally:
                os._exit(99)
        for fd in (theirs, to_parent, from_parent):
            os.close(fd)
        self.pid = int(self.word())

    @staticmethod
    def be_shell(argv, terminal, to_parent, from_parent, environment):
        os.setsid()
        fcntl.ioctl(terminal, termios.TIOCSCTTY, 0)
        signal.signal(signal.SIGTTOU, signal.SIG_IGN)
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
        pid = os.fork()
        if pid == 0:
            os.setpgid(0, 0)
            os.tcsetpgrp(terminal, os.getpid())
            for s in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
                signal.signal(s, signal.SIG_DFL)  # a background process may have inherited ignored signals
            for fd in range(3):
                os.dup2(terminal, fd)
            os.closerange(3, 64)
            os.execve(argv[0], argv, environment)
        os.write(to_parent, b"%d\n" % pid)
        while True:
            _, status = os.waitpid(pid, os.WUNTRACED)
            if not os.WIFSTOPPED(status):
                break
            os.tcsetpgrp(terminal, os.getpgrp())
            os.write(to_parent, b"stopped\n")
            os.read(from_parent, 1)
            os.tcsetpgrp(terminal, pid)
            os.kill(pid, signal.SIGCONT)
        os.write(to_parent, b"ended %d\n" % os.waitstatus_to_exitcode(status))
        os.read(from_parent, 1)

    def word(self):
        line = b""
        while not line.endswith(b"\n"):
            c = os.read(self.from_shell, 1)
            if not c:
                break
            line += c
        return line.decode().strip()

    def pump(self, until, what):
        """Read the output until a condition holds; False after a timeout."""
        end = time.time() + TIMEOUT_S
        while not until():
            if time.time() > end:
                print(f"# timeout waiting for {what}; log: {self.events()!r}; modes: {self.modes.on}")
                return False
            ready, _, _ = select.select([self.ours, self.from_shell], [], [], 0.02)
            if self.ours in ready:
                self.drain()
            if self.from_shell in ready:
                word = self.word()
                if word.startswith("ended"):
                    self.ended, self.status = True, int(word.split()[1])
                self.stopped = word == "stopped"
                self.drain()
        return True

    def drain(self):
        while select.select([self.ours], [], [], 0)[0]:
            try:
                data = os.read(self.ours, 65536)
            except OSError:
                return
            if not data:
                return
            self.modes.feed(data)

    def events(self):
        with open(self.log.name, encoding="utf-8", errors="replace") as f:
            return f.read().split("\n")[1:-1]

    def header(self):
        with open(self.log.name, encoding="utf-8", errors="replace") as f:
            return f.readline().strip()

    def started(self):
        return self.pump(lambda: self.header() != "" and b"probe" in self.modes.text, "the start")

    def seen(self, text, after=0):
        return self.pump(lambda: text in self.modes.text[after:], text)

    def send(self, data):
        os.write(self.ours, data)

    def expects(self, name, n=1):
        return self.pump(lambda: self.events().count(name) >= n, name)

    def resize(self, width, height):
        fcntl.ioctl(self.ours, termios.TIOCSWINSZ, struct.pack("HHHH", height, width, 0, 0))

    def wait_stopped(self):
        self.stopped = False
        return self.pump(lambda: self.stopped, "the stop")

    def resume(self):
        os.write(self.to_shell, b"c")

    def wait_ended(self):
        good = self.pump(lambda: self.ended, "the end")
        self.drain()
        return good

    def changed_modes(self):
        """The modes that differ from those before the start."""
        left = set(self.modes.on)
        now = termios.tcgetattr(self.ours)
        if now != self.before:
            left.add(f"stty: {now} instead of {self.before}")
        return left

    def close(self):
        for pid in (self.pid, self.shell):
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        os.waitpid(self.shell, 0)
        for fd in (self.ours, self.from_shell, self.to_shell):
            os.close(fd)


def probe(term, **more):
    return Job([PROBE, "LOG"], term, **more)


ENDINGS = [
    ("q", lambda j: j.send(b"q"), 0),
    ("Ctrl-C as a key, and q", lambda j: j.send(b"\x03") and None or j.expects("Ctrl-C") and j.send(b"q"), 0),
    ("exit without closing the screen", lambda j: j.send(b"e"), 3),
    ("abort", lambda j: j.send(b"a"), -signal.SIGABRT),
    ("a bad pointer", lambda j: j.send(b"s"), -signal.SIGSEGV),
    ("SIGSEGV from outside", lambda j: os.kill(j.pid, signal.SIGSEGV), -signal.SIGSEGV),
    ("SIGQUIT", lambda j: os.kill(j.pid, signal.SIGQUIT), -signal.SIGQUIT),
    ("SIGTERM", lambda j: os.kill(j.pid, signal.SIGTERM), 1),
    ("SIGINT", lambda j: os.kill(j.pid, signal.SIGINT), 1),
    ("SIGHUP", lambda j: os.kill(j.pid, signal.SIGHUP), 1),
]


def endings(term):
    for name, end, status in ENDINGS:
        job = probe(term)
        good = job.started()
        taken = set(job.modes.on)
        end(job)
        good = good and job.wait_ended()
        left = job.changed_modes()
        result(good and not left and job.status == status, f"{term}: {name} restores the terminal",
               f"left: {left}; taken: {taken}; status {job.status}, not {status}")
        job.close()


CAPS = {"kcuu1": "Up", "kcud1": "Down", "kcub1": "Left", "kcuf1": "Right", "khome": "Home", "kend": "End",
        "kpp": "PageUp", "knp": "PageDown", "kich1": "Insert", "kdch1": "Delete", "kcbt": "BackTab",
        "kbs": "Backspace", "kf1": "F1", "kf4": "F4", "kf5": "F5", "kf10": "F10"}


def entry(term):
    """The strings of CAPS in a terminal's entry; None without an entry. Python supports one terminal per process."""
    ask = "import curses,sys\ncurses.setupterm(sys.argv[1])\nfor c in sys.argv[2:]: print(c, (curses.tigetstr(c) or b'').hex())"
    out = subprocess.run([sys.executable, "-c", ask, term, *CAPS], capture_output=True, text=True, check=False)
    if out.returncode:
        return None
    words = [line.split(" ") for line in out.stdout.splitlines()]
    return {CAPS[c]: bytes.fromhex(data) for c, data in words if data}


def keys(term):
    known = entry(term)
    job = probe(term)
    good = job.started()
    wanted = []
    for name, data in known.items():
        job.send(data)
        wanted.append(name)
        good = good and job.pump(lambda: len(job.events()) >= len(wanted), name)
    result(good and job.events() == wanted, f"{term}: the {len(wanted)} keys of its entry arrive",
           f"{job.events()} instead of {wanted}")
    other = [(b"\x1b[A", "Up"), (b"\x1bOB", "Down"), (b"\x1b[1;5C", "Right"), (b"\x1b[1~", "Home"), (b"\x1b[4~", "End"),
             (b"\x1b[5~", "PageUp"), (b"\x1b[15~", "F5"), (b"\x1b[Z", "BackTab"), (b"\x1bx", "Alt-x"), (b"\r", "Enter"),
             (b"\n", "Enter"), (b"\t", "Tab"), (b"\x7f", "Backspace"), (b"\x00", "Ctrl-Space"), (b"\x0c", "Ctrl-L"),
             (b"\xc3\xa9", "\u00e9"), (b"\xe4\xb8\x96", "\u4e16"), (b" ", "Space"), (b"\x1b", "Esc")]
    for data, name in other:
        job.send(data)
        wanted.append(name)
        good = good and job.pump(lambda: len(job.events()) >= len(wanted), name)
    result(good and job.events() == wanted, f"{term}: keys missing in its entry arrive too",
           f"{job.events()} instead of {wanted}")
    for data in (b"\x1b[>1;2c", b"\x1b[?62;22c", b"\x1b[99~", b"\x1b[1;2;3;4;5;6;7Y", b"\xff", b"\x80\x81"):
        job.send(data)
        time.sleep(0.08)
    job.send(b"\xc3")
    time.sleep(0.01)
    job.send(b"\xa9")
    wanted.append("\u00e9")
    good = good and job.pump(lambda: len(job.events()) >= len(wanted), "a character in two parts")
    result(good and job.events() == wanted, f"{term}: unknown sequences are ignored, and split characters are joined",
           f"{job.events()[-12:]} instead of {wanted[-12:]}")
    start = time.time()
    job.send(b"\x1b")
    job.expects("Esc", 2)
    took = time.time() - start
    result(took < 0.5, f"{term}: a lone Esc arrives without delay", f"{took} s", measured=True)
    job.close()


def mouse(term):
    job = probe(term, width=400, height=120)
    good = job.started()
    result(good and {"mouse", "mouse reports"} <= job.modes.on, f"{term}: the mouse is enabled", job.modes.on)
    job.send(b"\x1b[<0;400;119M\x1b[<0;400;119m")
    good = job.expects("Click(399,118)")
    job.send(b"\x1b[<0;400;119M\x1b[<0;400;119m")
    good = good and job.expects("Double(399,118)")
    time.sleep(0.5)
    job.send(b"\x1b[<0;400;119M\x1b[<0;400;119m")
    good = good and job.expects("Click(399,118)", 2)
    job.send(b"\x1b[<2;1;1M\x1b[<2;1;1m")
    good = good and job.expects("RightClick(0,0)")
    result(good, f"{term}: clicks in column 400 arrive, two in quick succession as a double click", job.events())
    job.send(b"\x1b[<65;10;5M" * 20 + b"\x1b[<64;10;5M")
    good = job.expects("Wheel(9,4,57)")
    result(good, f"{term}: wheel events are combined", job.events())
    job.send(b"\x1b[M" + bytes([32, 33 + 7, 33 + 3]))
    result(job.expects("Click(7,3)"), f"{term}: old mouse reports are understood", job.events())
    job.send(b"m")
    good = job.expects("m") and job.pump(lambda: "mouse" not in job.modes.on, "the mouse off")
    n = len(job.events())
    job.send(b"\x1b[<0;3;3M")
    job.send(b"x")
    good = good and job.expects("x")
    result(good and len(job.events()) == n + 1, f"{term}: a disabled mouse is ignored", job.events())
    job.close()


def paste(term):
    job = probe(term)
    good = job.started() and "paste" in job.modes.on
    job.send(b"\x1b[200~q\r\xc3\xa9\x1b[201~k")
    good = good and job.expects("k")
    want = ["q pasted", "Space pasted", "\u00e9 pasted", "k"]
    result(good and job.events() == want and not job.ended, f"{term}: pasted keys are text", job.events())
    job.close()


def resize(term):
    job = probe(term)
    good = job.started()
    for width, height in ((132, 50), (20, 5), (1, 1), (400, 120), (65535, 65535), (80, 24)):
        job.resize(width, height)
        good = good and job.expects(f"Resize({min(max(width, 2), 1000)},{min(height, 500)})")
    job.send(b"q")
    good = good and job.wait_ended()
    result(good and not job.changed_modes() and job.status == 0, f"{term}: it follows the size of the terminal", job.events())
    job.close()


def suspend(term):
    job = probe(term)
    good = job.started()
    taken = set(job.modes.on)
    for how in ("Ctrl-Z", "SIGTSTP"):
        if how == "Ctrl-Z":
            job.send(b"\x1a")
        else:
            os.kill(job.pid, signal.SIGTSTP)
        good = good and job.wait_stopped()
        job.drain()
        left = job.changed_modes()
        result(good and not left, f"{term}: {how} restores the terminal", f"{left}; {job.events()}")
        before = len(job.modes.text)
        job.resize(65535, 65535) if how == "Ctrl-Z" else job.resize(80, 24)
        job.resume()
        n = len(job.events())
        job.send(b"j")
        good = good and job.pump(lambda: len(job.events()) > n and b"probe" in job.modes.text[before:], "resuming")
        good = good and job.pump(lambda: job.modes.on - STYLES == taken - STYLES, "the terminal taken")
        result(good, f"{term}: the screen is repainted after {how}", f"{job.modes.on}, not {taken}")
    os.kill(job.pid, signal.SIGSTOP)
    good = good and job.wait_stopped()
    termios.tcsetattr(job.ours, termios.TCSANOW, job.before)
    job.drain()  # output from before the stop
    before = len(job.modes.text)
    job.resume()
    good = good and job.pump(lambda: b"probe" in job.modes.text[before:], "painting after SIGSTOP")
    good = good and job.pump(lambda: not termios.tcgetattr(job.ours)[3] & (termios.ICANON | termios.ECHO), "raw mode")
    result(good, f"{term}: the modes are set again after SIGSTOP", termios.tcgetattr(job.ours))
    job.send(b"q")
    good = good and job.wait_ended()
    result(good and not job.changed_modes(), f"{term}: the terminal is restored at the end", job.changed_modes())
    job.close()


def others(term):
    job = probe(term)
    good = job.started()
    job.send(b"w")
    result(good and job.expects("Wake"), f"{term}: another thread can wake it", job.events())
    job.send(b"o")
    job.send(b"p")
    good = job.seen(b"another program") and job.expects("p")
    result(good, f"{term}: another program can use the terminal", job.events())
    job.send(b"q")
    good = job.wait_ended() and not job.changed_modes()
    said = job.modes.text.find(b"said on standard error")
    result(good and said >= 0, f"{term}: output on standard error is not lost", job.modes.text[-300:])
    job.close()


def gone(term):
    """The terminal is closed: the program ends, and does not spin."""
    job = probe(term)
    good = job.started()
    os.close(job.ours)
    job.ours = os.open("/dev/null", os.O_RDWR)
    end = time.time() + TIMEOUT_S
    while time.time() < end and not job.ended:
        if select.select([job.from_shell], [], [], 0.1)[0]:
            job.ended = job.word().startswith("ended")
    result(good and job.ended, f"{term}: the program ends when its terminal is closed", "it still runs")
    job.close()


def refused():
    for term, words in (("nowhere", b"unknown terminal"), ("dumb", b"cannot position its cursor"),
                        ("", b"TERM is not set")):
        job = Job([PROBE, "LOG"], term)
        good = job.wait_ended()
        text = job.modes.text
        result(good and job.status == 2 and words in text and b"\x1b" not in text,
               f"TERM={term} is refused with an error and no other output", text)
        job.close()


def depths():
    for term, env, depth in (("xterm-256color", {}, 2), ("xterm-256color", {"COLORTERM": "truecolor"}, 3),
                             ("tmux-256color", {"COLORTERM": "24bit"}, 3), ("xterm-direct", {}, 3),
                             ("screen", {"COLORTERM": "truecolor"}, 1), ("linux", {}, 1), ("vt100", {}, 0),
                             ("xterm-256color", {"NO_COLOR": "1"}, 0), ("xterm-256color", {"LC_ALL": "C"}, 2)):
        job = Job([PROBE, "LOG"], term, env=env)
        good = job.started()
        want = f"depth {depth} ascii {1 if 'LC_ALL' in env else 0}"
        result(good and job.header() == want, f"TERM={term} {env}: {want}", job.header())
        if "NO_COLOR" in env or depth == 0:
            colour = re.search(rb"\x1b\[[0-9;:]*(?:3|4)[0-9][0-9;:]*m", job.modes.text)
            result(not colour, f"TERM={term} {env}: no colours are sent", colour)
        job.close()


CPA_ENDINGS = [
    ("q", lambda j: j.send(b"q"), {0}),
    ("Ctrl-C and q", lambda j: j.send(b"\x03q"), {0}),
    ("SIGTERM", lambda j: os.kill(j.pid, signal.SIGTERM), {-signal.SIGTERM}),
    ("SIGHUP", lambda j: os.kill(j.pid, signal.SIGHUP), {-signal.SIGHUP}),
    ("SIGSEGV", lambda j: os.kill(j.pid, signal.SIGSEGV), {-signal.SIGSEGV}),
]


def shell(term):
    """The same tests with cpa itself."""
    drawn = b"sum%"
    for name, end, status in CPA_ENDINGS:
        job = Job([CPA, "-symbolize=none", FILE], term)
        good = job.seen(drawn) and "alternate" in job.modes.on or term in ("vt100", "linux")
        end(job)
        good = job.wait_ended() and good
        left = job.changed_modes()
        result(good and not left and job.status in status, f"cpa on {term}: {name} restores the terminal",
               f"left: {left}; status {job.status}")
        job.close()
    job = Job([CPA, "-symbolize=none", FILE], term)
    good = job.seen(drawn)
    job.send(b"\x1a")
    good = good and job.wait_stopped() and not job.changed_modes()
    after = len(job.modes.text)
    job.resume()
    good = good and job.seen(drawn, after)
    for width, height in ((132, 50), (20, 5), (1, 1), (80, 24)):
        after = len(job.modes.text)
        job.resize(width, height)
        good = good and job.pump(lambda n=after: len(job.modes.text) > n, "a new size")
    good = good and job.seen(drawn, after)
    job.send(b"q")
    result(good and job.wait_ended() and not job.changed_modes(), f"cpa on {term}: it stops, resumes, resizes and ends",
           f"{job.changed_modes()}; {job.modes.text[-200:]}")
    job.close()


def ascii_tree():
    job = Job([CPA, "-symbolize=none", FILE], "xterm-256color", env={"LC_ALL": "C"})
    job.send(b"3")
    good = job.seen(b"below it")
    job.send(b"q")
    good = job.wait_ended() and good
    text = re.sub(rb"\x1b\[[0-9;?]*[A-Za-z]|\x1b[()=>].", b"", job.modes.text)
    result(good and b" +- net/http.(*conn).serve" in text and b"|+- " in text and not re.search(rb"[\x80-\xff]", text),
           "cpa with LC_ALL=C: the branches of the tree are drawn with ASCII", text[-2000:])
    job.close()


def editors():
    """E opens an editor at the selected line. The editors here write their arguments to a file."""
    with tempfile.TemporaryDirectory() as folder:
        said = os.path.join(folder, "said")
        for name in ("ed", "code"):
            with open(os.path.join(folder, name), "w", encoding="utf-8") as f:
                f.write(f"#!/bin/sh\nprintf '%s\\n' \"$@\" >{said}.tmp && mv {said}.tmp {said}\n")
            os.chmod(f.name, 0o755)
        make = os.path.join(os.path.dirname(FILE), "make")
        route = make + "/shop/route/route.go"

        def edit(variables, keys):
            job = Job([CPA, "-symbolize=none", "-source_path=" + make, FILE], "xterm-256color", env=variables)
            job.send(b":list nearest$\r")
            good = job.seen(b"append")
            job.send(keys)
            return job, good

        for variables, keys, wanted, what in [
                ({"VISUAL": folder + "/ed -x"}, b"]E", ["-x", "+61", route], "at the line, without a shell"),
                ({"VISUAL": "", "EDITOR": folder + "/code"}, b"E", ["--goto", route + ":59"], "that accepts FILE:LINE")]:
            job, good = edit(variables, keys)
            good = job.pump(lambda: os.path.exists(said), "the editor") and good
            job.send(b"q")
            good = job.wait_ended() and good
            got = []
            if os.path.exists(said):
                with open(said, encoding="utf-8") as f:
                    got = f.read().splitlines()
                os.remove(said)
            result(good and got == wanted and not job.changed_modes(), f"E opens an editor {what}",
                   f"{got} instead of {wanted}; {job.modes.text[-1000:]}")
            job.close()
        job, good = edit({"VISUAL": folder + "/nowhere"}, b"E")
        good = job.seen(b"nowhere: No such file") and good
        job.send(b"q")
        result(job.wait_ended() and good, "E reports a missing editor", job.modes.text[-1000:])
        job.close()


PROBE, CPA, FILE = (os.path.abspath(a) for a in sys.argv[1:4])
wanted_terms = sys.argv[4:] or TERMS
have = [t for t in wanted_terms if entry(t) is not None]
for t in wanted_terms:
    if t not in have:
        print(f"# no terminfo entry for {t}: skipped")
refused()
depths()
ascii_tree()
editors()
for t in have:
    shell(t)
    endings(t)
    keys(t)
    resize(t)
    suspend(t)
    others(t)
    gone(t)
    if t not in ("vt100",):
        mouse(t)
    if t in ("xterm-256color", "tmux-256color"):
        paste(t)
print(f"1..{count}")
