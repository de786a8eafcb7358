"""A site of a few pages on this machine, for tests of whole programs: it answers from a dictionary and keeps what it was asked."""

import http.server
import threading
import time


class Site:
    """`files` maps a path to a page's text, or to (status, headers, body). Anything else is 404."""

    def __init__(self, files, address="127.0.0.1"):
        site = self
        self.requests = []  # (path, headers), in their order
        self.times = []  # of each, in seconds

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True  # or a small answer waits 40 ms for the acknowledgement of its head

            def do_GET(self):
                site.times.append(time.monotonic())
                site.requests.append((self.path, dict(self.headers)))
                answer = files.get(self.path, (404, {}, "not here"))
                status, headers, body = (200, {}, answer) if isinstance(answer, str) else answer
                body = body.encode() if isinstance(body, str) else body
                self.send_response(status)
                for name, value in ({"Content-Type": "text/html"} | headers).items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *arguments):
                pass

        self.server = http.server.ThreadingHTTPServer((address, 0), Handler)
        self.address = address
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def url(self, path):
        return f"http://{self.address}:{self.port}{path}"

    def paths(self):
        return [path for path, _ in self.requests]

    def close(self):
        self.server.shutdown()
        self.server.server_close()
