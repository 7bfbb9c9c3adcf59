# terminal.py - run a program on a terminal of its own, and interrupt it
#
# SPDX-License-Identifier: Apache-2.0
#
# usage: python3 terminal.py WORDS COMMAND...
# Standard error of the command is the terminal, its standard output is ours. Each time the terminal has
# seen the next of the WORDS, which are parted by |, Ctrl-C is pressed once. Then what the terminal saw is printed on standard error;
# the exit status is that of the command, 128 and the signal's number if one ended it.
import os
import pty
import signal
import subprocess
import sys
import time

words = sys.argv[1].encode().split(b"|")
ours, theirs = pty.openpty()


def own_terminal():
    """Be in the foreground of the terminal, where Ctrl-C goes."""
    os.setsid()
    signal.signal(signal.SIGINT, signal.SIG_DFL)


child = subprocess.Popen(sys.argv[2:], stdin=subprocess.DEVNULL, stderr=theirs, preexec_fn=own_terminal)
os.close(theirs)
seen = b""
deadline = time.time() + 30
while time.time() < deadline:
    try:
        data = os.read(ours, 4096)
    except OSError:
        break
    if not data:
        break
    seen += data
    if words and words[0] in seen:
        os.kill(child.pid, signal.SIGINT)
        words.pop(0)
child.wait(timeout=30)
sys.stderr.write(seen.decode("utf-8", "replace"))
sys.exit(128 - child.returncode if child.returncode < 0 else child.returncode)
