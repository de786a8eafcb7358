"""The crawlers that ours is compared with: how each is installed, in the cache and at a fixed version, and begun."""

import os
import pathlib
import shutil
import socket
import subprocess

HERE = pathlib.Path(__file__).resolve().parent
CACHE = pathlib.Path(os.environ.get("ORBWEAVER_CACHE") or
                     pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "orbweaver")


class PeerMissing(Exception):
    """It could not be installed; says why."""


def once(folder, make):
    """`make(new_folder)` the first time; the folder appears whole or not at all."""
    target = CACHE / folder
    if not target.exists():
        unfinished = CACHE / f".{folder}.{os.getpid()}"
        shutil.rmtree(unfinished, ignore_errors=True)
        unfinished.mkdir(parents=True)
        try:
            make(unfinished)
            unfinished.rename(target)
        finally:
            shutil.rmtree(unfinished, ignore_errors=True)
    return target


def install(command, **options):
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, **options)
    except FileNotFoundError as missing:
        raise PeerMissing(f"{missing.filename} is not installed") from missing
    if done.returncode != 0:
        raise PeerMissing(f"{command[0]}: {done.stdout[-500:]}")


class Orbweaver:
    title = "this crawler, durable"

    def command(self, build, web, folder, at_once):
        return [build / "cli/orbweaver", "crawl", "--seeds", web.seeds, "--everything", "--data", folder / "data", "--user-agent", "bench",
                "--proxy", f"http://127.0.0.1:{web.port}", "--set=network.allow_private=true", "--delay", "0",
                f"--set=spider.max_fetches={at_once}", "--no-console"]

    def environment(self):
        return None


class Scrapy:
    """As ./run setup has fetched it for other tests (deploy/deps/scrapy.txt)."""
    title = "Scrapy 2.19.0, in memory"

    def command(self, build, web, folder, at_once):
        if not (CACHE / "scrapy-2.19.0").exists():
            raise PeerMissing("./run setup could not fetch it")
        return ["python3", HERE / "scrapy_crawl.py", f"http://127.0.0.1:{web.port}", web.seeds, str(at_once)]

    def environment(self):
        return {**os.environ, "PYTHONPATH": str(CACHE / "scrapy-2.19.0")}


class Colly:
    """go.mod and go.sum name its modules and their hashes."""
    title = "colly 2.3.0, in memory"

    def command(self, build, web, folder, at_once):
        made = once("peer-colly-2.3.0", lambda to: install(["go", "build", "-mod=readonly", "-o", to / "crawl", "."], cwd=HERE / "colly"))
        return [made / "crawl", f"http://127.0.0.1:{web.port}", web.seeds, str(at_once)]

    def environment(self):
        return None


class Bubing:
    """One agent. It asks for the addresses of hosts although the proxy needs none: Java reads them from a file."""
    title = "BUbiNG 0.9.15, durable, pages in WARC"

    def command(self, build, web, folder, at_once):
        jars = once("peer-bubing-0.9.15", lambda to: install(
            ["mvn", "-B", "-q", "-f", HERE / "bubing/pom.xml", "dependency:copy-dependencies", f"-DoutputDirectory={to}",
             "-DincludeScope=runtime"]))
        properties = folder / "bubing.properties"
        properties.write_text((HERE / "bubing/bubing.properties").read_text() + "".join(
            f"{name}={value}\n" for name, value in (
                ("rootDir", folder / "data"), ("seed", f"file:{web.seeds}"), ("proxyHost", "127.0.0.1"), ("proxyPort", web.port),
                ("fetchingThreads", at_once))))
        with open(web.hosts_file, "a", encoding="ascii") as hosts:
            hosts.write(f"127.0.0.1 localhost {socket.gethostname()}\n")
        return ["java", "-Xmx1g", "-XX:+UseSerialGC", f"-Djdk.net.hosts.file={web.hosts_file}", "-Djava.net.preferIPv4Stack=true",
                "-Djgroups.bind_addr=127.0.0.1", f"-Dlogback.configurationFile={HERE / 'bubing/logback.xml'}",
                *(f"-Dcom.sun.management.jmxremote{option}" for option in (
                    f".port={free_port()}", ".host=127.0.0.1", ".authenticate=false", ".ssl=false")),
                "-cp", f"{jars}/*", "it.unimi.di.law.bubing.Agent", "-h", "127.0.0.1", "-P", properties, "-g", "peers", "-n", "peer"]

    def environment(self):
        return None


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


PEERS = {"orbweaver": Orbweaver(), "scrapy": Scrapy(), "colly": Colly(), "bubing": Bubing()}
