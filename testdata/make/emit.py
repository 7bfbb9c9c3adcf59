# SPDX-License-Identifier: Apache-2.0
"""emit.py - a small writer of profile.proto that can also write invalid data.

Profiles are built from the parts below. The bytes depend on nothing else, so a script always makes the same files.
Field numbers are those of proto/profile.proto.
"""
import struct
import zlib

TIME = 1_700_000_000_000_000_000  # time_nanos of every profile made here


def varint(n):
    n &= (1 << 64) - 1
    out = bytearray()
    while n > 127:
        out.append(n & 127 | 128)
        n >>= 7
    out.append(n)
    return bytes(out)


def field(num, value, wire=None):
    """One field: int as varint, str and bytes length-delimited; wire 1 and 5 fixed."""
    if wire in (1, 5):
        return varint(num << 3 | wire) + struct.pack('<Q' if wire == 1 else '<I', value)
    if isinstance(value, int):
        return varint(num << 3) + varint(value)
    if isinstance(value, str):
        value = value.encode()
    return varint(num << 3 | 2) + varint(len(value)) + value


def ints(num, values, packed=True):
    if packed:
        return field(num, b''.join(map(varint, values))) if values else b''
    return b''.join(field(num, v) for v in values)


def msg(*pairs):
    """A message from (number, value) pairs, without zeros, as in proto3."""
    return b''.join(field(n, v) for n, v in pairs if v not in (0, b'', ''))


def gzip(data, extra=b'', flags=0):
    """One gzip member with time 0 and no operating system; `extra` follows the header."""
    z = zlib.compressobj(9, zlib.DEFLATED, -15)
    body = z.compress(data) + z.flush()
    head = b'\x1f\x8b\x08' + bytes([flags]) + b'\0\0\0\0\x02\xff' + extra
    return head + body + struct.pack('<II', zlib.crc32(data), len(data) & 0xffffffff)


def zstd_stored(data):
    """A zstd frame whose blocks are stored, not compressed (RFC 8878), without checksum."""
    out = struct.pack('<IBI', 0xFD2FB528, 0xA0, len(data))  # single segment, 4-byte size
    for i in range(0, len(data), 1 << 16):
        block = data[i:i + (1 << 16)]
        last = i + (1 << 16) >= len(data)
        out += struct.pack('<I', len(block) << 3 | last)[:3] + block
    return out


class Profile:
    """Parts of a profile in file order; locations and functions get the next id unless given."""

    def __init__(self, types, period=None, first='', packed=True, mapping=True):
        self.strings, self.at = [], {}
        self.packed = packed
        self.parts = []
        self.ids = {}
        self.next = {'f': 1, 'l': 1}
        self.s(first)
        self.at.setdefault('', 0)
        for t in types:
            self.parts.append(field(1, self.value_type(*t)))
        if mapping:
            self.mapping(1, 0x400000, 0x500000, 0, '/bin/edge')
        self.has_mapping = mapping
        self.period = period

    def s(self, text):
        """Index of a string (str or bytes), which is added if new."""
        if text not in self.at:
            self.at[text] = len(self.strings)
            self.strings.append(text if isinstance(text, bytes) else text.encode())
        return self.at[text]

    def value_type(self, name, unit):
        return msg((1, self.s(name)), (2, self.s(unit)))

    def add(self, part):
        self.parts.append(part)

    def mapping(self, id, start, limit, offset, file, build_id='', flags=(1, 1, 1, 1)):
        self.add(field(3, msg((1, id), (2, start), (3, limit), (4, offset), (5, self.s(file)),
                              (6, self.s(build_id)), *zip((7, 8, 9, 10), flags))))

    def func(self, name, file='', start=0, system=None, id=None):
        key = ('f', name, file, start, system, id)
        if key not in self.ids:
            n = id or self.next['f']
            self.next['f'] += 1
            self.ids[key] = n
            self.add(field(5, msg((1, n), (2, self.s(name)), (3, self.s(name if system is None else system)),
                                  (4, self.s(file)), (5, start))))
        return self.ids[key]

    def loc(self, *lines, id=None, addr=None, mapping=None, folded=0):
        """A location from lines, innermost first: name or (name, file, line[, column])."""
        key = ('l', lines, id, addr, mapping, folded)
        if key not in self.ids:
            n = id or self.next['l']
            self.next['l'] += 1
            self.ids[key] = n
            body = b''
            for line in lines:
                name, file, no, col = (line, '', 0, 0) if isinstance(line, (str, bytes)) else (*line, 0)[:4]
                body += field(4, msg((1, self.func(name, file)), (2, no), (3, col)))
            where = 0x400000 + 16 * n if addr is None else addr
            which = (1 if self.has_mapping else 0) if mapping is None else mapping
            self.add(field(4, msg((1, n), (2, which), (3, where)) + body + msg((5, folded))))
        return self.ids[key]

    def stack(self, path):
        """Location ids, leaf first, of a path written root first: 'main;run;leaf'.
        A frame 'inner<outer' is one location with inner inlined into outer."""
        return [self.loc(*((n, n.strip('<>.') + '.c', 10 + len(n)) for n in f.split('<')))
                for f in reversed(path.split(';')) if f]

    def label(self, key, text=None, num=0, unit=''):
        return field(3, msg((1, self.s(key)), (2, self.s(text) if text is not None else 0),
                            (3, num), (4, self.s(unit))))

    def sample(self, locs, values, labels=()):
        if isinstance(locs, str):
            locs = self.stack(locs)
        self.add(field(2, ints(1, locs, self.packed) + ints(2, values, self.packed) + b''.join(labels)))

    def encode(self, time=TIME, duration=1_000_000_000, default='', drop='', keep='', comments=(), doc=''):
        tail = msg((7, self.s(drop)), (8, self.s(keep)), (9, time), (10, duration))
        if self.period:
            name, unit, n = self.period
            tail += field(11, self.value_type(name, unit)) + field(12, n)
        tail += ints(13, [self.s(c) for c in comments], self.packed)
        tail += msg((14, self.s(default)), (15, self.s(doc)))
        return b''.join(self.parts) + b''.join(field(6, s) for s in self.strings) + tail


CPU = [('samples', 'count'), ('cpu', 'nanoseconds')]
TICK = ('cpu', 'nanoseconds', 10_000_000)


def plain(rows=(('main;run;leaf', 3), ('main;run', 2), ('main;idle', 1)), types=CPU, period=TICK, **how):
    """A common profile: rows of (path, ticks) with 10 ms per tick."""
    p = Profile(types, period, **how)
    for path, n in rows:
        p.sample(path, [n, n * 10_000_000][:len(types)])
    return p


class Folder:
    """The files of one folder: name -> (description, function); decorators register the functions."""

    def __init__(self):
        self.files = {}

    def __call__(self, name, what):
        def keep(make):
            self.files[name] = (what, make)
            return make
        return keep

    def write(self, path):
        for name, (_, make) in self.files.items():
            data = make()
            if data is not None:  # None: a tool is missing, the file is unchanged
                with open('%s/%s' % (path, name), 'wb') as f:
                    f.write(data)
