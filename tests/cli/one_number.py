#!/usr/bin/python3
# one_number.py - the same question about a store on every surface, compared with a sum that Python computes
# SPDX-License-Identifier: Apache-2.0
"""usage: one_number.py CPA FOLDER SEED QUESTIONS

Draws stores: services, instances, versions, restarts, kinds, labels; in a journal, in segments, merged, pinned. Asks each for
random windows, labels of series and samples, kinds and reductions with top, peek, folded, flame, series, trend, diff, the
page and a collector, and compares
totals, and the values of functions, with the profiles that were imported. Prints "ok QUESTIONS", or what differs and the seed.
"""
import calendar
import gzip
import html
import json
import os
import random
import re
import signal
import subprocess
import sys
import time
import urllib.parse
import urllib.request
import zlib
from fractions import Fraction

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'runtime'))
from proto import Profile  # noqa: E402
from wire import message, number, packed  # noqa: E402

DELTA, COUNTER, GAUGE = range(3)
KINDS = {
    'cpu': [('samples', 'count', DELTA), ('cpu', 'nanoseconds', DELTA)],
    'heap': [('alloc_objects', 'count', COUNTER), ('alloc_space', 'bytes', COUNTER), ('inuse_objects', 'count', GAUGE),
             ('inuse_space', 'bytes', GAUGE)],
    'goroutine': [('goroutine', 'count', GAUGE)],
    'mutex': [('contentions', 'count', COUNTER), ('delay', 'nanoseconds', COUNTER)],
}
PERIOD = {'cpu': ('cpu', 'nanoseconds', 10**7), 'heap': ('space', 'bytes', 524288), 'goroutine': ('goroutine', 'count', 1),
          'mutex': ('contentions', 'count', 1)}
SECOND = 10**9
MINUTE = 60 * SECOND


# --- writing profiles ---

def address(name):
    return zlib.crc32(name.encode()) % 0xfff


def encode(kind, p):
    """The profile as profile.proto."""
    texts, functions, out, tables = {'': 0}, {}, b'', b''

    def text(s):
        return texts.setdefault(s, len(texts))

    for name, unit, _ in KINDS[kind]:
        out += message(1, number(1, text(name)) + number(2, text(unit)))
    for (stack, label), values in p.rows.items():
        for f in stack:
            if f not in functions:
                i = functions[f] = len(functions) + 1
                tables += message(5, number(1, i) + number(2, text(f)) + number(3, text(f)) + number(4, text(f + '.c')))
                tables += message(4, number(1, i) + number(2, 1) + number(3, 0x1000 + 16 * address(f)) +
                                  message(4, number(1, i) + number(2, 7)))
        out += message(2, packed(1, (functions[f] for f in stack)) +
                       packed(2, values) +
                       (message(3, number(1, text('route')) + number(2, text(label))) if label else b''))
    out += message(3, number(1, 1) + number(2, 0x1000) + number(3, 0x100000) + number(5, text('/bin/x')) +
                   (number(6, text(p.build)) if p.build else b'')) + tables
    unit, period_unit, period = PERIOD[kind]
    tail = number(9, p.time) + number(10, 10 * SECOND if kind == 'cpu' else 0)
    tail += message(11, number(1, text(unit)) + number(2, text(period_unit))) + number(12, period)
    if p.start:
        tail += number(13, text('start: ' + time.strftime('%Y-%m-%dT%H:%M:%SZ', time.gmtime(p.start // SECOND))))
    return gzip.compress(out + b''.join(message(6, t.encode()) for t in texts) + tail, 1)


# --- the model ---

def is_match(value, op, wanted):
    return bool(re.fullmatch(wanted if '~' in op else re.escape(wanted), value)) != ('!' in op)


class Snapshot:
    """rows: (stack, leaf first; value of route) to values"""

    def __init__(self, series, when, build, start, rows):
        self.series, self.time, self.build, self.start, self.rows = series, when, build, start, rows


class Series:
    def __init__(self, service, kind, labels):
        self.service, self.kind, self.labels, self.profiles = service, kind, labels, []
        self.instance = (service,) + tuple(sorted(l for l in labels.items() if l[0] != 'version'))


class Model:
    def __init__(self, rng):
        self.rng, self.series = rng, []
        self.end = int(time.time()) // 3600 * 3600 * SECOND - 3600 * SECOND
        self.begin = self.end - rng.choice([1, 3, 30]) * 3600 * SECOND
        for service in ['shop', 'shop-2', 'cart'][:rng.randint(1, 3)]:
            for kind in KINDS:
                if rng.random() < 0.75:
                    self.add_service(service, kind)
        if not self.series:
            self.add_service('shop', 'heap')

    def add_service(self, service, kind):
        rng = self.rng
        stacks, knows_route = [], rng.random() < 0.6
        for _ in range(rng.randint(1, 9)):
            stack = ['f%d' % rng.randint(1, 12) for _ in range(rng.randint(0, 4))] + ['f0']
            stacks.append((tuple(stack), rng.choice(['', '', '/a', '/b']) if knows_route else ''))
        every = (self.end - self.begin) // rng.randint(3, 14)
        knows_build, knows_start = rng.random() < 0.7, rng.random() < 0.4
        for i in range(rng.randint(1, 3)):
            labels = {'instance': 'i%d' % i} if rng.random() < 0.8 else {'zone': 'z%d' % i}
            if rng.random() < 0.3:
                labels['env'] = rng.choice(['prod', 'dev'])
            self.add_instance(service, kind, labels, stacks, every, knows_build, knows_start)

    def add_instance(self, service, kind, labels, stacks, every, knows_build, knows_start):
        rng, by_version = self.rng, {}
        version, process, counter = rng.choice([0, 1, 1]), 0, {}
        t = self.begin + rng.randrange(every) // SECOND * SECOND
        start = t - rng.randrange(3 * every) // SECOND * SECOND
        while t < self.end:
            own = dict(labels, version='v%d' % version) if version else labels
            series = by_version.setdefault(version, Series(service, kind, own))
            rows = {}
            for s in set(stacks):
                old = counter.setdefault(s, [0] * len(KINDS[kind]))
                new = []
                for c, (_, _, way) in enumerate(KINDS[kind]):
                    small = rng.choice([0, 0, 1, 2, 5])
                    new.append(old[c] + small * rng.choice([1, 1000]) if way == COUNTER else
                               small * 10**7 if kind == 'cpu' and c else small if way == GAUGE and c < 3 else
                               rng.randrange(10**rng.randint(1, 9)))
                if kind == 'cpu':
                    new[1] = new[0] * 10**7
                counter[s] = new
                if any(new):
                    rows[s] = new
            if rows:
                build = 'b%d' % version if knows_build else ''
                series.profiles.append(Snapshot(series, t, build, start if knows_start else 0, rows))
            t += every if rng.random() < 0.9 else 2 * every
            if rng.random() < 0.2:  # the next snapshot comes from another process, often with another version
                counter, start = {}, t - rng.randrange(every) // SECOND * SECOND
                if rng.random() < 0.6:
                    version += 1
            elif rng.random() < 0.05:  # the version is known later, the process is the same
                if not knows_build and version == 0:
                    version = 1
        self.series += [s for s in by_version.values() if s.profiles]

    def select(self, q):
        return [s for s in self.series if (s.service == q.service or q.service == '*') and s.kind == q.kind and
                all(is_match(s.labels.get(k, ''), op, v) for k, op, v in q.match if k != 'route')]

    def before(self, series, when):
        """The last snapshot of a series before a time, else of other series of its instance."""
        own = [p for p in series.profiles if p.time < when]
        if not own:
            own = [p for s in self.series if s.instance == series.instance and s.kind == series.kind and s is not series
                   for p in s.profiles if p.time < when]
        return max(own, key=lambda p: p.time) if own else None

    def is_restart(self, kind, p, q):
        if (p.build and q.build and p.build != q.build) or (p.start and q.start and p.start != q.start):
            return True
        none = [0] * len(KINDS[kind])
        return any(q.rows.get(r, none)[c] < v[c] - 1 for r, v in p.rows.items()
                   for c, (_, _, way) in enumerate(KINDS[kind]) if way == COUNTER)

    def increase(self, q, c, begin):
        """Of the snapshots in the window; counters of processes that started at or after begin count from 0."""
        rows, way = {}, KINDS[q.kind][c][2]
        for series in self.select(q):
            inside = [p for p in series.profiles if q.t0 <= p.time < q.t1]
            for p in inside:
                last = self.before(series, p.time)
                if last is None and not (way == COUNTER and p.start and p.start >= begin):
                    if way == COUNTER:
                        continue
                    last = p
                reset = last is None or (way == COUNTER and self.is_restart(q.kind, last, p))
                for sign, of in [(1, p)] + ([] if reset else [(-1, last)]):
                    for r, v in of.rows.items():  # rows of another build are other rows
                        r += of.build, q.keep and series.labels.get(q.keep)
                        rows[r] = rows.get(r, 0) + sign * v[c]
        return rows

    def has_route(self, service):
        return any(r[1] for s in self.series if service in ('*', s.service) for p in s.profiles for r in p.rows)

    def reduce(self, q, c, begin=None):
        """Exact values of the selected rows: (stack, route) to a number or a fraction; are they means?"""
        rows, is_mean = self.reduce_all(q, c, begin)
        return {r: v for r, v in rows.items() if all(is_match(r[1], op, v) for k, op, v in q.match if k == 'route')}, is_mean

    def reduce_all(self, q, c, begin):
        way = KINDS[q.kind][c][2]
        how = q.reduce or {DELTA: 'sum', COUNTER: 'increase', GAUGE: 'mean'}[way]
        if how == 'increase' and way != DELTA:
            return self.increase(q, c, q.t0 if begin is None else begin), False
        by_instance, rows = {}, {}
        for s in self.select(q):
            by_instance.setdefault(s.instance, []).extend(p for p in s.profiles if q.t0 <= p.time < q.t1)
        for profiles in by_instance.values():
            profiles.sort(key=lambda p: p.time)
            n = len(profiles)
            if how in ('first', 'last'):
                profiles = profiles[:1] if how == 'first' else profiles[-1:]
            for r in {r for p in profiles for r in p.rows}:
                value = sum(p.rows[r][c] for p in profiles if r in p.rows)
                if how == 'max':  # rows of another build are other rows
                    builds = {p.build for p in profiles}
                    value = sum(max(p.rows[r][c] if r in p.rows and p.build == b else 0 for p in profiles) for b in builds)
                rows[r] = rows.get(r, 0) + (Fraction(value, n) if how == 'mean' else value)
        return rows, how == 'mean'

    def count(self, q):
        return sum(q.t0 <= p.time < q.t1 for s in self.select(q) for p in s.profiles)


class Query:
    def __init__(self, service, kind, match, t0, t1, reduce, keep):
        self.service, self.kind, self.match, self.t0, self.t1 = service, kind, match, t0, t1
        self.reduce, self.keep = reduce, keep

    def source(self, where='', pin=''):
        match = ','.join('%s%s%s' % m for m in self.match)
        stamp = ['%s' % time.strftime('%Y-%m-%dT%H:%M:%SZ', time.gmtime(t // SECOND)) for t in (self.t0, self.t1)]
        return 'store:%s%s/%s%s@%s%s%s' % (where, self.service, self.kind, '{%s}' % match if match else '',
                                           'pin:' + pin if pin else '..'.join(stamp),
                                           '+reduce=' + self.reduce if self.reduce else '',
                                           '+keep=' + self.keep if self.keep else '')


def half_up(x):
    return (2 * x + 1) // 2 if isinstance(x, int) else (x + Fraction(1, 2)).__floor__()


class Answer:
    """What a window must say: the total, and of each function flat and cum with the error that rounding allows."""

    def __init__(self, rows, is_mean):
        self.total = half_up(Fraction(sum(rows.values())))
        self.has_negative = any(v < 0 for v in rows.values())
        # reports add up absolute values, as pprof does
        self.size = sum(abs(v) for v in rows.values()) if self.has_negative else self.total
        self.flat, self.cum, self.flat_error, self.cum_error = {}, {}, {}, {}
        for (stack, *_), v in rows.items():
            if v == 0:
                continue
            error = 1 if is_mean else 0
            self.flat[stack[0]] = self.flat.get(stack[0], 0) + v
            self.flat_error[stack[0]] = self.flat_error.get(stack[0], 0) + error
            for f in set(stack):
                self.cum[f] = self.cum.get(f, 0) + v
                self.cum_error[f] = self.cum_error.get(f, 0) + error
        self.cum_error['f0'] = 0 if not is_mean else Fraction(1, 2)  # all of it

    def wrong(self, name, flat, cum, groups):
        """Is the value of a function too far from the exact one? groups: those of kept labels"""
        if flat is not None and abs(flat - self.flat.get(name, 0)) > self.flat_error.get(name, 0) * groups:
            return 'flat of %s is %d, not %s' % (name, flat, float(self.flat.get(name, 0)))
        if cum is not None and abs(cum - self.cum.get(name, 0)) > self.cum_error.get(name, 0) * groups:
            return 'cum of %s is %d, not %s' % (name, cum, float(self.cum.get(name, 0)))
        return None


# --- asking ---

class Asker:
    def __init__(self, cpa, folder, seed):
        self.cpa, self.folder, self.seed, self.asked = cpa, folder, seed, 0
        self.env = dict(os.environ, CPA_STORE=os.path.join(folder, 'store'), TZ='UTC', NO_COLOR='1',
                        XDG_RUNTIME_DIR=os.path.join(folder, 'run'), HOME=folder, XDG_CACHE_HOME=folder + '/cache',
                        XDG_STATE_HOME=folder + '/state', XDG_CONFIG_HOME=folder + '/config')
        os.makedirs(self.env['XDG_RUNTIME_DIR'], mode=0o700, exist_ok=True)
        self.wrong = []
        self.collector = None
        self.port = 0

    def run(self, *args, fails=False):
        r = subprocess.run([self.cpa, *args], env=self.env, capture_output=True, timeout=120)
        if (r.returncode != 0) != fails:
            raise AssertionError('seed %d: cpa %s: %s' % (self.seed, ' '.join(args), r.stderr.decode()[-2000:]))
        return (r.stderr if fails else r.stdout).decode()

    def check(self, what, got, want):
        self.asked += 1
        if got != want:
            self.wrong.append('seed %d: %s: %s instead of %s' % (self.seed, what, got, want))

    def check_rows(self, what, answer, rows, groups):
        self.asked += 1
        for name, flat, cum in rows:
            trouble = answer.wrong(name, flat, cum, groups)
            if trouble:
                self.wrong.append('seed %d: %s: %s' % (self.seed, what, trouble))
                return

    def start_collector(self):
        log = os.path.join(self.folder, 'log')
        for _ in range(20):
            self.port = random.SystemRandom().randint(20000, 60000)
            with open(log, 'wb') as out:
                self.collector = subprocess.Popen([self.cpa, 'collect', '--store=' + self.env['CPA_STORE'],
                                                   '--listen=127.0.0.1:%d' % self.port], env=self.env, stdout=out,
                                                  stderr=out)
            for _ in range(600):
                if b'cpa: status: ' in open(log, 'rb').read():
                    return
                if self.collector.poll() is not None:
                    break
                time.sleep(0.05)
        raise AssertionError('the collector does not start: %s' % open(log).read())

    def stop_collector(self):
        if self.collector:
            self.collector.terminate()
            self.collector.wait()
            self.collector = None

    def store(self, model, series, part):
        """Import profiles of a series."""
        folder = os.path.join(self.folder, 'in')
        os.makedirs(folder, exist_ok=True)
        files = []
        for i, p in enumerate(part):
            files.append(os.path.join(folder, '%d.pb.gz' % i))
            with open(files[-1], 'wb') as f:
                f.write(encode(series.kind, p))
        labels = ['--label=%s=%s' % l for l in series.labels.items()]
        self.run('store', 'import', '--service=' + series.service, *labels, *files)

    def fill(self, model):
        """Import all profiles in one of several ways."""
        rng = model.rng
        way = rng.choice(['segments', 'merged', 'journal', 'parts'])
        if way == 'journal':
            self.start_collector()
        for s in model.series:
            if way == 'parts' and len(s.profiles) > 2:
                cut = rng.randint(1, len(s.profiles) - 1)
                for part in rng.sample([s.profiles[:cut], s.profiles[cut:]], 2):
                    self.store(model, s, part)
            else:
                self.store(model, s, s.profiles)
        if way == 'merged':
            self.run('store', 'gc')
        if not self.collector:
            self.start_collector()
        return way


def page_rows(text):
    """Total, and name, flat and cum of the rows of a page's table top."""
    rows = []
    for m in re.finditer(r'<tr data-name="([^"]*)"><td data-value="(-?\d+)">.*?<td data-value="(-?\d+)">', text):
        rows.append((html.unescape(m.group(1)), int(m.group(2)), int(m.group(3))))
    return rows


def flame_total(text):
    """The value of the root of an HTML flame graph."""
    data = json.loads(re.search(r'id="data">(.*?)</script>', text, re.S).group(1))
    return data['total'][0][0] * data['step']


def ask(a, model, q, pin):
    rng = model.rng
    types = KINDS[q.kind]
    c = rng.randrange(len(types))
    option = '-sample_index=' + types[c][0]
    universe = model
    if pin:  # a pin has the profiles of its window only
        universe = pinned(model, pin)
    rows, is_mean = universe.reduce(q, c)
    answer = Answer(rows, is_mean)
    source = q.source(pin=pin.name if pin else '')
    groups = 1 if not q.keep else 1 + len({s.labels.get(q.keep, '') for s in model.select(q)})
    what = '%s %s' % (source, types[c][0])
    all_rows = ('-nodecount=1000', '-nodefraction=0', '-edgefraction=0', '-symbolize=none')

    def top(source, name):
        got = json.loads(a.run('top', '--json', option, *all_rows, source))
        a.check('%s of %s' % (name, what), got['total'], answer.size)
        a.check_rows('%s of %s' % (name, what), answer, [(r['name'], r['flat'], r['cum']) for r in got['rows']], groups)

    if not universe.count(q):
        assert 'nothing of' in a.run('top', source, fails=True)
        a.asked += 1
        return
    top(source, 'top')
    for surface in rng.sample([ask_peek, ask_folded, ask_flame, ask_remote, ask_series, ask_steps, ask_trend, ask_diff,
                                ask_page], 4):
        surface(a, universe, q, c, source, answer, groups, what, option, all_rows, pin)


def ask_peek(a, model, q, c, source, answer, groups, what, option, all_rows, pin):
    if not answer.cum:
        return
    got = json.loads(a.run('peek', '--json', option, *all_rows, '.', source))
    a.check('peek of ' + what, got['total'], answer.size)
    a.check_rows('peek of ' + what, answer,
                 [(r['name'], r['flat'], r['cum']) for r in got['rows'] if r['role'] == 'node'], groups)


def ask_folded(a, model, q, c, source, answer, groups, what, option, all_rows, pin):
    if answer.has_negative:
        return
    lines = [l.rsplit(' ', 1) for l in a.run('folded', option, '-symbolize=none', source).splitlines()]
    a.check('folded of ' + what, sum(int(v) for _, v in lines), answer.total)


def ask_flame(a, model, q, c, source, answer, groups, what, option, all_rows, pin):
    if answer.has_negative or answer.total <= 0 or q.reduce == 'increase':  # speedscope shows all types
        return
    got = json.loads(a.run('flame', '--format=json', option, '-symbolize=none', '-o', '-', source))
    a.check('flame of ' + what, sum(got['profiles'][got['activeProfileIndex']]['weights']), answer.total)
    file = os.path.join(a.folder, 'flame.html')
    a.run('flame', '--format=html', option, '-symbolize=none', '-o', file, source)
    a.check('flame.html of ' + what, flame_total(open(file).read()), answer.total)


def ask_remote(a, model, q, c, source, answer, groups, what, option, all_rows, pin):
    where = 'http://127.0.0.1:%d' % a.port
    remote = source.replace('store:', 'store:%s#' % where, 1)
    got = json.loads(a.run('top', '--json', '--no-save', option, *all_rows, remote))
    a.check('top of the collector of ' + what, got['total'], answer.size)
    a.check_rows('top of the collector of ' + what, answer, [(r['name'], r['flat'], r['cum']) for r in got['rows']], groups)
    data = urllib.request.urlopen(where + '/api/v1/profile?q=' + urllib.parse.quote(source), timeout=60).read()
    p = Profile(data if data[:2] == b'\x1f\x8b' else gzip.compress(data))
    a.check('answer of the collector for ' + what, p.sum([t.split('/')[0] for t in p.types].index(KINDS[q.kind][c][0])),
            answer.total)


def ask_series(a, model, q, c, source, answer, groups, what, option, all_rows, pin):
    by = ['--by=label:' + model.rng.choice(['version', 'instance', 'env'])] if q.reduce != 'max' and model.rng.random() < 0.5 else []
    got = json.loads(a.run('series', '--json', option, '--step=1000d', *by, source))
    a.check('series %s of %s' % (by, what), got['total'], answer.total)
    a.check('the only step of series %s of %s' % (by, what), got['rows'][0]['total'], answer.total)
    a.check('instances of ' + what, got['rows'][0]['instances'],
            len({s.instance for s in model.select(q) for p in s.profiles if q.t0 <= p.time < q.t1}))
    if by:
        values = [v for k, v in got['rows'][0].items() if '=' in k]
        a.check('columns of series %s of %s' % (by, what), sum(values), answer.total)


def ask_steps(a, model, q, c, source, answer, groups, what, option, all_rows, pin):
    if pin:
        return
    filters = ['-focus=.'] if model.rng.random() < 0.3 else []
    step = max(MINUTE, (q.t1 - q.t0) // model.rng.randint(2, 9) // SECOND * SECOND)
    got = json.loads(a.run('series', '--json', option, '--step=%ds' % (step // SECOND), *filters, source))
    a.check('series in steps %s of %s' % (filters, what), got['total'], answer.total)
    for i, row in enumerate(got['rows']):
        own = Query(q.service, q.kind, q.match, q.t0 + i * step, min(q.t1, q.t0 + (i + 1) * step), q.reduce, q.keep)
        a.check('step %d of %ds of series %s of %s' % (i, step // SECOND, filters, what), row['total'],
                Answer(*model.reduce(own, c, q.t0)).total)


def time_of(text):
    whole, fraction = re.fullmatch(r'(.*?)(?:[.](\d+))?Z', text).groups()
    return calendar.timegm(time.strptime(whole, '%Y-%m-%dT%H:%M:%S')) * SECOND + int((fraction or '').ljust(9, '0'))


def ask_trend(a, model, q, c, source, answer, groups, what, option, all_rows, pin):
    if pin or model.count(q) < 2 or q.t1 - q.t0 < MINUTE:
        return
    try:
        got = json.loads(a.run('trend', '--json', '--normalize=none', option, '-symbolize=none', source))
    except AssertionError as e:
        if 'at least two' not in str(e):  # all of them in one step
            raise
        return
    for side in ('first', 'last'):
        name = got['comparison'][side]['sources'][0]
        t0, t1 = map(time_of, re.search(r'@([^+]*?)[.][.]([^+]*)', name).groups())
        own = Query(q.service, q.kind, q.match, t0, t1, q.reduce, q.keep)
        a.check('%s of trend of %s' % (name, what), got['comparison'][side]['total'], Answer(*model.reduce(own, c)).size)


def ask_diff(a, model, q, c, source, answer, groups, what, option, all_rows, pin):
    if pin:
        return
    other = draw_query(model, q.kind, q.service)
    if not model.count(other):
        return
    want = Answer(*model.reduce(other, c)).size
    got = json.loads(a.run('diff', '--json', option, *(o for o in all_rows if not o.startswith('-edge')), other.source(), source))
    a.check('diff of %s and %s' % (other.source(), what), [got['comparison'][s]['total'] for s in ('base', 'new')],
            [want, answer.size])


def ask_page(a, model, q, c, source, answer, groups, what, option, all_rows, pin):
    if model.rng.random() < 0.5:
        return
    for _ in range(20):
        port = random.SystemRandom().randint(20000, 60000)
        server = subprocess.Popen([a.cpa, '-http=127.0.0.1:%d' % port, '-no_browser', *all_rows, source], env=a.env,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        line = server.stdout.readline()
        if b'Serving web UI' in line:
            break
        server.wait()
    try:
        page = urllib.request.urlopen('http://127.0.0.1:%d/ui/top?si=%s' % (port, KINDS[q.kind][c][0]), timeout=60).read()
        rows = page_rows(page.decode())
        a.check_rows('page of ' + what, answer, rows, groups)
        a.check('page of ' + what, next((r[2] for r in rows if r[0] == 'f0'), 0), answer.total)
    finally:
        server.send_signal(signal.SIGTERM)
        server.communicate()


def draw_query(model, kind=None, service=None, routes=True):
    rng = model.rng
    s = rng.choice([s for s in model.series if (not kind or s.kind == kind) and (not service or service in ('*', s.service))])
    match = []
    for key in ('version', 'instance', 'env'):
        if rng.random() < 0.15:
            match.append((key, rng.choice(['=', '!=']), s.labels.get(key) or 'x'))
    if rng.random() < 0.4 and routes and model.has_route(service or s.service):
        match.append(('route', *rng.choice([('=', '/a'), ('=', '/b'), ('=', ''), ('=', '/c'), ('!=', '/a'), ('!=', ''),
                                            ('=~', '/a|/b'), ('=~', '(/a)?'), ('!~', '/[ac]'), ('!~', '.*')])))
    span = model.end - model.begin
    t0 = model.begin + (rng.randrange(span) - span // 10) // SECOND * SECOND
    t1 = t0 + max(MINUTE, rng.randrange(span) // SECOND * SECOND)
    if rng.random() < 0.4:
        t0, t1 = model.begin - MINUTE, model.end + MINUTE
    reduce = rng.choice(['sum', 'mean', 'last', 'first', 'max', 'increase']) if rng.random() < 0.35 else ''
    keep = rng.choice(['version', 'instance']) if rng.random() < 0.2 and reduce != 'max' else ''
    return Query('*' if rng.random() < 0.1 and not service else service or s.service, s.kind, match, t0, t1, reduce, keep)


class Pin:
    def __init__(self, name, query):
        self.name, self.query = name, query


def pinned(model, pin):
    """A model of the profiles of a pin."""
    out = Model.__new__(Model)
    out.rng, out.begin, out.end, out.series = model.rng, model.begin, model.end, []
    for s in model.select(pin.query):
        own = Series(s.service, s.kind, s.labels)
        own.profiles = [p for p in s.profiles if pin.query.t0 <= p.time < pin.query.t1]
        out.series += [own] if own.profiles else []
    return out


def make_pin(a, model):
    q = draw_query(model, routes=False)
    q.reduce = q.keep = ''
    if q.service == '*' or not model.count(q):
        return None
    a.run('store', 'pin', 'p1', q.source())
    return Pin('p1', q)


def one_store(cpa, folder, seed, questions):
    a = Asker(cpa, folder, seed)
    model = Model(random.Random(seed))
    try:
        way = a.fill(model)
        pin = make_pin(a, model) if model.rng.random() < 0.4 else None
        while a.asked < questions and len(a.wrong) < 5:
            q = draw_query(model)
            own = None
            if pin and model.rng.random() < 0.2:
                own = pin
                routes = [m for m in q.match if m[0] == 'route'] if pinned(model, pin).has_route('*') else []
                q = Query(pin.query.service, pin.query.kind, pin.query.match + routes, -2**62, 2**62, q.reduce, '')
            ask(a, model, q, own)
    finally:
        a.stop_collector()
    return a.asked, ['%s (%s)' % (w, way) for w in a.wrong]


def main():
    cpa, folder, seed, questions = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    asked, wrong = 0, []
    while asked < questions and not wrong:
        own = os.path.join(folder, str(seed))
        os.makedirs(own)
        n, wrong = one_store(cpa, own, seed, min(questions - asked, 100))
        asked += n
        seed += 1
    print('\n'.join(wrong) if wrong else 'ok %d' % asked)
    return 1 if wrong else 0


if __name__ == '__main__':
    sys.exit(main())
