#!/usr/bin/env python3
# kube_server.py - an API server with the pods of Kubernetes, for tests of targets kubernetes
#
# SPDX-License-Identifier: Apache-2.0
#
# usage: kube_server.py FOLDER [CERT KEY]     listens on 127.0.0.1 until standard input ends; FOLDER/port has the port. A line of
#                                             FOLDER/log is a request: list or watch, its query, its token, the status
#        kube_server.py PORT COMMAND...       changes it: Python of the functions below, with `server`
#
# Lists have pages and watches have versions, as in docs/reference/using-api/api-concepts of Kubernetes: a version that was
# forgotten is 410, for a watch, and for the next page of a list. GET /debug/pprof/NAME is a profile, so a pod may be at this server.
import bisect
import http.server
import json
import os
import ssl
import sys
import threading
import time
import urllib.parse

PROFILE = os.path.join(os.environ.get("TESTDATA", "testdata"), "go-heap1.pb.gz")


def pod(name, namespace="prod", ip="127.0.0.1", ready=True, phase="Running", annotations=None, labels=None, ports=None, owner=None, **spec):
    """A pod with one container per list of ports: {"app": [("http", 8080)]}."""
    meta = {"name": name, "namespace": namespace, "labels": labels or {}, "annotations": annotations or {}, "uid": name,
            "managedFields": [{"manager": "kubelet", "fieldsV1": {"f:metadata": {}}}]}
    if owner:
        meta["ownerReferences"] = [{"apiVersion": "apps/v1", "kind": owner[0], "name": owner[1], "controller": True}]
    containers = [{"name": c, "image": "x", "ports": [{"name": n, "containerPort": p, "protocol": "TCP"} for n, p in all_ports]}
                  for c, all_ports in (ports or {"app": []}).items()]
    return {"metadata": meta, "spec": {"nodeName": "node-1", "containers": containers, **spec},
            "status": {"phase": phase, "podIP": ip, "conditions": [{"type": "Ready", "status": "True" if ready else "False"}]}}


class Server:
    def __init__(self, folder):
        self.pods, self.events, self.version, self.oldest = {}, [], 1, 0
        self.changed = threading.Condition()
        self.token, self.page, self.failures, self.broken = None, 1000, [], None
        self.n_closed, self.pages = 0, {}
        self.log = open(os.path.join(folder, "log"), "a", encoding="utf-8")  # noqa: SIM115

    def _event(self, kind, one):
        self.version += 1
        one["metadata"]["resourceVersion"] = str(self.version)
        self.events.append((self.version, kind, json.dumps(one)))

    def set(self, *pods):
        """Add or change pods. To a watch of running pods, one that does not run is deleted."""
        with self.changed:
            for one in pods:
                key = (one["metadata"]["namespace"], one["metadata"]["name"])
                was, runs = key in self.pods, one["status"]["phase"] == "Running"
                if runs:
                    self.pods[key] = one
                elif was:
                    del self.pods[key]
                if runs or was:
                    self._event("MODIFIED" if runs and was else "ADDED" if runs else "DELETED", one)
            self.changed.notify_all()

    def delete(self, *names):
        with self.changed:
            for name in names:
                self._event("DELETED", self.pods.pop(("prod", name)))
            self.changed.notify_all()

    def send(self, line):
        """Send a line to all watches, as it is."""
        with self.changed:
            self.version += 1
            self.events.append((self.version, "", line))
            self.changed.notify_all()

    def forget(self):
        """Versions up to now are too old; watches end."""
        with self.changed:
            self.version += 1
            self.oldest = self.version
            self.n_closed += 1
            self.changed.notify_all()

    def close(self):
        """End the connections of watches."""
        with self.changed:
            self.n_closed += 1
            self.changed.notify_all()

    def fail(self, *statuses, retry=None):
        """Answer the next requests so: a status; "half": the response ends early; 0: as usual."""
        self.failures = [(status, retry) for status in statuses]


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_version = "kube"

    def log_message(self, *args):
        pass

    def reply(self, code, body, headers=()):
        data = body.encode() if isinstance(body, str) else body
        self.send_response(code)
        for name, value in (("Content-Type", "application/json"), ("Content-Length", str(len(data))), *headers):
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)
        self.close_connection = True

    def do_POST(self):
        code = self.rfile.read(int(self.headers["Content-Length"])).decode()
        exec(code, {"server": self.server.api, "pod": pod, "json": json, "time": time})  # noqa: S102
        self.reply(200, "{}")

    def do_GET(self):
        url = urllib.parse.urlsplit(self.path)
        if url.path.startswith("/debug/pprof/"):
            with open(PROFILE, "rb") as file:
                self.reply(200, file.read())
            return
        query = dict(urllib.parse.parse_qsl(url.query))
        api, what = self.server.api, "watch" if "watch" in query else "list"
        api.token_seen = (self.headers["Authorization"] or "").removeprefix("Bearer ")
        self.answer(api, url.path, what, query)

    def reply_status(self, code, message, headers=()):
        self.note(code)
        self.reply(code, json.dumps({"kind": "Status", "apiVersion": "v1", "status": "Failure", "message": message, "code": code}), headers)

    def note(self, code):
        """Log the request."""
        url = urllib.parse.urlsplit(self.path)
        self.server.api.log.write(f"{'watch' if 'watch=' in url.query else 'list'} {url.path} {url.query} token={self.server.api.token_seen} {code}\n")
        self.server.api.log.flush()

    def answer(self, api, path, what, query):
        if api.failures:
            status, retry = api.failures.pop(0)
            if status == "half":
                self.note(status)
                self.send_response(200)
                self.send_header("Content-Length", "100000")
                self.end_headers()
                self.wfile.write(b'{"kind":"PodList","metadata":{"resourceVersion":"1"},"items":[')
                self.close_connection = True
            elif status:
                self.reply_status(status, "as the test says", [("Retry-After", str(retry))] if retry else [])
            if status:
                return
        if api.token and api.token_seen != api.token:
            self.reply_status(401, "Unauthorized")
            return
        parts = path.split("/")
        namespace = parts[4] if parts[3:4] == ["namespaces"] else None
        if namespace == "secret":
            self.reply_status(403, 'pods is forbidden: User "system:serviceaccount:profiling:default" cannot list resource "pods"')
            return
        assert query["fieldSelector"] == "status.phase=Running", query
        (self.watch if what == "watch" else self.list)(api, namespace, query)

    def list(self, api, namespace, query):
        with api.changed:
            version, first = map(int, query["continue"].split("-")) if "continue" in query else (api.version, 0)
            if version < api.oldest:
                self.reply_status(410, "The provided continue parameter is too old")
                return
            if first == 0:  # a copy, for all pages
                api.pages[version] = [p for (ns, _), p in sorted(api.pods.items()) if namespace in (None, ns) and matches(p, query)]
            wanted = api.pages[version]
            n = min(int(query["limit"]), api.page)
            meta = {"resourceVersion": str(version)}
            if first + n < len(wanted):
                meta["continue"] = f"{version}-{first + n}"
            body = json.dumps({"kind": "PodList", "apiVersion": "v1", "metadata": meta, "items": wanted[first:first + n]})
        self.note(200)
        self.reply(200, body)

    def watch(self, api, namespace, query):
        after, end = int(query["resourceVersion"]), time.monotonic() + int(query["timeoutSeconds"])
        with api.changed:
            if after < api.oldest:
                self.reply_status(410, "too old resource version")
                return
            n_closed = api.n_closed
        self.note(200)
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        at = bisect.bisect_left(api.events, (after + 1,))
        while time.monotonic() < end and api.n_closed == n_closed:
            with api.changed:
                api.changed.wait_for(lambda: len(api.events) > at or api.n_closed != n_closed, 1)
                new, at = api.events[at:], len(api.events)
            for version, kind, text in new:
                one = json.loads(text) if kind else None
                if kind and (namespace not in (None, one["metadata"]["namespace"]) or not matches(one, query)):
                    one = {"kind": "Pod", "apiVersion": "v1", "metadata": {"resourceVersion": str(version)}}
                    kind = "BOOKMARK"
                line = (json.dumps({"type": kind, "object": one}) if kind else text) + "\n"
                half = len(line) // 2  # events do not end where chunks do
                for part in line[:half].encode(), line[half:].encode():
                    self.wfile.write(b"%x\r\n%s\r\n" % (len(part), part))
                    self.wfile.flush()
        if api.n_closed == n_closed:  # else the connection is cut
            self.wfile.write(b"0\r\n\r\n")
        self.close_connection = True


def matches(one, query):
    labels = one["metadata"]["labels"]
    return all(labels.get(k) == v for k, v in (term.split("=") for term in query.get("labelSelector", "").split(",") if term))


class Listener(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def handle_error(self, *args):
        pass


def main():
    if sys.argv[1].isdigit():
        import http.client
        connection = http.client.HTTPSConnection if os.environ.get("KUBE_TLS") else http.client.HTTPConnection
        options = {"context": ssl._create_unverified_context()} if os.environ.get("KUBE_TLS") else {}
        c = connection("127.0.0.1", int(sys.argv[1]), timeout=60, **options)
        c.request("POST", "/", "\n".join(sys.argv[2:]).encode())
        sys.exit(c.getresponse().status != 200)
    folder, *tls = sys.argv[1:]
    listener = Listener(("127.0.0.1", 0), Handler)
    listener.api = Server(folder)
    if tls:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*tls)
        listener.socket = context.wrap_socket(listener.socket, server_side=True)
    threading.Thread(target=listener.serve_forever, daemon=True).start()
    with open(folder + "/port.new", "w", encoding="utf-8") as file:
        file.write(f"{listener.server_port}\n")
    os.rename(folder + "/port.new", folder + "/port")
    sys.stdin.read()


main()
