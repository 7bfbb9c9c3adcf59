#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""edge.py - small valid profiles, each for one corner case of the format.

usage: edge.py FOLDER        writes every file named here and in edge_wire.py;
                             the same bytes at each run
"""
import sys

from edge_wire import edge
from emit import CPU, TICK, Profile, field, gzip, msg, plain


def rows(types, *samples, period=None, **how):
    """A gzipped profile from samples (path, values)."""
    p = Profile(types, period)
    for path, values in samples:
        p.sample(path, values)
    return gzip(p.encode(**how))


@edge('empty-stacks.pb.gz', 'two of three samples have no location: only the total includes them')
def _():
    return rows(CPU, ('main;leaf', [3, 30_000_000]), ('', [2, 20_000_000]), ('', [1, 10_000_000]), period=TICK)


@edge('recursion.pb.gz', 'direct, mutual and inlined recursion; cum must count a sample once')
def _():
    return gzip(plain([('main;fact;fact;fact', 4), ('main;even;odd;even;odd', 3), ('main;fact', 2),
                       ('main;fold<fold;fold<fold', 1)]).encode())


@edge('inline-sometimes.pb.gz', 'hot is inlined into caller at one address, called at another, inlined two deep at a third')
def _():
    return gzip(plain([('main;hot<caller', 5), ('main;caller;hot', 3), ('main;hot<mid<caller', 2), ('main;caller', 1)]).encode())


@edge('default-sample-type.pb.gz', 'four values, default_sample_type is the second; the last would be chosen without it')
def _():
    types = [('alloc_objects', 'count'), ('alloc_space', 'bytes'), ('inuse_objects', 'count'), ('inuse_space', 'bytes')]
    return rows(types, ('main;load', [9, 9216, 3, 3072]), ('main;parse', [40, 1280, 0, 0]),
                period=('space', 'bytes', 524288), default='alloc_space')


@edge('default-sample-type-missing.pb.gz', 'default_sample_type names a missing type: the last is used')
def _():
    return rows(CPU, ('main;leaf', [3, 30_000_000]), period=TICK, default='wall')


@edge('zero-values.pb.gz', 'samples with all zero, some zero, and two that cancel')
def _():
    return rows(CPU, ('main;none', [0, 0]), ('main;half', [4, 0]), ('main;plus', [1, 5_000_000]),
                ('main;minus', [-1, -5_000_000]), period=TICK)


@edge('all-zero.pb.gz', 'every value is zero: the total is zero')
def _():
    return rows(CPU, ('main;a', [0, 0]), ('main;b', [0, 0]), period=TICK)


@edge('negative-values.pb.gz', 'a stored difference: values below zero, node sums that cancel')
def _():
    return rows(CPU, ('main;grew', [7, 70_000_000]), ('main;shrank', [-4, -40_000_000]),
                ('main;both;up', [2, 20_000_000]), ('main;both;down', [-2, -20_000_000]), period=TICK)


@edge('big-values.pb.gz', 'values whose sum is exactly the largest int64')
def _():
    return rows([('space', 'bytes')], ('main;most', [2**63 - 1001]), ('main;rest', [1000]))


def ladder(family):
    """One type per unit name of a family, one sample per magnitude."""
    types = [('v_' + u, u) for u in family]
    return rows(types, *(('main;x%d' % n, [n] * len(types)) for n in (1, 999, 1024, 3600, 1_000_000, 5_000_000_000)))


for fam, names in {
        'bytes': ('bytes', 'byte', 'B', 'kb', 'KB', 'kilobytes', 'mb', 'MBytes', 'gb', 'TB', 'pb'),
        'time': ('nanoseconds', 'ns', 'us', 'microseconds', 'ms', 'milliseconds', 's', 'sec', 'Seconds', 'hr', 'Hours'),
        'gcu': ('nanogcu', 'microgcu', 'milligcu', 'gcu', 'GCUs', 'kilogcu', 'megagcu', 'gigagcu', 'teragcu', 'petagcu'),
        'count': ('count', 'sample', 'unit', 'objects', 'samples'),
        'unknown': ('widgets', 'kib', 'minutes', 'μs', '%', '', 'two words')}.items():
    edge('unit-%s.pb.gz' % fam, 'one sample type per unit: ' + ', '.join(n or '(empty)' for n in names))(
        lambda names=names: ladder(names))

HOSTILE = [
    'newline\nin the middle', 'tab\tand\rreturn', '\x1b[31mred\x1b[0m \x1b]0;title\x07 \x1b[2J', 'nul\0inside', 'del\x7f and c1 \x9b31m',
    b'latin-1 \xe9\xe8 not utf-8', b'cut \xe2\x82', b'overlong \xc0\xaf surrogate \xed\xa0\x80', '日本語の関数', 'ｗｉｄｅ', 'e\u0301 combined', '🍏🧑\u200d🌾 emoji',
    '\u202eright to left\u202c', '\u200bzero\u200bwidth', '<script>alert(1)</script>', '"quotes" \'and\' \\back\\slashes\\', '%s%n%d %% $(id) `id`',
    'comma,semi;colon', '=1+1', '  blanks  around  ', 'a' * 1500, ' ', '.', '..', '/', '(anonymous namespace)::f<int (*)(char)>(int)', 'operator()',
    'std::vector<std::pair<int, char>, std::allocator<std::pair<int, char> > >::push_back(std::pair<int, char>&&)']


@edge('names-hostile.pb.gz', 'function names with newlines, escape sequences, NUL, invalid UTF-8, wide, joined and right-to-left characters, HTML, printf and shell text, 1500 letters, one blank')
def _():
    p = Profile(CPU, TICK)
    root = p.loc(('main', 'main.c', 1))
    for n, name in enumerate(HOSTILE):
        p.sample([p.loc((name, 'file %d' % n, n + 1)), root], [n + 1, (n + 1) * 10_000_000],
                 [p.label('name', name if isinstance(name, bytes) or name.strip() else 'blank')])
    return gzip(p.encode(comments=HOSTILE[:3], doc='javascript:alert(1)'))


@edge('names-empty.pb.gz', 'functions without name, without file, without both; a location without lines; system name only')
def _():
    p = Profile(CPU, TICK)
    p.func('', 'only-system.c', 0, '_Zsystem', id=90)
    p.add(field(4, msg((1, 90), (2, 1), (3, 0x400900)) + field(4, msg((1, 90), (2, 1)))))
    for loc in (p.loc(('', 'a.c', 3)), p.loc(('', '', 3)), p.loc(('f', '', 0)), p.loc(), 90):
        p.sample([loc, p.loc('main')], [1, 10_000_000])
    return gzip(p.encode())


@edge('files-hostile.pb.gz', 'file names and mapping names with newlines, escapes, invalid UTF-8, HTML, ../ paths, drive letters')
def _():
    p = Profile(CPU, TICK, mapping=False)
    p.mapping(1, 0x400000, 0x500000, 0, '/bin/new\nline')
    p.mapping(2, 0x600000, 0x700000, 0, b'/lib/\xff\xfe.so', '"><b>')
    for n, file in enumerate(('../../../etc/passwd', 'C:\\src\\a.c', '/abs/new\nline.c', b'\xff\xfe.c', 'a b.c', '\x1b[1m.c', '日本.c', '<x>.c', '')):
        p.sample([p.loc(('f%d' % n, file, n), mapping=1 + n % 2)], [1, 10_000_000])
    return gzip(p.encode())


@edge('drop-frames.pb.gz', 'drop_frames removes malloc and its callees, keep_frames keeps malloc_hook; one match is inlined, one has an argument list')
def _():
    p = plain([('main;work;malloc;grow', 5), ('main;work;malloc_hook;log', 3), ('main;malloc_page<work;deep', 2),
               ('malloc;start;main', 1), ('main;malloc(unsigned long);grow', 1), ('main;work', 1)])
    return gzip(p.encode(drop='malloc.*|grow', keep='malloc_hook'))


@edge('drop-frames-invalid.pb.gz', 'drop_frames is not a valid expression: ignored')
def _():
    return gzip(plain().encode(drop='leaf|(', keep='x'))


@edge('merge-ms.pb.gz', 'for a merge with merge-ns: cpu in milliseconds, period 10 ms')
def _():
    return rows([('samples', 'count'), ('cpu', 'milliseconds')], ('main;a', [3, 30]), ('main;b', [1, 10]), period=('cpu', 'milliseconds', 10))


@edge('merge-ns.pb.gz', 'for a merge with merge-ms: cpu in nanoseconds, values that are not whole milliseconds')
def _():
    return rows(CPU, ('main;a', [2, 20_500_000]), ('main;c', [1, 499_999]), period=TICK)


@edge('merge-types-abc.pb.gz', 'types samples, cpu, wall: two in common with merge-types-cba')
def _():
    return rows(CPU + [('wall', 'nanoseconds')], ('main;a', [1, 10_000_000, 90]), period=TICK, default='wall')


@edge('merge-types-cba.pb.gz', 'types cpu, extra, samples: the common types in another order')
def _():
    return rows([CPU[1], ('extra', 'count'), CPU[0]], ('main;a', [20_000_000, 5, 2]), ('main;b', [0, 7, 0]), period=TICK)


@edge('merge-types-none.pb.gz', 'a heap profile: no type in common with the other merge files')
def _():
    return rows([('objects', 'count'), ('space', 'bytes')], ('main;a', [1, 64]), period=('space', 'bytes', 524288))


@edge('merge-moved.pb.gz', 'for a merge with merge-moved-2: same build id at another address, locations must be merged')
def _():
    return moved(0x400000)


@edge('merge-moved-2.pb.gz', 'for a merge with merge-moved: the same two addresses, mapping loaded elsewhere')
def _():
    return moved(0x7f0000000000)


def moved(start):
    p = Profile(CPU, TICK, mapping=False)
    p.mapping(1, start, start + 0x10000, 0x1000, '/lib/moved.so', 'c0ffee')
    p.sample([p.loc(('leaf', 'leaf.c', 3), addr=start + 0x123, mapping=1), p.loc(('main', 'main.c', 9), addr=start + 0x456, mapping=1)], [1, 10_000_000])
    return gzip(p.encode())


@edge('no-mapping.pb.gz', 'no mapping at all')
def _():
    return gzip(plain(mapping=False).encode())


@edge('mapping-id-absent.pb.gz', 'locations name mapping 9, which is missing: treated as no mapping')
def _():
    p = Profile(CPU, TICK)
    p.sample([p.loc('leaf', mapping=9), p.loc('main')], [1, 10_000_000])
    return gzip(p.encode())


@edge('mappings.pb.gz', 'program, two libraries, [vdso], [kernel.kallsyms]_text; only some have functions, files, lines')
def _():
    p = Profile(CPU, TICK, mapping=False)
    for n, (file, build, flags) in enumerate((('/usr/bin/prog', 'aa11', (1, 1, 1, 1)), ('/lib/libc.so.6', 'bb22', (1, 0, 0, 0)), ('/lib/libc.so.6', '', (0, 0, 0, 0)),
                                              ('[vdso]', '', (0, 0, 0, 0)), ('[kernel.kallsyms]_text', 'cc33', (1, 0, 0, 0)))):
        p.mapping(n + 1, (n + 1) << 32, ((n + 1) << 32) + 0x20000, n * 0x1000, file, build, flags)
        where = ('f%d' % n, 'f.c', 4),
        p.sample([p.loc(*where if flags[0] else (), addr=((n + 1) << 32) + 0x10, mapping=n + 1)], [1, 10_000_000])
    return gzip(p.encode())


@edge('addresses-only.pb.gz', 'no function at all: addresses in a mapping, outside of it, and 0')
def _():
    p = Profile(CPU, TICK)
    for addr, which in ((0x400010, 1), (0x400fff, 1), (2**64 - 1, 0), (0, 0)):
        p.sample([p.loc(addr=addr, mapping=which)], [1, 10_000_000])
    return gzip(p.encode())


@edge('columns.pb.gz', 'one line with three columns; one address three times, which only the column of its inlined line distinguishes')
def _():
    p = Profile(CPU, TICK)
    for col in (3, 17, 40):
        p.sample([p.loc(('leaf', 'leaf.c', 7, col)), p.loc(('main', 'main.c', 9, 2))], [1, 10_000_000])
        p.sample([p.loc(('in', 'in.c', 5, col), ('out', 'out.c', 6, 1), addr=0x400900)], [1, 10_000_000])
    return gzip(p.encode())


@edge('start-lines.pb.gz', 'two functions that differ only in start_line or system_name, a line before the start, a folded location')
def _():
    p = Profile(CPU, TICK)
    for n, (start, system) in enumerate(((10, '_Z4leafv'), (20, '_Z4leafv'), (10, '_Z4leafi'))):
        p.func('leaf', 'leaf.c', start, system, id=50 + n)
        p.add(field(4, msg((1, 70 + n), (2, 1), (3, 0x400700 + n), (5, n == 1)) + field(4, msg((1, 50 + n), (2, 5)))))
        p.sample([70 + n], [1, 10_000_000])
    return gzip(p.encode())


@edge('labels.pb.gz', 'string labels, numbers with and without unit, several values of one key, both kinds under one key, number 0 (lost), negative, empty text')
def _():
    p = Profile(CPU, TICK)
    lab = p.label
    sets = ([lab('route', '/tour'), lab('tenant', 'north')], [lab('route', '/tour'), lab('route', '/quote')],
            [lab('bytes', num=4096)], [lab('bytes', num=4096, unit='bytes'), lab('bytes', num=512)],
            [lab('wait', num=1500, unit='milliseconds'), lab('wait', num=2, unit='seconds')],
            [lab('request', num=0, unit='requests')], [lab('zero', num=0)], [lab('debt', num=-7)],
            [lab('mixed', 'text'), lab('mixed', num=5, unit='bytes')], [lab('', 'no key')], [lab('blank', '')],
            [lab('route:/x y,z', 'a:b,c "d"')], [])
    for n, labels in enumerate(sets):
        p.sample('main;f%d' % (n % 4), [1, 10_000_000], labels)
    return gzip(p.encode())


@edge('comments.pb.gz', 'three comments (one twice), doc_url, no time, no duration')
def _():
    return gzip(plain().encode(time=0, duration=0, comments=('built by hand', 'second', 'built by hand'), doc='https://example.org/help'))


@edge('no-period.pb.gz', 'no period type, no period')
def _():
    return gzip(plain(period=None).encode())


@edge('no-samples.pb.gz', 'types but no samples: valid and empty')
def _():
    return gzip(plain([]).encode())


@edge('deep-stack.pb.gz', 'one stack of 5000 frames over 50 functions')
def _():
    return gzip(plain([(';'.join('f%d' % (n % 50) for n in range(5000)), 1)]).encode())


if __name__ == '__main__':
    edge.write(sys.argv[1])
