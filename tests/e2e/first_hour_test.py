"""A newcomer's first hour with `orbweaver crawl`, on sites of this machine: python3 first_hour_test.py PROGRAM"""

import json
import os
import pathlib
import shlex
import shutil
import subprocess
import sys
import unittest

from newcomer import Newcomer
from synthetic_web import PATIENCE_S


class Identity(Newcomer):
    FILES = {
        "/robots.txt": "User-agent: mybot\nDisallow: /\n\nUser-agent: *\nDisallow:\n",
        "/": "<a href=/a>a</a>",
        "/a": "a",
    }

    def crawl_as(self, agent, *arguments, code=0):
        site = self.site(self.FILES)
        done = self.crawl(site.url("/"), "--user-agent", agent, "--json", *arguments, code=code)
        return done, site.paths()

    def test_robots_txt_is_obeyed_under_the_name_that_is_shown(self):
        for agent in "mybot (+https://example.org/bot)", "Mozilla/5.0 (compatible; MyBot/1.0)":
            with self.subTest(agent):
                done, paths = self.crawl_as(agent, "--data", agent[:5], code=3)
                self.assertEqual(["/robots.txt"], paths, done.stdout)
                self.assertEqual(["robots"], list(json.loads(done.stdout)["failures"]))

    def test_another_name_is_not_bound_by_it(self):
        _, paths = self.crawl_as("otherbot (+https://example.org/bot)")
        self.assertEqual(["/robots.txt", "/", "/a"], paths)

    def test_a_token_that_the_agent_does_not_show_is_refused(self):
        done, paths = self.crawl_as("mybot", "--set=spider.robots.product_token=otherbot", code=2)
        self.assertIn("does not stand in the user agent 'mybot'", done.stderr)
        self.assertEqual([], paths)
        self.assertFalse((self.folder / "crawl-data").exists())
        self.orbweaver("config", "check", "--set=spider.fetch.user_agent=mybot", "--set=spider.robots.product_token=otherbot", code=2)

    def test_a_second_agent_among_the_headers_is_refused(self):
        done, _ = self.crawl_as("mybot", "--set=spider.fetch.headers.user-agent=curl", code=2)
        self.assertIn("spider.fetch.user_agent", done.stderr)


class FolderOfNoName(Newcomer):
    def test_crawls_of_two_sites_are_apart(self):
        one, two = self.site({"/": "one"}), self.site({"/": "two"})
        for site in one, two:
            done = self.crawl(site.url("/"))
            self.assertIn("Ended: nothing is left.", done.stdout)
        self.assertEqual([f"127.0.0.1_{site.port}" for site in sorted([one, two], key=lambda site: site.port)],
                         sorted(path.name for path in (self.folder / "crawl-data").iterdir()))
        # Nobody can tell which one is meant.
        for command in ["crawl"], ["status"], ["inspect", "url", one.url("/")], ["log", "dump", "spider-log"], ["purge", "127.0.0.1"]:
            with self.subTest(command):
                done = self.orbweaver(*command, code=2)
                for site in one, two:
                    self.assertRegex(done.stderr, rf"with --data: .*crawl-data/127\.0\.0\.1_{site.port}\b")

    def test_the_only_one_is_meant(self):
        site = self.site({"/": "<a href=/a>a</a>", "/a": "a"})
        self.crawl(site.url("/"), "--max-pages", "1", code=4)
        done = self.orbweaver("status", "--interval", "100ms")
        self.assertEqual(f"In crawl-data/127.0.0.1_{site.port}:\n", done.stderr)
        self.assertIn("spider-log", done.stdout)
        known = json.loads(self.orbweaver("inspect", "url", site.url("/")).stdout)
        self.assertEqual(site.url("/"), known["url"])
        self.orbweaver("log", "dump", "spider-log")
        self.orbweaver("unblock", "127.0.0.1")
        self.assertIn("Ended: nothing is left.", self.orbweaver("crawl").stdout)
        self.assertIn("/a", site.paths())
        other = self.site({"/": "other"})
        self.crawl(other.url("/"), "--add")
        self.assertIn("/", other.paths())

    def test_an_error_about_the_arguments_comes_alone(self):
        site = self.site({"/": "one"})
        self.crawl(site.url("/"))
        for command in ("raise", "reschedule", "block", "unblock", "purge", "forget", "pause", "resume", "explain", "inspect", "seeds", "log",
                        "page", "status x", "mirror x", "reset x", "console x", "requeue x", "requeue --domain a..b", "record x", "unblock a..b", "raise a..b",
                        "pause 77", "resume x", "seeds add nofile", "seeds add ."):
            with self.subTest(command):
                told = self.orbweaver(*command.split(), code=1 if "seeds add" in command else 2).stderr
                self.assertEqual([f"orbweaver {command.split()[0]}"], [line.partition(":")[0] for line in told.splitlines()])

    def test_a_folder_of_that_name_which_is_a_crawl_itself_is_meant(self):
        site = self.site({"/": "<a href=/a>a</a>", "/a": "a"})
        self.crawl(site.url("/"), "--max-pages", "1", "--data", "crawl-data", code=4)
        self.crawl(site.url("/"))
        self.assertIn("/a", site.paths())
        self.assertEqual("In crawl-data:\n", self.orbweaver("status", "--interval", "100ms").stderr)

    def test_seeds_of_a_file_give_it_the_file_s_name(self):
        site = self.site({"/": "one"})
        (self.folder / "my urls.txt").write_text(site.url("/") + "\n")
        self.crawl("--seeds", "my urls.txt")
        self.assertTrue((self.folder / "crawl-data" / "my_urls" / "crawl.yaml").exists())

    def test_a_configured_cluster_is_meant_wherever_crawls_are(self):
        site = self.site({"/": "one"})
        self.crawl(site.url("/"))
        done = self.orbweaver("purge", "--set=kafka.brokers=127.0.0.1:1", code=2)
        self.assertNotIn("In crawl-data", done.stderr)


class Folder(Newcomer):
    FILES = {"/": "<a href=/a>a</a>", "/a": "<a href=/b>b</a>", "/b": "<a href=/c>c</a>", "/c": "c"}

    def begin(self, *arguments):
        site = self.site(self.FILES)
        done = self.crawl(site.url("/"), "--data", "my crawl", "--max-pages", "1", "--user-agent", "mybot (+https://example.org/)",
                          "--depth", "2", "--out", "pages", "--delay", "300ms", *arguments, code=4)
        return site, done

    def test_it_goes_on_as_it_was_made(self):
        site, done = self.begin()
        # The line that says so is complete by itself.
        command = next(line for line in done.stdout.splitlines() if line.startswith("To go on: ")).removeprefix("To go on: ")
        self.assertEqual(["orbweaver", "crawl", "--data", "my crawl"], shlex.split(command))
        done = self.orbweaver(*shlex.split(command)[1:])
        self.assertIn("Ended: nothing is left.", done.stdout)
        self.assertNotIn("Changed", done.stderr)
        self.assertNotIn("who you are", done.stderr)
        self.assertEqual(["/robots.txt", "/", "/robots.txt", "/a", "/b"], site.paths())  # and not /c: it is too deep
        self.assertEqual({"mybot (+https://example.org/)"}, {headers["User-Agent"] for _, headers in site.requests})
        lines = [line for file in (self.folder / "pages").glob("pages-*.jsonl") for line in file.read_text().splitlines()]
        self.assertEqual(3, len(lines))

    def test_what_is_given_again_counts_and_is_kept_and_said(self):
        site, _ = self.begin()
        done = self.orbweaver("crawl", "--data", "my crawl", "--depth", "9", "--delay", "10ms")
        self.assertIn("Changed and kept: --delay is 10ms, was 300ms; sites are asked more often.", done.stderr)
        self.assertIn("Changed and kept: --depth is 9, was 2; more of the web is crawled.", done.stderr)
        self.assertEqual(2, done.stderr.count("Changed"), done.stderr)
        self.assertIn("/c", site.paths())
        self.assertNotIn("Changed", self.orbweaver("crawl", "--data", "my crawl", "--delay", "10ms").stderr)

    def test_another_strategy_does_not_get_the_parameters_of_the_one_before(self):
        self.begin("--strategy", "depth_first", "--param", "max_pages=3")
        done = self.orbweaver("crawl", "--data", "my crawl", "--strategy", "breadth_first", "--dry-run")
        self.assertNotIn("max_pages", done.stdout)

    def test_a_strategy_may_be_a_file(self):
        library = pathlib.Path(self.program).resolve().parent.parent / "lib" / "orbweaver" / "strategies" / "depth_first.so"
        shutil.copy(library, self.folder / "mine.so")
        site, done = self.begin("--strategy", "mine.so", "--param", "max_pages=50")
        done = self.orbweaver("crawl", "--data", "my crawl", "--dry-run")
        self.assertRegex(done.stdout, r"strategy +/.*/mine\.so\n")
        self.assertIn("max_pages = 50", done.stdout)
        # A name counts again, and does not get the parameters of the file.
        done = self.orbweaver("crawl", "--data", "my crawl", "--strategy", "breadth_first", "--dry-run")
        self.assertRegex(done.stdout, r"strategy +breadth_first\n")
        self.assertNotIn("max_pages", done.stdout)
        self.orbweaver("crawl", "--data", "my crawl")
        self.assertIn("/b", site.paths())
        done = self.orbweaver("crawl", "--data", "other", "--strategy", "./nothing.so", site.url("/"), code=2)
        self.assertIn("nothing.so", done.stderr)

    def test_the_same_command_again_goes_on(self):
        site, _ = self.begin()
        self.crawl(site.url("/"), "--data", "my crawl")
        self.assertIn("/b", site.paths())

    def test_other_seeds_are_another_crawl_unless_added(self):
        site, _ = self.begin()
        other = self.site({"/": "other"})
        done = self.crawl(other.url("/"), "--data", "my crawl", code=2)
        self.assertRegex(done.stderr, rf"my crawl has a crawl of {site.url('/')}; about [1-9] requests? wait in it\. ")
        self.assertNotIn("Changed", done.stderr)
        self.assertIn("orbweaver crawl --data 'my crawl'", done.stderr)
        self.assertIn("--add", done.stderr)
        self.assertEqual([], other.paths())
        self.crawl(other.url("/"), "--data", "my crawl", "--add")
        self.assertEqual(["/robots.txt", "/"], other.paths())


class Output(Newcomer):
    def test_what_cannot_be_written_is_a_failure(self):
        for words in ("config", "reference"), ("--help",), ("crawl", "--help"):
            with self.subTest(words), open("/dev/full", "wb") as full:
                done = subprocess.run([self.program, *words], stdout=full, stderr=subprocess.PIPE, text=True, timeout=PATIENCE_S)
                self.assertEqual(1, done.returncode, done.stderr)
                self.assertIn("No space left on device", done.stderr)

    def test_workers_keep_their_notes_to_themselves_unless_they_are_asked(self):
        site = self.site({"/": "hello"})
        self.assertEqual("", self.crawl(site.url("/"), "--user-agent", "mybot").stderr)
        self.assertIn("owns partition", self.crawl(site.url("/"), "--set=log.level=info").stderr)

    def test_a_reader_that_goes_ends_nothing_but_the_reading(self):
        site = self.site({"/": "hello"})
        arguments = [self.program, "crawl", site.url("/"), "--set=network.allow_networks=127.0.0.0/8", f"--set=network.ports={site.port}"]
        process = subprocess.Popen(arguments, cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        process.stdout.close()
        _, errors = process.communicate(timeout=PATIENCE_S)
        self.assertEqual(1, process.returncode, errors)
        self.assertIn("/", site.paths())

    def test_a_dumb_terminal_gets_lines_and_no_escapes(self):
        site = self.site({"/": "hello"})
        command = shlex.join(map(str, [self.program, "crawl", site.url("/"), "--set=network.allow_networks=127.0.0.0/8",
                                       f"--set=network.ports={site.port}"]))
        done = subprocess.run(["script", "-qec", command, "/dev/null"], cwd=self.folder, env=os.environ | {"TERM": "dumb"},
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=PATIENCE_S)
        self.assertEqual(0, done.returncode, done.stdout)
        self.assertIn(b"Ended: nothing is left.", done.stdout)
        self.assertNotIn(b"\x1b", done.stdout)


class ExitCodes(Newcomer):
    def test_0_when_pages_came_and_nothing_is_left_and_when_nothing_is_to_be_done(self):
        site = self.site({"/": "<a href=/gone>x</a>"})
        done = self.crawl(site.url("/"))
        self.assertIn("Ended: nothing is left.", done.stdout)
        self.assertIn("http_4xx", done.stdout)
        self.crawl()

    def test_3_when_not_one_page_could_be_fetched(self):
        site = self.site({})
        done = self.crawl(site.url("/"), code=3)
        self.assertTrue(done.stdout.startswith(f"No page could be fetched: {site.url('/')}, http_4xx. Ended: "), done.stdout)
        self.assertEqual("nothing_fetched", json.loads(self.crawl(site.url("/"), "--data", "other", "--json", code=3).stdout)["outcome"])

    def test_4_when_a_limit_ended_it(self):
        site = self.site({"/": "<a href=/a>a</a>", "/a": "<a href=/b>b</a>", "/b": "b"})
        done = self.crawl(site.url("/"), "--max-pages", "1", "--delay", "200ms", code=4)
        self.assertIn("Ended: --max-pages is reached.", done.stdout)
        self.crawl()
        self.assertEqual({"/robots.txt", "/", "/a", "/b"}, set(site.paths()))

    def test_5_when_too_much_failed(self):
        site = self.site({"/": "".join(f"<a href=/gone{i}>x</a>" for i in range(5))})
        done = self.crawl(site.url("/"), "--max-failures", "2", code=5)
        self.assertIn("--max-failures is exceeded", done.stdout)
        self.assertIn("--max-failures x", self.crawl(site.url("/"), "--max-failures", "x", code=2).stderr)


if __name__ == "__main__":
    Newcomer.program = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main()
