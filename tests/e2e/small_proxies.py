"""Proxies on 127.0.0.1 for tests of whole programs: each leads to sites by a table of names, and keeps what it was asked."""

import base64
import select
import socket
import socketserver
import struct
import threading


def pump(a, b):
    """Bytes in both directions until one side ends."""
    while True:
        for source in select.select([a, b], [], [])[0]:
            data = source.recv(65536)
            if not data:
                return
            (b if source is a else a).sendall(data)


class Proxy:
    """`sites` maps a name to a port of 127.0.0.1; `login` is (user, password), or None for a proxy that is open to all."""

    scheme = None

    def __init__(self, sites, login=None):
        self.sites, self.login = sites, login
        self.asked = []  # host names, in their order
        self.refused = 0  # for lack of the right login
        proxy = self

        class Handler(socketserver.BaseRequestHandler):
            def handle(self):
                try:
                    proxy.serve(self.request)
                except (ConnectionError, struct.error):
                    pass

        class Server(socketserver.ThreadingTCPServer):
            allow_reuse_address = daemon_threads = True

        self.server = Server(("127.0.0.1", 0), Handler)
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def url(self, login=None):
        return f"{self.scheme}://{login + '@' if login else ''}127.0.0.1:{self.port}"

    def connect(self, host):
        self.asked.append(host)
        return socket.create_connection(("127.0.0.1", self.sites[host]))

    def close(self):
        self.server.shutdown()
        self.server.server_close()


class HttpProxy(Proxy):
    """Answers a request for a whole URL by a new connection each, and CONNECT by a tunnel."""

    scheme = "http"

    def serve(self, client):
        received = b""
        while True:
            while b"\r\n\r\n" not in received:
                data = client.recv(65536)
                if not data:
                    return
                received += data
            head, received = received.split(b"\r\n\r\n", 1)
            first, *fields = head.decode().split("\r\n")
            method, target, _ = first.split(" ")
            if self.login:
                wanted = "Proxy-Authorization: Basic " + base64.b64encode(":".join(self.login).encode()).decode()
                if wanted not in fields:
                    self.refused += 1
                    client.sendall(b"HTTP/1.1 407 Who are you\r\nContent-Length: 0\r\n\r\n")
                    continue
            if method == "CONNECT":
                with self.connect(target.rsplit(":", 1)[0]) as server:
                    client.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
                    return pump(client, server)
            host, path = target.removeprefix("http://").split("/", 1)
            kept = [field for field in fields if not field.startswith("Proxy-")]
            with self.connect(host.split(":")[0]) as server:
                server.sendall("\r\n".join([f"{method} /{path} HTTP/1.1", *kept, "Connection: close", "", ""]).encode())
                while data := server.recv(65536):
                    client.sendall(data)
            return


class SocksProxy(Proxy):
    """RFC 1928 and 1929, as far as CONNECT goes."""

    scheme = "socks5"

    def serve(self, client):
        def read(size):
            data = b""
            while len(data) < size:
                piece = client.recv(size - len(data))
                if not piece:
                    raise ConnectionError
                data += piece
            return data

        version, count = read(2)
        methods = read(count)
        assert version == 5
        if self.login is None:
            client.sendall(b"\x05\x00")
        elif 2 not in methods:
            self.refused += 1
            return client.sendall(b"\x05\xff")
        else:
            client.sendall(b"\x05\x02")
            _, size = read(2)
            user = read(size).decode()
            password = read(read(1)[0]).decode()
            if (user, password) != self.login:
                self.refused += 1
                return client.sendall(b"\x01\x01")
            client.sendall(b"\x01\x00")
        version, command, _, kind = read(4)
        assert (version, command) == (5, 1)
        host = read(read(1)[0]).decode() if kind == 3 else socket.inet_ntoa(read(4))
        read(2)
        if host not in self.sites:
            self.asked.append(host)
            return client.sendall(b"\x05\x04\x00\x01" + bytes(6))
        with self.connect(host) as server:
            client.sendall(b"\x05\x00\x00\x01" + bytes(6))
            pump(client, server)
