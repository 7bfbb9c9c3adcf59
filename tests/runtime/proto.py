# proto.py - a reader of profile.proto for tests that must not depend on our own reader
# SPDX-License-Identifier: Apache-2.0
import gzip
import os
import sys

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'cli'))
from wire import fields, integers, signed  # noqa: E402

PLACES = ('[cpa: ', '[running]', '[ready: ', '[no answer: ')  # pseudo frames of stack_table.c


class Sample:
    def __init__(self, data, texts):
        self.ids, self.values, self.labels, self.numbers = [], [], {}, {}
        for number, value in fields(data):
            if number == 1:
                self.ids += integers(value)
            elif number == 2:
                self.values += map(signed, integers(value))
            else:
                pair = dict(fields(value))
                key = texts[pair[1]]
                if pair.get(2):
                    self.labels[key] = texts[pair[2]]
                else:
                    self.numbers[key] = signed(pair.get(3, 0))


class Location:
    def __init__(self, data):
        one = {}
        self.lines = []
        for number, value in fields(data):
            if number == 4:
                self.lines.append(dict(fields(value)).get(1, 0))
            else:
                one[number] = value
        self.id, self.mapping, self.address = one.get(1, 0), one.get(2, 0), one.get(3, 0)


class Mapping:
    def __init__(self, data, texts):
        one = dict(fields(data))
        self.id, self.start, self.limit, self.offset = (one.get(i, 0) for i in (1, 2, 3, 4))
        self.path, self.build_id = texts[one.get(5, 0)], texts[one.get(6, 0)]
        self.has_functions = bool(one.get(7, 0))


class Profile:
    """types: "TYPE/UNIT"; samples; locations, mappings, functions (names) by id; mapping_order: of the file"""

    def __init__(self, packed):
        all_of, one = {}, {}
        for number, value in fields(gzip.decompress(packed)):
            all_of.setdefault(number, []).append(value)
            one[number] = value
        texts = [bytes(t).decode() for t in all_of.get(6, [])]
        self.texts = texts
        self.types = [self.type_of(t) for t in all_of.get(1, [])]
        self.samples = [Sample(s, texts) for s in all_of.get(2, [])]
        self.mapping_order = [Mapping(m, texts) for m in all_of.get(3, [])]
        self.mappings = {m.id: m for m in self.mapping_order}
        self.location_order = [Location(x) for x in all_of.get(4, [])]
        self.locations = {x.id: x for x in self.location_order}
        functions = [dict(fields(f)) for f in all_of.get(5, [])]
        self.functions = {f.get(1, 0): texts[f.get(2, 0)] for f in functions}
        self.n_functions = len(functions)
        self.time_ns, self.duration_ns = one.get(9, 0), one.get(10, 0)
        self.period_type = self.type_of(one[11]) if 11 in one else ''
        self.period = one.get(12, 0)
        self.comments = [texts[i] for i in integers(*all_of.get(13, []))]
        self.default_type = texts[one.get(14, 0)]

    def type_of(self, data):
        pair = dict(fields(data))
        return self.texts[pair.get(1, 0)] + '/' + self.texts[pair.get(2, 0)]

    def names(self, sample):
        """Names of the frames of a sample, innermost first; '' without a name."""
        return [self.functions.get(f, '') for i in sample.ids for f in self.locations[i].lines or [0]]

    def sum(self, k, function=None, **labels):
        """Sum of value k over samples with the function on the stack and these labels."""
        return sum(s.values[k] for s in self.samples if (not function or function in self.names(s)) and
                   all(s.labels.get(key) == value for key, value in labels.items()))

    def trouble(self):
        """Return a list of errors that make the profile invalid."""
        bad = []
        if not self.texts or self.texts[0]:
            bad.append('the first text is %r' % self.texts[:1])
        for what, listed, by_id in (('mapping', self.mapping_order, self.mappings),
                                    ('location', self.location_order, self.locations)):
            if len(listed) != len(by_id) or 0 in by_id:
                bad.append('ids of a %s are used twice, or are 0' % what)
        if self.n_functions != len(self.functions) or 0 in self.functions:
            bad.append('ids of functions are used twice, or are 0')
        for s in self.samples:
            if len(s.values) != len(self.types):
                bad.append('%d values, not %d' % (len(s.values), len(self.types)))
            bad += ['no location %d' % i for i in s.ids if i not in self.locations]
            if not s.ids:
                bad.append('a sample has no stack')
        programs = {s.ids[1] for s in self.samples if len(s.ids) == 2 and self.names(s)[0] == '[cpa: not sampled]'}
        for x in self.location_order:
            m = self.mappings.get(x.mapping)
            if not m and not x.address and x.id in programs:
                continue  # programs with CPU time without a sample
            if not m and not x.address and self.functions.get((x.lines or [0])[0], '').startswith(PLACES):
                continue  # pseudo frames have no address
            if not m:
                bad.append('location %d at %#x has no mapping' % (x.id, x.address))
            elif not m.start <= x.address < m.limit:
                bad.append('%#x is outside of %s' % (x.address, m.path))
            bad += ['no function %d' % f for f in x.lines if f not in self.functions]
        return sorted(set(bad))
