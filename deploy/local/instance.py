"""One set of services in a folder of its own: its ports, its processes, and who is using it.

The running processes are found by a marker on their command line, so there is no pid file that could be stale, and
nothing but a service of this very folder is ever signalled.
"""

import json
import os
import random
import shutil
import socket
import string
import subprocess
import time
from pathlib import Path
from xml.sax.saxutils import escape

from certificates import USER, Authority
from install import HERE, Failure, class_path, say, tool
from own_process import OwnProcess

START_DEADLINE_S = 180
POLL_S = 0.1
LOOPBACK = "127.0.0.1"

DEFAULT_PORTS = {
    "kafka_port": 9092, "controller_port": 9093,
    "thrift_port": 9090, "zookeeper_port": 2181, "master_port": 16000, "regionserver_port": 16020,
}
OPENED = ["java.nio", "sun.nio.ch", "java.lang", "jdk.internal.ref", "java.lang.reflect", "java.util",
          "java.util.concurrent"]
# Added where others than this machine come: of an option that stands twice, Kafka takes the later one.
FOR_OTHERS = {
    "server.properties": ("", """
listeners=${protocol}://:${kafka_port},CONTROLLER://127.0.0.1:${controller_port}
advertised.listeners=${protocol}://${address}:${kafka_port}
"""),
    "hbase-site.xml": ("</configuration>", "<property><name>hbase.regionserver.thrift.ipaddress</name><value>0.0.0.0</value></property>\n</configuration>"),
}
# Added where they speak TLS. HBase itself does so over HTTP only.
SECURED = {
    "server.properties": ("", """
ssl.keystore.type=PEM
ssl.keystore.location=${tls}/server.both.pem
ssl.truststore.type=PEM
ssl.truststore.location=${tls}/ca.pem
sasl.enabled.mechanisms=SCRAM-SHA-512
sasl.mechanism.inter.broker.protocol=SCRAM-SHA-512
listener.name.sasl_ssl.scram-sha-512.sasl.jaas.config=org.apache.kafka.common.security.scram.ScramLoginModule required;
"""),
    "client.properties": ("", """
security.protocol=SASL_SSL
ssl.truststore.type=PEM
ssl.truststore.location=${tls}/ca.pem
sasl.mechanism=SCRAM-SHA-512
sasl.jaas.config=org.apache.kafka.common.security.scram.ScramLoginModule required username="${user}" password="${password}";
scram=SCRAM-SHA-512=[name=${user},password=${password}]
"""),
    "hbase-site.xml": ("</configuration>", "".join(
        f"<property><name>hbase.{name}</name><value>{value}</value></property>\n" for name, value in {
            "regionserver.thrift.http": "true", "thrift.ssl.enabled": "true", "thrift.ssl.keystore.type": "pkcs12",
            "thrift.ssl.keystore.store": "${tls}/server.p12", "thrift.ssl.keystore.password": "${password}",
            "thrift.ssl.keystore.keypassword": "${password}"}.items()) + "</configuration>"),
}


def address():
    """Where both are for others; loopback unless told."""
    return os.environ.get("ORBWEAVER_SERVICES_ADDRESS", LOOPBACK)


class Service(OwnProcess):
    """A JVM of an instance: "kafka" or "hbase". Callers that change anything hold the instance's lock."""

    def __init__(self, name, instance_dir):
        self.dir = instance_dir / name
        self.authority = Authority(instance_dir / "tls")
        self.ready = self.dir / "ready"
        self.marker = f"-Dorbweaver.service={self.dir}"
        super().__init__(name, self.dir / f"{name}.log", [self.marker])

    def is_ready(self):
        return self.ready.exists() and self.pid() is not None

    def launch(self, ports):
        command = self._command(tool("java"), class_path(self.name), ports)
        for folder in (self.dir / "conf", self.dir / "tmp"):
            folder.mkdir(parents=True, exist_ok=True)
        self.ready.unlink(missing_ok=True)
        self._write_configuration(ports)
        self.spawn(command, self.dir)

    def _write_configuration(self, ports):
        is_secured = self.authority.exists()
        values = {**ports, "address": address(), "protocol": "SASL_SSL" if is_secured else "PLAINTEXT", "user": USER,
                  "password": self.authority.password() if is_secured else "",
                  "framed": "true" if os.environ.get("ORBWEAVER_THRIFT_FRAMED") else "false"}
        additions = [*([FOR_OTHERS] if address() != LOOPBACK else []), *([SECURED] if is_secured else [])]
        for template in (HERE / self.name).iterdir():
            if template.suffix not in (".properties", ".xml") or template.name == "pom.xml":
                continue
            folders = {"dir": str(self.dir), "tls": str(self.authority.dir)}
            for name, folder in folders.items():
                folders[name] = escape(folder) if template.suffix == ".xml" else folder.replace("\\", "\\\\")
            text = template.read_text()
            for before, more in [added[template.name] for added in additions if template.name in added]:
                text = text.removesuffix("\n").removesuffix(before) + more
            file = self.dir / "conf" / template.name
            file.touch(mode=0o600)  # it may hold a password
            file.write_text(string.Template(text).safe_substitute(values, **folders))

    def _command(self, java, classes, ports):
        conf = self.dir / "conf"
        common = [java, self.marker, "-cp", f"{conf}:{classes}", f"-Djava.io.tmpdir={self.dir}/tmp",
                  "-Djava.net.preferIPv4Stack=true", "-XX:+UseSerialGC", "-XX:-UsePerfData"]
        if self.name == "kafka":
            return [*common, "-Xms128m", "-Xmx512m", "LocalKafka", conf / "server.properties", conf / "client.properties",
                    self.dir / "data", self.ready]
        opens = [f"--add-opens=java.base/{package}=ALL-UNNAMED" for package in OPENED]
        return [*common, "-Xms256m", "-Xmx1g", *opens, "--add-exports=java.base/jdk.internal.misc=ALL-UNNAMED",
                # A killed process leaves the kernel's copy, so ZooKeeper need not wait for the disk.
                "-Dzookeeper.forceSync=no", "-Dzookeeper.preAllocSize=1024",
                "LocalHBase", self.dir / "zookeeper", str(ports["thrift_port"]), self.ready,
                *([self.authority.certificate] if self.authority.exists() else [])]

    def run(self, main, *arguments):
        """Runs another main of the service's classes, as a client of it, to its end."""
        command = [tool("java"), "-cp", f"{self.dir / 'conf'}:{class_path(self.name)}", main, *arguments]
        done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True, errors="replace")
        if done.returncode != 0:
            tail = "\n".join(done.stdout.splitlines()[-20:])
            raise Failure(f"{main} {' '.join(arguments)} failed. It said:\n{tail}")

    def await_ready(self, began):
        """Waits until the service answered a real request. Failure, with its log's end, when it died or took too long."""
        while not self.ready.exists():
            if self.ended():
                raise Failure(f"start {self.name}: it ended before it was ready. Its log, {self.log}, ends:\n"
                              f"{self.tail()}\nIf a port was taken meanwhile, `up` again chooses another.")
            if time.monotonic() - began > START_DEADLINE_S:
                raise Failure(f"start {self.name}: not ready after {START_DEADLINE_S} s. Its log, {self.log}, ends:\n"
                              f"{self.tail()}\nIs the machine out of memory or CPU? `wipe` starts afresh.")
            time.sleep(POLL_S)
        say(f"{self.name} ready, {time.monotonic() - began:.1f} s")

    def stop(self, how):
        """As OwnProcess.stop; what it left behind to say that it is ready goes too."""
        stopped = super().stop(how)
        if stopped:
            self.ready.unlink(missing_ok=True)
        return stopped


class Instance:
    """The folder: two services, `ports.json`, `users/` (a file per process that uses it, or `pin`), `lock`, and `tls` where they
    speak it."""

    def __init__(self, folder):
        self.dir = folder
        self.services = {name: Service(name, folder) for name in ("kafka", "hbase")}
        self.authority = Authority(folder / "tls")
        self.users_dir = folder / "users"
        self.lock = folder / "lock"

    def ports(self):
        try:
            return json.loads((self.dir / "ports.json").read_text())
        except FileNotFoundError:
            return {}

    def choose_ports(self):
        """Keeps the ports of last time, except for those that somebody else listens on. A new set takes the defaults if all of them
        are free: where one is taken, another set may be about to listen on the rest of them."""
        ports, replaced = {}, []
        last = self.ports()
        known = {**DEFAULT_PORTS, **last}
        as_a_whole = not last and not all(map(_is_free, known.values()))
        for name, wanted in known.items():
            service = self.services["kafka" if name in ("kafka_port", "controller_port") else "hbase"]
            if as_a_whole or (service.pid() is None and not _is_free(wanted)):
                spoken_for = {*known.values(), *ports.values()}
                chosen = next(port for port in _candidates() if port not in spoken_for and _is_free(port))
                replaced.append(f"{wanted} -> {chosen}")
                wanted = chosen
            ports[name] = wanted
        if replaced:
            say("others listen on some of these ports, using free ones: " + ", ".join(replaced))
        (self.dir / "ports.json").write_text(json.dumps(ports, indent=1) + "\n")
        return ports

    def users(self):
        """The live processes that use the instance; what dead ones left behind is forgotten."""
        alive = []
        for file in sorted(self.users_dir.glob("[0-9]*")) if self.users_dir.is_dir() else []:
            if file.read_text() == _start_time(int(file.name)):
                alive.append(int(file.name))
            else:
                file.unlink(missing_ok=True)
        return alive

    def pinned(self):
        return (self.users_dir / "pin").exists()

    def add_user(self, pid):
        self.users_dir.mkdir(parents=True, exist_ok=True)
        if pid is None:
            (self.users_dir / "pin").touch()
            return
        started = _start_time(pid)
        if started is None:
            raise Failure(f"use services for process {pid}: there is no such process.")
        (self.users_dir / str(pid)).write_text(started)

    def remove_user(self, pid):
        (self.users_dir / ("pin" if pid is None else str(pid))).unlink(missing_ok=True)

    def secure(self):
        """From now on, and until it is wiped, the services speak TLS, and Kafka asks for a password. Failure when they did not before."""
        if self.authority.exists():
            return
        if any(service.dir.exists() for service in self.services.values()):
            raise Failure(f"start services with TLS: those in {self.dir} were made without. `wipe` them first, or set "
                          "ORBWEAVER_SERVICES_DIR to another folder.")
        self.authority.make()
        self.authority.issue("server", ",".join(f"IP:{ip}" for ip in sorted({LOOPBACK, address()})))

    def wipe(self):
        """Removes what the instance has made; the lock stays, since others may be waiting for it."""
        for name in (*self.services, "tls"):
            shutil.rmtree(self.dir / name, ignore_errors=True)
        (self.dir / "ports.json").unlink(missing_ok=True)


def _is_free(port):
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
            return True
        except OSError:
            return False


def _candidates():
    """Below the range from which the kernel takes the ports of outgoing connections, and in random order, so that two
    instances that choose at once do not choose alike."""
    return random.sample(range(20000, 32000), 12000)


def _start_time(pid):
    """The start time of a process, which tells it from a later one with the same id; None when there is none."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return None
    state, *fields = stat[stat.rindex(")") + 2:].split()
    return None if state in "ZX" else fields[18]
