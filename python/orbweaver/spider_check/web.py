"""A web of one page a path on addresses of this machine, each a registered domain, that keeps when it was asked."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Callable, Dict, List, Optional, Tuple


@dataclass
class Visit:
    domain: str
    path: str
    began: float
    ended: Optional[float] = None


@dataclass
class Page:
    status: int = 200
    headers: Dict[str, str] = field(default_factory=dict)
    body: bytes = b"<title>A page</title>"
    # The answer waits for it.
    held: Optional[threading.Event] = None


class Web:
    """Domains begin when their first page is made. Everything but a page is 404. Thread-safe."""

    def __init__(self, on_visit: Callable[[str], None]) -> None:
        """`on_visit` is called with the domain of each request, before it is answered, on the request's thread."""
        self._on_visit = on_visit
        self._lock = threading.Lock()
        self._servers: Dict[str, ThreadingHTTPServer] = {}
        self._pages: Dict[Tuple[str, str], Page] = {}
        self._visits: List[Visit] = []

    def page(self, domain: str, path: str, page: Optional[Page] = None) -> str:
        """Its URL."""
        with self._lock:
            self._pages[domain, path] = page or Page()
            if domain not in self._servers:
                server = ThreadingHTTPServer((domain, 0), self._handler(domain))
                server.daemon_threads = True
                threading.Thread(target=server.serve_forever, daemon=True).start()
                self._servers[domain] = server
            return f"http://{domain}:{self._servers[domain].server_address[1]}{path}"

    def visits(self, domain: Optional[str] = None) -> List[Visit]:
        with self._lock:
            return [one for one in self._visits if domain is None or one.domain == domain]

    def close(self) -> None:
        for page in self._pages.values():
            if page.held is not None:
                page.held.set()
        for server in self._servers.values():
            server.shutdown()
            server.server_close()

    def _handler(self, domain: str) -> Any:
        web = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                visit = Visit(domain, self.path, time.monotonic())
                with web._lock:
                    web._visits.append(visit)
                    page = web._pages.get((domain, self.path), Page(404))
                web._on_visit(domain)
                if page.held is not None:
                    page.held.wait()
                try:
                    self.send_response(page.status)
                    for name, value in {"Content-Type": "text/html", **page.headers}.items():
                        self.send_header(name, value)
                    self.send_header("Content-Length", str(len(page.body)))
                    self.end_headers()
                    # Before the last byte has left: the spider cannot know of the end any earlier.
                    visit.ended = time.monotonic()
                    self.wfile.write(page.body)
                except OSError:  # the spider is gone
                    visit.ended = time.monotonic()

            def log_message(self, *_: Any) -> None:
                pass

        return Handler
