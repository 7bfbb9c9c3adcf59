# contract_otlp.py - the rules of OTLP/HTTP for profiles
# SPDX-License-Identifier: Apache-2.0
"""Rules are from:

opentelemetry-proto 1.11, profiles/v1development/profiles.proto and collector/profiles/v1development/profiles_service.proto
opentelemetry-specification, protocol/otlp: OTLP/HTTP request, response, partial success, failures
open-telemetry/sig-profiling d2ab6d50 (August 2026), profcheck/check.go: ConformanceChecker with all its checks
opentelemetry-collector 934999fb (v0.15x), receiver/otlpreceiver/otlphttp.go: content types, path, google.rpc.Status as error
"""
import functools
import gzip
import struct

from contract import rows, rule, text
from wire import I64, integers, message, number, one, raw_fields, repeated, signed

PATH = "/v1development/profiles"
MAPPING, LOCATION, FUNCTION, LINK, STRING, ATTRIBUTE, STACK = range(1, 8)


def ints(m, field):
    return list(map(signed, integers(*m[field])))


def wide(data):
    """The fields of a Profile, which has a fixed64."""
    plain, time_ns = b"", 0
    for field, kind, value, raw in raw_fields(data):
        if kind == I64:
            rule(field == 3, "an unknown fixed64")
            time_ns = struct.unpack("<Q", value)[0]
        else:
            plain += raw
    return repeated(plain), time_ns


class Dictionary:
    def __init__(self, data):
        m = repeated(data)
        self.string = [bytes(s).decode() for s in m.get(STRING, [])]
        self.mapping, self.location, self.function, self.attribute, self.stack = (
            [repeated(x) for x in m.get(i, [])] for i in (MAPPING, LOCATION, FUNCTION, ATTRIBUTE, STACK))
        for i in range(1, 8):
            first = [v for values in repeated(m.get(i, [b"\x08\1"])[0]).values() for v in values] if i != STRING else m[i][:1]
            rule(not any(v if isinstance(v, int) else any(v) for v in first), f"table {i} does not begin with its zero value")
        rule(len(set(self.string)) == len(self.string), "a string is in the table twice")
        self.used = {name: {0} for name in ("string", "mapping", "location", "function", "attribute", "stack")}

    def get(self, name, i):
        rule(0 <= i < len(getattr(self, name)), f"index {i} of {name} is out of range")
        self.used[name].add(i)
        return getattr(self, name)[i]

    @functools.cache
    def label(self, i):
        a = self.get("attribute", i)
        value = repeated(one(a, 2, b""))
        rule(value, "an attribute has no value")
        unit = self.get("string", one(a, 3))
        return "%s=%s" % (self.get("string", one(a, 1)), text(value, 1) if 1 in value else "%d %s" % (signed(one(value, 3)), unit))

    @functools.cache
    def frame(self, i):
        x = self.get("location", i)
        m = self.get("mapping", one(x, 1))
        rule(one(m, 1) < one(m, 2) or one(m, 1) == one(m, 2) == 0, "a mapping does not end after its start")
        self.get("string", one(m, 4))
        for a in ints(m, 5):
            self.label(a)
        lines = []
        for line in map(repeated, x.get(3, [])):
            f = self.get("function", one(line, 1))
            names = [self.get("string", one(f, k)) for k in (1, 2, 3)]
            rule(signed(one(line, 2)) >= 0 and signed(one(line, 3)) >= 0 and signed(one(f, 4)) >= 0, "a line is negative")
            lines.append("%s %s:%d" % (names[0], names[2], one(line, 2)))
        return "+".join(lines) or "0x%x" % one(x, 2)

    @functools.cache
    def frames(self, i):
        return [self.frame(x) for x in ints(self.get("stack", i), 1)]

    def check_orphans(self):
        for i in range(len(self.stack)):
            self.frames(i)
        for m in self.mapping:
            [self.label(a) for a in ints(m, 5)]
        left = sorted(set(range(len(self.attribute))) - self.used["attribute"])
        rule(not left, f"unused attributes: {left}")  # other unused entries are those of the profile


def check_profile(d, data, resource, ids, out):
    p, time_ns = wide(data)
    kind = repeated(one(p, 1, b""))
    pair = d.get("string", one(kind, 1)), d.get("string", one(kind, 2))
    period = repeated(one(p, 5, b""))
    d.get("string", one(period, 1)), d.get("string", one(period, 2))
    rule(pair[0] and time_ns, "a profile has no sample type or no time")
    rule(len(one(p, 7, b"")) == 16 and any(p[7][-1]) and p[7][-1] not in ids, "an id is not 16 bytes, or not unique")
    ids.append(p[7][-1])
    meaning = [d.label(i) for i in ints(p, 11)]
    gauge = pair[0].startswith("inuse") or pair[0] in ("goroutine", "threadcreate")
    rule(meaning == ["cpa.temporality=" + ("gauge" if gauge else "delta")], "%s has the attributes %s" % (pair[0], meaning))
    for s in map(repeated, p.get(2, [])):
        stack = d.frames(one(s, 1))
        values = ints(s, 4)
        rule(len(values) == 1 and 5 not in s and 3 not in s, "a sample has %d values" % len(values))
        out += rows([pair], [(stack, sorted(d.label(i) for i in ints(s, 2)), values)])


def check(server, request):
    head = request.headers
    rule(request.command == "POST" and request.path == PATH, "the path is " + request.path)
    rule(head["Content-Type"] == "application/x-protobuf", "the content type is %s" % head["Content-Type"])
    rule(head["Content-Encoding"] == "gzip", "the body is not compressed")
    m = repeated(gzip.decompress(request.body))
    rule(len(m.get(2, [])) == 1 and m.get(1), "there is not one dictionary, or no resource")
    d, out, ids = Dictionary(m[2][0]), [], []
    for r in map(repeated, m[1]):
        attributes = {text(a, 1): text(repeated(one(a, 2, b"")), 1) for a in map(repeated, repeated(one(r, 1, b"")).get(1, []))}
        rule(attributes.get("service.name"), "there is no service.name")
        server.write("labels", [" ".join(f"{k}={v}" for k, v in sorted(attributes.items()))])
        rule(r.get(2), "a resource has no scope")
        for scope in map(repeated, r[2]):
            rule(scope.get(2), "a scope has no profiles")
            for data in scope[2]:
                check_profile(d, data, attributes, ids, out)
    d.check_orphans()
    return out


def status(message_text):
    return {"Content-Type": "application/x-protobuf"}, number(1, 3) + message(2, message_text.encode())


def refuse(request, why):
    return (400, *status(why))


def answer(request, step):
    """partial:N rejects N profiles; partial:0 is a warning."""
    kind, _, n = step.partition(":")
    head = {"Content-Type": "application/x-protobuf"}
    if kind == "partial":
        return 200, head, message(1, (number(1, int(n)) if int(n) else b"") + message(2, b"too many strings"))
    if step == "half":
        return 200, {**head, "half": True}, message(1, b"")[:1]
    if step in ("ok", "slow"):
        return 200, head, b""
    if kind == "status":
        return (int(n), *status("in a google.rpc.Status"))
    return None
