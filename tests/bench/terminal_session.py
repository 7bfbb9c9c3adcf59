# terminal_session.py - run cpa in a pseudo terminal: send keys, measure responses
#
# SPDX-License-Identifier: Apache-2.0
import fcntl
import os
import pty
import select
import signal
import struct
import tempfile
import termios
import time

from terminal_screen import TerminalScreen

NAMED = {"Up": "\x1bOA", "Down": "\x1bOB", "Right": "\x1bOC", "Left": "\x1bOD", "Home": "\x1bOH", "End": "\x1bOF",
         "PageUp": "\x1b[5~", "PageDown": "\x1b[6~", "Enter": "\r", "Tab": "\t", "BackTab": "\x1b[Z", "Esc": "\x1b",
         "Backspace": "\x7f", "Space": " "}
BUSY = "Esc stops"
QUIET, SILENCE, PATIENCE = 0.13, 0.4, 60


def bytes_of(name):
    if name.startswith("Ctrl-"):
        return bytes([ord(name[5]) - 64])
    return NAMED.get(name, name).encode()


class Answer:
    """The response to a key: seconds since it was sent. None for events that did not happen."""

    def __init__(self):
        self.first = None     # end of the first frame
        self.progress = None  # the first frame with a progress message
        self.last = None      # end of the last frame
        self.n_bytes = 0


class Session:
    """One run of cpa, without history and saved settings."""

    home = tempfile.TemporaryDirectory()

    def __init__(self, argv, width, height):
        self.screen = TerminalScreen(width, height)
        env = {k: v for k, v in os.environ.items() if not k.startswith("XDG_") and k not in
               ("COLORTERM", "NO_COLOR", "LINES", "COLUMNS", "ESCDELAY", "TMUX")}
        env.update(TERM="xterm-256color", HOME=self.home.name, LC_ALL="C.UTF-8")
        self.fd, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", height, width, 0, 0))
        self.begun = time.monotonic()
        self.pid = os.fork()
        if self.pid == 0:
            os.close(self.fd)
            os.login_tty(theirs)
            os.execve(argv[0], argv, env)
        os.close(theirs)

    def receive(self, timeout):
        """(time, data) of the next output; None after the timeout."""
        if not select.select([self.fd], [], [], timeout)[0]:
            return None
        try:
            data = os.read(self.fd, 1 << 16)
        except OSError:
            data = b""
        if not data:
            raise EOFError(f"cpa ended: {self.screen.text()}")
        return time.monotonic(), data

    def is_busy(self):
        return BUSY in self.screen.text()

    def until(self, condition, since=None):
        """Seconds from since (default: the start) to the output that makes a condition of the screen true."""
        since = since or self.begun
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            got = self.receive(0.5)
            if got:
                self.screen.feed(got[1])
                if condition(self.screen):
                    return got[0] - since
        raise TimeoutError(f"timeout for {condition}:\n{self.screen.text()}")

    def send(self, name):
        self.sent = time.monotonic()
        os.write(self.fd, bytes_of(name))

    def settle(self, quiet=QUIET):
        """Read until cpa is idle. Returns the response."""
        answer, pieces, gap = Answer(), [], 0.01
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            got = self.receive(quiet if pieces or answer.first else SILENCE)
            if got:
                pieces.append(got)
                continue
            for i, (when, data) in enumerate(pieces):
                self.screen.feed(data)
                answer.n_bytes += len(data)
                answer.last = when - self.sent
                ends_frame = i + 1 == len(pieces) or pieces[i + 1][0] - when > gap
                if ends_frame and answer.first is None:
                    answer.first = answer.last
                if ends_frame and answer.progress is None and self.is_busy():
                    answer.progress = answer.last
            pieces = []
            if not self.is_busy():
                return answer
        raise TimeoutError(f"still busy:\n{self.screen.text()}")

    def key(self, name):
        self.send(name)
        return self.settle()

    def end(self):
        """End cpa. Returns its maximum resident set in bytes."""
        os.write(self.fd, b"\x03" * 2 + b"\x1b")
        os.kill(self.pid, signal.SIGTERM)
        try:
            while self.receive(PATIENCE):
                pass
        except EOFError:
            pass
        _, status, usage = os.wait4(self.pid, 0)
        os.close(self.fd)
        if status not in (0, signal.SIGTERM):
            raise ChildProcessError(f"cpa ended with {status}")
        return usage.ru_maxrss * 1024
