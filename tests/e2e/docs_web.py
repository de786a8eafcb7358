"""The web of the documentation's commands: example.org and its like, or other sites, behind a proxy of this machine, https too."""

import http.server
import pathlib
import ssl
import subprocess
import threading

HOSTS = ["example.org", "www.example.org", "docs.example.org", "wiki.example.org", "example.com", "www.example.com"]

FILES = {
    "/robots.txt": ("text/plain", "User-agent: *\nDisallow: /private/\nSitemap: https://example.org/sitemap.xml\n"),
    "/sitemap.xml": ("application/xml", '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>https://example.org/docs/'
                     "</loc></url></urlset>"),
    "/": ("text/html", "<title>Home</title><h1>Home</h1><p>Of spiders and webs.<p><a href=/a>a</a> <a href=/docs/>docs</a> "
          "<a href=/blog/one>blog</a> <a href=/gone>gone</a> <a href=/paper.pdf>paper</a> <a href=https://www.example.com/>elsewhere</a> "
          "<link rel=stylesheet href=/style.css><img src=/web.png>"),
    "/a": ("text/html", "<title>A</title><p>A page about silk.<a href=/>home</a>"),
    "/docs/": ("text/html", "<title>Docs</title><h1>Docs</h1><ul><li><a href=/docs/one>one</a><li><a href=two>two</a></ul>"),
    "/docs/one": ("text/html", "<title>One</title><p>The first chapter, of silk.<a href=/docs/>up</a>"),
    "/docs/two": ("text/html", "<title>Two</title><p>The second chapter.<a href=/docs/>up</a>"),
    "/blog/one": ("text/html", "<title>Blog</title><p>Today, silk.<a href=/a>a</a>"),
    "/style.css": ("text/css", "body { background: url(web.png) }"),
    "/web.png": ("image/png", "\x89PNG"),
    "/paper.pdf": ("application/pdf", "%PDF-1.4"),
}


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_CONNECT(self):
        self.send_response(200)
        self.end_headers()
        self.connection = self.server.tls.wrap_socket(self.connection, server_side=True)
        self.rfile = self.connection.makefile("rb")
        self.wfile = self.connection.makefile("wb", buffering=0)
        self.close_connection = False

    def handle(self):
        try:
            super().handle()
        finally:
            if isinstance(self.connection, ssl.SSLSocket):
                self.connection.close()

    def do_GET(self):
        path = self.path
        if "://" in path:
            path = "/" + path.split("://")[1].partition("/")[2]
        self.server.asked.append((f"{self.headers.get('Host', '')}{path}", self.headers.get("User-Agent", "")))
        kind, text = self.server.files.get(path, (None, None))
        body = (text or "not here").encode("latin-1")
        self.send_response(200 if text is not None else 404)
        self.send_header("Content-Type", kind or "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(body)

    do_HEAD = do_GET

    def log_message(self, *arguments):
        pass


class DocsWeb:
    """`asked` has the host and the path of each request, and its agent, in their order."""

    def __init__(self, folder, hosts=tuple(HOSTS), files=None):
        self.authorities = pathlib.Path(folder) / "authority.pem"
        key = pathlib.Path(folder) / "key.pem"
        names = ",".join(f"DNS:{host}" for host in hosts)
        subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "30", "-subj", "/CN=example.org",
                        "-addext", f"subjectAltName={names}", "-keyout", key, "-out", self.authorities], check=True, capture_output=True)
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.server.tls.load_cert_chain(self.authorities, key)
        self.server.daemon_threads = True
        self.server.files = FILES if files is None else files
        self.server.asked = self.asked = []
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def environment(self):
        """Of the program, so that it sees this web and no other."""
        return {
            "ORBWEAVER_NETWORK__PROXY": f"http://127.0.0.1:{self.server.server_address[1]}",
            "ORBWEAVER_SPIDER__FETCH__AUTHORITIES_FILE": str(self.authorities),
            "ORBWEAVER_POLITENESS__DELAY": "10ms",
        }

    def close(self):
        self.server.shutdown()
        self.server.server_close()
