# compare.py - sums of windows of a store, and its single profiles, equal those of pprof
# SPDX-License-Identifier: Apache-2.0
#
#   compare.py FOLDER    FOLDER has the profiles of main.go
#
# Reads CPA, PPROF, top_srcdir and CPA_STORE, which does not exist yet. Prints TAP lines without a plan.
import functools
import glob
import os
import random
import subprocess
import sys
import tempfile

from normal import normal

CPA, PPROF, TOP = os.environ['CPA'], os.environ['PPROF'], os.environ['top_srcdir']
OURS = ('store: ',)  # the comment that cpa adds
TMP = tempfile.mkdtemp(dir=os.environ.get('TMPDIR'))
failed = 0


def run(*args):
    r = subprocess.run(args, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if r.returncode:
        raise RuntimeError('%s: %s' % (' '.join(args[:4]), r.stdout.strip()[-500:]))
    return r.stdout


def result(name, problem):
    global failed
    failed += bool(problem)
    print('%s - %s' % ('not ok' if problem else 'ok', name), flush=True)
    for line in problem.splitlines()[:6]:
        print('# ' + line[:300])


@functools.cache
def normal_file(path):
    return normal(path, ('\0',))


def pprof_sum(files):
    out = os.path.join(TMP, 'pprof.pb.gz')
    run(PPROF, '-symbolize=none', '-proto', '-output', out, *files)
    return normal(out, ('\0',))


def store_sum(source):
    out = os.path.join(TMP, 'cpa.pb.gz')
    run(CPA, 'proto', '-symbolize=none', '-o', out, source)
    return normal(out, OURS)


def first_difference(want, got):
    w, g = want.split('\n'), got.split('\n')
    return '\n'.join(['want ' + x for x in w if x not in g][:3] + ['got  ' + x for x in g if x not in w][:3])


def compare(name, source, files):
    try:
        want, got = pprof_sum(files), store_sum(source)
        result(name, '' if want == got else '%s\n%s' % (source, first_difference(want, got)))
    except RuntimeError as e:
        result(name, str(e))


def time_of(text):
    return int(text.split('\ntime ')[1].split()[0])


def stamp(ns):
    s, part = divmod(ns, 10**9)
    day = subprocess.run(['date', '-u', '-d', '@%d' % s, '+%Y-%m-%dT%H:%M:%S'], stdout=subprocess.PIPE, text=True).stdout
    return '%s.%09dZ' % (day.strip(), part)


class Series:
    """The files of a kind: path, start, instance."""

    def __init__(self, folder, kind, name):
        self.kind = kind
        self.files = [(p, time_of(normal_file(p)), 'ab'[i % 2])
                      for i, p in enumerate(sorted(glob.glob('%s/%s-*' % (folder, name))))]


def import_all(series):
    """Several imports, so that there are several segments, which overlap in time."""
    for s in series:
        for part in range(3):
            for instance in 'ab':
                files = [f for i, (f, _, own) in enumerate(s.files) if own == instance and i // 2 % 3 == part]
                run(CPA, 'store', 'import', '--service=' + s.service, '--kind=' + s.kind, '--label=instance=' + instance,
                    '--label=env=' + ('prod' if instance == 'a' else 'dev'), *files)


def windows(series, when, n):
    rng = random.Random(len(when))
    for i in range(n):
        s = rng.choice(series)
        t = sorted(rng.sample([t for _, t, _ in s.files], 2))
        instance = rng.choice(['a', 'b', None])
        files = [f for f, start, own in s.files if t[0] <= start < t[1] and instance in (None, own)]
        if not files:
            continue
        where = '{%s}' % rng.choice(['instance=%s', 'instance=~%s|x']) % instance if instance else ''
        source = 'store:%s/%s%s@%s..%s+reduce=sum' % (s.service, s.kind, where, stamp(t[0]), stamp(t[1]))
        compare('%s: window %d: %d profiles of %s%s' % (when, i, len(files), s.kind, where), source, files)
    for s in series:
        compare('%s: all profiles of %s' % (when, s.kind), 'store:%s/%s@all+reduce=sum' % (s.service, s.kind),
                [f for f, _, _ in s.files])


def singles(series, when):
    """Each profile comes back as pprof writes its file."""
    for s in series:
        out = os.path.join(TMP, 'got-%s-%s' % (s.kind, when.replace(' ', '-')))
        run(CPA, 'store', 'get', '-o', out, '%s/%s@all' % (s.service, s.kind))
        got = {}
        for p in glob.glob(out + '/*.pb.gz'):
            text = normal(p, ('\0',))
            got[time_of(text)] = text
        problem = ''
        for path, start, _ in s.files:
            if got.get(start) != normal_file(path):
                problem = problem or '%s\n%s' % (path, first_difference(normal_file(path), got.get(start, '')))
        if len(got) != len(s.files):
            problem = '%d profiles instead of %d' % (len(got), len(s.files))
        result('%s: each of %d profiles of %s' % (when, len(s.files), s.kind), problem)


def without_time(text):
    return '\n'.join('' if line.startswith('time ') else line for line in text.split('\n'))


def testdata():
    """Every real profile by itself, and pairs of heaps."""
    files = sorted(p for p in glob.glob(TOP + '/testdata/*') if os.path.splitext(p)[1] not in ('.md', '.mk'))
    for i, p in enumerate(f for f in files if os.path.isfile(f)):
        name = os.path.basename(p)
        try:
            want = pprof_sum([p])
        except RuntimeError:
            continue
        run(CPA, 'store', 'import', '--service=file%d' % i, '--kind=any', p)
        got = store_sum('store:file%d/any@all+reduce=sum' % i)
        # files without a time are stored with that of the file
        same = want == got or ('\ntime 0 ' in want and without_time(want) == without_time(got))
        result('testdata/' + name, '' if same else first_difference(want, got))
    heaps = [TOP + '/testdata/go-heap%d.pb.gz' % k for k in (1, 2)]
    run(CPA, 'store', 'import', '--service=pair', *heaps)
    compare('a pair of heaps', 'store:pair/heap@all+reduce=sum', heaps)


def main():
    series = [Series(sys.argv[1], kind, kind) for kind in ('cpu', 'heap', 'goroutine', 'mutex', 'block')]
    for s in series:
        s.service = 'shop'
    import_all(series)
    windows(series, 'after the flush', 25)
    singles(series, 'after the flush')
    run(CPA, 'store', 'gc')
    print('# ' + run(CPA, 'store', 'stat').replace('\n', '\n# '))
    windows(series, 'after the compaction', 15)
    singles(series, 'after the compaction')
    testdata()
    sys.exit(failed > 0)


main()
