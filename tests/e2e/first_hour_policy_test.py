"""URLs that our own options or our own network keep from being fetched wait and are reported; so are hosts that cannot be reached, at once:

python3 first_hour_policy_test.py PROGRAM
"""

import http.server
import json
import pathlib
import re
import socket
import subprocess
import sys
import threading
import unittest

from newcomer import Newcomer
from synthetic_web import PATIENCE_S

NETWORK = "--set=network.allow_networks=127.0.0.0/8"


def free_port(kind=socket.SOCK_STREAM):
    with socket.socket(socket.AF_INET, kind) as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Proxy:
    """A proxy for plain HTTP: it answers everything with one page."""

    def __init__(self, port):
        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                robots = self.path.endswith("/robots.txt")
                body = b"" if robots else b"by the proxy"
                self.send_response(404 if robots else 200)
                self.send_header("Content-Type", "text/html")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *arguments):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", port), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()


class Policy(Newcomer):
    def crawl(self, *arguments, code=0):
        return self.orbweaver("crawl", *arguments, "--data", "d", "--delay", "10ms", code=code)

    def inspect(self, url):
        return json.loads(self.orbweaver("inspect", "url", url, "--data", "d").stdout)


class OurOwnOptions(Policy):
    def test_what_a_port_keeps_back_waits_and_is_fetched_once_it_is_allowed(self):
        other = self.site({"/": "far", "/a": "far a"})
        links = "".join(f"<a href='{other.url(path)}'>x</a>" for path in ("/", "/a"))
        site = self.site({"/": links + "<a href=/b>b</a>", "/b": "b"})
        done = self.crawl(site.url("/"), NETWORK, f"--ports={site.port}")
        self.assertEqual([], other.paths())
        self.assertIn("/b", site.paths())
        self.assertIn("2 URLs wait because their port is not allowed", done.stdout)
        self.assertIn(f"0 failures", done.stdout)
        found = self.inspect(other.url("/a"))
        self.assertEqual(("error", "port"), (found["link"]["status"], found["failure"]["cause"]), found)
        # As the summary says it.
        again = re.search(r"To fetch them: orbweaver (crawl .*)", done.stdout).group(1).split()
        done = self.orbweaver(*again)
        self.assertIn("2 URLs that waited for other options are tried again", done.stderr)
        self.assertEqual({"/robots.txt", "/", "/a"}, set(other.paths()))
        self.assertNotIn("not allowed", done.stdout)
        self.assertEqual("crawled", self.inspect(other.url("/a"))["link"]["status"])

    def test_nothing_but_private_addresses_is_exit_3_and_an_option_away(self):
        site = self.site({"/": "here"})
        # The host of a seed that was typed may be asked; one from a file may not.
        (self.folder / "urls.txt").write_text(site.url("/") + "\n")
        done = self.crawl("--seeds", "urls.txt", f"--ports={site.port}", code=3)
        self.assertIn("127.0.0.1 is no public address", done.stdout)
        self.assertIn("1 URL waits because its address is not public", done.stdout)
        self.assertIn("network.allow_networks", done.stdout)
        self.crawl(NETWORK)
        self.assertEqual(["/robots.txt", "/"], site.paths())


class OurOwnNetwork(Policy):
    def start(self, *arguments):
        crawl = subprocess.Popen([self.program, "crawl", *map(str, arguments), "--data", "d", "--delay", "10ms"], cwd=self.folder,
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(crawl.stdout.close)
        self.addCleanup(crawl.stderr.close)
        self.addCleanup(crawl.kill)
        return crawl

    def read_until(self, crawl, text):
        lines = []
        while text not in (lines[-1] if lines else ""):
            lines.append(crawl.stderr.readline())
            self.assertTrue(lines[-1], "".join(lines))
        return lines

    def test_a_crawl_waits_for_its_proxy_and_goes_on_when_it_is_there(self):
        port = free_port()
        crawl = self.start("http://a.test/", "http://b.test/", "--proxy", f"http://127.0.0.1:{port}")
        told = self.read_until(crawl, "paused: ")[-1]
        self.assertIn(f"connect to the proxy 127.0.0.1:{port}: Connection refused", told)
        self.assertIn("--proxy", told)
        proxy = Proxy(port)
        self.addCleanup(proxy.close)
        out, _ = crawl.communicate(timeout=PATIENCE_S)
        self.assertEqual(0, crawl.returncode, out)
        self.assertIn("2 pages and 0 failures", out)

    def test_a_proxy_that_stays_away_ends_the_crawl_by_its_name_and_loses_nothing(self):
        port = free_port()
        done = self.crawl("http://a.test/", "--proxy", f"http://127.0.0.1:{port}", "--max-wait", "1s", code=3)
        self.assertIn("No page could be fetched", done.stdout)
        self.assertIn(f"connect to the proxy 127.0.0.1:{port}", done.stdout)
        self.assertIn("See --proxy", done.stdout)
        self.assertIn("0 failures", done.stdout)
        proxy = Proxy(port)
        self.addCleanup(proxy.close)
        self.assertIn("1 page and 0 failures", self.crawl().stdout)

    def test_no_name_server_is_told_and_nothing_is_gone_by_it(self):
        port = free_port(socket.SOCK_DGRAM)
        done = self.crawl("http://a.test/", f"--set=network.dns_servers=127.0.0.1:{port}", "--max-wait", "1s", code=3)
        self.assertIn("resolve a.test: no name server answers", done.stdout)
        self.assertIn("network.dns_servers", done.stdout)
        self.assertEqual("queued", self.inspect("http://a.test/")["link"]["status"])


class DeadHosts(Policy):
    def test_a_dead_host_shows_its_cause_at_once_and_when_it_is_tried_again(self):
        port = free_port()
        url = f"http://127.0.0.1:{port}/"
        done = self.crawl(url, NETWORK, f"--ports={port}", "--max-wait", "2s", code=3)
        self.assertIn(f"http://127.0.0.1:{port} cannot be reached: connect 127.0.0.1:{port}: Connection refused", done.stderr)
        self.assertIn(f"{url}, connect 127.0.0.1:{port}: Connection refused", done.stdout)
        self.assertNotIn("robots_unreachable", done.stdout)
        self.assertRegex(done.stdout, r"1 request, 1 of them for later, the first due in (2[0-9]|30) s")
        found = self.inspect(url)
        self.assertEqual("queued", found["link"]["status"], found)
        self.assertEqual("refused", found["failure"]["cause"], found)
        wait_ms = found["queued"]["not_before_ms"] - found["failure"]["failed_at_ms"]
        self.assertGreaterEqual(wait_ms, 29_000, found)
        self.assertLess(wait_ms, 60_000, found)

    def test_retries_and_their_delay_are_options_and_kept(self):
        port = free_port()
        url = f"http://127.0.0.1:{port}/"
        done = self.crawl(url, NETWORK, f"--ports={port}", "--retries", "1", "--retry-delay", "1s", code=3)
        self.assertIn("0 pages and 2 failures", done.stdout)
        self.assertEqual("error", self.inspect(url)["link"]["status"])
        self.orbweaver("requeue", "--data", "d")
        done = self.crawl(code=3)
        self.assertIn("0 pages and 2 failures", done.stdout)

    def test_retries_can_be_none(self):
        port = free_port()
        done = self.crawl(f"http://127.0.0.1:{port}/", NETWORK, f"--ports={port}", "--retries", "0", code=3)
        self.assertIn("0 pages and 1 failure", done.stdout)


class Again(Policy):
    def setUp(self):
        super().setUp()
        self.files = {"/": "<a href=/a>a</a><a href=/b>b</a>", "/b": "b"}
        self.the_site = self.site(self.files)
        self.crawl(self.the_site.url("/"), NETWORK, f"--ports={self.the_site.port}")
        self.asked_before = len(self.the_site.paths())

    def asked(self):
        return self.the_site.paths()[self.asked_before:]

    def test_what_is_gone_is_tried_again_when_it_is_requeued(self):
        self.assertEqual("gone", self.inspect(self.the_site.url("/a"))["link"]["status"])
        self.files["/a"] = "<a href=/c>c</a>"
        self.files["/c"] = "c"
        self.assertIn("1 failed URL of 1 domain", self.orbweaver("requeue", "--data", "d", "--dry-run").stdout)
        self.assertIn("No URL has failed so", self.orbweaver("requeue", "--data", "d", "--cause", "refused").stdout)
        self.assertIn("No URL has failed so", self.orbweaver("requeue", "--data", "d", "--state", "error").stdout)
        self.assertIn("did you mean", self.orbweaver("requeue", "--data", "d", "--cause", "http_4x", code=2).stderr.lower())
        done = self.orbweaver("requeue", "--data", "d", "--cause", "http_4xx", "--domain", "127.0.0.1", "--state", "gone")
        self.assertIn("1 failed URL will be tried again", done.stdout)
        self.crawl()
        self.assertEqual(["/robots.txt", "/a", "/c"], self.asked())
        self.assertIn("No URL has failed so", self.orbweaver("requeue", "--data", "d").stdout)

    def test_a_seed_that_is_gone_is_tried_again_when_it_is_given_again(self):
        self.files["/a"] = "now"
        self.crawl(self.the_site.url("/a"), self.the_site.url("/b"), "--add")
        self.assertEqual(["/robots.txt", "/a"], self.asked(), "and what was fetched is not")

    def test_a_forgotten_domain_is_crawled_as_if_it_had_never_been_seen(self):
        done = self.orbweaver("forget", "127.0.0.1", "--data", "d")
        self.assertIn("forgot by name 1 URL of it that had failed", done.stdout)
        self.crawl()
        self.assertEqual([], self.asked())
        self.assertIsNone(self.inspect(self.the_site.url("/b"))["link"])
        self.crawl(self.the_site.url("/"))
        self.assertEqual(["/robots.txt", "/", "/a", "/b"], sorted(self.asked(), key=["/robots.txt", "/", "/a", "/b"].index))

    def test_a_crawl_that_is_reset_begins_anew_from_its_seeds_with_its_options(self):
        self.assertIn("--yes", self.orbweaver("reset", "--data", "d", code=2, stdin=subprocess.DEVNULL).stderr)
        done = self.orbweaver("reset", "--data", "d", "--yes")
        again = re.search(r"To begin anew: orbweaver (.*)", done.stdout).group(1).split()
        self.orbweaver(*again)
        self.assertEqual(["/", "/a", "/b", "/robots.txt"], sorted(self.asked()))
        self.orbweaver(*again)
        self.assertEqual(4, len(self.asked()), "only once")


if __name__ == "__main__":
    Newcomer.program = str(pathlib.Path(sys.argv.pop(1)).resolve())
    unittest.main()
