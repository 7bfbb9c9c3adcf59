# known_answers.py - answers over a socket are equal to recorded answers of net/http/pprof
# SPDX-License-Identifier: Apache-2.0
import os
import subprocess
import sys
import threading

from known import MODES, Known
from served import done, is_same, ok

HERE = os.path.join(os.environ['top_srcdir'], 'tests/compat')
# on purpose: the page of Go contains the invalid UTF-8 byte; Go sends a compressed profile with the type of text; we do
# not answer for other host names
OTHER = {'GET /debug/pprof?~', 'GET /debug/pprof/my.custom?debug=-1', 'GET http://example.org/debug/pprof/nope',
         'GET http://example.org', 'GET HTTP://example.org/debug//pprof/'}
OURS = {'Cache-Control: no-store', 'Cross-Origin-Resource-Policy: same-origin', 'X-Content-Type-Options: nosniff'}
# Go: statistics of its garbage collector, inlined functions without an offset, runtime threads without a stack.
# Ours: mappings, for the lookup of names; frames without a known name; labels, which the
# server of Go does not have.
NOT_OURS = {'#runtime.MemStats', '\tFILE:N', '#\tH'}
NOT_GO = {'--- Memory map: ---', 'MAPPING', '#memory', '#\tH', '#labels: {"who":"burner0"}'}


def blocks(text):
    """Map requests to the lines of their answers."""
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
        k.ask('burn 1')  # a created thread
    threads = [threading.Thread(target=run, args=(mode, k, results)) for mode, k in programs.items()]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    go = blocks(recorded('answers.txt'))
    lines = blocks(recorded('texts.txt').replace('# ', '#'))
    for mode, k in programs.items():
        ours = blocks(results[mode])
        ok(set(ours) == set(go) and len(ours) > 120, '%s: all recorded requests are made' % mode)
        bad = [(x, go[x], ours.get(x)) for x in go if x not in OTHER and differs(go[x], ours.get(x, []))]
        ok(not bad, '%s: status, header lines and error texts are the same as in Go' % mode, *bad)
        kinds = blocks(asked('text_kinds.py', k).replace('# ', '#'))
        for path, wanted in lines.items():
            if path == 'index':
                names = {x.split('?')[0] for x in kinds[path]}
                want = {x.split('?')[0] for x in wanted} - {'goroutine'} | {'threads'}
                is_same(names, want, '%s: the index page has the same links as in Go' % mode)
                continue
            is_same(set(kinds[path]) - NOT_GO - NOT_OURS, set(wanted) - NOT_GO - NOT_OURS,
                    '%s: %s has the same kinds of lines as in Go' % (mode, path))
        k.ask('rest')
        is_same(k.end(), (0, ''), '%s: the program ends as usual' % mode)
    done()


main()
