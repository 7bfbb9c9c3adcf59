#!/usr/bin/env python3
# collect_client.py - a client of a collector: reads pages, pushes profiles
#
# SPDX-License-Identifier: Apache-2.0
#
# usage: collect_client.py STORE METHOD PATH [HEADER...] [<BODY]
# Sends a request to the collector of the store, over the socket in STORE/lock, or to ADDRESS:PORT, or to
# https:PORT:CERTIFICATE, in its place. A body is read from standard input for POST. Prints the status, then the body; the
# headers on standard error.
# usage: collect_client.py push proto|json PROFILE SERVICE KIND [LABEL=VALUE...]     prints a body for /push.v1.PusherService/Push
import base64
import http.client
import json
import socket
import ssl
import sys

from wire import message


class Unix(http.client.HTTPConnection):
    def __init__(self, path):
        super().__init__("localhost", timeout=60)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(60)
        self.sock.connect(self.path)


def push(form, name, service, kind, *more):
    with open(name, "rb") as file:
        profile = file.read()
    labels = {"service_name": service, "__name__": kind, "env": "test", "__session_id__": "x", **dict(m.split("=", 1) for m in more)}
    if form == "json":
        return json.dumps({"series": [{
            "labels": [{"name": k, "value": v} for k, v in labels.items()],
            "samples": [{"rawProfile": base64.b64encode(profile).decode(), "ID": "1-2"}]}]}).encode()
    series = b"".join(message(1, message(1, k.encode()) + message(2, v.encode())) for k, v in labels.items())
    return message(1, series + message(2, message(1, profile) + message(2, b"1-2")))


def main():
    if sys.argv[1] == "push":
        sys.stdout.buffer.write(push(*sys.argv[2:]))
        return
    at, method, path = sys.argv[1:4]
    if at.startswith("https:"):  # https:PORT:FILE, with the certificate that is trusted
        _, port, certificate = at.split(":", 2)
        trust = ssl.create_default_context(cafile=certificate)
        connection = http.client.HTTPSConnection("localhost", int(port), timeout=60, context=trust)
    elif ":" in at:
        connection = http.client.HTTPConnection(at, timeout=60)
    else:
        with open(at + "/lock", encoding="utf-8") as file:
            connection = Unix(next(line[7:].strip() for line in file if line.startswith("socket ")))
    headers = dict(h.split(": ", 1) for h in sys.argv[4:])
    body = sys.stdin.buffer.read() if method == "POST" else None
    connection.request(method, path, body, headers)
    answer = connection.getresponse()
    sys.stderr.write(str(answer.headers))
    sys.stdout.buffer.write(str(answer.status).encode() + b"\n" + answer.read())


if __name__ == "__main__":
    main()
