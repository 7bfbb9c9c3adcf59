# go_answers.py - send all requests of requests.txt to a server, and print the answers
#
# SPDX-License-Identifier: Apache-2.0
"""usage: go_answers.py PORT VERSION < requests.txt > answers.txt

Each request is followed by the status, the head lines that do not depend on the moment, and the body, in one
line after "= ", when it is a text for people.
"""
import socket
import sys
import time

PASSED_OVER = {"date", "content-length", "connection", "transfer-encoding"}


def ask(port, method, target):
    with socket.create_connection(("127.0.0.1", port), 60) as s:
        line = f"{method} {target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
        s.sendall(line.replace("~", "\xff").encode("latin1"))
        answer = b""
        while part := s.recv(65536):
            answer += part
    return answer


def shown(body):
    plain = body.decode("latin1").encode("unicode_escape").decode()
    return plain.replace("~", "\\x7e")


def main():
    port = int(sys.argv[1])
    print(f"# what {sys.argv[2]} answered to requests.txt; made by go_answers.py, see answers.t")
    for line in sys.stdin:
        line = line.rstrip("\n")
        if not line or line.startswith("#"):
            continue
        method, target = line.split(" ", 1)
        while (answer := ask(port, method, target)).startswith(b"HTTP/1.1 429 "):
            time.sleep(0.1)
        head, _, body = answer.partition(b"\r\n\r\n")
        first, *lines = head.decode("latin1").split("\r\n")
        print(f"> {line}\n{first.split(' ', 1)[1]}")
        kept = [x for x in lines if x.split(":")[0].lower() not in PASSED_OVER]
        print("\n".join(kept + [""]) if kept else "", end="")
        if body and (first.split()[1] != "200" or "symbol" in target):
            print("= " + shown(body))
        print()


main()
