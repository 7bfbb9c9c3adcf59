# known.py - the program known, linked with the library or under cpa run, and requests to it
# SPDX-License-Identifier: Apache-2.0
import os
import re
import time

from served import CPA, Program, connect

MODES = ('linked', 'run')
FINE = {'linked': {'CPA_HEAP_RATE': '1', 'CPA_BLOCK_RATE': '1', 'CPA_MUTEX_FRACTION': '1'},
        'run': ('--heap-rate=1', '--block-rate=1ns', '--mutex-fraction=1')}


class Known(Program):
    """The serving program known. fine: count every allocation and wait. url: without a trailing slash."""

    def __init__(self, mode, fine=True, where=None):
        if mode == 'linked':
            env = {'CPA_LISTEN': 'unix:' + where if where else '127.0.0.1:0'}
            env.update(FINE[mode] if fine else {})
            super().__init__(env=env, command=('./known',))
        else:
            place = ('--profile-socket=' + where,) if where else ('--enable-profiling',)
            super().__init__(command=(CPA, 'run') + place + (FINE[mode] if fine else ()) + ('--', './known'))
        said = self.error_line()
        found = re.match(r'cpa: profiling server listening on (http://[^/]*|unix:[^ ]*?)(:?/debug/pprof/)?$', said)
        self.url = found.group(1) if found else said
        self.pid = int(self.line().split()[-1])

    def port(self):
        return int(self.url.rsplit(':', 1)[1])


def raw(url, method, target, body=None, headers=None):
    """Return status, headers and body of a target; retry when the rate limit is reached."""
    end = time.monotonic() + 60
    while True:
        c = connect(url)
        c.request(method, target, body, headers or {})
        r = c.getresponse()
        data = r.read()
        c.close()
        if r.status != 429 or time.monotonic() > end:
            return r.status, dict(r.getheaders()), data
        time.sleep(0.1)


def ask(k, what, **more):
    """Return the body of a path below /debug/pprof/; b'' if the status is not 200."""
    status, _, body = raw(k.url, 'GET', '/debug/pprof/' + what, **more)
    return body if status == 200 else b''


def save(name, data):
    with open(name, 'wb') as f:
        f.write(data)
    return name
