"""A whole cluster under fire: python3 cluster_test.py BUILD [--hosts N --pages N] [Cluster.test_…]"""

import itertools
import json
import os
import re
import signal
import subprocess
import time
import urllib.parse
import urllib.request

from cluster_world import PARTITIONS, PATIENCE_S, TOPICS, World, main
from synthetic_web import FAULTS


class Cluster(World):
    def test_undisturbed(self):
        self.start("--faults", FAULTS)
        self.seed()
        self.assert_complete(no_worker_died=True)

    def test_every_worker_killed_twice(self):
        self.start("--faults", FAULTS)
        self.seed()
        for worker in self.in_the_course_of_it(self.running * 2):
            self.kill(worker)
            worker.launch()
            worker.await_ready()
        self.assert_complete()

    def test_kafka_killed(self):
        self.start("--faults", FAULTS)
        self.seed()
        self.await_progress(0.3)
        self.services("kill", "kafka")
        self.services("restart", "kafka")
        self.assert_complete()

    def test_hbase_killed(self):
        self.start("--faults", FAULTS)
        self.seed()
        self.await_progress(0.3)
        self.services("kill", "hbase")
        self.services("restart", "hbase")
        self.assert_complete()

    def test_a_third_spider_comes_and_goes(self):
        self.start("--faults", FAULTS)
        self.seed()
        self.await_progress(0.2)
        third = self.join("spider", 3)
        third.await_ready()
        self.await_progress(0.6)
        # For good: with its name it would keep its place for the session timeout.
        self.workers.stop([third])
        self.running.remove(third)
        self.assert_complete()

    def test_one_of_each_kind_goes_for_good(self):
        """Sessions outlast the test's patience: what nobody hands over has no owner until its end."""
        self.start("--faults", FAULTS, settings={"worker.session_timeout": "30m", "worker.on_stop": "leave",
                                                 "db_worker.roles": ["enqueue", "dequeue", "pages"]})
        self.seed()
        self.autoscalers_are_told()
        for worker in self.in_the_course_of_it([worker for worker in self.running if worker.number == 2]):
            worker.stop(signal.SIGTERM, 120)
            self.running.remove(worker)
            stopped = time.monotonic()
            self.await_that(f"the others own all that was {worker.name}'s", lambda worker=worker: self.nothing_is_left_to(worker.name))
            print(f"  {worker.name}: its partitions are owned {time.monotonic() - stopped:.1f} s after it ended", flush=True)
        self.assert_complete()

    def autoscalers_are_told(self):
        """Each kind wants some workers, by the API of Kubernetes and all at once."""
        with subprocess.Popen([self.workers.build / "cli/orbweaver", "metrics-api", f"--config={self.workers.config}", "--listen", "127.0.0.1:0"],
                              stderr=subprocess.PIPE, text=True) as process:
            place = "http://127.0.0.1:" + re.search(r"at port (\d+)", process.stderr.readline())[1]

            def ask(path):
                with urllib.request.urlopen(place + path, timeout=10) as answer:
                    return json.loads(answer.read())
            self.await_that("a number for each kind", lambda: set(ask("/wanted")) == {"spider", "strategyWorker", "dbWorker"})
            self.assertTrue(all(1 <= number <= PARTITIONS for number in ask("/wanted").values()))
            root = "/apis/external.metrics.k8s.io/v1beta1"
            for resource in ask(root)["resources"]:
                value, = ask(f"{root}/namespaces/any/{resource['name']}")["items"]
                self.assertEqual(resource["name"], value["metricName"])
                self.assertLessEqual(1, int(value["value"]))
            process.terminate()
            self.assertEqual(0, process.wait(60))

    def nothing_is_left_to(self, name):
        status = self.status()
        owners = [partition["owner"] for group in status["groups"] for partition in group["partitions"]] if status else [""]
        return "" not in owners and name not in owners

    def test_everything_is_restarted_one_by_one(self):
        self.start("--faults", FAULTS)
        self.seed()
        for worker in self.in_the_course_of_it(list(self.running)):
            worker.stop(signal.SIGTERM, 120)
            worker.launch()
            worker.await_ready()
        self.assert_complete()

    def test_operators_pause_block_and_purge(self):
        self.start()
        # A pause ends when another worker gets the partition, so both must have theirs before.
        self.await_that("the db workers have shared the partitions out", lambda: self.are_shared_by(2, "scoring-log"))
        self.await_that("all are paused", lambda: self.workers.command(
            "pause", "all", capture_output=True).stdout.count("is paused") == PARTITIONS)
        self.seed()
        seeds = self.web.seeds.read_text().split()
        self.await_that("the seeds are queued", lambda: self.waiting() == len(seeds))
        domains = sorted({json.loads(self.run_command("inspect", "url", seed))["domain"] for seed in seeds})
        blocked, purged = [domain for domain in domains if domain.endswith(".test")][:2]
        self.assertIn(f"order written: {blocked} is blocked until", self.run_command("block", blocked, "--for", "1h"))
        self.await_that("the domain is blocked", lambda: self.inspect("domain", blocked)["queue"]["blocked"])
        # A host stands for its domain.
        shown = self.order("purge?preview=1", domain=f"www.{purged}")
        self.assertGreater(shown["touches"]["waiting"], 0)
        self.assertEqual(f"It {shown['says']}. Nothing was done.\n", self.run_command("purge", purged, "--dry-run"))
        self.assertIn(f"order written: {purged} ", self.order("purge", domain=f"www.{purged}")["says"])
        self.await_that("its requests are dropped",
                        lambda: sum(self.inspect("domain", purged)["queue"]["waiting_by_band"]) == 0)
        seed = next(seed for seed in seeds if self.inspect("url", seed)["domain"] == purged)
        self.assertEqual("not-crawled", self.inspect("url", seed)["link"]["status"], "it is queued for ever")
        self.assertEqual([purged], [order["key"] for order in self.messages("spider-log", "--type", "domain_order")
                                    if order["detail"]["purge"]])
        self.assertEqual(0, self.web.requests(), "something left a paused partition")
        held = next(seed for seed in seeds if self.inspect("url", seed)["domain"] == blocked)
        self.assertIn(f"order written: {held} ", self.run_command("raise", held))
        self.console_tells(blocked, held)
        for words in (("block", blocked), ("block", blocked, "--for", "soon"), ("purge", "a..b"), ("pause", "8"),
                      ("pause", "all", "--token", "wrong"), ("pause", "all", "--workers", "127.0.0.1:1")):
            self.assertNotEqual(0, self.workers.command(*words, capture_output=True).returncode, words)
        self.assertEqual({"partitions": PARTITIONS}, {name: count for name, count in self.order("resume")["touches"].items() if name == "partitions"})
        self.await_that("the others are fetched", lambda: self.web.requests() > 0)
        self.run_command("unblock", blocked)
        self.await_end()
        # A domain that was purged can be crawled after all: of it nothing was crawled but what others link to.
        self.seed()
        self.await_end()
        # A page that was fetched is fetched again, once, by an order of the command line, and by one of the console.
        for give in (lambda url: self.run_command("reschedule", url), lambda url: self.order("reschedule", url=url)["says"]):
            fetches = self.inspect("url", seed)["link"]["fetches"]
            self.assertIn(f"order written: {seed} is fetched again in its domain's turn", give(seed))
            self.await_that("it is fetched again", lambda: self.inspect("url", seed)["link"]["fetches"] == fetches + 1)
        self.assertIn("does not wait: it was fetched at", self.workers.command("raise", seed, capture_output=True).stderr)
        self.assertEqual(3, sum(1 for _ in self.messages("spider-log", "--type", "url_order")))
        self.await_end()
        self.assertEqual([], self.dead_letters())
        # A worker that is drained ends in good order, and the crawl goes on without it.
        drained = self.running[-1]
        self.order("drain", worker=drained.name)
        self.await_that("it ends", drained.ended)
        self.running.remove(drained)
        kept = [json.loads(line) for line in (self.folder / "orders.jsonl").read_text().splitlines()]
        self.assertEqual([("block", "user"), ("purge", "admin"), ("raise", "user"), ("resume", "admin"), ("unblock", "user"), ("reschedule", "user"), ("reschedule", "admin"), ("drain", "admin")],
                         [(order["action"], order["by"].split()[0]) for order in kept if order["action"] not in ("pause", "add-seeds")])
        self.stop_all()
        self.assertTrue(self.web.report()["check"]["equal"])

    def order(self, name, **form):
        return self.ask_console(f"orders/{name}", urllib.parse.urlencode(form).encode())

    def ask_console(self, path, form=None):
        """The answer of the console of this cluster, which begins with the first question."""
        if not hasattr(self, "console"):
            process = subprocess.Popen([self.BUILD / "cli/orbweaver", "console", "--listen=127.0.0.1:0", f"--config={self.workers.config}"],
                                       stderr=subprocess.PIPE, text=True)
            self.addCleanup(lambda: (process.kill(), process.communicate()))
            self.console = next(line for line in process.stderr if line.startswith("The console of ")).split()[-3]
        request = urllib.request.Request(f"{self.console}api/v1/{path}", form, {"Authorization": "Bearer e2e"})
        with urllib.request.urlopen(request, timeout=PATIENCE_S) as answer:
            return json.loads(answer.read())

    def console_tells(self, blocked, seed):
        """Its answers agree with the commands', and it knows the workers by their reports."""
        self.await_that("all workers have reported", lambda: len(self.ask_console("workers")["workers"]) == len(self.running))
        workers = self.ask_console("workers")["workers"]
        self.assertEqual(sorted(worker.name for worker in self.running), sorted(worker["id"] for worker in workers))
        for worker in workers:
            self.assertGreater(worker["memory_bytes"], 0, worker)
        overview = self.ask_console("overview")
        self.assertEqual("cluster", overview["subject"]["kind"])
        self.assertEqual({"spiders", "strategy workers", "db workers"}, {stage["name"] for stage in overview["stages"]})
        self.assertEqual(["blocked"], [row["phase"] for row in self.ask_console(f"domains?contains={blocked}")["domains"] if row["domain"] == blocked])
        self.assertEqual(self.inspect("domain", blocked)["queue"]["waiting_by_band"], self.ask_console(f"domain?name={blocked}")["queue"]["waiting_by_band"])
        self.assertEqual("blocked", self.ask_console(f"url?{urllib.parse.urlencode({'url': seed})}")["answer"])
        self.assertEqual({"letters": [], "next": None}, self.ask_console("dead-letters"))

    def inspect(self, *words):
        return json.loads(self.run_command("inspect", *words))

    def are_shared_by(self, count, topic):
        status = self.status()
        owners = {partition["owner"] for group in status["groups"] if group["topic"] == topic for partition in group["partitions"]} if status else set()
        return len(owners) == count and "" not in owners

    def waiting(self):
        status = self.status()
        return status["queue"]["total"]["waiting"] if status else 0

    def test_what_cannot_be_decoded_is_kept_and_the_crawl_completes(self):
        self.start("--faults", FAULTS)
        self.seed()
        self.await_progress(0.2)
        for topic, partition in itertools.product(TOPICS, range(PARTITIONS)):
            # One with our header and nonsense behind it, one without.
            for header in (["-H", "schema=orbweaver.v1"], []):
                subprocess.run(["kcat", "-q", "-b", os.environ["ORBWEAVER_KAFKA"], "-P", "-t", self.prefix + topic,
                                "-p", str(partition), *header], input=b"\xff nonsense", check=True)
        self.await_end()
        kept = self.dead_letters()
        places = {(letter["from_topic"], letter["from_partition"], letter["from_offset"]) for letter in kept}
        # Two were injected into each partition of each topic.
        self.assertEqual(2 * len(TOPICS) * PARTITIONS, len(places), kept)
        self.assertEqual(set(itertools.product(TOPICS, map(str, range(PARTITIONS)))), {place[:2] for place in places})
        self.assertTrue(all(letter["cause"] for letter in kept), kept)
        self.assert_complete(dead_letters=len(kept), no_worker_died=True)


if __name__ == "__main__":
    main()
