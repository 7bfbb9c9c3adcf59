# contract_coroot.py - the rules of Coroot's endpoint for profiles
# SPDX-License-Identifier: Apache-2.0
"""Rules are from Coroot's files:

coroot 2fa85632, collector/profiles.go: the query has service.name and labels, the body is read with google/pprof, times are those of the end
coroot 045dd57f, model/profile.go: the types that are shown
coroot-cluster-agent 0a094cc2, profiles/profiles.go: names of types, increases of cumulative types, a duration where there is none
"""
import urllib.parse

from contract import Pprof, rows, rule

TYPES = {f"go:{t}" for t in (
    "profile_cpu:nanoseconds", "heap_alloc_objects:count", "heap_alloc_space:bytes", "heap_inuse_objects:count", "heap_inuse_space:bytes",
    "goroutine_goroutine:count", "block_contentions:count", "block_delay:nanoseconds", "mutex_contentions:count", "mutex_delay:nanoseconds")}


def check(server, request):
    url = urllib.parse.urlsplit(request.path)
    query = urllib.parse.parse_qs(url.query, keep_blank_values=True, strict_parsing=True)
    rule(request.command == "POST" and url.path == "/v1/profiles", "the path is " + url.path)
    rule(request.headers["X-API-Key"] == "key-of-the-project", "the project is unknown")
    rule(all(len(values) == 1 for values in query.values()), "a key is there twice, and is ignored")
    rule(query.get("service.name", [""])[0], "service.name is empty")
    p = Pprof(request.body)
    for name, unit in p.types:
        rule(name in TYPES and name.endswith(":" + unit), "the type %s is not shown" % name)
    rule(p.time_ns and p.duration_ns, "the profile has no time or no duration")
    server.write("labels", [" ".join(f"{k}={v[0]}" for k, v in sorted(query.items()))])
    server.write("times", ["%d %d" % (p.time_ns - p.duration_ns, p.time_ns)])
    return rows([(n.split(":")[1].split("_", 1)[1], u) for n, u in p.types], p.samples)


def refuse(request, why):
    return 400, {}, why.encode()


def answer(request, step):
    return (200, {"half": step == "half"}, b"") if step in ("ok", "slow", "half") else None
