# contract_polarsignals.py - the rules of WriteRaw over gRPC, with HTTP/2 and a bearer token
# SPDX-License-Identifier: Apache-2.0
"""The messages are those of contract_parca.py. Requests and responses of gRPC are from grpc/doc/PROTOCOL-HTTP2.md; the bearer token from
parca-agent's flags (--remote-store-bearer-token-file, v0.35). With CONTRACT_CERT and CONTRACT_KEY it has TLS, and the protocol is agreed
with ALPN as gRPC requires."""
import socketserver

import h2.config
import h2.connection
import h2.events

from contract import rule
from contract_parca import PATH, check_message

ALPN = "h2"


def check(server, request):
    head, body = request.headers, request.body
    rule(request.command == "POST" and request.path == PATH, "the path is " + request.path)
    rule(head["content-type"] in ("application/grpc", "application/grpc+proto"), "the content type is %s" % head["content-type"])
    rule(head.get("te") == "trailers", "there is no header TE: trailers")
    rule(head.get("authorization") == "Bearer token-of-the-project", "there is no bearer token")
    rule(len(body) >= 5 and body[0] == 0 and int.from_bytes(body[1:5], "big") == len(body) - 5, "the body is not one message")
    return check_message(server, body[5:])


def refuse(_, why):
    return 200, {"grpc-status": "3", "grpc-message": why}, None


def answer(_, step):
    kind, _, code = step.partition(":")
    if kind == "grpc":
        return 200, {"trailers": {"grpc-status": code, "grpc-message": "the step of the scenario, 50%25"}}, b""
    if kind == "head":
        return 200, {"grpc-status": code, "grpc-message": "in the header"}, None
    if step == "half":
        return 200, {}, b"\0\0\0\0\0"
    return (200, {"trailers": {"grpc-status": "0"}}, b"\0\0\0\0\0") if step in ("ok", "slow") else None


class Handler(socketserver.BaseRequestHandler):
    def setup(self):
        self.h2 = h2.connection.H2Connection(h2.config.H2Configuration(client_side=False, header_encoding="utf-8"))
        self.h2.initiate_connection()
        self.request.sendall(self.h2.data_to_send())

    def handle(self):
        self.body, self.headers = b"", {}
        data = self.request.recv(65536)
        while data:
            for event in self.h2.receive_data(data):
                self.take(event)
            self.request.sendall(self.h2.data_to_send())
            data = self.request.recv(65536)

    def take(self, event):
        if isinstance(event, h2.events.RequestReceived):
            self.headers, self.body = dict(event.headers), b""
        elif isinstance(event, h2.events.DataReceived):
            self.body += event.data
            self.h2.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
        elif isinstance(event, h2.events.StreamEnded):
            self.command, self.path = self.headers[":method"], self.headers[":path"]
            self.respond(event.stream_id, *self.server.take(self))

    def respond(self, stream, status, headers, body):
        trailers = headers.pop("trailers", None)
        self.h2.send_headers(stream, [(":status", str(status)), ("content-type", "application/grpc"), *headers.items()], end_stream=body is None)
        if body is not None:
            self.h2.send_data(stream, body, end_stream=not trailers)
        if trailers:
            self.h2.send_headers(stream, trailers.items(), end_stream=True)
