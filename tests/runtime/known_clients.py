# known_clients.py - curl, go tool pprof, google-pprof and cpa read profiles from programs, linked and under cpa run
# SPDX-License-Identifier: Apache-2.0
import os
import re
import shutil
import subprocess
import time

from known import MODES, Known, ask, save
from proto import Profile
from served import CPA, done, is_same, ok

TMP = os.getcwd()
ENV = dict(os.environ, PPROF_TMPDIR=TMP + '/pprof', HOME=TMP, TERM='dumb', CPA_LOG='')
ENV.pop('DEBUGINFOD_URLS', None)
# a function on the stacks of each profile
NAMES = {'heap': 'known_keep', 'allocs': 'known_keep', 'goroutine': 'main', 'threads': 'main',
         'block': 'known_wait', 'mutex': 'known_hold', 'threadcreate': 'do_burn', 'my.custom': 'known_add',
         'profile?seconds=1': 'known_spin'}


def run(*argv, stdin=b''):
    """Return exit status, output and errors."""
    r = subprocess.run(argv, input=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=ENV, timeout=90,
                       check=False)
    return r.returncode, r.stdout.decode(errors='replace'), r.stderr.decode(errors='replace')


def has(name, text, function, flat=False):
    """Is there a row for the function?"""
    row = re.search(r'^ *([^\s]+) .*[ |]%s( \(inline\))?$' % re.escape(function), text, re.M)
    ok(bool(row) and not (flat and row.group(1) == '0'), name, text)


def patient(*argv):
    """Run a command; retry when the rate limit is reached."""
    end = time.monotonic() + 60
    while True:
        got = run(*argv)
        if not re.search('too many requests', got[1] + got[2], re.I) or time.monotonic() > end:
            return got
        time.sleep(0.2)


def curl(mode, k):
    url = k.url + '/debug/pprof/'
    status = ('-s', '-o', 'body', '-w', '%{http_code} %{content_type} %{size_download} %{http_version}')
    data = 'application/octet-stream'
    for path in ('heap', 'profile?seconds=1', 'trace?seconds=0.1', 'goroutine?seconds=1'):
        got = run('curl', *status, url + path)[1].split()
        ok(got[:2] == ['200', data] and int(got[2]) > 20, '%s: curl %s' % (mode, path), got)
    got = run('curl', '-s', '-I', url + 'heap')[1]
    ok(got.startswith('HTTP/1.1 200 OK\r\n') and 'filename="heap"' in got, '%s: curl -I' % mode, got)
    got = run('curl', '--http1.0', *status, url + 'cmdline')[1]
    ok(got.startswith('200 text/plain') and got.split()[-1].startswith('1'), '%s: curl --http1.0' % mode, got)
    os.makedirs('saved', exist_ok=True)
    got = run('curl', '-s', '-J', '-O', '--output-dir', 'saved', url + 'heap')
    with open('saved/heap', 'rb') as f:
        ok(Profile(f.read()).sum(0) > 0, '%s: curl -J -O saves a profile under its name' % mode, got)
    os.unlink('saved/heap')
    at = k.ask('keep 1 1')
    words = '+'.join([at] * 20000)
    save('words', words.encode())
    got = run('curl', '-s', '-v', '-H', 'Expect: 100-continue', '--data-binary', '@words', url + 'symbol')
    lines = got[1].split('\n')
    ok(len(lines) == 20002 and lines[1] == at + ' known_keep', '%s: curl posts 20000 addresses' % mode, lines[:3],
       got[2])
    ok('100 Continue' in got[2], '%s: curl gets 100 Continue' % mode, got[2])


def curl_unix(mode):
    where = os.path.join(TMP, mode + '.sock')
    k = Known(mode, where=where)
    k.ask('keep 10 1000')
    got = run('curl', '-s', '--unix-socket', where, 'http://localhost/debug/pprof/cmdline')
    is_same(got[1], './known', '%s: curl --unix-socket' % mode)
    code, out, err = run(CPA, 'top', 'unix:%s:/debug/pprof/heap' % where)
    has('%s: cpa top unix:' % mode, out + err, 'known_keep', True)
    is_same(code, 0, '%s: cpa top unix: succeeds' % mode)
    is_same((k.end(), os.path.exists(where)), ((0, ''), False), '%s: the socket is removed when the program ends' % mode)


def our_own(mode, k):
    url = k.url + '/debug/pprof/'
    for path, name in NAMES.items():
        has('%s: cpa top .../%s' % (mode, path), run(CPA, 'top', '-nodecount=0', '-trim=false', url + path)[1], name)
    code, out, err = run(CPA, 'top', '-base', url + 'heap', url + 'heap')
    ok(code == 0 and 'known_keep' not in out, '%s: cpa top -base' % mode, out, err)
    has('%s: cpa top HOST:PORT' % mode, run(CPA, 'top', '-seconds=1', k.url.split('//')[1])[1], 'known_spin', True)
    code, out, err = run(CPA, 'threads', k.url)
    ok(code == 0 and 'main' in out, '%s: cpa threads' % mode, out, err)
    code, out, err = run(CPA, 'snapshot', k.url, '--seconds=1', '-o', mode + '-snapshot')
    ok(code == 0 and len(os.listdir(mode + '-snapshot')) > 5, '%s: cpa snapshot' % mode, code, out, err)


def go(mode, k):
    go_tool = shutil.which('go') or shutil.which('go', path='/usr/local/go/bin')
    if not go_tool or subprocess.run([go_tool, 'tool', '-n', 'pprof'], stdout=subprocess.PIPE, check=False).returncode:
        return ok(True, '%s: go tool pprof # SKIP go not found' % mode)
    pprof = subprocess.run([go_tool, 'tool', '-n', 'pprof'], stdout=subprocess.PIPE, check=True).stdout.decode().strip()
    top = (pprof, '-top', '-nodecount=0', '-trim=false')
    url = k.url + '/debug/pprof/'
    for path, name in NAMES.items():
        has('%s: pprof .../%s' % (mode, path), patient(*top, url + path)[1], name)
    has('%s: pprof -symbolize=none shows the names of the server' % mode, patient(*top, '-symbolize=none', url + 'heap')[1], 'known_keep')
    has('%s: pprof -symbolize=remote uses /symbol' % mode,
        patient(*top, '-symbolize=remote', url + 'heap?symbolize=0')[1], 'known_keep')
    raw = patient(pprof, '-raw', url + 'heap')[1]
    ok(re.search(r'known_keep \S*known\.c:\d+', raw), '%s: pprof finds line numbers if it has the binary' % mode, raw)
    code, out, err = patient(*top, '-base', url + 'heap', url + 'heap')
    ok(code == 0 and 'known_keep' not in out, '%s: pprof -base' % mode, out, err)
    has('%s: pprof HOST:PORT' % mode, patient(*top, '-seconds=1', k.url.split('//')[1])[1], 'known_spin')
    code, out, err = patient(*top, url + 'nope')
    ok(code != 0 and '404 Not Found - Unknown profile' in err, '%s: pprof shows error messages of the server' % mode, err)
    code, out, err = patient(*top, url + 'my.custom?seconds=1')
    ok('400 Bad Request - "seconds" parameter is not supported' in err, '%s: pprof shows error messages about parameters' % mode, err)
    for path in ('heap', 'goroutine', 'threads', 'block', 'mutex', 'threadcreate', 'my.custom'):
        file = save('text.' + path, ask(k, path + '?debug=1'))
        has('%s: pprof reads the text of %s' % (mode, path), run(*top, file)[1], NAMES[path])
    for path, name in (('heap', 'known_keep'), ('contention', 'known_hold'), ('profile?seconds=1', 'known_spin')):
        has('%s: pprof /pprof/%s' % (mode, path), patient(*top, k.url + '/pprof/' + path)[1], name)
    return None


def perl(mode, k):
    pprof = shutil.which('google-pprof')
    if not pprof:
        return ok(True, '%s: google-pprof # SKIP google-pprof not found' % mode)
    for path, name in (('heap', 'known_keep'), ('contention', 'known_hold'), ('profile', 'known_spin')):
        got = patient(pprof, '--text', '--seconds=1', '%s/pprof/%s' % (k.url, path))
        has('%s: google-pprof /pprof/%s' % (mode, path), got[1] + got[2], name)
    return None


def main():
    for mode in MODES:
        k = Known(mode)
        k.ask('keep 50 100000')
        k.ask('wait 5 5000')
        k.ask('burn 2')
        if shutil.which('curl'):
            curl(mode, k)
            curl_unix(mode)
        else:
            ok(True, '%s: curl # SKIP curl not found' % mode)
        our_own(mode, k)
        go(mode, k)
        perl(mode, k)
        k.ask('rest')
        is_same(k.end(), (0, ''), '%s: the program ends as usual' % mode)
    done()


main()
