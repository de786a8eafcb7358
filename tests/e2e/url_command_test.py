"""`orbweaver url`, the real program, on input that nobody would type.

Run by CTest; by hand: python3 tests/e2e/url_command_test.py PATH_TO_ORBWEAVER
"""
import json
import os
import subprocess
import sys
import unittest

PROGRAM = None


def run(*args, lines=None, **options):
    """`lines` are bytes; returns the finished process, its output as bytes."""
    data = b"" if lines is None else lines
    return subprocess.run([PROGRAM, "url", *args], input=data, capture_output=True, timeout=60, **options)


class UrlCommand(unittest.TestCase):
    def answers(self, *args, lines):
        done = run(*args, lines=lines)
        self.assertEqual((0, b""), (done.returncode, done.stderr))
        self.assertTrue(done.stdout.endswith(b"\n") or not done.stdout)
        return done.stdout.decode("ascii" if "--json" not in args else "utf-8").splitlines()

    def test_an_url_is_five_fields(self):
        done = run("HTTP://My.Name.co.UK:80/a/../b?#top")
        fields = done.stdout.decode().rstrip("\n").split("\t")
        self.assertEqual(["http://my.name.co.uk/b", "name.co.uk", "uk.co.name"], fields[:3])
        self.assertRegex(fields[3], r"^[0-9a-f]{32}$")
        self.assertEqual("2162", fields[4])

    def test_json_has_the_same_and_the_input(self):
        text = run("http://www.example.com/%7e").stdout.decode().split()
        answer = json.loads(run("--json", "http://www.example.com/%7e").stdout)
        self.assertEqual(["input", "canonical", "domain", "reversed", "fingerprint", "slot"], list(answer))
        self.assertEqual("http://www.example.com/%7e", answer["input"])
        self.assertEqual(text, [str(answer[key]) for key in list(answer)[1:]])

    def test_a_bad_line_stops_nothing(self):
        lines = b"\n".join([b"http://a.com/", b"", b"ftp://a.com/", b"http://", b"\x00\x01\xff\xfe", b"http://a..b/",
                            b"http://a.com/a/a/a", b"http://b.com/\x00\xff", b"http://" + b"a" * 5000, b"http://z.com/"])
        answers = self.answers(lines=lines)
        self.assertEqual(["invalid: relative", "invalid: scheme", "invalid: parse", "invalid: relative", "invalid: host",
                          "invalid: repeated-segments"], answers[1:7])
        self.assertEqual("http://b.com/%00%FF", answers[7].split("\t")[0])
        self.assertEqual("invalid: host", answers[8])
        self.assertEqual("http://z.com/", answers[9].split("\t")[0])
        self.assertEqual(10, len(answers))

    def test_json_stays_valid_whatever_the_bytes(self):
        lines = [bytes([first, second]) for first in range(256) for second in (0, 34, 92, 128, 195, 255)
                 if first not in (10, 13)]
        lines += [b"http://a.com/?\"\\\x7f" + line for line in lines]
        answers = self.answers("--json", lines=b"\n".join(lines) + b"\n")
        self.assertEqual(len(lines), len(answers))
        for line, answer in zip(lines, map(json.loads, answers)):
            self.assertEqual(line.decode("utf-8", "replace"), answer["input"])
            self.assertTrue(("error" in answer) != ("canonical" in answer))

    def test_a_line_of_many_megabytes_is_one_bad_line(self):
        lines = b"http://a.com/\n" + b"x" * 20_000_000 + b"\nhttp://b.com/\n" + b"http://c.com/#" + b"y" * 3_000_000
        answers = self.answers(lines=lines)
        self.assertEqual(["http://a.com/", "invalid: too-long", "http://b.com/", "invalid: too-long"],
                         [answer.split("\t")[0] for answer in answers])

    def test_lines_of_windows_and_a_last_line_without_end_count(self):
        answers = self.answers("--json", lines=b"http://a.com/\r\nhttp://b.com/")
        self.assertEqual(["http://a.com/", "http://b.com/"], [json.loads(answer)["input"] for answer in answers])
        self.assertEqual([], self.answers(lines=b""))

    def test_links_are_resolved_against_the_base(self):
        for base in (["--base", "https://a.com/dir/page"], ["--base=https://a.com/dir/page"]):
            answers = self.answers(*base, lines=b"x\n../y\n//b.com\nmailto:z\n\n")
            self.assertEqual(["https://a.com/dir/x", "https://a.com/y", "https://b.com/", "invalid: scheme",
                              "https://a.com/dir/page"], [answer.split("\t")[0] for answer in answers])

    def test_the_canonical_form_can_be_chosen(self):
        link = "http://a.com/x//y;jsessionid=1?utm_source=z&sid=2&b=1&a=2"
        for options, expected in [
                ([], link),
                (["--sort-query"], "http://a.com/x//y;jsessionid=1?a=2&b=1&sid=2&utm_source=z"),
                (["--drop-tracking"], "http://a.com/x//y;jsessionid=1?sid=2&b=1&a=2"),
                (["--drop-session"], "http://a.com/x//y?utm_source=z&b=1&a=2"),
                (["--collapse-slashes"], "http://a.com/x/y;jsessionid=1?utm_source=z&sid=2&b=1&a=2")]:
            self.assertEqual(expected, run(*options, link).stdout.decode().split("\t")[0])

    def test_the_suffix_list_can_be_chosen(self):
        self.assertEqual("foo.github.io", run("http://foo.github.io/").stdout.decode().split("\t")[1])
        self.assertEqual("github.io", run("--no-private-suffixes", "http://foo.github.io/").stdout.decode().split("\t")[1])
        for name in ("/no/such/list", ""):
            done = run("--suffix-list", name, "http://a.com/")
            self.assertEqual(2, done.returncode)
            self.assertIn(name.encode(), done.stderr)

    def test_wrong_usage_is_refused_before_anything_is_printed(self):
        for args in (["--no-such-flag"], ["-x"], ["--base"], ["--base", "not a page"], ["--base", ""],
                     ["--base", "mailto:a@b.c"], ["--json=1"]):
            done = run(*args, lines=b"http://a.com/\n")
            self.assertEqual((2, b""), (done.returncode, done.stdout), args)
            self.assertIn(b"orbweaver url", done.stderr)

    def test_after_two_dashes_all_are_urls(self):
        self.assertEqual(b"invalid: relative\n" * 2, run("--", "--json", "--help").stdout)

    def test_help_shows_examples(self):
        done = run("--json", "--help")
        self.assertEqual(0, done.returncode)
        self.assertIn(b"examples:", done.stdout)

    def test_a_reader_that_leaves_early_is_no_error(self):
        with subprocess.Popen([PROGRAM, "url"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE) as process:
            process.stdout.close()
            try:
                process.stdin.write(b"http://a.com/\n" * 200_000)
                process.stdin.close()
            except BrokenPipeError:
                pass
            self.assertEqual(b"", process.stderr.read())
            self.assertEqual(0, process.wait(timeout=60))

    def test_a_full_disk_is_an_error(self):
        with open("/dev/full", "wb") as full:
            done = subprocess.run([PROGRAM, "url", "http://a.com/"], stdout=full, stderr=subprocess.PIPE, timeout=60)
        self.assertEqual(1, done.returncode)
        self.assertIn(b"No space left", done.stderr)

    def test_an_unreadable_input_is_an_error(self):
        folder = os.open("/", os.O_RDONLY)
        try:
            done = subprocess.run([PROGRAM, "url"], stdin=folder, capture_output=True, timeout=60)
        finally:
            os.close(folder)
        self.assertEqual(1, done.returncode)
        self.assertIn(b"Is a directory", done.stderr)

    def test_each_line_is_answered_before_the_next_is_awaited(self):
        with subprocess.Popen([PROGRAM, "url"], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
            for host in (b"a.com", b"b.com"):
                process.stdin.write(b"http://" + host + b"\n")
                process.stdin.flush()
                self.assertTrue(process.stdout.readline().startswith(b"http://" + host + b"/\t"))
            process.stdin.close()
            self.assertEqual(0, process.wait(timeout=60))


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main()
