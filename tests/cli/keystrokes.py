# keystrokes.py - type at a prompt on a terminal of its own
#
# SPDX-License-Identifier: Apache-2.0
#
# usage: python3 keystrokes.py KEYS COMMAND...
# All of the command is on the terminal, 100 columns wide. KEYS are parted by |, with escapes as in Python
# (\t \n \x03); each part is typed when the terminal shows a prompt that it has not shown before, a part
# that begins with + when nothing more comes. What the terminal saw is printed; the exit status is that of
# the command.
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

keys = [part.encode().decode("unicode_escape").encode("latin-1") for part in sys.argv[1].split("|")]
ours, theirs = pty.openpty()
fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 100, 0, 0))


def own_terminal():
    """Be in the foreground of the terminal, where Ctrl-C goes."""
    os.setsid()
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
    signal.signal(signal.SIGINT, signal.SIG_DFL)


child = subprocess.Popen(sys.argv[2:], stdin=theirs, stdout=theirs, stderr=theirs, preexec_fn=own_terminal)
os.close(theirs)
seen = b""
since = 0  # what has been seen when the last part was typed
deadline = time.time() + 30
while time.time() < deadline:
    ready = select.select([ours], [], [], 0.3)[0]
    if ready:
        try:
            data = os.read(ours, 4096)
        except OSError:
            break
        if not data:
            break
        seen += data
        continue
    # it waits for us
    if keys and (keys[0].startswith(b"+") or b"(cpa) " in seen[since:]):
        since = len(seen)
        os.write(ours, keys.pop(0).lstrip(b"+"))
try:
    child.wait(timeout=5)
except subprocess.TimeoutExpired:
    child.kill()
    child.wait()
sys.stdout.write(seen.decode("utf-8", "replace").replace("\r", ""))
sys.exit(128 - child.returncode if child.returncode < 0 else child.returncode)
