"""The Helm chart on a real node: workers come and go, by hand and by autoscalers: python3 kubernetes_scaling_test.py BUILD"""

import json
import time

import node_world
from helm import merged
from node_world import COMPONENTS, CONFIGURATION, SCALABLE, NodeWorld
from synthetic_web import FAULTS

setUpModule = node_world.start_node
MOST = 2  # workers that autoscalers may have of each kind
# Longer than the test's patience: partitions that nobody hands over have no owner until its end.
LONG_SESSIONS = {"config": {"worker": {"session_timeout": "30m"}}}


def autoscaling(**bounds):
    return {"enabled": True, "scaleDownAfterSeconds": 10, **{name: {"min": 1, "max": MOST} for name, _, _ in COMPONENTS.values()}, **bounds}


class ByHand(NodeWorld):
    SIZE = (30, 60)

    def test_each_kind_goes_from_one_to_three_to_two(self):
        self.start("--faults", FAULTS)
        self.install(merged(SCALABLE, LONG_SESSIONS))
        self.seed()
        for component in self.in_the_course_of_it(list(COMPONENTS)):
            for replicas in (3, 2):
                self.kubectl("scale", f"statefulset/orbweaver-{component}", f"--replicas={replicas}")
                self.await_that(f"{replicas} pods are there", lambda count=replicas, one=component: len(self.pods(one)) == count)
                self.await_owners(f"{component} is {replicas}", **{component: replicas})
        self.assert_complete()

    def test_a_pod_that_is_deleted_keeps_its_partitions_and_one_that_is_scaled_away_does_not(self):
        """By its own words; and a cluster that lets no pod ask keeps them too."""
        self.start("--faults", FAULTS)
        self.install(merged(merged(SCALABLE, {"spider": {"replicas": 2}}), LONG_SESSIONS))
        self.seed()
        self.await_owners("two spiders", spider=2)
        said = self.last_words_of("orbweaver-spider-1", "delete", "pod", "orbweaver-spider-1", "--wait=false")
        self.assertIn("pod orbweaver-spider-1 comes back: its StatefulSet is to have 2", said)
        self.await_owners("one was deleted", spider=2)
        said = self.last_words_of("orbweaver-spider-1", "scale", "statefulset/orbweaver-spider", "--replicas=1")
        self.assertIn("pod orbweaver-spider-1 goes for good, and gives its partitions up: its StatefulSet is to have 1", said)
        self.await_owners("one is left", spider=1)
        self.kubectl("delete", "rolebinding", "orbweaver-worker")
        said = self.last_words_of("orbweaver-spider-0", "delete", "pod", "orbweaver-spider-0", "--wait=false")
        self.assertIn("cannot tell whether pod orbweaver-spider-0 comes back", said)
        self.assertIn("status 403", said)
        self.await_owners("it came back", spider=1)
        self.assert_complete()

    def last_words_of(self, pod, *words):
        """All that it says after `words` were given to kubectl, to its end."""
        log = self.follow(pod)
        self.kubectl(*words)
        said, _ = log.communicate(timeout=300)
        return said


class Autoscaled(NodeWorld):
    def replicas(self, component):
        return json.loads(self.kubectl("get", f"statefulset/orbweaver-{component}", "-o", "json"))["spec"]["replicas"]

    def wanted(self, component):
        """The number that the autoscaler saw last; None before the first."""
        status = json.loads(self.kubectl("get", f"hpa/orbweaver-{component}", "-o", "json"))["status"]
        seen = [one["external"]["current"].get("averageValue") for one in status.get("currentMetrics") or [] if one.get("type") == "External"]
        return int(seen[0]) if seen and seen[0] else None


class Spiders(Autoscaled):
    """Answers take half a second, and a spider fetches four pages at once: what it can do is eight pages a second, and a host gives one.

    They have little else to wait for, so it is known how many are wanted.
    """

    SIZE = (30, 60)
    SMALL = {"config": {"spider": {"max_fetches": 4}, "worker": {"session_timeout": "30m", "stats_interval": "2s"}},
             "autoscaling": autoscaling()}

    def test_replicas_follow_the_load_and_go_with_it(self):
        self.start("--faults", "slow-first-byte", "--faulty-hosts", "1", "--faulty-pages", "1", "--slow-ms", "500", "--outside-links", "0",
                   "--robots-hosts", "0", "--seeds", str(self.SIZE[0]))
        self.install(merged(SCALABLE, self.SMALL))
        seeds = self.web.seeds.read_text().splitlines()
        self.assertEqual(self.SIZE[0], len(seeds))
        self.add(seeds[:3])
        self.await_progress(0.03)
        self.assertEqual(1, self.replicas("spider"), "three hosts are not too much for one spider")
        self.await_that("the autoscaler has its number", lambda: self.wanted("spider") == 1)
        self.add(seeds[3:])
        began = time.monotonic()
        self.await_that("thirty hosts are too much for one spider", lambda: self.replicas("spider") == MOST)
        print(f"  another spider after {time.monotonic() - began:.1f} s, {self.web.requests():,} requests so far", flush=True)
        self.await_owners("scaled up", spider=MOST)
        self.await_end()
        began = time.monotonic()
        self.await_that("one spider is left", lambda: self.replicas("spider") == 1)
        print(f"  one spider {time.monotonic() - began:.1f} s after the end", flush=True)
        self.await_owners("scaled down", spider=1)
        self.assert_complete()

    def add(self, urls):
        self.kubectl("exec", "-i", "statefulset/orbweaver-db-worker", "-c", "db-worker", "--", "orbweaver", "seeds", "add", "-", "--config",
                     CONFIGURATION, input="".join(f"{url}\n" for url in urls))


class StrategyAndDbWorkers(Autoscaled):
    """A fast crawl keeps each of them at work for more than a hundredth of its time, and that is called busy here."""

    SIZE = (30, 1000)
    DELAY_S = 0.05

    def test_replicas_follow_the_load_and_go_with_it(self):
        both = ("strategy-worker", "db-worker")
        self.start("--outside-links", "0", "--robots-hosts", "0", "--seeds", str(self.SIZE[0]))
        self.install(merged(SCALABLE, {
            "config": {"strategy": {"params": {"max_pages": 10000}}, "scaling": {"busy": "1%", "idle": "1%", "catch_up": "1h"},
                       "worker": {"session_timeout": "30m", "stats_interval": "2s"}},
            "autoscaling": autoscaling(spider={"min": 1, "max": 1})}))
        for component in both:
            # To begin is more than a hundredth of a busy machine's time: there may have been two.
            self.await_that(f"nothing to do: one {component} is wanted, and there",
                            lambda one=component: self.wanted(one) == 1 and self.replicas(one) == 1)
        self.seed()
        began = time.monotonic()
        for component in both:
            self.await_that(f"another {component}", lambda one=component: self.replicas(one) == MOST)
            print(f"  another {component} after {time.monotonic() - began:.1f} s, {self.web.requests():,} requests so far", flush=True)
        self.await_owners("scaled up", **dict.fromkeys(both, MOST))
        self.await_end()
        began = time.monotonic()
        for component in both:
            self.await_that(f"one {component} is left", lambda one=component: self.replicas(one) == 1)
        print(f"  one of each {time.monotonic() - began:.1f} s after the end", flush=True)
        self.await_owners("scaled down", **dict.fromkeys(both, 1))
        self.assert_complete()


if __name__ == "__main__":
    node_world.main()
