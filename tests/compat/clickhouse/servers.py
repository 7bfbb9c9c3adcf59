# servers.py - start and end servers of ClickHouse for tests
# SPDX-License-Identifier: Apache-2.0
import http.server
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request

CONFIG = """<yandex><logger><level>warning</level><log>{folder}/log</log><errorlog>{folder}/errors</errorlog></logger>
<http_port>{port}</http_port><tcp_port>{native}</tcp_port><listen_host>127.0.0.1</listen_host>
<path>{folder}/data/</path><tmp_path>{folder}/tmp/</tmp_path><user_files_path>{folder}/files/</user_files_path>
<format_schema_path>{folder}/schemas/</format_schema_path><users_config>users.xml</users_config>
<default_profile>default</default_profile><default_database>default</default_database><mark_cache_size>100000000</mark_cache_size>
<remote_servers><pair>{shards}</pair></remote_servers></yandex>
"""
USERS = """<yandex><profiles><default/></profiles><quotas><default/></quotas><users><default><password></password>
<networks><ip>::/0</ip></networks><profile>default</profile><quota>default</quota></default></users></yandex>
"""
SHARD = "<shard><replica><host>127.0.0.1</host><port>{}</port></replica></shard>"


def free_ports(n):
    listeners = [socket.create_server(("127.0.0.1", 0)) for _ in range(n)]
    ports = [s.getsockname()[1] for s in listeners]
    for s in listeners:
        s.close()
    return ports


def ask(port, sql, database="default"):
    request = urllib.request.Request(f"http://127.0.0.1:{port}/?database={database}", sql.encode())
    with urllib.request.urlopen(request, timeout=60) as response:
        return response.read().decode()


class Server:
    """A process that answers at a port."""

    def __init__(self, command, folder, port):
        self.command, self.folder, self.port, self.process = command, folder, port, None
        self.start()

    def start(self):
        with open(os.path.join(self.folder, "output"), "ab") as out:
            self.process = subprocess.Popen(self.command, cwd=self.folder, stdout=out, stderr=out)
        for _ in range(600):
            try:
                ask(self.port, "SELECT 1")
                return
            except OSError:
                time.sleep(0.1)
            if self.process.poll() is not None:
                break
        raise OSError(f"{self.command[0]} does not answer; see {self.folder}")

    def kill(self, number=signal.SIGKILL):
        self.process.send_signal(number)
        self.process.wait()


class LosingProxy(http.server.ThreadingHTTPServer):
    """Passes requests on. The response to the first try of each insert into the table profiles is lost: the connection ends."""

    def __init__(self, port):
        super().__init__(("127.0.0.1", 0), PassingHandler)
        self.port, self.seen, self.n_lost = port, set(), 0
        threading.Thread(target=self.serve_forever, daemon=True).start()


class DamagingProxy(http.server.ThreadingHTTPServer):
    """Passes requests on, and damages results: some bytes, or their ends."""

    def __init__(self, port, seed):
        super().__init__(("127.0.0.1", 0), PassingHandler)
        self.port, self.random, self.seen, self.n_lost = port, random.Random(seed), set(), 0
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def damage(self, text):
        data = bytearray(text)
        for _ in range(self.random.choice([0] * 6 + [1, 3]) if data else 0):
            data[self.random.randrange(len(data))] = self.random.choice([0, 1, 127, 128, 255])
        return bytes(data[:self.random.randrange(len(data))]) if data and self.random.random() < 0.02 else bytes(data)


class PassingHandler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        request = urllib.request.Request(f"http://127.0.0.1:{self.server.port}{self.path}", body, method="POST")
        try:
            with urllib.request.urlopen(request, timeout=60) as response:
                status, text = response.status, response.read()
        except urllib.error.HTTPError as e:
            status, text = e.code, e.read()
        if hasattr(self.server, "damage"):
            text = self.server.damage(text)
        elif "INSERT%20INTO%20profiles" in self.path.replace("+", "%20") and body not in self.server.seen:
            self.server.seen.add(body)
            self.server.n_lost += 1
            self.close_connection = True
            return
        self.send_response(status)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *args):
        pass


def find_program():
    return shutil.which("clickhouse-server") or shutil.which("clickhouse-server", path="/usr/sbin:/sbin")


def start_pair(folder):
    """Two servers that are the shards of the cluster pair; the first is also used alone. [] without the program."""
    program = find_program()
    ports, servers = free_ports(4), []
    for i in range(2 if program else 0):
        own = os.path.join(folder, f"server{i}")
        os.makedirs(own)
        for name, text in (("config.xml", CONFIG), ("users.xml", USERS)):
            with open(os.path.join(own, name), "w", encoding="utf-8") as f:
                f.write(text.format(folder=own, port=ports[i], native=ports[2 + i],
                                    shards="".join(map(SHARD.format, ports[2:]))) if text is CONFIG else text)
        servers.append(Server([program, "--config-file=config.xml"], own, ports[i]))
    return servers


def start_engine(folder):
    """The package chdb-core, of $CHDB_PYTHON or this interpreter. [] without it."""
    python = os.environ.get("CHDB_PYTHON", sys.executable)
    if subprocess.run([python, "-c", "import chdb"], capture_output=True, check=False).returncode:
        return []
    own, port = os.path.join(folder, "engine"), free_ports(1)[0]
    os.makedirs(own)
    front = os.path.join(os.path.dirname(os.path.abspath(__file__)), "front.py")
    return [Server([python, front, str(port), own], own, port)]
