# perf_data.py - write a recording of perf with addresses of the kernel and of generated code
# SPDX-License-Identifier: Apache-2.0
#
# usage: perf_data.py FILE TEXT BUILDID PID [SIZE]     TEXT: address of _text; PID: its code at 0x7000 is generated;
#                                                     SIZE: of the kernel's mapping; BUILDID may be ""

import struct
import sys

name, text, build_id, pid = sys.argv[1], int(sys.argv[2], 16), bytes.fromhex(sys.argv[3]), int(sys.argv[4])
size = int(sys.argv[5], 16) if len(sys.argv) > 5 else 0x1000000
IP, TID, TIME, CHAIN, PERIOD = 1, 2, 4, 32, 256


def record(kind, misc, body):
    return struct.pack("<IHH", kind, misc, len(body) + 8) + body


def padded(s):
    return s.encode() + bytes(8 - len(s) % 8)


def sample(time, *chain):
    head = struct.pack("<QIIQQQ", chain[0], pid, pid, time, 1000000, len(chain) + 2)
    kernel, user = [a for a in chain if a >= text], [a for a in chain if a < text]
    words = [2**64 - 128, *kernel, 2**64 - 512, *user]
    return record(9, 1, head + struct.pack(f"<{len(words)}Q", *words))


trailer = struct.pack("<IIQ", pid, pid, 1)
attr = struct.pack("<IIQQQQQ", 1, 112, 0, 4000, IP | TID | TIME | CHAIN | PERIOD, 0, 1 << 10 | 1 << 18 | 1 << 20)
attr += bytes(112 - len(attr)) + struct.pack("<QQ", 104, 0)
kernel_map = struct.pack("<IIQQQ", 2**32 - 1, 0, text, size, text) + padded("[kernel.kallsyms]_text")
user_map = struct.pack("<IIQQQ8xQQII", pid, pid, 0x7000, 0x1000, 0, 0, 0, 5, 2) + padded("//anon")
data = record(1, 1, kernel_map + struct.pack("<IIQ", 2**32 - 1, 0, 0))
data += record(3, 0, struct.pack("<II", pid, pid) + padded("gen") + trailer)
data += record(10, 2, user_map + trailer)
data += sample(10, text + 0x1010, text + 0x2010, 0x7010, 0x7100) + sample(20, text + 0x2010, 0x7100)
ids = record(0, 1, struct.pack("<i", -1) + build_id + bytes(4) + padded("[kernel.kallsyms]"))
at = 104 + len(attr)
with open(name, "wb") as f:
    f.write(b"PERFILE2" + struct.pack("<8Q", 104, len(attr), 104, len(attr), at, len(data), 0, 0))
    f.write(struct.pack("<4Q", 1 << 2 if build_id else 0, 0, 0, 0) + attr + data)
    f.write(struct.pack("<QQ", at + len(data) + 16, len(ids)) + ids)
