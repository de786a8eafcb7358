"""`orbweaver check`, the real program, against servers of this machine.

Run by CTest; by hand: python3 tests/e2e/check_command_test.py PATH_TO_ORBWEAVER
"""

import collections
import http.server
import json
import os
import pathlib
import shlex
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import threading
import time
import unittest

from patient import Patient

PROGRAM = ""
PATIENCE_S = 120


class Web:
    """Answers on all of 127.0.0.0/8 from a function of method, host and path: (status, headers). Keeps what it was asked, and the
    most requests that one host had at once."""

    def __init__(self, answer, context=None, delay_s=0.0):
        web = self
        self.requests = []  # (method, host, path, when)
        self.most_at_once = collections.Counter()
        self.delay_s = delay_s
        self.gate = threading.Event()  # answers are held back until it is set
        self.gate.set()
        self.lock = threading.Lock()
        running = collections.Counter()

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def handle_request(self):
                host = self.headers["Host"].split(":")[0]
                with web.lock:
                    web.requests.append((self.command, host, self.path, time.monotonic()))
                    running[host] += 1
                    web.most_at_once[host] = max(web.most_at_once[host], running[host])
                web.gate.wait(PATIENCE_S)
                time.sleep(web.delay_s)
                status, headers = answer(self.command, host, self.path)
                with web.lock:
                    running[host] -= 1
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", "2")
                self.end_headers()
                if self.command != "HEAD":
                    self.wfile.write(b"ok")

            do_GET = do_HEAD = handle_request

            def log_message(self, *arguments):
                pass

        class Server(http.server.ThreadingHTTPServer):
            request_queue_size = 1024
            daemon_threads = True

            def get_request(self):
                connection, address = super().get_request()
                return (context.wrap_socket(connection, server_side=True) if context else connection), address

            def handle_error(self, *arguments):
                pass

        self.server = Server(("0.0.0.0", 0), Handler)
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def url(self, path, host="127.0.0.1", scheme="http"):
        return f"{scheme}://{host}:{self.port}{path}"

    def asked(self):
        with self.lock:
            return [f"{method} {path}" for method, _, path, _ in self.requests]

    def close(self):
        self.gate.set()
        self.server.shutdown()
        self.server.server_close()


def free_port():
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        return listening.getsockname()[1]


class CheckTest(Patient):
    patience_s = PATIENCE_S

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.ports = []

    def web(self, answer, **options):
        web = Web(answer, **options)
        self.addCleanup(web.close)
        self.ports.append(str(web.port))
        return web

    def list(self, *urls, name="urls.txt"):
        (self.folder / name).write_text("".join(f"{url}\n" for url in urls))
        return name

    def command(self, *arguments):
        return [PROGRAM, "check", *map(str, arguments), "--user-agent", "tester (+mailto:x@example.org)",
                "--set=network.allow_networks=127.0.0.0/8", f"--set=network.ports={','.join(self.ports)}"]

    def check(self, *arguments, code=0, input=None):
        """Runs a check in a folder of its own; its exit code must be `code`."""
        done = subprocess.run(self.command(*arguments), cwd=self.folder, capture_output=True, text=True, timeout=PATIENCE_S, input=input)
        self.assertEqual(code, done.returncode, done.stdout + done.stderr)
        return done

    def start(self, *arguments):
        running = subprocess.Popen(self.command(*arguments), cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(running.wait)
        self.addCleanup(running.kill)
        self.addCleanup(running.stdout.close)
        self.addCleanup(running.stderr.close)
        return running

    def results(self, name="urls.txt.checked.jsonl"):
        """By line; none may be there twice."""
        results = [json.loads(line) for line in (self.folder / name).read_text().splitlines()]
        by_line = {result["line"]: result for result in results}
        self.assertEqual(len(by_line), len(results))
        return by_line


FAST = ["--per-host", "1,0", "--per-domain", "1,0", "--per-address", "0,0"]


class Verdicts(CheckTest):
    def test_the_verdicts(self):
        def answer(method, host, path):
            if path == "/head-refused" and method == "HEAD":
                return 405, {"Allow": "GET"}
            moved = {"/moved": (301, "/fine"), "/away": (302, "http://127.0.0.9:%d/fine" % web.port), "/circle": (302, "/circle")}
            if path in moved:
                return moved[path][0], {"Location": moved[path][1]}
            return {"/fine": 200, "/head-refused": 200, "/forbidden": 403, "/ill": 501}.get(path, 404), {}

        web = self.web(answer)
        dead_port = free_port()
        self.ports.append(str(dead_port))
        own_host = {"/head-refused": "127.0.0.3", "/ill": "127.0.0.4"}  # the hosts will be remembered as refusing HEAD
        paths = ["/fine", "/none", "/moved", "/head-refused", "/away", "/circle", "/forbidden", "/ill"]
        name = self.list(*(web.url(path, own_host.get(path, "127.0.0.1")) for path in paths), f"http://127.0.0.1:{dead_port}/", "mailto:x@example.org", "", "# a comment",
                         web.url("/fine#again"), "http://192.168.0.1/")
        done = self.check(name, *FAST, "--retry-delay", "100ms")
        results = self.results()
        said = [(results[line]["verdict"], results[line]["status"], results[line]["cause"]) for line in (*range(1, 11), 14)]
        self.assertEqual([("alive", 200, None), ("dead", 404, "http_4xx"), ("alive", 200, None), ("alive", 200, None), ("alive", 200, None),
                          ("dead", 302, "redirect"), ("unclear", 403, "http_4xx"), ("unclear", 501, "http_5xx"), ("dead", None, "refused"),
                          ("skipped", None, "bad_url"), ("skipped", None, "private_address")], said)
        self.assertEqual(11, len(results))
        self.assertEqual(["HEAD", "GET", "HEAD", "GET"], [results[line]["method"] for line in (1, 2, 3, 4)])
        self.assertEqual(web.url("/fine"), results[3]["final_url"])
        self.assertEqual([{"status": 302, "url": web.url("/fine", "127.0.0.9")}], results[5]["redirects"])
        self.assertEqual("127.0.0.9", results[5]["address"])
        self.assertEqual({"dns", "connect", "tls", "first_byte", "total"}, set(results[1]["ms"]))
        self.assertIsNone(results[1]["certificate_days"])
        self.assertIn('urls.txt:10: scheme: "mailto:x@example.org"', done.stderr)
        for line in ("Ended: every URL is checked.", "1 line with a URL that stands on an earlier line", "Redirected: 3, 1 of them permanently",
                     f"  127.0.0.1:{dead_port}", "Slowest hosts", "Results: urls.txt.checked.jsonl"):
            self.assertIn(line, done.stdout)
        self.assertRegex(done.stdout, r"alive +4\n +dead +3\n +unclear +2\n +skipped +2\n")

    def test_only_failures_are_written_and_the_summary_has_all(self):
        web = self.web(lambda method, host, path: (200 if path == "/fine" else 410, {}))
        done = self.check(self.list(web.url("/fine"), web.url("/gone")), "--failures-only", "--json", *FAST)
        self.assertEqual([2], list(self.results()))
        summary = json.loads(done.stdout)
        self.assertEqual({"alive": 1, "dead": 1, "unclear": 0, "skipped": 0}, summary["verdicts"])
        self.assertEqual({"410": 1}, summary["failures"])

    def test_exit_codes(self):
        web = self.web(lambda method, host, path: (200 if path == "/fine" else 404, {}))
        self.check(self.list(web.url("/a"), web.url("/b")), *FAST, code=3)
        self.check(self.list(web.url("/fine"), web.url("/b"), name="more.txt"), *FAST, "--max-failures", "0", code=5)
        self.check(self.list(web.url("/fine"), web.url("/b"), name="enough.txt"), *FAST, "--max-failures", "1")

    def test_a_column_of_csv(self):
        web = self.web(lambda method, host, path: (200, {}))
        (self.folder / "list.csv").write_text(f'rank,url\n1,"{web.url("/a,b")}"\n2,{web.url("/c")}\n')
        self.check("list.csv", "--column", "2", *FAST)
        self.assertEqual({"HEAD /a,b", "HEAD /c"}, set(web.asked()))

    def test_robots_txt_is_obeyed_when_that_is_wanted(self):
        web = self.web(lambda method, host, path: (404 if path == "/robots.txt" else 200, {}))
        name = self.list(web.url("/a"))
        self.check(name, *FAST)
        self.check(name, *FAST, "--robots", "--out", "other.jsonl")
        self.assertEqual(["HEAD /a", "GET /robots.txt", "HEAD /a"], web.asked())


class Certificates(CheckTest):
    def test_days_that_are_left(self):
        subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", "key.pem", "-out", "certificate.pem", "-days", "5",
                        "-subj", "/CN=test", "-addext", "subjectAltName=IP:127.0.0.1"], cwd=self.folder, check=True, capture_output=True)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.folder / "certificate.pem", self.folder / "key.pem")
        web = self.web(lambda method, host, path: (200, {}), context=context)
        good, other = web.url("/", scheme="https"), web.url("/", "127.0.0.2", "https")
        done = self.check(self.list(good, other), "--set=spider.fetch.authorities_file=certificate.pem", *FAST)
        results = self.results()
        self.assertEqual("alive", results[1]["verdict"])
        self.assertEqual(("unclear", "tls_certificate"), (results[2]["verdict"], results[2]["cause"]))
        for line in 1, 2:
            self.assertEqual(4, results[line]["certificate_days"])
        self.assertEqual(f"127.0.0.1:{web.port}", results[1]["certificate_host"])
        self.assertIn("Certificates that end within 30 days: 2", done.stdout)


class Pressure(CheckTest):
    def test_no_host_has_more_than_its_share_at_once(self):
        web = self.web(lambda method, host, path: (200, {}), delay_s=0.02)
        hosts = [f"127.0.{i}.1" for i in range(12)]
        self.check(self.list(*(web.url(f"/{page}", host) for host in hosts for page in range(6))), *FAST)
        self.assertEqual({host: 1 for host in hosts}, dict(web.most_at_once))
        self.assertEqual(72, len(web.requests))

    def test_a_host_gets_as_many_a_second_as_was_said(self):
        web = self.web(lambda method, host, path: (200, {}))
        self.check(self.list(*(web.url(f"/{page}") for page in range(4))), "--per-host", "1,5")
        times = [when for _, _, _, when in web.requests]
        self.assertGreaterEqual(times[-1] - times[0], 0.4)  # a busy machine only makes it longer

    def test_a_slow_host_holds_nobody_up(self):
        def answer(method, host, path):
            if host == "127.0.0.7":
                self.assertTrue(others_done.wait(PATIENCE_S))
            return 200, {}

        others_done = threading.Event()
        web = self.web(answer)
        running = self.start(self.list(web.url("/slow", "127.0.0.7"), *(web.url("/", f"127.0.1.{i}") for i in range(1, 30))), *FAST, "--at-once", "4")
        self.waits_until(lambda: len(web.requests) == 30)
        others_done.set()
        self.assertEqual(0, running.wait(PATIENCE_S))

    def test_retry_after_is_kept(self):
        answers = iter([(429, {"Retry-After": "1"})])
        web = self.web(lambda method, host, path: next(answers, (200, {})))
        self.check(self.list(web.url("/a"), web.url("/b"), web.url("/c")), *FAST, "--retry-delay", "10ms")
        self.assertEqual({"alive"}, {result["verdict"] for result in self.results().values()})
        times = [when for _, _, _, when in web.requests]
        self.assertEqual(4, len(times))
        self.assertGreater(times[1] - times[0], 0.9)


class GoingOn(CheckTest):
    def urls(self, web, count):
        return [web.url(f"/{i}", f"127.0.{i % 40}.1") for i in range(count)]

    def test_kill_9_at_any_moment_loses_nothing_and_repeats_nothing(self):
        web = self.web(lambda method, host, path: (200, {}))
        urls = self.urls(web, 1200)
        name = self.list(*urls)
        arguments = [name, "--per-host", "2,0", "--per-domain", "2,0", "--per-address", "0,0", "--at-once", "20"]
        lines = self.folder / "urls.txt.checked.jsonl"
        kills = 0
        while kills < 4:
            before = lines.stat().st_size if lines.exists() else 0
            running = self.start(*arguments)
            self.waits_until(lambda: running.poll() is not None or (lines.exists() and lines.stat().st_size > before + 30_000))
            if running.poll() is not None:
                break
            running.send_signal(signal.SIGKILL)
            running.wait()
            kills += 1
        self.assertGreaterEqual(kills, 3)
        done = self.check(*arguments)
        self.assertEqual(list(range(1, 1201)), sorted(self.results()))
        self.assertIn("1,200 with earlier runs", done.stdout)
        # Twice only what was being asked when it was killed.
        times = collections.Counter(path for _, _, path, _ in web.requests)
        self.assertLessEqual(sum(times.values()), 1200 + kills * 21)
        self.assertEqual(1200, len(times))
        again = self.check(*arguments)
        self.assertIn("0 URLs checked", again.stdout)
        self.assertIn("1,200 of them checked already", again.stderr)

    def test_ctrl_c_finishes_what_is_asked_and_says_how_to_go_on(self):
        web = self.web(lambda method, host, path: (200, {}))
        web.gate.clear()
        name = self.list(*self.urls(web, 40))
        running = self.start(name, *FAST, "--at-once", "5")
        self.waits_until(lambda: len(web.requests) == 5)
        running.send_signal(signal.SIGINT)
        self.assertIn("Stopping: 5 URLs being asked.", next(line for line in running.stderr if line.startswith("Stopping")))
        web.gate.set()
        out, err = running.communicate(timeout=PATIENCE_S)
        self.assertEqual(4, running.returncode, out + err)
        self.assertEqual(5, len(self.results()))
        self.assertIn("Ended: it was stopped.", out)
        command = next(line for line in out.splitlines() if line.startswith("To go on: ")).removeprefix("To go on: orbweaver ")
        subprocess.run([PROGRAM, *shlex.split(command)], cwd=self.folder, check=True, capture_output=True, timeout=PATIENCE_S)
        self.assertEqual(40, len(self.results()))
        self.assertEqual(40, len(web.requests))

    def test_another_list_or_other_options_are_told_and_nothing_is_lost(self):
        web = self.web(lambda method, host, path: (200, {}))
        name = self.list(web.url("/a"))
        self.check(name, *FAST)
        done = self.check(name, *FAST, "--max-redirects", "3", code=2)
        self.assertIn("it was begun with other options (--max-redirects 10, now --max-redirects 3)", done.stderr)
        self.list(web.url("/a"), web.url("/b"))
        done = self.check(name, *FAST, code=2)
        self.assertIn("another list, or the list has changed", done.stderr)
        self.assertEqual(1, len(self.results()))
        self.check(name, *FAST, "--restart")
        self.assertEqual(2, len(self.results()))

    def test_how_hard_it_asks_may_change(self):
        web = self.web(lambda method, host, path: (200, {}))
        name = self.list(web.url("/a"))
        self.check(name, *FAST)
        self.check(name, "--at-once", "3", "--timeout", "2s")


class Streams(CheckTest):
    def test_standard_input_to_standard_output(self):
        web = self.web(lambda method, host, path: (200 if path == "/a" else 404, {}))
        done = self.check("-", *FAST, input=f"{web.url('/a')}\n{web.url('/b')}")
        self.assertEqual({"alive", "dead"}, {json.loads(line)["verdict"] for line in done.stdout.splitlines()})
        self.assertIn("Ended: every URL is checked.", done.stderr)
        self.assertEqual([], list(self.folder.iterdir()))

    def test_standard_input_goes_on_with_the_same(self):
        web = self.web(lambda method, host, path: (200, {}))
        text = f"{web.url('/a')}\n"
        for _ in range(2):
            self.check("-", "--out", "out.jsonl", *FAST, input=text)
        self.assertEqual(1, len(web.requests))
        self.check("-", "--out", "out.jsonl", *FAST, input=text + web.url("/b"), code=2)

    def test_lists_that_are_none(self):
        (self.folder / "empty").write_text("# nothing\n\n")
        os.mkfifo(self.folder / "pipe")
        threading.Thread(target=lambda: open(self.folder / "pipe", "w").close(), daemon=True).start()
        for name, why in ("missing", "No such file"), (".", "no regular file"), ("empty", "there is no URL"), ("pipe", "no regular file"):
            with self.subTest(name):
                done = self.check(name, "--out", "out.jsonl", code=2)
                self.assertIn(why, done.stderr)
        self.assertIn("one list of URLs is needed", self.check(code=2).stderr)

    def test_a_list_of_bytes_is_told_line_by_line(self):
        web = self.web(lambda method, host, path: (200, {}))
        (self.folder / "bytes").write_bytes(b"\x1b[31m\xff\xfe\x00://x\n" + b"y" * 3_000_000 + b"\n" + web.url("/").encode() + b"\r\n\x00")
        done = self.check("bytes", *FAST)
        self.assertNotIn("\x1b", done.stderr)
        self.assertEqual("alive", self.results("bytes.checked.jsonl")[3]["verdict"])

    def test_results_that_cannot_be_written(self):
        web = self.web(lambda method, host, path: (200, {}))
        name = self.list(web.url("/a"))
        self.assertIn("No such file", self.check(name, "--out", "nowhere/out", code=2).stderr)
        (self.folder / "diary").write_text("dear diary\n")
        self.assertIn("no check made it", self.check(name, "--out", "diary", "--restart", code=2).stderr)
        self.assertEqual("dear diary\n", (self.folder / "diary").read_text())
        with open("/dev/full", "w") as full:
            done = subprocess.run(self.command(name, "--out", "-", *FAST), cwd=self.folder, stdout=full, stderr=subprocess.PIPE, text=True, timeout=PATIENCE_S)
        self.assertEqual(1, done.returncode)
        self.assertIn("write standard output: No space left on device", done.stderr)

    def test_wrong_options(self):
        name = self.list("http://127.0.0.1/")
        for arguments, why in ((["--per-host", "x"], "--per-host x: expected requests at once"), (["--at-once", "0"], "--at-once 0: expected"),
                               (["--retry-delay", "5"], "expected a time"), (["--nonsense"], "'--nonsense' is unknown"),
                               (["--at-once", "1000000"], "it needs 1000128 open files")):
            with self.subTest(arguments):
                self.assertIn(why, self.check(name, *arguments, code=2).stderr)
        self.assertEqual([self.folder / name], list(self.folder.iterdir()))


if __name__ == "__main__":
    PROGRAM = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=2)
