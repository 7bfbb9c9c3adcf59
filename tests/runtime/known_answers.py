# known_answers.py - over a socket we answer as a server of Go with net/http/pprof answered, and texts have its lines
# SPDX-License-Identifier: Apache-2.0
import os
import subprocess
import sys
import threading

from known import MODES, Known
from served import done, is_same, ok

HERE = os.path.join(os.environ['top_srcdir'], 'tests/compat')
# on purpose: Go's page has the byte as it came, which is no UTF-8; Go sends a packed profile and calls it a text; we do
# not answer to the names of others
OTHER = {'GET /debug/pprof?~', 'GET /debug/pprof/my.custom?debug=-1', 'GET http://example.org/debug/pprof/nope',
         'GET http://example.org', 'GET HTTP://example.org/debug//pprof/'}
OURS = {'Cache-Control: no-store', 'Cross-Origin-Resource-Policy: same-origin', 'X-Content-Type-Options: nosniff'}
# Go: numbers of its collector, inlined functions without an offset, threads of the runtime itself without a stack.
# Ours: where files are mapped, which names are looked up by; frames of which no name is known; labels, which Go's
# server has none of.
NOT_OURS = {'#runtime.MemStats', '\tFILE:N', '#\tH'}
NOT_GO = {'--- Memory map: ---', 'MAPPING', '#memory', '#\tH', '#labels: {"who":"burner0"}'}


def blocks(text):
    """what was asked: the lines of its answer"""
    all_of = {}
    for block in text.split('\n\n'):
        lines = [x for x in block.split('\n') if x and not x.startswith('# ')]
        lines = lines or block.split('\n')
        if lines[0].startswith('> '):
            all_of[lines[0][2:]] = lines[1:]
    return all_of


def recorded(name):
    with open(os.path.join(HERE, 'recorded', name), encoding='utf-8') as f:
        return f.read()


def asked(script, k, stdin=None):
    with open(stdin or os.devnull, encoding='utf-8') as f:
        r = subprocess.run([sys.executable, os.path.join(HERE, script), str(k.port()), 'ours'], stdin=f, timeout=120,
                           stdout=subprocess.PIPE, check=True)
    return r.stdout.decode()


def differs(want, got):
    more = [x for x in got if x not in want and x not in OURS]
    less = [x for x in want if x not in got]
    return more or less or got[:1] != want[:1]


def run(mode, k, results):
    results[mode] = asked('go_answers.py', k, os.path.join(HERE, 'requests.txt'))


def main():
    programs = {mode: Known(mode) for mode in MODES}
    results = {}
    for k in programs.values():
        k.ask('keep 5 1000')
        k.ask('wait 2 1000')
        k.ask('burn 1')  # a thread that was created
    threads = [threading.Thread(target=run, args=(mode, k, results)) for mode, k in programs.items()]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    go = blocks(recorded('answers.txt'))
    lines = blocks(recorded('texts.txt').replace('# ', '#'))
    for mode, k in programs.items():
        ours = blocks(results[mode])
        ok(set(ours) == set(go) and len(ours) > 120, '%s: everything that Go was asked is asked' % mode)
        bad = [(x, go[x], ours.get(x)) for x in go if x not in OTHER and differs(go[x], ours.get(x, []))]
        ok(not bad, '%s: status, head lines and texts of errors are those of Go' % mode, *bad)
        kinds = blocks(asked('text_kinds.py', k).replace('# ', '#'))
        for path, wanted in lines.items():
            if path == 'index':
                names = {x.split('?')[0] for x in kinds[path]}
                want = {x.split('?')[0] for x in wanted} - {'goroutine'} | {'threads'}
                is_same(names, want, '%s: the index leads where that of Go leads' % mode)
                continue
            is_same(set(kinds[path]) - NOT_GO - NOT_OURS, set(wanted) - NOT_GO - NOT_OURS,
                    '%s: %s has the kinds of lines of Go' % (mode, path))
        k.ask('rest')
        is_same(k.end(), (0, ''), '%s: the program ends as ever' % mode)
    done()


main()
