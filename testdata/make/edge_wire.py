# SPDX-License-Identifier: Apache-2.0
"""edge_wire.py - corner cases of bytes: compression, field order, encodings, legacy text."""
import shutil
import subprocess

from emit import CPU, TICK, Folder, Profile, field, gzip, ints, msg, plain, zstd_stored

edge = Folder()


@edge('sparse-ids.pb.gz', 'ids of locations, functions and mappings up to 2^64-1, in descending order')
def _():
    p = Profile(CPU, TICK, mapping=False)
    top = 2**64 - 1
    p.mapping(top, 0x400000, 0x500000, 0, '/bin/sparse')
    for n, name in enumerate(('leaf', 'mid', 'main')):
        p.func(name, name + '.c', id=top - n * 1_000_003)
        p.add(field(4, msg((1, top - n * 7_000_000_001), (2, top), (3, 0x400100 + n))
                    + field(4, msg((1, top - n * 1_000_003), (2, 5 + n)))))
    p.sample([top - n * 7_000_000_001 for n in range(3)], [2, 20_000_000])
    return gzip(p.encode())


@edge('unpacked.pb.gz', 'repeated numbers as one field each, as proto2 writers do')
def _():
    return gzip(plain(packed=False).encode(comments=('one', 'two')))


@edge('packed-and-unpacked.pb.gz', 'one sample with packed values, then unpacked ones')
def _():
    p = plain([])
    p.add(field(2, ints(1, p.stack('main;leaf')) + ints(2, [3]) + ints(2, [30_000_000], packed=False)))
    return gzip(p.encode())


@edge('reversed-order.pb.gz', 'top-level fields in reverse order: samples before their locations, types last')
def _():
    p = plain()
    p.parts.reverse()
    return gzip(b''.join([field(9, 1), field(12, 10_000_000), *(field(6, s) for s in p.strings), *p.parts]))


@edge('unknown-fields.pb.gz', 'fields 100 to 103 of wire types 0, 1, 2, 5 at the top and in a sample: readers must skip them')
def _():
    p = plain([])
    junk = field(100, 7) + field(101, 7, wire=1) + field(102, b'junk') + field(103, 7, wire=5)
    p.add(junk + field(2, ints(1, p.stack('main;leaf')) + junk + ints(2, [3, 30_000_000])))
    return gzip(p.encode() + junk)


@edge('gzip-members.pb.gz', 'one profile cut into three gzip members, one of them empty')
def _():
    data = plain().encode()
    return gzip(data[:50]) + gzip(b'') + gzip(data[50:])


@edge('gzip-header-fields.pb.gz', 'gzip header with extra field, file name and comment')
def _():
    return gzip(plain().encode(), b'\x04\0ab\0\0' + b'name.pb\0' + b'a comment\0', flags=4 | 8 | 16)


@edge('zstd-stored.pb.zst', 'zstd frame with stored blocks (written by hand, RFC 8878)')
def _():
    return zstd_stored(plain().encode())


@edge('zstd.pb.zst', 'zstd frame made by the zstd program (-19); skipped if that is missing')
def _():
    if not shutil.which('zstd'):
        return None
    return subprocess.run(['zstd', '-19', '-q', '-c'], input=plain().encode(), capture_output=True, check=True).stdout


@edge('bare.pb', 'not compressed')
def _():
    return plain().encode()


@edge('same-strings.pb.gz', 'the string table contains each name twice, functions use either: they are equal')
def _():
    p = plain([])
    for n in (1, 2):
        at = len(p.strings)
        p.strings += [b'leaf', b'leaf.c']
        p.add(field(5, msg((1, n), (2, at), (3, at), (4, at + 1))) + field(4, msg((1, n), (2, 1), (3, 0x400000 + n)) + field(4, msg((1, n), (2, 3)))))
        p.sample([n], [1, 10_000_000])
    return gzip(p.encode())


@edge('heap-brief-maps.txt', 'heap_v2 text, rate 1, comment and blank lines, map with $name, log prefix, brief lines, build id, data segment skipped')
def _():
    return (b'heap profile: 3: 96 [5: 160] @ heap_v2/1\n'
            b'  2: 64 [4: 128] @ 0x401010 0x402020\n\n# a comment\n 1: 32 [ 1: 32] @ 0x700020 0x402020\n-1: -32 [0: 0] @ 0x401010\n'
            b'MAPPED_LIBRARIES:\nbuild=/opt/brief\nI0101 00:00:00.000000 7 maps.cc:12] 00400000-00500000: r-xp $build/prog\n'
            b'500000-600000 rw-p /opt/brief/prog\n0x700000 0x800000 r-xp /opt/brief/lib.so (@1000) deadbeef\nthis line is nothing\n')


@edge('heap-fragmentation.txt', 'heap text of kind fragmentation: no scaling')
def _():
    return b'heap profile: 2: 300 [ 2: 300 ] @ fragmentationz\n1: 100 [1: 100] @ 0x1010 0x2020\n1: 200 [1: 200] @ 0x3030\n'


@edge('heap-scaled.txt', 'heap text of kind heap/1024: period 512, counts scaled up by the sampling formula')
def _():
    return b'heap profile: 3: 1536 [9: 9216] @ heap/1024\n2: 512 [4: 1024] @ 0x1010 0x2020\n1: 1024 [5: 8192] @ 0x3030 0x2020\n'


@edge('threadz-no-header.txt', 'thread text that begins with a thread; repeated threads; a thread without stack')
def _():
    return (b'--- Thread 7f01 (name: main/1) stack: ---\n  PC: 0x401000\n  0x402000: main\n--- Thread 7f02 (name: a b/c/22) stack: ---\n'
            b'  [same as previous thread]\n--- Thread 7f03 (name: /3) stack: ---\n  0x403000 0x402000\n---- no stack trace for 7f04 ----\n')


@edge('mutex-no-hz.txt', 'contention text without cycles per second: counts are multiplied by the period, delays are not')
def _():
    return b'--- mutex:\nsampling period=100\n12 3 @ 0x401010 0x402020\n 7 1 @ 0x403030\n'


@edge('count-comments.txt', 'count text with comments and a trailer that ends the samples')
def _():
    return b'\n# by hand\nparcels profile: total 3\n2 @ 0x401010 0x402020\n# note\n\n1 @ 0x403030\n--- end\nnot read\n'
