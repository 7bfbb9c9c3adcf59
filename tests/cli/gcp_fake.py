#!/usr/bin/python3
# gcp_fake.py - a project of Google's Cloud Profiler with the profiles of folders
# SPDX-License-Identifier: Apache-2.0
"""usage: gcp_fake.py TOKEN PAGE STEP... -- FOLDER TARGET TYPE KEY=VALUE... [-- ...]    prints its address, then a line per request

It lists each file of the folders as a profile of the type, in an order that is mixed; labels belong to the deployment, those that begin with
profile: to the profile. PAGE is the number of profiles of a page, as a server may return fewer than pageSize. The token of clients is
TOKEN. A STEP is the answer to a list without bytes: ok, 429, 503, skip:N (N profiles of the page are skipped), loop (the next page is this
one); after the last all are ok. Rules are from googleapis f8291d2b, google/devtools/cloudprofiler/v2/profiler.proto, ExportService; errors
of Google's APIs from google/rpc/status.proto, the parameter fields from the standard query parameters of its REST reference. Files with
"empty" in their name have no bytes, those with "nameless" no name.
"""
import base64
import datetime
import http.server
import json
import os
import random
import re
import sys
import urllib.parse

from contract import Pprof

PATH = "/v2/projects/shop-prod/profiles"
HEADS = "profiles(name,profileType,deployment(target,labels),duration,labels,startTime),nextPageToken,skippedProfiles"
BYTES = "profiles(name,profileBytes)"


def entry(number, path, target, kind, labels):
    with open(path, "rb") as f:
        data = f.read()
    p = Pprof(data) if "bad" not in path else None
    t = datetime.datetime.fromtimestamp(p.time_ns // 10**9 if p else int(os.path.basename(path)[4:-6]), datetime.timezone.utc)
    fraction = ".%09d" % (p.time_ns % 10**9) if p and p.time_ns % 10**9 else ""
    own = {k[8:]: v for k, v in labels.items() if k.startswith("profile:")}
    out = {"name": "projects/shop-prod/profiles/%x" % (1000 + number), "profileType": kind,
           "deployment": {"projectId": "shop-prod", "target": target, "labels": {k: v for k, v in labels.items() if ":" not in k}},
           "duration": "%gs" % (p.duration_ns / 1e9 if p and p.duration_ns else 10), "profileBytes": base64.b64encode(data).decode(),
           "startTime": t.strftime("%Y-%m-%dT%H:%M:%S") + fraction + "Z"}
    if own:
        out["labels"] = own
    if "nameless" in path:
        del out["name"]
    if "empty" in path:
        del out["profileBytes"]
    return out


def load(args):
    out = []
    while args:
        end = args.index("--") if "--" in args else len(args)
        folder, target, kind, *labels = args[:end]
        args = args[end + 1:]
        for name in sorted(os.listdir(folder)):
            out.append(entry(len(out), os.path.join(folder, name), target, kind, dict(x.split("=", 1) for x in labels)))
    random.Random(1).shuffle(out)
    return out


def keep(profile, fields):
    names = re.findall(r"\w+", re.sub(r"\([^()]*\)", "", fields[fields.index("(") + 1:fields.rindex(")")]))
    return {k: v for k, v in profile.items() if k in names}


class Fake(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *args):
        pass

    def reply(self, status, body, headers=()):
        data = json.dumps(body, indent=2).encode()
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        self.send_header("Content-Type", "application/json; charset=UTF-8")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def fail(self, code, status, message, headers=()):
        self.reply(code, {"error": {"code": code, "message": message, "status": status}}, headers)
        return code

    def answer(self):
        path, _, query = self.path.partition("?")
        q = dict(urllib.parse.parse_qsl(query, strict_parsing=True))
        if self.headers["Authorization"] != "Bearer " + token:
            return self.fail(401, "UNAUTHENTICATED", "Request had invalid authentication credentials.")
        fields = q.pop("fields", "")
        if path != PATH or q.pop("pageSize", "") != "1000" or set(q) - {"pageToken"} or fields not in (HEADS, BYTES):
            return self.fail(400, "INVALID_ARGUMENT", "a wrong request: " + self.path)
        first = int(q["pageToken"][5:]) if "pageToken" in q else 0
        body = {"profiles": [keep(p, fields) for p in profiles[first:first + page]]}
        step = steps.pop(0) if steps and fields == HEADS else "ok"
        if step in ("429", "503"):
            return self.fail(int(step), "RESOURCE_EXHAUSTED", "Quota exceeded for quota metric 'List profiles'", [("Retry-After", "0")])
        if step.startswith("skip:"):
            body["skippedProfiles"] = int(step[5:])
            body["profiles"] = body["profiles"][int(step[5:]):]
        if first + page < len(profiles) or step == "loop":
            body["nextPageToken"] = "page/%d" % (first if step == "loop" else first + page)
        body = {k: v for k, v in body.items() if k in re.sub(r"\(.*\)", "", fields)}
        self.reply(200, body)
        return 200

    def do_GET(self):
        status = self.answer()
        sys.stdout.write("%d %s\n" % (status, "bytes" if "profileBytes" in self.path else "heads"))
        sys.stdout.flush()


token, page = sys.argv[1], int(sys.argv[2])
split = sys.argv.index("--")
steps = sys.argv[3:split]
profiles = load(sys.argv[split + 1:])
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Fake)
print("127.0.0.1:%d" % server.server_port, flush=True)
server.serve_forever()
