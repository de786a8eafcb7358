"""A site as files to read offline, `orbweaver crawl --mirror --convert-links`: python3 first_hour_mirror_test.py PROGRAM"""

import html.parser
import json
import pathlib
import re
import shutil
import subprocess
import sys
import unittest
import urllib.parse

from newcomer import Newcomer


def marked(name, links=""):
    return f"<title>{name}</title>\n<p>[[{name}]]</p>\n{links}\n"


def text(name):
    return 200, {"Content-Type": "text/plain"}, f"[[{name}]]"


LONG = "long-" + "x" * 300
# Paths as the crawl asks for them: in their canonical form.
PAGES = ["/index.html", "/a/b", "/page?x=1&y=2", "/page?x=1", "/q?path=/x/../y", "/caf%C3%A9", "/with%20space", "/%23hash", "/100%25", "/%2541",
         "/semi;colon", "/col:on", "/quote%22s", "/it's", "/Case", "/case", "/" + LONG, "/" + LONG + "y", f"/{LONG}/below", "/x", "/x.html", "/dir/",
         "/dir/index.html?v", "/..%2Fetc", "/%E9", "/back%5Cslash", "/~tilde", "/a+b", "/a%2Bb", "/%3Fquestion", "/?", "/star*", "/%C2%85", "/.hidden", "/-rf"]


def nasty_site():
    links = "".join(f'<a href="{path.replace("&", "&amp;")}">x</a>\n' for path in PAGES)
    links += """<a href=/text>t</a> <a href='/text/below#f'>b</a> <a href=/moved#part>m</a> <a href="/chain">c</a> <a href=/dir>d</a>
        <a href=/gone>g</a> <a href=http://elsewhere.invalid/x?a&amp;b>e</a> <a href=mailto:a@b.invalid>m</a> <a href="#top">top</a> <img src=/x.html>
        <a href="/based">base</a> <area href="/caf&#233;"> <a href=" /a/./b ">spaces</a> <a href=/gone/too?a=b&c#d>gone</a> <a href="?x">query</a>"""
    files = {path: marked(path, '<a href="/">home</a> <a href="../page?x=1">page</a> <a href=relative>gone</a>') for path in PAGES if path != "/?"}
    files |= {
        "/": marked("/", links), "/text": text("/text"), "/text/below": text("/text/below"),
        "/moved": (301, {"Location": "/a/b"}, ""), "/chain": (302, {"Location": "moved"}, ""), "/dir": (301, {"Location": "/dir/"}, ""),
        "/based": marked("/based", '<base href="/a/">\n<a href=b>b</a> <a href=../x>x</a> <a href="#here">here</a> <a href="">empty</a>'),
        "/?x": marked("/?x"),
    }
    return files


class Links(html.parser.HTMLParser):
    """Links of a page in their order, and its <base href>."""

    def __init__(self, page):
        super().__init__()
        self.links, self.base = [], None
        self.feed(page)
        self.close()

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if tag == "base" and name == "href":
                self.base = value
            elif name in ("href", "src"):
                self.links.append(value)


class Mirrors(Newcomer):
    def tree(self, out="out"):
        """The mirror's files, without our own."""
        files = (path for host in (self.folder / out).iterdir() if host.is_dir() and host.name != ".mirror" for path in host.rglob("*"))
        return {str(path.relative_to(self.folder / out)): path.read_bytes() for path in files if path.is_file()}

    def mirror(self, site, *more, out="out", data="data", **options):
        return self.crawl(site.url("/"), "--data", data, "--out", out, "--mirror", "--convert-links", *more, **options)

    def assert_nothing_torn(self, out="out"):
        self.assertEqual([], list((self.folder / out).rglob("*.open")))
        self.assertEqual([], list((self.folder / out / ".mirror/new").iterdir()))


class ReadOffline(Mirrors):
    def follow(self, files, site, url):
        """The path that a URL leads to on the site; None: elsewhere, or nowhere."""
        for _ in range(5):
            path = url.partition("#")[0].removeprefix(site.url(""))
            path = path if path.startswith("/") else "/" + path
            # As the crawl asks for it, and as the site was told.
            path = urllib.parse.quote(path, safe="%/?&=;:'*+~!$(),@-._") if url.startswith(site.url("")) else None
            answer = files.get(path)
            if not isinstance(answer, tuple) or answer[0] == 200:
                return path if answer is not None else None
            url = urllib.parse.urljoin(url, answer[1]["Location"])
        return None

    def check_links_of(self, file, page, files, site):
        original, mirrored = files[page], file.read_text()
        before, after = Links(original), Links(mirrored)
        self.assertEqual(len(before.links), len(after.links), page)
        base = urllib.parse.urljoin(site.url(page), before.base or "")
        followed = 0
        for was, link in zip(before.links, after.links):
            was = was.strip()
            # Python's urljoin drops an empty query and a "#" of its own.
            wanted = base if was == "" else urllib.parse.urljoin(base, was)
            with self.subTest(page=page, link=was, became=link):
                if was.startswith(("mailto:", "http:")) or (was.startswith("#") and not before.base):
                    self.assertEqual(was, link)
                    continue
                target = self.follow(files, site, wanted)
                if target is None:
                    self.assertEqual(wanted, link)
                    continue
                path, _, fragment = link.partition("#")
                self.assertRegex(path, r"^[A-Za-z0-9._~/%-]+$")
                self.assertEqual(wanted.partition("#")[2], fragment)
                found = file.parent / urllib.parse.unquote(path)
                self.assertIn(f"[[{target}]]", found.read_text(), f"{link} leads to {found}")
                followed += 1
        return followed

    def test_every_link_leads_to_the_page_that_it_led_to_or_is_absolute(self):
        files = nasty_site()
        site = self.site(files)
        done = self.mirror(site)
        tree = self.tree()
        pages = {re.search(r"\[\[(.*)\]\]", body.decode()).group(1): name for name, body in tree.items()}
        expected = {path for path, answer in files.items() if not isinstance(answer, tuple) or answer[0] == 200}
        self.assertEqual(expected, set(pages))
        self.assertEqual(len(expected), len(tree), "each page has a file of its own")
        followed = sum(self.check_links_of(self.folder / "out" / name, page, files, site)
                       for page, name in pages.items() if isinstance(files[page], str))
        self.assertGreater(followed, 2 * len(PAGES))
        self.assertIn(f"Mirror: {len(expected)} files in ", done.stdout)
        self.assert_nothing_torn()
        for name in tree:
            self.assertTrue(all(0 < len(part.encode()) <= 255 and part not in (".", "..") for part in name.split("/")), name)
        # No WARC files beside it, and who wants to know which file is which URL's is told.
        self.assertEqual([], list((self.folder / "out").glob("*.warc.gz")))
        known = [json.loads(line) for line in (self.folder / "out/.mirror/files.jsonl").read_text().splitlines()]
        self.assertEqual({site.url(page): name for page, name in pages.items()}, {line["url"]: line["file"] for line in known if "redirect" not in line})
        self.assertEqual(pages["/a/b"], next(line["file"] for line in known if line["url"] == site.url("/chain")))
        # Plain URLs stand where people look for them.
        self.assertEqual({f"127.0.0.1+{site.port}"}, {name.partition("/")[0] for name in tree})
        names = {name.partition("/")[2] for name in tree}
        self.assertLessEqual({"index.html", "a/b.html", "page?x=1.html", "caf\u00e9.html", "with space.html", "dir/index.html", "x.html", "Case.html",
                              "case.html", "~tilde.html", "text/below"}, names)

    def test_converting_again_changes_nothing_and_taking_it_back_gives_what_was_fetched(self):
        files = {"/": "<a href=/a>a</a><a href='b?c&amp;d'>b</a><a href=/e>e</a>", "/a": text("a")[2], "/b?c&d": "<base href=/x/><a href=../a>a</a>"}
        self.mirror(self.site(files))
        converted = self.tree()
        self.assertNotEqual(sorted(files.values()), sorted(body.decode() for body in converted.values()))
        self.orbweaver("mirror", "--data", "data")
        self.assertEqual(converted, self.tree())
        self.orbweaver("mirror", "--data", "data", "--set", "spider.archive.convert_links=false")
        self.assertEqual(sorted(files.values()), sorted(body.decode() for body in self.tree().values()))
        self.orbweaver("mirror", "--data", "data", "--convert-links")
        self.assertEqual(converted, self.tree())

    def test_links_to_pages_that_come_later_are_converted_when_they_are_there(self):
        site = self.site({"/": "<a href=/b>b</a>", "/b": "<a href=/>a</a>"})
        self.mirror(site, "--max-pages", "1", "--delay", "300ms", code=4)
        root = f"127.0.0.1+{site.port}/"
        self.assertEqual({root + "index.html": f"<a href={site.url('/b')}>b</a>".encode()}, self.tree())
        self.crawl("--data", "data")
        self.assertEqual({root + "index.html": b"<a href=b.html>b</a>", root + "b.html": b"<a href=index.html>a</a>"}, self.tree())

    def test_with_assets_a_page_looks_as_it_does_on_the_web(self):
        image, css = "image/png", "text/css"
        site = self.site({
            "/docs/": '<link rel=stylesheet href="/style?v=1" integrity="sha256-x"><style>p{background:url("../i.png")}</style>'
                      '<img src=../i.png srcset="../i.png 1x, /i2.png 2x"><p style="background:url(/i.png)">',
            "/style?v=1": (200, {"Content-Type": css}, '@import "css/more.css"; a { background: url( i2.png ) }'),
            "/css/more.css": (200, {"Content-Type": css}, "b { background: url(../i.png#x), url(../gone.png) }"),
            "/i.png": (200, {"Content-Type": image}, "one"), "/i2.png": (200, {"Content-Type": image}, "two"),
        })
        self.crawl(site.url("/docs/"), "--out", "out", "--mirror", "--convert-links", "--assets")
        root = f"127.0.0.1+{site.port}/"
        self.assertEqual({
            root + "docs/index.html": '<link rel=stylesheet href="../style%3Fv%3D1.css" integrity=""><style>p{background:url("../i.png")}</style>'
                                      '<img src=../i.png srcset="../i.png 1x, ../i2.png 2x"><p style="background:url(../i.png)">',
            root + "style?v=1.css": '@import "css/more.css"; a { background: url( i2.png ) }',
            root + "css/more.css": f"b {{ background: url(../i.png#x), url({site.url('/gone.png')}) }}",
            root + "i.png": "one", root + "i2.png": "two",
        }, {name: body.decode() for name, body in self.tree().items()})

    def test_a_crawl_that_was_killed_and_goes_on_gives_the_tree_of_an_undisturbed_one(self):
        names = [f"/{i}" for i in range(60)]
        links = "".join(f"<a href={name}>x</a>" for name in names)
        site = self.site({"/": links + "<a href=/7/below>x</a>"} | {name: f"page {name} {links}" for name in names} | {"/7/below": "page /7/below </a>", "/7": text("/7")})
        arguments = ["crawl", site.url("/"), "--data", "killed", "--out", "killed-out", "--mirror", "--convert-links", "--delay", "10ms",
                     "--set=network.allow_networks=127.0.0.0/8", f"--set=network.ports={site.port}"]
        for asked in 12, 40:
            self.is_killed_when(lambda: len(site.requests) >= asked, *arguments)
            # Each file that is there is whole, as it was fetched or converted.
            for name, body in self.tree("killed-out").items() if (self.folder / "killed-out").exists() else ():
                self.assertTrue(body.startswith((b"<a href", b"page /", b"[[/7]]")) or name.endswith("robots.txt"), name)
                self.assertTrue(body.endswith((b"</a>", b"]]")), name)
        self.crawl("--data", "killed")
        self.mirror(site, data="undisturbed", out="undisturbed-out")
        self.assertEqual(62, len(self.tree("undisturbed-out")))
        self.assertEqual(self.tree("undisturbed-out"), self.tree("killed-out"))
        self.assert_nothing_torn("killed-out")


class Care(Mirrors):
    def test_no_symbolic_link_leads_out_of_the_folder(self):
        site = self.site({"/": "<a href=/b/c>b</a>", "/b/c": "c"})
        outside = self.folder / "outside"
        outside.mkdir()
        (self.folder / "out").mkdir()
        (self.folder / "out" / f"127.0.0.1+{site.port}").symlink_to(outside)
        done = self.mirror(site, code=1)
        self.assertIn("a symbolic link stands there. Remove it", done.stderr)
        self.assertEqual([], list(outside.iterdir()))

    def test_a_page_that_is_cut_off_is_told_and_is_no_file(self):
        site = self.site({"/": "<a href=/big>b</a>", "/big": "x" * 50_000})
        done = self.mirror(site, "--max-size", "10000")
        self.assertIn("1 page left out", done.stdout)
        self.assertEqual([f"<a href={site.url('/big')}>b</a>".encode()], list(self.tree().values()))

    def test_without_conversion_files_are_as_they_were_fetched_and_warc_files_may_be_there_too(self):
        site = self.site({"/": "<a href=/b>b</a>", "/b": "b"})
        self.crawl(site.url("/"), "--out", "out", "--mirror", "--set", "spider.archive.warc=true")
        self.assertEqual([b"<a href=/b>b</a>", b"b"], sorted(self.tree().values()))
        self.assertEqual(1, len(list((self.folder / "out").glob("*.warc.gz"))))

    def test_a_crawl_without_mirror_leaves_the_mirror_of_another_one_in_its_folder(self):
        site = self.site({"/": "<a href=/b>b</a>", "/b": "b"})
        self.mirror(site)
        before = self.tree()
        self.crawl(site.url("/"), "--data", "other", "--out", "out")
        self.assertEqual(before, self.tree())
        self.assertIn(b"<a href=b.html>b</a>", before.values())

    def test_options_that_lack_others_are_named_as_they_were_written(self):
        for options, message in [(["--mirror"], "--mirror needs --out DIR"), (["--convert-links", "--out", "out"], "--convert-links needs --mirror")]:
            done = self.crawl("http://127.0.0.1:1/", *options, code=2)
            self.assertIn(message, done.stderr)
            self.assertFalse((self.folder / "crawl-data").exists())
        self.assertIn("no crawl", self.orbweaver("mirror", code=2).stderr)
        site = self.site({"/": "a"})
        self.crawl(site.url("/"), "--out", "out")
        self.assertIn("it was made without --mirror", self.orbweaver("mirror", code=2).stderr)

    def test_summaries_as_json_stay_json(self):
        site = self.site({"/": "a"})
        done = self.mirror(site, "--json")
        json.loads(done.stdout)
        self.assertIn("Mirror: 1 file in ", done.stderr)


class LikeWget(Mirrors):
    FILES = {
        "/": '<a href="a/">a</a> <a href=a/b.html>b</a> <a href=c>c</a> <a href="d?x=1">d</a> <a href="a/?y">y</a> <a href="e%20f">e</a> <a href=g.txt>g</a>',
        "/a/": "a", "/a/b.html": "b", "/c": "c", "/d?x=1": "d", "/a/?y": "y", "/e%20f": "e", "/g.txt": text("g"),
    }

    def test_plain_files_are_named_as_by_wget(self):
        self.assertIsNotNone(shutil.which("wget"), "./run setup installs it")
        site = self.site(self.FILES)
        self.crawl(site.url("/"), "--out", "out", "--mirror")
        subprocess.run(["wget", "--quiet", "--no-config", "--mirror", "--adjust-extension", "--execute", "robots=off", "--no-proxy", "--directory-prefix", "wget",
                        site.url("/")], cwd=self.folder, check=True)
        ours = {name.partition("/")[2]: body for name, body in self.tree().items()}
        theirs = {name.partition("/")[2]: body for name, body in self.tree("wget").items()}
        self.assertEqual(theirs, ours)


if __name__ == "__main__":
    Newcomer.program = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main()
