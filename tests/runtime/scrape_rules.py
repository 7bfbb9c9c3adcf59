# scrape_rules.py - scrape /debug/pprof as Parca and Pyroscope do, and check the answers
# SPDX-License-Identifier: Apache-2.0
# usage: scrape_rules.py HOST:PORT SECONDS ROUNDS FOLDER     writes each profile to FOLDER/RULE-KIND-ROUND.pb.gz
#
# The rules: all kinds in parallel, each in its own loop with a persistent connection; CPU time with seconds=
# (Parca: the whole interval, Pyroscope: a second less); a body that is empty, has another type, or begins like a
# page is refused; an answer LATE seconds after the requested time is too late; for memory, block and mutex
# the difference to the previous round must not be negative. Parca and Pyroscope do not capture
# CPU time at the same time, because one of them would get an error.

import http.client
import sys
import threading
import time

from proto import Profile

PARCA = {"memory": "/debug/pprof/allocs", "block": "/debug/pprof/block", "goroutine": "/debug/pprof/goroutine",
         "mutex": "/debug/pprof/mutex", "process_cpu": "/debug/pprof/profile?seconds={long}"}
PYROSCOPE = {"memory": "/debug/pprof/allocs", "block": "/debug/pprof/block", "goroutine": "/debug/pprof/goroutine",
             "mutex": "/debug/pprof/mutex", "process_cpu": "/debug/pprof/profile?seconds={short}",
             "godeltaprof_memory": "/debug/pprof/delta_heap", "godeltaprof_block": "/debug/pprof/delta_block",
             "godeltaprof_mutex": "/debug/pprof/delta_mutex"}
TYPES = {"memory": ["alloc_objects/count", "alloc_space/bytes", "inuse_objects/count", "inuse_space/bytes"],
         "block": ["contentions/count", "delay/nanoseconds"], "mutex": ["contentions/count", "delay/nanoseconds"],
         "goroutine": ["goroutine/count"], "process_cpu": ["samples/count", "cpu/nanoseconds"]}
GROWS = {"memory": [0, 1], "block": [0, 1], "mutex": [0, 1]}
LATE = 10  # s; the usual timeout of a scraper
failed = []


def fail(text):
    failed.append(text)
    print(text, file=sys.stderr)


def check(rule, kind, reply, body):
    what = "%s %s" % (rule, kind)
    if reply.status != 200:
        fail("%s: status %d: %s" % (what, reply.status, body[:100]))
        return None
    if not (reply.getheader("Content-Type") or "").startswith("application/octet-stream"):
        fail("%s: the type is %s" % (what, reply.getheader("Content-Type")))
    if body[:2] != b"\x1f\x8b":
        fail("%s: no gzip: %s" % (what, body[:20]))
        return None
    p = Profile(body)
    wanted = TYPES.get(kind.replace("godeltaprof_", ""))
    if wanted and p.types != wanted:
        fail("%s: the sample types are %s" % (what, p.types))
    if p.locations and not any(x.lines for x in p.locations.values()):
        fail("%s: no location has a name" % what)
    return p


def loop(where, rule, kind, path, wait, interval, rounds, folder):
    connection = http.client.HTTPConnection(where, timeout=interval + 10)
    start, before = time.monotonic(), None
    for i in range(rounds):
        asked = time.monotonic()
        connection.request("GET", path, headers={"User-Agent": "scrape_rules", "Accept-Encoding": "gzip"})
        reply = connection.getresponse()
        body = reply.read()
        took = time.monotonic() - asked
        if took > wait + LATE:
            fail("%s %s: took %.1f s" % (rule, kind, took))
        p = check(rule, kind, reply, body)
        with open("%s/%s-%s-%d.pb.gz" % (folder, rule, kind, i), "wb") as out:
            out.write(body)
        if p is None:
            return
        now = [p.sum(k) for k in GROWS.get(kind, [])]
        if before and any(x < y for x, y in zip(now, before)):
            fail("%s %s: a counter decreased: %s, %s" % (rule, kind, before, now))
        before = now
        time.sleep(max(0, start + (i + 1) * interval - time.monotonic()))


def scrape(where, rule, paths, interval, rounds, folder):
    threads = []
    for kind, path in paths.items():
        wait = interval if "{long}" in path else interval - 1 if "{short}" in path else 0
        path = path.format(long=interval, short=interval - 1)
        arguments = where, rule, kind, path, wait, interval, rounds, folder
        threads.append(threading.Thread(target=loop, args=arguments))
        threads[-1].start()
    for thread in threads:
        thread.join()


def main():
    where, interval, rounds, folder = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
    scrape(where, "parca", PARCA, interval, rounds, folder)
    scrape(where, "pyroscope", PYROSCOPE, interval, rounds, folder)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
