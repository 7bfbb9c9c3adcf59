# attack_names.py - malicious names of threads, profiles and labels are shown as plain text
# SPDX-License-Identifier: Apache-2.0
import gzip
import html.parser
import json
import re
import sys
import time
import urllib.parse

from attack import CLOSE, Target, ask, body, get, patient, status
from served import cpa, done, is_same, ok

t = Target(sys.argv[1], 'hostile')
time.sleep(0.5)


class Tags(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.seen, self.links = set(), []

    def handle_starttag(self, tag, attrs):
        self.seen.add(tag)
        self.seen.update('%s %s' % (tag, name) for name, _ in attrs if name.startswith('on'))
        self.links += [value for name, value in attrs if name == 'href']


answer = patient(t, '/debug/pprof/')
tags = Tags()
tags.feed(body(answer).decode('utf-8', 'replace'))
allowed = {'html', 'head', 'meta', 'title', 'style', 'body', 'h1', 'h2', 'p', 'table', 'tr', 'th', 'td', 'a', 'code', 'br'}
ok(status(answer) == 200 and not tags.seen - allowed, 'the index page has no injected tags', tags.seen - allowed)
ok(tags.links and not [x for x in tags.links if re.match(r'[a-z]+:|//', x, re.I)], 'the index page has no links to other sites', tags.links)
ok(not re.search(rb'[\x00-\x08\x0b-\x1f\x7f]', body(answer)), 'the index page has no control characters', body(answer))
try:
    body(answer).decode('utf-8')
    valid = ''
except UnicodeDecodeError as e:
    valid = str(e)
is_same(valid, '', 'the index page is valid UTF-8 as declared')

# custom profiles, by the links of the index page
own = [x.split('?')[0] for x in tags.links if '%' in x and 'debug=1' in x]
ok(len(own) >= 4, 'custom profiles are linked', tags.links)
for name in own:
    for query in '', '?debug=1', '?debug=2', '?seconds=1':
        answer = patient(t, '/debug/pprof/' + name + query, 400 if 'seconds' in query else 200)
        head = answer.partition(b'\r\n\r\n')[0]
        names = [line.split(b':')[0] for line in head.split(b'\r\n')[1:]]
        ok(status(answer) in (200, 400) and set(names) <= {
            b'Cache-Control', b'Content-Disposition', b'Content-Type', b'Cross-Origin-Resource-Policy', b'Date',
            b'Content-Length', b'Connection', b'X-Content-Type-Options', b'X-Go-Pprof'} and len(names) == len(set(names)) and
            not re.search(rb'[\x00-\x09\x0b\x0c\x0e-\x1f\x7f]', head) and head.count(b'\n') == head.count(b'\r\n'),
            'the name of a profile does not split the head: ' + name + query, head)

# text: a line break in a name does not start a line
for what in 'threads?debug=2', 'goroutine?debug=2', 'threads?debug=1':
    text = body(patient(t, '/debug/pprof/' + what))
    wrong = [line for line in text.split(b'\n') if re.match(rb'Set-Cookie|thread 1 |#? *labels:.*\n', line)]
    ok(text and not wrong and not re.search(rb'[\x00-\x08\x0b-\x1f\x7f]', text), what + ' has each name on one line',
       wrong, re.findall(rb'.*[\x00-\x08\x0b-\x1f\x7f].*', text))

answer = body(patient(t, '/debug/pprof/trace?seconds=1'))
try:
    timeline = json.loads(gzip.decompress(answer).decode('utf-8'))
    ok(len(timeline['traceEvents']) > 10, 'the timeline is valid JSON in UTF-8', len(timeline['traceEvents']))
except (OSError, ValueError) as e:
    ok(False, 'the timeline is valid JSON in UTF-8', e, answer[:300])

with open('cpu.pb.gz', 'wb') as f:
    f.write(body(patient(t, '/debug/pprof/profile?seconds=1')))
for what in 'tags', 'traces':
    rc, out, err = cpa(what, 'cpu.pb.gz')
    ok(rc == 0 and '\033' not in out + err, 'cpa %s shows labels without terminal escapes' % what, rc, out, err)

# requested paths are not injected into header lines or links
for path in ('/debug/pprof/a%0d%0aX-Evil:%201', '/debug/pprof/%0d%0a', '/debug/pprof/<script>', '//evil/debug/pprof',
             '//evil.example/debug/pprof/', '/\\evil.example/debug/pprof', '/debug/../..//evil.example', '///evil.example/..',
             '/%2f%2fevil.example/debug/pprof', '/debug/pprof/..//evil.example/%2e%2e', 'http://evil.example/debug/pprof',
             'http://evil.example//evil.example/debug/pprof', '/debug/pprof?x=%0d%0aX-Evil:1', '/.//evil.example',
             '/debug//pprof/"><script>', '/x/..//evil.example/debug/pprof', '/debug/pprof/..\\..\\evil'):
    for method in 'GET', 'POST', 'HEAD':
        head, _, text = ask(t, get(path, CLOSE, method)).partition(b'\r\n\r\n')
        place = re.search(rb'^Location: (.*)\r?$', head + b'\r', re.M)
        place = place.group(1).decode() if place else '/'
        to = urllib.parse.urljoin('http://here.example/', place.replace('\\', '/'))
        ok(head.startswith(b'HTTP/1.1 ') and b'\nX-Evil' not in head and b'<script' not in text and
           urllib.parse.urlsplit(to).netloc == 'here.example', '%s %s has no link to another site' % (method, path), head, text)
        time.sleep(0.06)
is_same(t.end(), ('errors 0', (0, '')), 'the program behaved the same as without requests')
done()
