# contract_parca.py - the rules of WriteRaw of Parca, over gRPC-web
# SPDX-License-Identifier: Apache-2.0
"""Rules are from Parca's repository at 3b5647cd (July 2026), after release 0.28:

pkg/normalizer/normalizer.go   NormalizeWriteRawRequest: names of labels, __name__; raw profiles may be gzip
pkg/normalizer/validate.go     ValidatePprofProfile: ids, indices, values, labels
pkg/profilestore/profilecolumnstore.go  writeSeries: a type must be a metric name of Prometheus
pkg/server/server.go           grpcHandlerFunc: Content-Type begins with application/grpc; grpcweb.WrapServer for application/grpc-web
pkg/debuginfo/client.go        MaxMsgSize: 64 MiB
The frames of gRPC-web are from grpc/doc/PROTOCOL-WEB.md. A profile without a period type ended Parca 0.28.0 (seen there).
"""
import re
import urllib.parse

from contract import Pprof, rows, rule, text
from wire import one, repeated

PATH = "/parca.profilestore.v1alpha1.ProfileStoreService/WriteRaw"
LABEL = re.compile(r"[a-zA-Z_][a-zA-Z0-9_]*\Z")
METRIC = re.compile(r"[a-zA-Z_:][a-zA-Z0-9_:]*\Z")
MAX = 64 << 20
metrics = set()


def check_ids(p):
    for name, table in (("mapping", p.mappings), ("function", p.functions), ("location", p.locations)):
        rule([one(m, 1) for m in table] == list(range(1, len(table) + 1)), f"{name} id is not sequential")
    for x in p.locations:
        rule(one(x, 2) <= len(p.mappings), "location has invalid mapping id")
        rule(all(one(repeated(line), 1) <= len(p.functions) for line in x.get(4, [])), "a location has an invalid function id")


def check_profile(data, name):
    p = Pprof(data)
    rule(not p.text or p.text[0] == "", "first item in string table is expected to be empty")
    rule(p.types or not p.samples, "missing sample type information")
    rule(p.period_type, "the profile has no period type, and the server crashes")
    check_ids(p)
    for stack, labels, values in p.samples:
        rule(len(values) == len(p.types), "mismatch: values and types")
        rule(all(not label.startswith("=") for label in labels), "a label has no key")
    for t in p.types:
        metric = ":".join([name, *t, *p.period_type]) + (":delta" if p.duration_ns else "")
        rule(METRIC.match(metric), "invalid profile type " + metric)
        rule(not ("inuse" in t[0] and p.duration_ns), "a gauge has a duration, and is a delta")
        if p.samples:
            metrics.add(metric + (" %d" % (p.duration_ns // 10**9) if p.duration_ns else ""))
    return p


def check_series(series):
    labels = [(text(x, 1), text(x, 2)) for x in map(repeated, repeated(one(series, 1, b"")).get(1, []))]
    names = [name for name, _ in labels]
    rule("__name__" in names and dict(labels)["__name__"], "missing __name__ label")
    rule(len(names) == len(set(names)), "duplicate label name")
    rule(all(LABEL.match(name) for name in names), "invalid label name: %s" % names)
    rule("service_name" in names, "there is no label service_name")
    return dict(labels)


def check_message(server, message):
    rule(len(message) <= MAX, "received message larger than max")
    lines = []
    for series in map(repeated, repeated(message).get(2, [])):
        labels = check_series(series)
        for raw in series.get(2, []):
            p = check_profile(one(repeated(raw), 1, b""), labels["__name__"])
            lines += rows(p.types, p.samples)
        server.write("metrics", sorted(metrics))
        metrics.clear()
        server.write("labels", [" ".join(f"{k}={v}" for k, v in sorted(labels.items()))])
    return lines


def check(server, request):
    head, body = request.headers, request.body
    rule(request.command == "POST" and request.path == PATH, "the path is " + request.path)
    rule(head["Content-Type"] == "application/grpc-web+proto", "the content type is %s" % head["Content-Type"])
    rule(len(body) >= 5 and body[0] == 0 and int.from_bytes(body[1:5], "big") == len(body) - 5, "the body is not one message")
    return check_message(server, body[5:])


def frame(status, message=""):
    trailer = f"grpc-status: {status}\r\ngrpc-message: {urllib.parse.quote(message)}\r\n".encode()
    return b"\x80" + len(trailer).to_bytes(4, "big") + trailer


def response(body):
    return 200, {"Content-Type": "application/grpc-web+proto"}, body


def refuse(request, why):
    return response(frame(3, why))


def answer(request, step):
    """The answers of a server of gRPC-web: grpc:CODE is an error in the trailer, head:CODE one in the header."""
    kind, _, code = step.partition(":")
    if kind == "grpc":
        return response(frame(code, "the step of the scenario, 50%"))
    if kind == "head":
        return 200, {"Content-Type": "application/grpc-web+proto", "grpc-status": code, "grpc-message": "in the header"}, b""
    if step == "half":
        return 200, {"Content-Type": "application/grpc-web+proto", "half": True}, b"\0\0\0"
    if step in ("ok", "slow"):
        return response(b"\0\0\0\0\0" + frame(0))
    return None


__all__ = ["Broken", "answer", "check", "check_message", "refuse"]
