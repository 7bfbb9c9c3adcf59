# contract_gcp.py - the rules of Google's Cloud Profiler, offline and online, and its metadata server
# SPDX-License-Identifier: Apache-2.0
"""Rules are from Google's published files:

googleapis 00cb39ef, google/devtools/cloudprofiler/v2/profiler.proto: methods, fields, names and sizes, times in ascending order, RetryInfo
google-cloud-go 0221872e, profiler/profiler.go: the order of the online mode (create, then update), labels language, zone, version, instance
google.rpc.RetryInfo in the details of an error, and durations and bytes in JSON, are those of all of Google's APIs (google/rpc/status.proto,
  error_details.proto; the JSON mapping of protobuf)
Tokens: "View and query VM metadata", http://metadata.google.internal/computeMetadata/v1, header Metadata-Flavor: Google
"""
import base64
import binascii
import json
import re

from contract import Pprof, rows, rule

PARENT = "/v2/projects/shop-prod"
TYPES = {"CPU", "WALL", "HEAP", "THREADS", "CONTENTION", "PEAK_HEAP", "HEAP_ALLOC"}
TARGET = re.compile(r"[a-z0-9]([-a-z0-9_.]{0,253}[a-z0-9])?\Z")
LABEL = re.compile(r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\Z")
DURATION = re.compile(r"\d+(\.\d{1,9})?s\Z")
last_time, created = {}, {}


def unique(pairs):
    rule(len({k for k, _ in pairs}) == len(pairs), "a key is there twice")
    return dict(pairs)


def check_deployment(server, d):
    rule(set(d) <= {"projectId", "target", "labels"}, "unknown fields: %s" % list(d))
    rule(d["projectId"] == "shop-prod" and TARGET.match(d["target"]), "the project or target is invalid: %s" % d["target"])
    for name, value in d["labels"].items():
        rule(LABEL.match(name) and len(value.encode()) <= 512, "the label %s is invalid" % name)
    rule(sum(len(k) + len(v.encode()) for k, v in d["labels"].items()) <= 1024, "the labels have more than 1024 bytes")
    server.write("labels", [d["target"] + " " + " ".join(f"{k}={v}" for k, v in d["labels"].items())])
    return json.dumps(d, sort_keys=True)


def check_bytes(kind, body):
    try:
        data = base64.b64decode(body["profileBytes"], validate=True)
    except binascii.Error as e:
        rule(False, "profileBytes is not base64: %s" % e)
    rule(data[:2] == b"\x1f\x8b", "the profile is not compressed")
    p = Pprof(data)
    names = {t for t, _ in p.types}
    rule(kind != "HEAP" or not any("alloc" in n for n in names), "allocations are in HEAP")
    rule(kind != "HEAP_ALLOC" or not any("inuse" in n for n in names), "gauges are in HEAP_ALLOC")
    return p


def check_profile(server, kind, body):
    p = check_bytes(kind, body)
    deployment = check_deployment(server, body["deployment"])
    rule(p.time_ns >= last_time.get(deployment, 0), "the profiles of a deployment are not in ascending order of time")
    return list(rows(p.types, p.samples)), (deployment, p.time_ns)


def check(server, request):
    request.stored = request.body_json = None
    if request.command == "GET":
        rule(request.path == "/computeMetadata/v1/instance/service-accounts/default/token", "the path is " + request.path)
        rule(request.headers["Metadata-Flavor"] == "Google", "there is no Metadata-Flavor")
        return []
    rule(re.match(r"Bearer token-(file|[0-9]+)\Z", request.headers["Authorization"] or ""), "there is no token")
    rule(request.headers["Content-Type"] == "application/json", "the content type is %s" % request.headers["Content-Type"])
    body = request.body_json = json.loads(request.body, object_pairs_hook=unique)
    if request.command == "POST" and request.path == PARENT + "/profiles":
        rule(set(body["profileType"]) <= TYPES and body["profileType"], "profileType is %s" % body["profileType"])
        check_deployment(server, body["deployment"])
        return []
    kind = body["profileType"]
    rule(kind in TYPES, "profileType is %s" % kind)
    rule(DURATION.match(body["duration"]), "the duration is %s" % body["duration"])
    if request.command == "PATCH":
        rule(created.get(request.path) == kind and body["name"] == request.path[4:], "a profile that was not created: " + request.path)
        rule(set(body) <= {"name", "profileType", "deployment", "duration", "profileBytes", "labels"}, "unknown fields: %s" % list(body))
    else:
        rule(request.command == "POST" and request.path == PARENT + "/profiles:createOffline", request.command + " " + request.path)
        rule(set(body) <= {"profileType", "deployment", "duration", "profileBytes", "labels"}, "fields are %s" % list(body))
    lines, request.stored = check_profile(server, kind, body)
    return lines


def error(code, status, message, delay=""):
    details = [{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": delay}] if delay else []
    body = {"error": {"code": code, "message": message, "status": status, "details": details}}
    return code, {"Content-Type": "application/json; charset=UTF-8"}, json.dumps(body, indent=2).encode()


def refuse(request, why):
    return error(400, "INVALID_ARGUMENT", why)


def answer(request, step):
    """aborted:DELAY is 409 with RetryInfo; expires:SECONDS the life of a token; error:CODE an error of Google's APIs."""
    kind, _, value = step.partition(":")
    if kind == "expires":
        return 200, {}, b'{"access_token": "token-0", "expires_in": %s}' % value.encode()
    if kind == "aborted":
        return error(409, "ABORTED", "no quota for the deployment", value)
    if kind == "error":
        return error(int(value), "X", "an error in JSON")
    if step == "half":
        return 200, {"half": True}, b'{"na'
    if step not in ("ok", "slow"):
        return None
    if request.command == "GET":
        created["tokens"] = created.get("tokens", 0) + 1
        return 200, {}, json.dumps({"access_token": "token-%d" % created["tokens"], "expires_in": 3599, "token_type": "Bearer"}).encode()
    if request.stored:
        last_time.__setitem__(*request.stored)
        created.pop(request.path, None)
        return 200, {}, b'{"name": "%s"}' % request.path.encode()
    name = "%s/profiles/%x" % (PARENT[4:], len(created) + 10)
    created["/v2/" + name] = request.body_json["profileType"][0]
    return 200, {}, json.dumps({"deployment": {"name": "no"}, "name": name, "profileType": created["/v2/" + name], "duration": "10s"}).encode()
