# page.py - run a command whose standard output is a new terminal
#
# SPDX-License-Identifier: Apache-2.0
#
# usage: python3 page.py ROWSxCOLUMNS KEYS COMMAND...
# When the output has paused, the next character of KEYS is typed. The output is printed without carriage returns. The exit
# status is that of the command, or 128 plus the number of the signal that ended it.
import fcntl
import os
import pty
import select
import struct
import sys
import termios
import time

rows, columns = map(int, sys.argv[1].split("x"))
keys = sys.argv[2]
pid, fd = pty.fork()
if pid == 0:
    fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
    os.execvp(sys.argv[3], sys.argv[3:])
seen = b""
deadline = time.time() + 30
while time.time() < deadline:
    if not select.select([fd], [], [], 0.7)[0]:
        if keys:
            os.write(fd, keys[0].encode())
            keys = keys[1:]
        continue
    try:
        data = os.read(fd, 65536)
    except OSError:
        break
    if not data:
        break
    seen += data
else:
    os.kill(pid, 9)
status = os.waitpid(pid, 0)[1]
sys.stdout.buffer.write(seen.replace(b"\r\n", b"\n"))
sys.exit(128 + os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status))
