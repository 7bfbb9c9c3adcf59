# keystrokes.py - type at a prompt on a new terminal
#
# SPDX-License-Identifier: Apache-2.0
#
# usage: python3 keystrokes.py KEYS COMMAND...
# The command runs on a terminal of 40 rows and 100 columns, or of $SIZE (ROWSxCOLUMNS; 0x0: unknown). KEYS are parts
# separated by |, with escapes as in Python (\t \n \x03). Each part is typed when a new prompt appears, or, if it
# begins with +, when there is no more output. The terminal output is printed. The exit status is that of the command.
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
pty_fd, tty_fd = pty.openpty()
rows, columns = (int(n) for n in os.environ.get("SIZE", "40x100").split("x"))
fcntl.ioctl(tty_fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))


def control_terminal():
    """Makes the terminal the controlling terminal, so that Ctrl-C sends SIGINT."""
    os.setsid()
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
    signal.signal(signal.SIGINT, signal.SIG_DFL)


child = subprocess.Popen(sys.argv[2:], stdin=tty_fd, stdout=tty_fd, stderr=tty_fd, preexec_fn=control_terminal)
os.close(tty_fd)
seen = b""
since = 0  # length of seen when the last part was typed
deadline = time.time() + 30
while time.time() < deadline:
    ready = select.select([pty_fd], [], [], 0.3)[0]
    if ready:
        try:
            data = os.read(pty_fd, 4096)
        except OSError:
            break
        if not data:
            break
        seen += data
        continue
    # the command waits for input
    if keys and (keys[0].startswith(b"+") or b"(cpa) " in seen[since:]):
        since = len(seen)
        os.write(pty_fd, keys.pop(0).lstrip(b"+"))
try:
    child.wait(timeout=5)
except subprocess.TimeoutExpired:
    child.kill()
    child.wait()
sys.stdout.write(seen.decode("utf-8", "replace").replace("\r", ""))
sys.exit(128 - child.returncode if child.returncode < 0 else child.returncode)
