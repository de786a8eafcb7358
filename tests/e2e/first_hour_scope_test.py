"""Which links a crawl follows, on a small web of names: python3 first_hour_scope_test.py PROGRAM

All names are served by one site that is the crawl's proxy: it is asked for whole URLs.
"""

import json
import pathlib
import sys
import unittest

from newcomer import Newcomer
from small_site import Site


def page(*urls):
    return "".join(f"<a href='{url}'>x</a>" for url in urls)


def redirect(url):
    return 301, {"Location": url}, ""


WEB = {
    "http://www.a.test/": page("/docs/", "/docs/guide", "/blog/x", "/logo.png", "http://a.test/bare", "http://blog.a.test/",
                               "http://a.test:8080/port", "http://b.test/", "http://b.test/page"),
    "http://www.a.test/docs": redirect("/docs/"),
    "http://www.a.test/docs/": page("/docs/guide", "/docs/moved", "/", "http://b.test/"),
    "http://www.a.test/docs/guide": page("/blog/x"),
    "http://www.a.test/docs/moved": redirect("http://www.a.test/blog/x"),
    "http://www.a.test/blog/x": "x",
    "http://www.a.test/logo.png": "not looked at",
    "http://a.test/bare": "bare",
    "http://blog.a.test/": page("/more"),
    "http://blog.a.test/more": "more",
    "http://a.test:8080/port": "port",
    "http://b.test/": page("/page", "http://www.a.test/"),
    "http://b.test/page": "page",
    "http://old.test/": redirect("http://short.test/1"),
    "http://short.test/1": redirect("http://b.test/"),
}
DOCS = {"http://www.a.test/docs/", "http://www.a.test/docs/guide", "http://www.a.test/docs/moved"}
HOST = DOCS | {"http://www.a.test/", "http://www.a.test/blog/x", "http://www.a.test/logo.png", "http://a.test/bare"}
DOMAIN = HOST | {"http://blog.a.test/", "http://blog.a.test/more", "http://a.test:8080/port"}
OTHER = {"http://b.test/", "http://b.test/page"}


class Scope(Newcomer):
    def setUp(self):
        super().setUp()
        self.web = Site(WEB)
        self.addCleanup(self.web.close)

    def crawl(self, *arguments, code=0, text=None):
        return self.orbweaver("crawl", *arguments, "--data", "data", "--delay", "10ms", "--proxy", f"http://127.0.0.1:{self.web.port}",
                              "--set=network.ports=80,8080", code=code, input=text)

    def fetched(self):
        return {path for path in self.web.paths() if not path.endswith("/robots.txt")}

    def refused(self, *arguments, text=None):
        """Returns the output; nothing was requested, and no file made."""
        done = self.crawl(*arguments, code=2, text=text)
        self.assertEqual([], self.web.paths())
        self.assertFalse((self.folder / "data").exists())
        return done.stderr


class Kinds(Scope):
    def test_a_crawl_stays_on_its_seeds_domain_and_says_so(self):
        done = self.crawl("http://www.a.test/")
        self.assertEqual(DOMAIN, self.fetched())
        self.assertIn("3 links left the seeds' domains and were not followed.", done.stdout)
        self.assertIn("--scope everything", done.stdout)

    def test_host_is_the_seeds_host_with_www_and_without(self):
        done = self.crawl("http://www.a.test/", "--scope", "host")
        self.assertEqual(HOST, self.fetched())
        self.assertIn("--scope domain is the next wider", done.stdout)

    def test_path_is_at_or_below_the_seed(self):
        done = self.crawl("http://www.a.test/docs", "--scope", "path")
        self.assertEqual(DOCS | {"http://www.a.test/docs"}, self.fetched())
        self.assertIn("--scope host is the next wider", done.stdout)
        self.assertIn("Ended: nothing is left.\n2 pages and 0 failures", done.stdout)
        self.assertIn("Redirects that ended as links: 1", done.stdout)

    def test_everything_is_the_web_and_wants_a_bound(self):
        done = self.crawl("http://www.a.test/", "--everything")
        self.assertEqual(DOMAIN | OTHER, self.fetched())
        self.assertIn("--scope everything follows links to every site and has no bound", done.stderr)
        self.assertNotIn("next wider", done.stdout)
        self.assertNotIn("no bound", self.crawl("--depth", "9").stderr)

    def test_another_kind_is_refused(self):
        self.assertIn("--scope site: expected domain, host, path or everything", self.refused("http://www.a.test/", "--scope", "site"))

    def test_two_seeds_are_two_sites(self):
        self.crawl("http://www.a.test/docs/", "http://b.test/", "--scope", "path")
        self.assertEqual(DOCS | OTHER, self.fetched())

    def test_addresses_and_ports(self):
        files, other_port, other_address = {}, Site({"/": "port"}), Site({"/": "address"}, "127.0.0.2")
        home = Site(files)
        for site in home, other_port, other_address:
            self.addCleanup(site.close)
        files["/"] = page("/a", other_port.url("/"), other_address.url("/"))
        files["/a"] = "a"
        ports = ",".join(str(site.port) for site in (home, other_port, other_address))
        for kind, more in ("host", 0), ("domain", 1), ("everything", 2):
            with self.subTest(kind):
                done = self.orbweaver("crawl", home.url("/"), "--data", kind, "--scope", kind, "--delay", "10ms", "--json",
                                      "--set=network.allow_networks=127.0.0.0/8", f"--set=network.ports={ports}")
                self.assertEqual(2 + more, json.loads(done.stdout)["pages"])


class Patterns(Scope):
    def test_exclude_leaves_out_and_include_leaves_only(self):
        self.crawl("http://www.a.test/", "--exclude", "*.png", "--exclude", "/docs/", "--exclude", "blog.a.test", "--exclude", ":8080")
        self.assertEqual({"http://www.a.test/", "http://www.a.test/blog/x", "http://a.test/bare"}, self.fetched())

    def test_include_is_only_these_and_never_more(self):
        done = self.crawl("http://www.a.test/docs/", "--include", "/docs/*", "--include", "b.test", "--include", "re:/b[l,o]{2}g/")
        self.assertEqual(DOCS | {"http://www.a.test/blog/x"}, self.fetched())
        self.assertIn("matched no --include", done.stdout)
        self.assertIn("1 link left the seeds' domains", done.stdout)

    def test_everything_with_an_include_for_each_site_is_bounded(self):
        done = self.crawl("http://www.a.test/", "--everything", "--include", "*://www.a.test/*", "--include", "b.test/page")
        self.assertNotIn("no bound", done.stderr)
        self.assertEqual(HOST - {"http://a.test/bare"} | {"http://b.test/page"}, self.fetched())

    def test_what_is_no_pattern_is_refused_by_name(self):
        self.assertIn("--exclude 're:(': missing )", self.refused("http://www.a.test/", "--exclude", "re:("))
        self.assertIn("--include '*.zip': could be files or hosts. Write /*.zip for files, //*.zip for hosts",
                      self.refused("http://www.a.test/", "--include", "*.zip"))
        self.assertIn("scope.exclude 're:('", self.orbweaver("config", "check", "--set=scope.exclude=re:(", code=2).stderr)


class Seeds(Scope):
    def test_one_that_a_pattern_leaves_out_is_named(self):
        done = self.crawl("http://www.a.test/docs/", "http://b.test/", "--exclude", "b.test", "--scope", "path")
        self.assertIn("Seed 'http://b.test/' is left out: it matches --exclude 'b.test'.", done.stderr)
        self.assertEqual(DOCS, self.fetched())

    def test_when_all_are_left_out_nothing_is_made(self):
        said = self.refused("http://www.a.test/", "--include", "/docs/*")
        self.assertIn("no seed is in scope, the first is 'http://www.a.test/': it matches no --include", said)
        (self.folder / "seeds.txt").write_text("# a\nhttp://b.test/\nb.test/page\n")
        self.assertIn("'http://b.test/': it matches --exclude 'b.test'", self.refused("--seeds", "seeds.txt", "--exclude", "b.test"))

    def test_lines_that_are_left_out_are_named_with_their_number(self):
        (self.folder / "seeds.txt").write_text("# a\nhttp://b.test/\nhttp://www.a.test/docs/\n")
        done = self.crawl("--seeds", "seeds.txt", "--exclude", "b.test", "--scope", "path")
        self.assertIn("seeds.txt:2: left out, it matches --exclude 'b.test': http://b.test/", done.stderr)
        self.assertEqual(DOCS, self.fetched())

    def test_one_that_redirects_to_another_site_begins_there(self):
        done = self.crawl("http://old.test/", "--depth", "1")
        self.assertEqual(OTHER | {"http://old.test/", "http://short.test/1"}, self.fetched())
        self.assertIn("2 pages and 0 failures", done.stdout)
        self.assertIn("http://old.test/ leads to http://short.test/1\n", done.stdout)
        self.assertIn("1 link left the seeds' domains", done.stdout)

    def test_one_that_redirects_out_of_scope_is_no_page(self):
        done = self.crawl("http://old.test/", "--exclude", "short.test", code=3)
        self.assertIn("No page could be fetched: http://old.test/ redirects to http://short.test/1. Ended: nothing is left.", done.stdout)
        self.assertIn("1 link matched an --exclude.", done.stdout)


class GoingOn(Scope):
    def test_the_scope_is_kept_and_going_wider_says_so(self):
        self.crawl("http://www.a.test/docs/", "--scope", "path", "--exclude", "*/guide", "--max-pages", "1", code=4)
        done = self.orbweaver("crawl", "--data", "data")
        self.assertNotIn("Changed", done.stderr)
        self.assertEqual({"http://www.a.test/docs/", "http://www.a.test/docs/moved"}, self.fetched())
        done = self.orbweaver("crawl", "--data", "data", "--scope", "host", "--exclude", "")
        self.assertIn("Changed and kept: --scope is host, was path; more of the web is crawled.", done.stderr)
        self.assertIn("Changed and kept: --exclude is not set, was */guide; other parts of the web are crawled.", done.stderr)
        done = self.orbweaver("crawl", "--data", "data", "--scope", "path")
        self.assertIn("--scope is path, was host; what is in the queue already is still fetched.", done.stderr)

    def test_seeds_that_are_added_widen_it(self):
        self.crawl("http://www.a.test/docs/", "--scope", "path")
        self.assertEqual(DOCS, self.fetched())
        self.crawl("http://b.test/", "--add")
        self.assertEqual(DOCS | OTHER, self.fetched())
        self.crawl("http://www.a.test/", "--add")
        self.assertEqual(HOST | OTHER, self.fetched())


if __name__ == "__main__":
    Newcomer.program = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main()
