# terminal.py - run a program on a new terminal, and interrupt it
#
# SPDX-License-Identifier: Apache-2.0
#
# usage: python3 terminal.py WORDS COMMAND...
# Standard error of the command is the terminal; its standard output is inherited. Each time the next of the WORDS,
# which are separated by |, appears on the terminal, Ctrl-C is pressed once. At the end, the terminal output is printed
# on standard error. The exit status is that of the command, or 128 plus the number of the signal that ended it.
import fcntl
import os
import pty
import select
import signal
import struct
import subprocess
import sys
import termios
import time

words = sys.argv[1].encode().split(b"|")
pty_fd, tty_fd = pty.openpty()
fcntl.ioctl(tty_fd, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))


def start_session():
    """Starts a new session with the default action for SIGINT."""
    os.setsid()
    signal.signal(signal.SIGINT, signal.SIG_DFL)


child = subprocess.Popen(sys.argv[2:], stdin=subprocess.DEVNULL, stderr=tty_fd, preexec_fn=start_session)
os.close(tty_fd)
seen = b""
deadline = time.time() + 30
while time.time() < deadline:
    if not select.select([pty_fd], [], [], 0.5)[0]:
        continue
    try:
        data = os.read(pty_fd, 4096)
    except OSError:
        break
    if not data:
        break
    seen += data
    if words and words[0] in seen:
        os.kill(child.pid, signal.SIGINT)
        words.pop(0)
try:
    child.wait(timeout=30)
except subprocess.TimeoutExpired:
    child.kill()
    child.wait()
sys.stderr.write(seen.decode("utf-8", "replace"))
sys.exit(128 - child.returncode if child.returncode < 0 else child.returncode)
