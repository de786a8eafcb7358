"""deploy/local/services against real Kafka and HBase: what it starts works, is shared, and survives kill -9.

Run by CTest; by hand: python3 tests/integration/services_smoke_test.py. Uses a set of services of its own, in
ORBWEAVER_SERVICES_DIR or a temporary folder, so that nobody else's is disturbed; its name has a space in it on purpose.
"""

import os
import pathlib
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import unittest

from thrift2 import Thrift2

SERVICES = pathlib.Path(__file__).resolve().parents[2] / "deploy/local/services"
FOLDER = pathlib.Path(os.environ.get("ORBWEAVER_SERVICES_DIR") or tempfile.mkdtemp(prefix="services-")) / "smoke test"
COMMAND_DEADLINE_S = 240
TOPIC = "orbweaver-probe"  # the topic of the readiness probe: kcat cannot create one


def services(*arguments, folder=FOLDER, **environment):
    """Runs the command with its output in pipes, which would hang here if a server had inherited them."""
    return subprocess.run([sys.executable, SERVICES, *map(str, arguments)], capture_output=True, text=True,
                          timeout=COMMAND_DEADLINE_S,
                          env={**os.environ, "ORBWEAVER_SERVICES_DIR": str(folder), **environment})


def succeed(*arguments):
    done = services(*arguments)
    if done.returncode != 0:
        raise AssertionError(f"services {arguments} failed:\n{done.stderr}")
    return done


def addresses():
    return dict(shlex.split(line)[0].split("=", 1) for line in succeed("env").stdout.splitlines())


def pids():
    """{service: its process id or None}, as `status` says."""
    lines = [line.split() for line in services("status").stdout.splitlines()]
    return {words[0]: None if words[3] == "-" else int(words[3]) for words in lines if words[0] in ("kafka", "hbase")}


def open_files(pid):
    for descriptor in pathlib.Path(f"/proc/{pid}/fd").iterdir():
        try:
            yield os.readlink(descriptor)
        except FileNotFoundError:
            pass  # closed meanwhile


def holder(test):
    """Another process that uses the services, for as long as the test runs."""
    process = subprocess.Popen(["sleep", "infinity"])
    test.addCleanup(process.wait)
    test.addCleanup(process.kill)
    return process


def kcat(*arguments, **options):
    return subprocess.run(["kcat", "-b", addresses()["ORBWEAVER_KAFKA"], "-t", TOPIC, *arguments], check=True,
                          capture_output=True, text=True, timeout=COMMAND_DEADLINE_S, **options).stdout


def consume():
    return kcat("-C", "-o", "beginning", "-e", "-q").splitlines()


class RunningServices(unittest.TestCase):
    """One start for all of these. Each leaves the services running; they may run in any order."""

    @classmethod
    def setUpClass(cls):
        # Somebody else has Kafka's default port, if not another set of services then this socket.
        with socket.socket() as taken:
            try:
                taken.bind(("127.0.0.1", 9092))
                taken.listen()
            except OSError:
                pass
            # Two at once, on behalf of this process and of its parent.
            command = [sys.executable, SERVICES, "up", "--for"]
            cls.ups = [subprocess.Popen([*command, str(user)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                        env={**os.environ, "ORBWEAVER_SERVICES_DIR": str(FOLDER)})
                       for user in (os.getpid(), os.getppid())]
            cls.outputs = [up.communicate(timeout=2 * COMMAND_DEADLINE_S) for up in cls.ups]
            succeed("down", "--for", os.getppid())

    @classmethod
    def tearDownClass(cls):
        stopped = services("down", "--for", os.getpid())
        assert "kafka stopped" in stopped.stderr and "hbase stopped" in stopped.stderr, stopped.stderr
        assert set(pids().values()) == {None}, "the last user is gone but something runs on"

    def test_two_ups_at_once_share_one_set(self):
        self.assertEqual([0, 0], [up.returncode for up in self.ups], self.outputs)
        self.assertEqual(self.outputs[0][0], self.outputs[1][0], "both must get the same addresses")
        started = [stderr.count("starting") for _, stderr in self.outputs]
        self.assertEqual([0, 2], sorted(started), "one starts both servers, the other finds them")

    def test_where_a_port_is_taken_all_are_replaced_by_free_ones(self):
        # All of them: the set of which one port is taken may not have begun to listen on the others.
        self.assertNotEqual("127.0.0.1:9092", addresses()["ORBWEAVER_KAFKA"])
        self.assertNotEqual("127.0.0.1:9090", addresses()["ORBWEAVER_THRIFT"])

    def test_servers_listen_on_loopback_only(self):
        sockets = {name for pid in pids().values() for name in open_files(pid)}
        listening = []
        for table in ("/proc/net/tcp", "/proc/net/tcp6"):
            for line in pathlib.Path(table).read_text().splitlines()[1:]:
                words = line.split()
                if words[3] == "0A" and f"socket:[{words[9]}]" in sockets:
                    listening.append(words[1].split(":")[0])
        self.assertGreaterEqual(len(listening), 4)
        self.assertEqual({"0100007F"}, set(listening))

    def test_servers_are_not_in_the_callers_session(self):
        for name, pid in pids().items():
            self.assertNotEqual(os.getsid(0), os.getsid(pid), f"Ctrl-C at the caller's terminal would end {name}")

    def test_kafka_has_every_acknowledged_record_after_kill_9(self):
        sent = [f"kafka-{i}" for i in range(5000)]
        kcat("-P", "-X", "acks=all", input="\n".join(sent))
        before, address = pids()["kafka"], addresses()["ORBWEAVER_KAFKA"]
        succeed("kill", "kafka")
        self.assertIsNone(pids()["kafka"])
        succeed("restart", "kafka")
        self.assertNotEqual(before, pids()["kafka"])
        self.assertEqual(address, addresses()["ORBWEAVER_KAFKA"])
        self.assertEqual(sent, [value for value in consume() if value.startswith("kafka-")])
        kcat("-P", "-X", "acks=all", input="after")
        self.assertEqual("after", consume()[-1])

    def test_hbase_has_every_acknowledged_put_after_kill_9(self):
        tables = {b"smoke_" + name.encode(): name for name in ("none", "lz4", "zstd")}
        rows = [(b"row-%05d" % i, b"q", b"value %d" % i) for i in range(3000)]
        with Thrift2(addresses()["ORBWEAVER_THRIFT"]) as hbase:
            for table, compression in tables.items():
                hbase.create_table(table, compression)
                for begin in range(0, len(rows), 1000):
                    hbase.put(table, rows[begin:begin + 1000])
            # A small last record is the one that a buffer would swallow.
            hbase.put(b"smoke_none", [(b"last", b"q", b"x")])
            succeed("kill", "hbase")
        self.assertIsNone(pids()["hbase"])
        succeed("restart", "hbase")
        expected = {row: {name: value} for row, name, value in rows}
        with Thrift2(addresses()["ORBWEAVER_THRIFT"]) as hbase:
            self.assertEqual({b"q": b"x"}, hbase.get(b"smoke_none", b"last"))
            self.assertEqual({}, hbase.get(b"smoke_none", b"never put"))
            for table in tables:
                self.assertEqual(expected, dict(list(hbase.scan(table, len(rows) + 1).items())[-len(rows):]))

    def test_down_by_one_of_two_users_leaves_them_running(self):
        user = holder(self)
        before = pids()
        succeed("up", "--for", user.pid)
        done = succeed("down", "--for", user.pid)
        self.assertIn(f"used by pid {os.getpid()}", done.stderr)
        self.assertEqual(before, pids())

    def test_a_killed_user_is_forgotten(self):
        user = holder(self)
        succeed("up", "--for", user.pid)
        self.assertIn(f"pid {user.pid}", services("status").stdout)
        user.send_signal(signal.SIGKILL)
        user.wait()
        self.assertNotIn(f"pid {user.pid}", services("status").stdout)

    def test_wipe_refuses_while_they_are_used(self):
        self.assertEqual(1, services("wipe").returncode)
        self.assertNotIn(None, pids().values())


class Failures(unittest.TestCase):
    """The messages for a user when it cannot work. No server is started."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def test_a_missing_java_is_named_with_what_to_install(self):
        done = services("up", folder=self.folder / "set", PATH=str(self.folder), JAVA_HOME="")
        self.assertEqual(1, done.returncode)
        self.assertRegex(done.stderr, "`java` is not installed.*apt-get install openjdk-17-jdk-headless")

    def test_a_server_that_dies_is_reported_with_the_end_of_its_log_and_leaves_nothing(self):
        java = self.folder / "java"
        java.write_text('#!/bin/sh\ncase "$*" in *LocalHBase*) echo the disk is on fire; exit 3 ;; esac\n'
                        f'exec {shutil.which("java")} "$@"\n')
        java.chmod(0o755)
        done = services("up", folder=self.folder / "set", PATH=f"{self.folder}:{os.environ['PATH']}", JAVA_HOME="")
        self.assertEqual(1, done.returncode)
        self.assertIn("the disk is on fire", done.stderr)
        after = services("status", folder=self.folder / "set").stdout
        self.assertRegex(after, "kafka +down(.|\n)*hbase +down(.|\n)*used by: nobody")

    def test_a_user_that_does_not_exist_is_refused(self):
        gone = subprocess.Popen(["true"])
        gone.wait()
        done = services("up", "--for", gone.pid, folder=self.folder / "set")
        self.assertEqual(1, done.returncode)
        self.assertIn("no such process", done.stderr)

    def test_what_does_not_run_is_not_killed_and_has_no_address(self):
        for arguments in (["kill", "hbase"], ["env"]):
            self.assertEqual(1, services(*arguments, folder=self.folder / "set").returncode)


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        services("wipe", "--force")
        unittest.main(verbosity=2)
    finally:
        services("wipe", "--force")
        shutil.rmtree(FOLDER, ignore_errors=True)
