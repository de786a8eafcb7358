"""Real documentation, served on this machine as a web server serves a folder, and what a walk of its links finds.

The pages are those of Debian packages (deploy/deps/debian.txt). The walk is written with nothing but Python's html.parser
and urllib.parse, so that a crawl is held against something that shares no line with it.
"""

import collections
import html.parser
import http.server
import mimetypes
import pathlib
import socket
import threading
import urllib.parse

DOCUMENTATION = pathlib.Path("/usr/share/doc")
PACKAGES = ("git-doc", "debian-policy", "apt-doc", "debian")  # each a folder there, and a folder of the site

HOME = "<!DOCTYPE html><title>Documentation</title><h1>Documentation</h1><ul>" + "".join(
    f'<li><a href="/{name}/{page}">{name}</a>'
    for name, page in (("git-doc", "git.html"), ("debian-policy", "policy.html/index.html"), ("apt-doc", "guide.html"),
                       ("debian", "FAQ/index.en.html"))) + "</ul>"


class Links(html.parser.HTMLParser):
    """The links of a page that people follow, and its base."""

    def __init__(self):
        super().__init__()
        self.base, self.found, self.embedded = None, [], []

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        if tag in ("img", "script") and attributes.get("src"):
            self.embedded.append(attributes["src"])
        link = attributes.get("src" if tag in ("iframe", "frame") else "href")
        if not link:
            return
        if tag == "base" and self.base is None:
            self.base = link
        if tag in ("a", "area", "iframe", "frame"):
            self.found.append(link)
        relations = attributes.get("rel", "").lower().split()
        if tag == "link" and "stylesheet" in relations:
            self.embedded.append(link)
        if tag == "link" and set(relations) & {"next", "prev", "canonical"}:
            self.found.append(link)


def links_of(url, text, schemes=("http", "https")):
    """Absolute, without fragments, each once."""
    return absolute(url, text, lambda parser: [link for link in parser.found if not link.startswith("#")], schemes)


def embeds_of(url, text):
    """The images, scripts and style sheets that a page names by elements of their own."""
    return absolute(url, text, lambda parser: parser.embedded, ("http", "https", "file"))


def absolute(url, text, wanted, schemes):
    parser = Links()
    parser.feed(text)
    base = urllib.parse.urljoin(url, parser.base.strip()) if parser.base else url
    found = (urllib.parse.urlsplit(urllib.parse.urljoin(base, link.strip())) for link in wanted(parser))
    # Of `http://<servername>/` the host is none.
    return list(dict.fromkeys(canonical(parts) for parts in found if parts.scheme in schemes and not set(parts.netloc) & set("<>")))


def canonical(parts):
    """Without user, password and fragment."""
    return urllib.parse.urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2].lower(), path=parts.path or "/", fragment=""))


Answer = collections.namedtuple("Answer", "status headers body")


class Walk:
    """The URLs that links lead to from a URL: `pages` (HTML, by URL), `files` (other types), `redirects`, `broken` (URL to the pages that link there)."""

    def __init__(self, site, start, within=lambda url: True):
        self.pages, self.files, self.redirects, self.broken, self.outside = {}, set(), {}, {}, {}
        waiting, seen = collections.deque([start]), {start}
        while waiting:
            url = waiting.popleft()
            answer = site.answer(urllib.parse.urlsplit(url).path)
            if answer.status == 301:
                self.redirects[url] = urllib.parse.urljoin(url, answer.headers["Location"])
                links = [self.redirects[url]]
            elif answer.status != 200:
                self.broken[url] = []
                continue
            elif not answer.headers["Content-Type"].startswith("text/html"):
                self.files.add(url)
                continue
            else:
                links = self.pages[url] = links_of(url, answer.body.decode("utf-8", "replace"))
            for link in links:
                if not link.startswith(site.url("/")) or not within(link):
                    self.outside.setdefault(link, []).append(url)
                elif link not in seen:
                    seen.add(link)
                    waiting.append(link)
        for page, links in self.pages.items():
            for link in links:
                if link in self.broken:
                    self.broken[link].append(page)

    @property
    def fetched(self):
        """All that is asked for, each once."""
        return [*self.pages, *self.files, *self.redirects, *self.broken]


class DocumentationSite:
    """Serves the packages' folders, `more` (path to text or Answer) before them, and keeps what it was asked for."""

    def __init__(self, more=None, address="127.0.0.1", host=None):
        site = self
        self.more = {"/": HOME} | (more or {})
        self.requests = []  # (method, path, headers), in their order
        self.gate = lambda handler: None  # a test may look at a request first, and answer it: then it returns an Answer

        self.connections = set()

        class Server(http.server.ThreadingHTTPServer):
            def process_request(self, request, client_address):
                site.connections.add(request)
                super().process_request(request, client_address)

            def shutdown_request(self, request):
                site.connections.discard(request)
                super().shutdown_request(request)

            def handle_error(self, request, client_address):
                pass  # clients that are killed

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True  # or a small answer waits 40 ms for the acknowledgement of its head

            def do_GET(self):
                site.requests.append((self.command, self.path, dict(self.headers)))
                status, headers, body = site.gate(self) or site.answer(urllib.parse.urlsplit(self.path).path)
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                if self.command == "GET":
                    self.wfile.write(body)

            do_HEAD = do_GET

            def log_message(self, *arguments):
                pass

        self.address, self.port, self.host = address, 0, host or address
        self.make_server = lambda: Server((address, self.port), Handler)
        self.up()

    def up(self):
        self.server = self.make_server()
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def down(self):
        """As after a crash of the server: nobody listens, and what was open is lost."""
        self.close()
        for connection in list(self.connections):
            try:
                connection.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass  # it has just ended

    def answer(self, path):
        if (made := self.more.get(path)) is not None:
            return made if isinstance(made, Answer) else Answer(200, {"Content-Type": "text/html; charset=utf-8"}, made.encode())
        parts = urllib.parse.unquote(path).split("/")[1:]
        file = DOCUMENTATION.joinpath(*parts)
        if parts[0] in PACKAGES and ".." not in parts:
            if file.is_dir():
                if not path.endswith("/"):
                    return Answer(301, {"Location": path + "/", "Content-Type": "text/html"}, b"")
                file /= "index.html"
            if file.is_file():
                kind = mimetypes.guess_type(file.name)
                return Answer(200, {"Content-Type": "application/gzip" if kind[1] else kind[0] or "text/plain"}, file.read_bytes())
        return Answer(404, {"Content-Type": "text/html"}, b"<h1>Not Found</h1>")

    def url(self, path):
        return f"http://{self.host}:{self.port}{path}"

    def asked(self, method="GET"):
        return [path for asked, path, _ in self.requests if asked == method]

    def close(self):
        self.server.shutdown()
        self.server.server_close()
