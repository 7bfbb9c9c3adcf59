#!/usr/bin/env python3
# push_bodies.py - bodies of pushes: forms of Datadog, messages of Parca, requests of OTLP
#
# SPDX-License-Identifier: Apache-2.0
#
# usage: push_bodies.py datadog NAME=FILE...     a form with files; its times are those of the last minute
#        push_bodies.py grpc-web|proto|json FILE SERVICE     a WriteRawRequest
#        push_bodies.py otlp SERVICE AGE...     JSON with a profile of each age in seconds, in a resource each
#        push_bodies.py status FILE     prints the fields of a google.rpc.Status
import base64
import datetime
import json
import sys
import time

from wire import message


def read(name):
    with open(name, "rb") as file:
        return file.read()


def datadog(*files):
    now = datetime.datetime.now(datetime.timezone.utc)
    event = {"start": (now - datetime.timedelta(seconds=60)).isoformat(), "end": now.isoformat(), "family": "go", "version": "4",
             "attachments": [f.split("=")[0] for f in files], "tags_profiler": "service:dd,env:test,version:1.2,host:h,profile_seq:3"}
    parts = [("event", "event.json", json.dumps(event).encode())]
    parts += [(f.split("=")[0], f.split("=")[0], read(f.split("=")[1])) for f in files]
    for name, file, data in parts:
        yield ('--b\r\nContent-Disposition: form-data; name="%s"; filename="%s"\r\n\r\n' % (name, file)).encode() + data + b"\r\n"
    yield b"--b--\r\n"


def write_raw(form, name, service):
    labels = {"__name__": "process_cpu", "job": service, "instance": "h:1"}
    if form == "json":
        return json.dumps({"series": [{
            "labels": {"labels": [{"name": k, "value": v} for k, v in labels.items()]},
            "samples": [{"rawProfile": base64.b64encode(read(name)).decode()}]}]}).encode()
    all_labels = b"".join(message(1, message(1, k.encode()) + message(2, v.encode())) for k, v in labels.items())
    body = message(2, message(1, all_labels) + message(2, message(1, read(name))))
    return (b"\0" + len(body).to_bytes(4, "big") if form == "grpc-web" else b"") + body


def otlp(service, *ages):
    now = time.time_ns()
    return json.dumps({
        "resourceProfiles": [{
            "resource": {"attributes": [{"key": "service.name", "value": {"stringValue": service}},
                                        {"key": "host.name", "value": {"stringValue": "h%d" % i}}]},
            "scopeProfiles": [{"profiles": [{
                "sampleType": {"typeStrindex": 1, "unitStrindex": 2}, "timeUnixNano": str(now - int(age) * 10**9),
                "durationNano": "1000000000", "samples": [{"stackIndex": 0, "values": ["70"]}]}]}]}
            for i, age in enumerate(ages)],
        "dictionary": {"stringTable": ["", "cpu", "nanoseconds"], "stackTable": [{}]}}).encode()


def status(name):
    data = read(name)
    assert data[0] == 8 and data[2] == 18
    return ("%d %s\n" % (data[1], data[4:].decode())).encode()


command, *rest = sys.argv[1:]
if command == "datadog":
    sys.stdout.buffer.write(b"".join(datadog(*rest)))
elif command == "otlp":
    sys.stdout.buffer.write(otlp(*rest))
elif command == "status":
    sys.stdout.buffer.write(status(*rest))
else:
    sys.stdout.buffer.write(write_raw(command, *rest))
