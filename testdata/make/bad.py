#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""bad.py - files with one defect each. No reader may crash, hang or grow without limit.

usage: bad.py FOLDER         writes every file below; the same bytes at each run

Most are not compressed, so that the position of the defect is known.
"""
import struct
import sys

from emit import CPU, TICK, Folder, Profile, field, gzip, ints, msg, plain, varint

bad = Folder()


def late(extra, **how):
    """A valid profile with `extra` top-level bytes at the end."""
    return plain().encode(**how) + extra


def one(locs=(1,), values=(3, 30_000_000), more=b'', loc=None, func=None, types=CPU):
    """One function 1, one location 1, one sample; each part may be replaced."""
    p = Profile(types, TICK)
    name = p.s('leaf')
    p.add(msg() if func == b'' else field(5, func or msg((1, 1), (2, name))))
    p.add(msg() if loc == b'' else field(4, loc or msg((1, 1), (2, 1), (3, 0x400010)) + field(4, msg((1, 1), (2, 7)))))
    p.add(more)
    p.add(field(2, ints(1, list(locs)) + ints(2, list(values))))
    return p.encode()


def make(name, what, data):
    bad(name, what)(lambda: data() if callable(data) else data)


# containers

make('empty.pb', 'no byte', b'')
make('empty-in-gzip.pb.gz', 'a valid gzip file without contents', gzip(b''))
make('gzip-truncated.pb.gz', 'cut in the middle of the compressed data', gzip(plain().encode())[:100])
make('gzip-no-trailer.pb.gz', 'last 8 bytes (checksum, length) missing', gzip(plain().encode())[:-8])
make('gzip-header-only.pb.gz', 'first 10 bytes of a gzip file', gzip(b'')[:10])
make('gzip-magic-only.pb.gz', 'first 2 bytes of a gzip file', b'\x1f\x8b')
make('gzip-checksum.pb.gz', 'checksum wrong by one bit', lambda: flip(gzip(plain().encode()), -8))
make('gzip-length.pb.gz', 'length in the trailer wrong', lambda: flip(gzip(plain().encode()), -4))
make('gzip-trailing-junk.pb.gz', 'a valid member, then bytes that are not a member', gzip(plain().encode()) + b'more?')
make('gzip-second-truncated.pb.gz', 'a valid member, then half of another', lambda: gzip(plain().encode()) + gzip(plain().encode())[:60])
make('gzip-nested.pb.gz', 'a valid profile, compressed twice', gzip(gzip(plain().encode())))
make('gzip-bomb.pb.gz', '200 MB of zeros in 200 kB', lambda: gzip(bytes(200_000_000)))
make('gzip-strings-bomb.pb.gz', 'valid, but 4 million empty strings in 8 kB', lambda: gzip(late(b'\x32\0' * 4_000_000)))
make('zstd-truncated.pb.zst', 'magic number and the start of a zstd frame', b'\x28\xb5\x2f\xfd\xa0\x00\x10')
make('page.html', 'the response of a server that requires a login', b'<!DOCTYPE html>\n<html><head><title>Sign in</title></head>\n<body>401</body></html>\n')
make('image.png', 'PNG signature and header', b'\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x02\0\0\0\x90wS\xde')
make('text.json', 'JSON', b'{"error": {"code": 404, "message": "no such profile"}}\n')
make('script.txt', 'a shell script', b'#!/bin/sh\necho this is not a profile\n')
make('elf-header.bin', 'the first 64 bytes of a program, nothing after them',
     b'\x7fELF\x02\x01\x01' + bytes(9) + struct.pack('<HHIQQQIHHHHHH', 2, 62, 1, 0x401000, 64, 0, 0, 64, 56, 1, 64, 0, 0))
make('newline.txt', 'one newline', b'\n')
make('zeros.bin', '64 zero bytes', bytes(64))


def flip(data, at):
    return data[:at] + bytes([data[at] ^ 1]) + (data[at + 1:] if at != -1 else b'')


# protobuf

make('truncated.pb', 'cut in the middle of the samples', plain().encode()[:70])
make('truncated-length.pb', 'the last field claims 100 bytes, 3 follow', late(b'\x32\x64abc'))
make('length-negative.pb', 'a field of length 2^64-1', late(b'\x32' + varint(-1) + b'abc'))
make('length-huge.pb', 'a field of length 2^40', late(b'\x32' + varint(1 << 40)))
make('wrong-wire-type-sample.pb', 'sample as a number', late(field(2, 7)))
make('wrong-wire-type-string.pb', 'string_table as a number', late(field(6, 7)))
make('wrong-wire-type-time.pb', 'time_nanos as bytes', late(field(9, b'soon'), time=0))
make('wrong-wire-type-id.pb', 'location id as fixed64', lambda: one(loc=field(1, 1, wire=1) + field(4, msg((1, 1)))))
make('wire-type-3.pb', 'field 100 as a group', late(varint(100 << 3 | 3) + varint(100 << 3 | 4)))
make('wire-type-6.pb', 'field 100 of wire type 6', late(varint(100 << 3 | 6) + b'\0'))
make('field-zero.pb', 'field number 0', late(b'\0\0'))
make('varint-11-bytes.pb', 'duration_nanos in 11 bytes', late(b'\x50' + b'\x80' * 10 + b'\x01', duration=0))
make('varint-over-64-bits.pb', 'duration_nanos in 10 bytes, top bits beyond 64', late(b'\x50' + b'\xff' * 9 + b'\x7f', duration=0))
make('varint-cut.pb', 'ends inside a number', late(b'\x50\x80\x80'))
make('packed-cut.pb', 'packed values end inside a number', lambda: late(field(2, ints(1, [1]) + field(2, b'\x03\x80'))))
make('first-string-not-empty.pb', 'string_table[0] is "leaf"', plain(first='leaf').encode())
make('no-strings.pb', 'names without a string table', field(1, msg((1, 1), (2, 2))) + field(2, ints(2, [1])))
make('string-out-of-range.pb', 'function name 900 of a short table', lambda: one(func=msg((1, 1), (2, 900))))
make('string-negative.pb', 'function name -1', lambda: one(func=msg((1, 1), (2, -1))))
make('label-string-out-of-range.pb', 'label key 900', lambda: late(field(2, ints(1, [1]) + ints(2, [1, 1]) + field(3, msg((1, 900), (2, 1))))))
make('location-missing.pb', 'sample names location 7', lambda: one(locs=(1, 7)))
make('location-zero.pb', 'sample names location 0', lambda: one(locs=(0,)))
make('location-id-zero.pb', 'a location with id 0', lambda: one(more=field(4, msg((3, 5)))))
make('location-duplicate.pb', 'two locations with id 1', lambda: one(more=field(4, msg((1, 1), (3, 5)))))
make('function-id-zero.pb', 'a function with id 0', lambda: one(more=field(5, msg((2, 1)))))
make('function-duplicate.pb', 'two functions with id 1', lambda: one(more=field(5, msg((1, 1), (2, 2)))))
make('function-missing.pb', 'a line names function 7', lambda: one(func=b''))
make('line-without-function.pb', 'a line without function id', lambda: one(loc=msg((1, 1)) + field(4, msg((2, 7)))))
make('mapping-id-zero.pb', 'a mapping with id 0', lambda: one(more=field(3, msg((2, 1)))))
make('mapping-duplicate.pb', 'two mappings with id 1', lambda: one(more=field(3, msg((1, 1), (2, 1)))))
make('mapping-inverted.pb', 'a mapping whose limit is below its start: readers may accept it', lambda: one(more=field(3, msg((1, 2), (2, 9), (3, 4)))))
make('values-too-few.pb', 'one value, two types', lambda: one(values=(3,)))
make('values-too-many.pb', 'three values, two types', lambda: one(values=(3, 4, 5)))
make('values-none.pb', 'a sample without values', lambda: one(values=()))
make('no-types.pb', 'samples, but no sample types', lambda: one(types=[]))
make('no-types-no-samples.pb', 'neither types nor samples', lambda: Profile([], TICK).encode())
make('concatenated.pb', 'two concatenated profiles (cat a b)', plain().encode() * 2)
make('concatenated.pb.gz', 'two concatenated compressed profiles (cat a.gz b.gz)', gzip(plain().encode()) * 2)
make('concatenated-no-time.pb', 'two concatenated profiles without time_nanos, so that it is not obvious', plain().encode(time=0) * 2)
make('sum-overflow.pb', 'values fit into int64, their sum does not', lambda: overflow(1))
make('total-overflow.pb', 'the sum fits, the sum of magnitudes does not', lambda: overflow(-1))


def overflow(sign):
    p = Profile([('space', 'bytes')])
    p.sample('main;a', [2**63 - 1])
    p.sample('main;b', [sign * (2**63 - 1)])
    return p.encode()


# legacy formats, each cut in the middle

CPU64 = struct.pack('<16Q', 0, 3, 0, 10000, 0, 2, 3, 0x401000, 0x402000, 0x403000, 1, 2, 0x401100, 0x402000, 0, 1)
MAPS = b'MAPPED_LIBRARIES:\n00400000-00500000 r-xp 00000000 08:01 42 /bin/legacy\n'
HEAP = b'heap profile: 3: 96 [5: 160] @ heap_v2/524288\n 2: 64 [4: 128] @ 0x401000 0x402000\n 1: 32 [1: 32] @ 0x401100\n'
COUNT = b'goroutine profile: total 3\n2 @ 0x401000 0x402000\n1 @ 0x401100 0x402000\n'
THREADZ = b'--- threadz 1 ---\n\n--- Thread 7f01 (name: main/1) stack: ---\n  PC: 0x401000\n    0x402000\n--- Thread 7f02 (name: w/2) stack: ---\n  0x403000\n--- Memory map: ---\n'
MUTEX = b'--- mutex:\ncycles/second=1000000000\nsampling period=100\n1000 3 @ 0x401000 0x402000\n2000 1 @ 0x401100\n'
JHEAP = b'--- heapz 1 ---\nformat = java\nresolution = bytes\n64 2 @ 0x1 0x2\n32 1 @ 0x1\n\n 0x1 a.b.leaf (B.java:3)\n 0x2 a.b.main (B.java:9)\n'
JCONT = b'--- contentionz 1 ---\nformat = java\nresolution = microseconds\nsampling period = 100\nms since reset = 6000\n14 1 @ 0x1 0x2\n\n 0x1 a.leaf (B.java:3)\n 0x2 a.main (B.java:9)\n'
JCPU = struct.pack('<12Q', 0, 3, 1, 10000, 0, 2, 2, 1, 2, 0, 1, 0) + b' 0x1 a.leaf (B.java:3)\n 0x2 a.main (B.java:9)\n'


def upto(data, mark):
    return data[:data.index(mark) + len(mark)]


make('cut-cpu-header.cpu', 'CPU binary: three of five header words', CPU64[:24])
make('cut-cpu-record.cpu', 'CPU binary: ends inside a stack', CPU64[:72])  # word 9 of 16
make('cut-cpu-word.cpu', 'CPU binary: ends inside a word', CPU64[:75])
make('cut-cpu-end.cpu', 'CPU binary: ends inside the end record', CPU64)
make('cut-cpu-map.cpu', 'CPU binary: ends inside a mapping line', CPU64 + struct.pack('<Q', 0) + MAPS[18:40])
make('cpu-depth-huge.cpu', 'CPU binary: a stack of 2^60 frames', CPU64[:48] + struct.pack('<3Q', 1 << 60, 1, 2))
make('cpu-depth-past-end.cpu', 'CPU binary: a stack of 500 frames, 2 follow', CPU64[:48] + struct.pack('<3Q', 500, 1, 2))
make('cpu-period-zero.cpu', 'CPU binary: period 0', struct.pack('<8Q', 0, 3, 0, 0, 0, 0, 1, 0))
make('cut-java-cpu.cpu', 'Java CPU: ends inside the location table', JCPU[:-12])
make('cut-heap-header.txt', 'heap text: ends inside the first line', upto(HEAP, b'3: 96 [5: 1'))
make('cut-heap.txt', 'heap text: ends inside a sample', upto(HEAP, b' 1: 32'))
make('cut-heap-address.txt', 'heap text: ends inside an address', upto(HEAP, b'@ 0x401000 0x4'))
make('cut-heap-map.txt', 'heap text: ends inside a mapping line', HEAP + MAPS[:30])
make('cut-count.txt', 'Go count text: ends after @', upto(COUNT, b'2 @'))
make('cut-count-address.txt', 'Go count text: ends after 0x', upto(COUNT, b'2 @ 0x401000 0x'))
make('cut-threadz.txt', 'thread text: ends inside a thread header', upto(THREADZ, b'0x402000\n--- Thread 7f'))
make('cut-mutex-attributes.txt', 'contention text: ends inside the attributes', upto(MUTEX, b'cycles/second=1000'))
make('cut-mutex.txt', 'contention text: ends inside a sample', upto(MUTEX, b'1000 3'))
make('cut-java-heap.txt', 'Java heap text: ends inside the location table', upto(JHEAP, b'a.b.ma'))
make('cut-java-contention.txt', 'Java contention text: ends inside a sample', upto(JCONT, b'14 1'))
make('heap-count-0-bytes-5.txt', 'heap text: 0 objects of 5 bytes', HEAP.replace(b'1: 32 [', b'0: 5 ['))
make('heap-alloc-0-bytes-5.txt', 'heap text: 0 allocations of 5 bytes', HEAP.replace(b'[1: 32]', b'[0: 5]'))
make('heap-number-huge.txt', 'heap text: a count beyond int64', HEAP.replace(b'2: 64', b'99999999999999999999: 64'))
make('heap-address-huge.txt', 'heap text: an address of 17 digits', HEAP.replace(b'0x401100', b'0x10000000000401100'))
make('heap-rate-huge.txt', 'heap text: a rate beyond int64', HEAP.replace(b'524288', b'99999999999999999999'))
make('heap-line-long.txt', 'heap text: a line of more than 64 KiB', HEAP + b' 1: 32 [1: 32] @' + b' 0x401200' * 8000 + b'\n')
make('count-line-long.txt', 'Go count text: a comment of more than 64 KiB', COUNT + b'#' + b'-' * 70000 + b'\n')
make('count-number-huge.txt', 'Go count text: a count beyond int64', COUNT.replace(b'2 @', b'99999999999999999999 @'))
make('count-bad-line.txt', 'Go count text: a line that is not a sample', COUNT + b'three @ 0x1\n')
make('mutex-unknown-key.txt', 'contention text: an unknown attribute', MUTEX.replace(b'sampling period', b'favourite colour'))
make('mutex-hz-text.txt', 'contention text: cycles/second is not a number', MUTEX.replace(b'1000000000', b'fast'))
make('java-heap-count-0.txt', 'Java heap text: 0 objects', JHEAP.replace(b'64 2', b'64 0'))
make('java-format-other.txt', 'Java heap text: format is not java', JHEAP.replace(b'java\nres', b'lava\nres'))
make('maps-address-huge.txt', 'heap text: a mapping address of 20 digits', HEAP + MAPS.replace(b'00500000', b'00500000000000000000'))

if __name__ == '__main__':
    bad.write(sys.argv[1])
