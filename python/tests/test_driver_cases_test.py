"""The cases of the C++ TestDriver (strategy_worker/sdk/test_driver_cases.txt) on the one in Python: orbweaver strategy test FILE"""

import pathlib
import struct
import unittest

from orbweaver.strategy import Cause, Dns, Integer, LinkKind, Robots, Strategy
from orbweaver.testing import TestDriver, TestLink

CASES = pathlib.Path(__file__).resolve().parents[2] / "strategy_worker/sdk/test_driver_cases.txt"


class Echo(Strategy):
    """A test"""

    pages = Integer(1, 1, 9, "Finished after so many")
    seen = 0

    def filter(self, links):
        links.drop_kind(LinkKind.EMBED)

    def on_seeds(self, seeds):
        for link in seeds:
            link.schedule(0.5 if link.seed_score is None else link.seed_score)
            link.set_data(struct.pack("<Q", len(link.anchor) + 16 * link.kind))

    def on_page(self, page):
        self.seen += 1
        page.keep_domain_data(f"page {page.title} {page.body.decode()} {page.language} {page.content_type} {page.content_hash} {page.http_status} "
                              f"{page.not_modified:d} {page.changed:d} {page.body_bytes} {page.score:.4f}".encode())

    def on_links(self, links):
        text = f"links {links.source_url} {links.source_score:.4f} {links.source_link_count} {links.same_domain:d} "
        for link in links:
            text += f"{link.anchor},{link.kind:d};"
            link.schedule(0.25, links.now_ms + 1000)
            link.set_due(5)
        links.keep_domain_data(text.encode())

    def on_failure(self, failure):
        wait = failure.retry_after_ms
        failure.keep_domain_data(f"failure {failure.cause:d} {failure.transient:d} {failure.http_status} {'none' if wait is None else wait} "
                                 f"{failure.attempt}".encode())
        if wait is not None:
            failure.block_until(failure.now_ms + wait)
        if failure.transient:
            failure.link.schedule(0.125, failure.now_ms + (wait or 0))
        else:
            failure.back_off()
        if failure.cause == Cause.DNS:
            failure.give_up_domain()

    def on_host(self, host):
        host.keep_domain_data(f"host {host.name} {host.robots:d} {host.dns:d} {''.join(one + ',' for one in host.sitemaps)}".encode())
        for sitemap in host.sitemaps:
            host.request(sitemap, 0.75, depth=1)
        host.warn(f"host {host.name}")

    def finished(self):
        return self.seen >= self.pages


def links_of(parts):
    links = []
    for url, *words in map(str.split, parts):
        fields = dict(word.split("=", 1) for word in words)
        links.append(TestLink(url, fields.get("anchor", ""), LinkKind(int(fields.get("kind", 0))), float(fields.get("score", "nan"))))
    return links


class Case:
    def __init__(self, params):
        self.crawl = TestDriver(Echo, params)
        self.began_ms = self.crawl.now_ms

    def happen(self, line):
        kind, _, rest = line.partition(" ")
        first, *words = rest.split("|")[0].split()
        fields = [word.split("=", 1) for word in words]
        one = dict(fields)
        if kind == "seeds":
            self.crawl.seeds(links_of(rest.split("|")))
        elif kind == "time":
            self.crawl.set_time(self.began_ms + int(first))
        elif kind == "links":
            self.crawl.links(first, links_of(rest.split("|")[1:]))
        elif kind == "page":
            self.crawl.page(first, title=one.get("title", ""), body=one.get("body", "").encode(), language=one.get("language", ""),
                            content_type=one.get("type", "text/html"), content_hash=int(one.get("hash", 1)),
                            not_modified=one.get("not_modified") == "1")
        elif kind == "fail":
            self.crawl.fail(first, Cause(int(one.get("cause", 9))), transient=one.get("transient") != "0", http_status=int(one.get("status", 0)),
                            retry_after_ms=int(one.get("retry_after", -1)))
        else:
            assert kind == "host", line
            self.crawl.host(first, [value for name, value in fields if name == "sitemap"], robots=Robots(int(one["robots"])),
                            dns=Dns(int(one["dns"])))

    def look(self, line):
        """The same line, as it is in truth."""
        kind, name = (line.split() + [""])[:2]
        if kind == "queue":
            return " ".join(["queue", " | ".join(map(self.shown, self.crawl.queue))]).strip()
        if kind == "next":
            request = self.crawl.next()
            return f"next {'nothing' if request is None else self.shown(request)}"
        if kind == "state":
            state = self.crawl.state(name)
            return f"state {name} " + ("nothing" if state is None else f"{state.status:d} {state.depth} {state.fetches} {state.errors} "
                                       f"{state.http_status} {state.data.hex()} {self.time(state.due_at_ms)}")
        if kind == "domain":
            domain = self.crawl.domain(name)
            return (f"domain {name} {domain.fetched} {domain.scheduled} {domain.failed} {domain.known_urls} {domain.given_up:d} "
                    f"{domain.backed_off:d} {self.time(domain.blocked_until_ms)} \"{domain.data.decode()}\"")
        if kind == "finished":
            return f"finished {self.crawl.finished():d}"
        return f"{kind} {getattr(self.crawl, kind)}"

    def time(self, ms):
        return "none" if ms == 0 else ms if ms < self.began_ms else ms - self.began_ms

    def shown(self, request):
        wait = request.not_before_ms and request.not_before_ms - self.began_ms
        return f"{request.url} {request.score:.4f} {wait} {request.depth} {request.attempt}"


class TestDriverCases(unittest.TestCase):
    def test_each_shows_what_it_shows_in_cpp(self):
        looks, name, running = 0, "", None
        for line in CASES.read_text().splitlines():
            if not line or line.startswith("#"):
                continue
            if line.startswith("case "):
                name, running = line, Case({})
            elif line.startswith("params "):
                running = Case(dict(word.split("=", 1) for word in line.split()[1:]))
            elif line.startswith("= "):
                looks += 1
                self.assertEqual(line[2:], running.look(line[2:]), name)
            else:
                running.happen(line)
        self.assertGreater(looks, 30)


if __name__ == "__main__":
    unittest.main()
