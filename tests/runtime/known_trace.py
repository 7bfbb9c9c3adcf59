# known_trace.py - served timelines are valid, linked and under cpa run
# SPDX-License-Identifier: Apache-2.0
import gzip
import json
import os
import subprocess
import sys
import threading
import time

from known import MODES, Known, ask, save
from served import done, is_same, measured, ok

CHECK = os.path.join(os.environ['top_srcdir'], 'tests/runtime/trace_check.py')


def main():
    for mode in MODES:
        k = Known(mode)
        k.ask('burn 3')
        got = []
        t = threading.Thread(target=lambda k=k, got=got: got.append(ask(k, 'trace?seconds=2')))
        t.start()
        time.sleep(0.5)
        k.ask('wait 2 300000')
        t.join()
        file = save(mode + '.json.gz', got[0])
        r = subprocess.run([sys.executable, CHECK, file], stdout=subprocess.PIPE, check=False)
        for line in r.stdout.decode().splitlines():
            how, _, name = line.partition(' ')
            ok(how == 'good', '%s: %s' % (mode, name))
        is_same(r.returncode, 0, '%s: the file is valid gzip, JSON and UTF-8' % mode)
        trace = json.loads(gzip.decompress(got[0]))
        events, other = trace['traceEvents'], trace['otherData']
        is_same({e['ph'] for e in events} - {'X', 'M'}, set(), '%s: there are only slices and thread names' % mode)
        spins = {e['tid'] for e in events if e['name'] == 'known_burner'}
        is_same(len(spins), 3, '%s: each busy thread has a row' % mode)
        who = {e['args']['labels']['who'] for e in events if 'labels' in e.get('args', {})}
        is_same(who, {'burner0', 'burner1', 'burner2'}, '%s: the slices of busy threads have labels' % mode)
        held = [e for e in events if e['name'] == 'wait: futex' and e.get('dur', 0) > 100000]
        ok(held, '%s: the timeline contains waits for a lock' % mode, sorted({e['name'] for e in events}))
        is_same(other['pid'], k.pid, '%s: the timeline contains the pid of the program' % mode)
        measured(1900 < other['duration_ms'] < 10000, '%s: the timeline has the requested length' % mode, other['duration_ms'])
        k.ask('rest')
        is_same(k.end(), (0, ''), '%s: the program ends as usual' % mode)
    done()


main()
