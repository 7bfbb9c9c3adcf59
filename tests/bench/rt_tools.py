# rt_tools.py - run programs under profilers alternately, and read the profiles
# SPDX-License-Identifier: Apache-2.0

import glob
import os
import re
import resource
import signal
import statistics
import subprocess
import sys
import tempfile
import time


class Bench:
    """Paths, and the results of all tables."""

    def __init__(self, top, build, quick=False):
        self.top, self.build, self.quick = top, build, quick
        self.cpa = os.path.join(build, 'src/cpa')
        self.bin = os.path.join(build, 'tests/bench')
        self.library = os.path.join(build, 'src/libcpaprof/libcpaprof.so')
        self.dir = tempfile.mkdtemp(prefix='rt-bench-')
        self.goals = []  # (name, met: True, False or None, text)
        self.tables = []  # in order of printing
        self.seconds = {}  # run time of each table
        self.gperf = next(iter(glob.glob('/usr/lib/*/libprofiler.so.0')), None)
        self.tcmalloc = next(iter(glob.glob('/usr/lib/*/libtcmalloc.so.4')), None)
        self.jemalloc = next(iter(glob.glob('/usr/lib/*/libjemalloc.so.2')), None)

    def path(self, name):
        return os.path.join(self.dir, name)

    def clean(self, pattern):
        for f in glob.glob(self.path(pattern)):
            os.unlink(f)

    def rounds(self, n):
        return max(3, n // 3) if self.quick else n

    def goal(self, name, met, text):
        self.goals.append((name, met, text))

    def judge(self, name, found, maximum, noise, text):
        """A goal with an upper limit. It is missed only if the excess is above the noise."""
        met = found <= maximum or (None if found - maximum <= noise else False)
        self.goal(name, met, f'{text}, noise {noise:.3g}')

    def table(self, title, head, rows):
        """A Markdown table; all columns but the first are numbers."""
        rows = [[str(c) for c in row] for row in rows]
        self.tables.append({'title': title, 'head': head, 'rows': rows})
        print(f'### {title}\n')
        print('| ' + ' | '.join(head) + ' |')
        print('|---|' + '--:|' * (len(head) - 1))
        for row in rows:
            print('| ' + ' | '.join(row) + ' |')
        print()

    def log(self, text):
        print('bench: ' + text, file=sys.stderr, flush=True)


class Ran:
    """A finished program: status, output, wall and CPU seconds, including children that it waited for."""

    def __init__(self, argv, env=None, cwd=None, limit=300, stdin=None):
        begin = time.monotonic()
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        full = dict(os.environ, LC_ALL='C.UTF-8', NO_COLOR='1')
        full.update(env or {})
        with subprocess.Popen(argv, env=full, cwd=cwd, stdin=stdin or subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, start_new_session=True) as p:
            try:
                self.out, self.err = p.communicate(timeout=limit)
                self.status = p.returncode
            except subprocess.TimeoutExpired:
                os.killpg(p.pid, signal.SIGKILL)  # including its children
                self.out, self.err = p.communicate()
                self.status = 'timeout'
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        self.wall = time.monotonic() - begin
        self.cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    def text(self):
        return self.out.decode(errors='replace')

    def numbers(self):
        """{name: [numbers]} of the output of a workload."""
        found = {}
        for line in self.text().splitlines():
            word = line.split()
            if len(word) > 1 and all(re.fullmatch(r'-?[\d.]+', w) for w in word[1:]):
                found[word[0]] = [float(w) for w in word[1:]]
        return found


def under_cpa(b, argv, *options):
    return [b.cpa, 'run', '--quiet', *options, '--', *argv]


def under_gperf(b, hz, out):
    """The environment to profile a program with libprofiler."""
    return {'LD_PRELOAD': b.gperf, 'CPUPROFILE': out, 'CPUPROFILE_FREQUENCY': str(hz)}


class Profile:
    """Functions of a profile: cum and flat of each, in unit."""

    def __init__(self, b, files, *options, unit='ns'):
        self.total, self.cum, self.flat = 0.0, {}, {}
        argv = [b.cpa, 'top', '-unit=' + unit, '-nodecount=0', '-trim=false', *options, *files]
        done = Ran(argv)
        self.status = done.status
        for line in done.text().splitlines():
            m = re.match(r'Showing nodes accounting for .* of ([\d.]+)([a-zA-Z]*) total', line)
            if m:
                self.total = float(m.group(1)) * scale(m.group(2))
            m = re.match(r'Not sampled: ([\d.]+[a-zA-Z]*), ', line)
            if m:
                self.cum['[cpa: not sampled]'] = amount(m.group(1))
            m = re.match(r'\s*(\S+)\s+[\d.]+%\s+[\d.]+%\s+(\S+)\s+[\d.]+%\s+(.*)$', line)
            if m:
                name = m.group(3).replace(' (inline)', '')
                self.flat[name] = amount(m.group(1))
                self.cum[name] = amount(m.group(2))

    def of(self, name):
        return next((v for k, v in self.cum.items() if k == name or k.endswith('::' + name)), 0.0)


def scale(unit):
    return {'': 1, 'ns': 1, 'us': 1e3, 'ms': 1e6, 's': 1e9, 'mins': 60e9, 'hrs': 3600e9,
            'B': 1, 'kB': 1 << 10, 'MB': 1 << 20, 'GB': 1 << 30, 'TB': 1 << 40}.get(unit, float('nan'))


def amount(text):
    m = re.fullmatch(r'(-?[\d.]+)([a-zA-Z]*)', text)
    return float(m.group(1)) * scale(m.group(2)) if m else float('nan')


def in_turn(rounds, configurations):
    """Run each of {name: function} once per round, in rotating order. Returns {name: [results]}."""
    found = {name: [] for name in configurations}
    names = list(configurations)
    for i in range(rounds):
        for name in names[i % len(names):] + names[:i % len(names)]:
            value = configurations[name]()
            if value is not None:
                found[name].append(value)
    return found


def median(values):
    return statistics.median(values) if values else float('nan')


def quantile(values, q):
    """A quantile of at least one value."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(q * len(ordered)))]


def ratios(found, base):
    """The median of the ratio of each to base in the same round, so that disturbances affect both."""
    return {name: median([v / w for v, w in zip(values, found[base])]) for name, values in found.items()}


def more_than(found, base):
    """The median of the difference of each to base in the same round."""
    return {name: median([v - w for v, w in zip(values, found[base])]) for name, values in found.items()}


def spread(values):
    """The interquartile range as a fraction of the median."""
    return (quantile(values, 0.75) - quantile(values, 0.25)) / median(values) if values else float('nan')
