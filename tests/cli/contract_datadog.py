# contract_datadog.py - the rules of uploads to Datadog's agent and intake
# SPDX-License-Identifier: Apache-2.0
"""Rules are from Datadog's clients, as no description of the server is published:

dd-trace-go a4bdff10 (v2.11.0-dev, August 2026): profiler/upload.go (form, event, tags, headers, statuses), profiler/profile.go (names of
  attachments, values that are deltas), profiler/options.go (paths, one minute, 10 s to upload), profiler/profiler.go (profile_seq)
libdatadog 9d6b2ffb (August 2026): libdd-profiling/src/exporter/config.rs (path of the intake), profile_exporter.rs (profile.pprof)
A tag has at most 200 characters, begins with a letter, and has no comma (docs.datadoghq.com, Getting Started with Tags).
"""
import datetime
import email
import json
import re

from contract import Pprof, rows, rule

FILES = {"cpu.pprof", "delta-heap.pprof", "delta-mutex.pprof", "delta-block.pprof", "goroutines.pprof", "goroutineleak.pprof", "profile.pprof"}
TAG = re.compile(r"[a-zA-Z][-a-zA-Z0-9_./]*:[^,]+\Z")
UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\Z")
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z\Z")
last_seq = {}


def parts(request):
    head = request.headers["Content-Type"]
    rule(head.startswith("multipart/form-data; boundary="), "the content type is " + head)
    form = email.message_from_bytes(b"Content-Type: " + head.encode() + b"\r\n\r\n" + request.body)
    rule(form.is_multipart() and not form.defects, "the form is damaged")
    return {p.get_param("name", header="Content-Disposition"): p for p in form.get_payload()}


def check_tags(server, event):
    tags = event["tags_profiler"].split(",")
    for tag in tags:
        rule(TAG.match(tag) and len(tag) <= 200, "not a tag: " + tag)
    rule(len({t.partition(":")[0] for t in tags}) == len(tags), "a tag is there twice")
    tag = dict(t.split(":", 1) for t in tags)
    for name in ("service", "runtime-id", "profile_seq", "language"):
        rule(name in tag, "there is no tag " + name)
    rule(UUID.match(tag["runtime-id"]), "the runtime-id is no UUID")
    expected = last_seq.get(tag["runtime-id"], -1) + 1
    rule(int(tag["profile_seq"]) == expected, "profile_seq is %s, not %d" % (tag["profile_seq"], expected))
    server.write("labels", [" ".join(t for t in sorted(tags) if not t.startswith(("profile_seq", "runtime-id")))])
    return tag


def check_times(event):
    rule(TIME.match(event["start"]) and TIME.match(event["end"]), "a time is not of RFC 3339")
    start, end = (datetime.datetime.fromisoformat(event[k][:19]) for k in ("start", "end"))
    rule(start < end, "the profile has no duration")


def check(server, request):
    intake = request.path == "/api/v2/profile"
    rule(request.command == "POST" and (intake or request.path == "/profiling/v1/input"), "the path is " + request.path)
    rule(not intake or request.headers["DD-API-KEY"] == "0123456789abcdef0123456789abcdef", "there is no key")
    rule(request.headers["DD-EVP-ORIGIN"] and request.headers["DD-EVP-ORIGIN-VERSION"], "there is no DD-EVP-ORIGIN")
    form = parts(request)
    rule("event" in form and form["event"].get_filename() == "event.json" and form["event"].get_content_type() == "application/json", "no event.json")
    event = json.loads(form.pop("event").get_payload(decode=True))
    rule(event["version"] == "4" and event["family"], "the version is not 4")
    rule(sorted(event["attachments"]) == sorted(form) and set(form) <= FILES, "attachments are %s and %s" % (event["attachments"], list(form)))
    check_times(event)
    request.tag = check_tags(server, event)
    lines = []
    for name, part in form.items():
        p = Pprof(part.get_payload(decode=True))
        rule(part.get_filename() == name, "the file has another name than its part")
        kind = {"cpu.pprof": "cpu", "delta-heap.pprof": "inuse_space", "delta-mutex.pprof": "delay", "goroutines.pprof": "goroutine"}.get(name)
        rule(kind is None or kind in dict(p.types), f"{name} has the types {p.types}")
        lines += rows(p.types, p.samples)
    return lines


def refuse(request, why):
    return 400, {}, why.encode()


def answer(request, step):
    if step in ("ok", "slow", "half", "202"):
        last_seq[request.tag["runtime-id"]] = last_seq.get(request.tag["runtime-id"], -1) + (step != "half")
        return (200 if step != "202" else 202), {"half": step == "half"}, b"{}"
    return None
