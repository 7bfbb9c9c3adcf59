# gate_profile.py - write a small profile.proto with the given stacks
# SPDX-License-Identifier: Apache-2.0
#
# gate_profile.py FILE TIME_NANOS TYPE UNIT [STACK=VALUE ...]: a stack is a list of names separated by ;, leaf first.
# A profile in bytes has a sampling rate of 1, so that its values are exact.
import sys

from wire import message, number, packed


def main():
    path, time, kind, unit = sys.argv[1:5]
    strings, ids = ["", kind, unit], {}
    out = message(1, number(1, 1) + number(2, 2)) + number(9, int(time))
    if unit == "bytes":
        out += message(11, number(1, 1) + number(2, 2)) + number(12, 1)
    for text in sys.argv[5:]:
        stack, _, value = text.rpartition("=")
        for name in stack.split(";"):
            if name in ids:
                continue
            i = ids[name] = len(ids) + 1
            strings.append(name)
            string = len(strings) - 1
            out += message(5, number(1, i) + number(2, string) + number(3, string))
            out += message(4, number(1, i) + message(4, number(1, i)))
        out += message(2, packed(1, (ids[name] for name in stack.split(";"))) + number(2, int(value)))
    with open(path, "wb") as file:
        file.write(out + b"".join(message(6, text.encode()) for text in strings))


main()
