# terminal_screen.py - emulate a terminal: convert output to screen cells
#
# SPDX-License-Identifier: Apache-2.0
#
# It supports the part of xterm-256color that curses uses, and raises an error for other sequences.
import codecs
import re
import unicodedata

SEQUENCE = re.compile(r"\x1b(?:\[([?>!]?)([0-9;:]*)([@-~])|\]4;[^\x1b]*\x1b\\|[()](.)|([=>78M]))")


class TerminalScreen:
    def __init__(self, width, height):
        self.width, self.height = width, height
        self.decode = codecs.getincrementaldecoder("utf-8")("replace").decode
        self.rest, self.x, self.y, self.last = "", 0, 0, " "
        self.top, self.end, self.saved = 0, height, (0, 0)
        self.rows = [[" "] * width for _ in range(height)]

    def text(self):
        return "\n".join("".join(row) for row in self.rows)

    def row(self, y):
        return "".join(self.rows[y])

    def feed(self, data):
        text, self.rest = self.rest + self.decode(data), ""
        at = 0
        while at < len(text):
            if text[at] == "\x1b":
                found = SEQUENCE.match(text, at)
                if not found:
                    if len(text) - at > 64:
                        raise ValueError(f"unknown sequence: {text[at:at + 20]!r}")
                    self.rest = text[at:]
                    return
                self.sequence(*found.groups())
                at = found.end()
            else:
                self.character(text[at])
                at += 1

    def character(self, c):
        if c == "\r":
            self.x = 0
        elif c == "\n":
            self.down()
        elif c == "\b":
            self.x = max(self.x - 1, 0)
        elif c == "\t":
            self.x = min(self.x // 8 * 8 + 8, self.width - 1)
        elif c >= " ":
            self.put(c)

    def put(self, c):
        if unicodedata.combining(c):
            return
        columns = 2 if unicodedata.east_asian_width(c) in "WF" else 1
        if self.x + columns > self.width:
            self.x = 0
            self.down()
        self.rows[self.y][self.x:self.x + columns] = [c, ""][:columns]
        self.x, self.last = self.x + columns, c

    def scroll(self, top, n):
        for _ in range(abs(n)):
            if n > 0:
                del self.rows[top]
                self.rows.insert(self.end - 1, [" "] * self.width)
            else:
                del self.rows[self.end - 1]
                self.rows.insert(top, [" "] * self.width)

    def down(self):
        if self.y == self.end - 1:
            self.scroll(self.top, 1)
        else:
            self.y = min(self.y + 1, self.height - 1)

    def blank(self, y, lo, hi):
        self.rows[y][lo:hi] = [" "] * (hi - lo)

    def erase_lines(self, mode):
        for y in range(self.y + 1 if mode == 0 else 0, self.height if mode != 1 else self.y):
            self.blank(y, 0, self.width)
        if mode < 2:
            self.erase_line(mode)

    def erase_line(self, mode):
        self.blank(self.y, self.x if mode == 0 else 0, self.x + 1 if mode == 1 else self.width)

    def sequence(self, mark, numbers, last, charset, other):
        n = [int(i or 0) for i in re.split("[;:]", numbers or "")]
        one, row = max(n[0], 1), self.rows[self.y]
        if other == "M":
            if self.y == self.top:
                self.scroll(self.top, -1)
            else:
                self.y -= 1
        elif other == "7":
            self.saved = self.x, self.y
        elif other == "8":
            self.x, self.y = self.saved
        elif other or charset or last is None or mark or last in "mhltq":
            pass
        elif last in "Hf":
            self.y, self.x = one - 1, max(n[1] if len(n) > 1 else 1, 1) - 1
        elif last in "ABCDGd":
            self.x = {"C": self.x + one, "D": self.x - one, "G": one - 1}.get(last, self.x)
            self.y = {"A": self.y - one, "B": self.y + one, "d": one - 1}.get(last, self.y)
        elif last == "J":
            self.erase_lines(n[0])
        elif last == "K":
            self.erase_line(n[0])
        elif last == "X":
            self.blank(self.y, self.x, min(self.x + one, self.width))
        elif last == "b":
            for _ in range(one):
                self.put(self.last)
        elif last in "@P":
            cut = row[:self.x] + ([" "] * one + row[self.x:] if last == "@" else row[self.x + one:] + [" "] * one)
            self.rows[self.y] = cut[:self.width]
        elif last in "LM":
            self.scroll(self.y, one if last == "M" else -one)
        elif last in "ST":
            self.scroll(self.top, one if last == "S" else -one)
        elif last == "r":
            self.top, self.end = one - 1, n[1] if len(n) > 1 and n[1] else self.height
            self.x = self.y = 0
        elif last == "Z":
            self.x = max((self.x - 1) // 8 * 8, 0)
        else:
            raise ValueError(f"unknown sequence: {numbers}{last}")
        self.x, self.y = min(max(self.x, 0), self.width), min(max(self.y, 0), self.height - 1)
