"""The conformance kit on real Kafka: it passes a good spider, and names the rule that each broken one breaks.

ORBWEAVER_KAFKA says where Kafka is, as for every integration test. By hand: spider_check_test.py [SpiderCheck.test_…]
"""
import package_environment as environment

import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import unittest

from checked_spider import FAULTS

SPIDER = pathlib.Path(__file__).with_name("checked_spider.py")
# So long a broken one is waited for where its fault is that nothing comes.
PATIENCE_S = 30
# Each run waits most of its time.
AT_ONCE = 6


def check(*words, kafka=None, patience=PATIENCE_S):
    command = [sys.executable, "-B", "-m", "orbweaver.spider_check", "--kafka", kafka or os.environ["ORBWEAVER_KAFKA"], "--patience", str(patience), "--"]
    return subprocess.run([*command, *words], env=dict(os.environ, PYTHONPATH=os.pathsep.join(environment.PATHS)), capture_output=True, text=True)


def broken_rules(done):
    return re.findall(r"^BROKEN (\S+)", done.stdout, re.MULTILINE)


class SpiderCheck(unittest.TestCase):
    def test_a_good_spider_passes(self):
        done = check(sys.executable, "-B", str(SPIDER), patience=300)
        self.assertEqual((0, []), (done.returncode, broken_rules(done)), done.stdout + done.stderr)
        self.assertEqual(11, done.stdout.count("kept  "), done.stdout)

    def test_a_command_that_is_none_or_ends_is_told(self):
        done = check("/no/such/spider")
        self.assertEqual(2, done.returncode, done.stdout)
        self.assertIn("start the spider", done.stderr)
        done = check(sys.executable, "-c", "raise SystemExit(3)")
        self.assertEqual(2, done.returncode, done.stdout)
        self.assertIn("ended by itself with exit code 3", done.stderr)

    def test_a_kafka_that_is_not_there_is_told_at_once(self):
        for brokers, reason in (("127.0.0.1:1", "refused"), ("nowhere", "is not HOST:PORT")):
            done = check("true", kafka=brokers)
            self.assertEqual(2, done.returncode, done.stdout)
            self.assertRegex(done.stderr, f"^spider_check: make topics on {brokers}: .*{reason}")


class BrokenSpiders(unittest.TestCase):
    def test_the_rule_that_each_breaks_is_named(self):
        with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
            runs = {fault: pool.submit(check, sys.executable, "-B", str(SPIDER), fault.__name__) for fault in FAULTS}
        for fault, rule in FAULTS.items():
            done = runs[fault].result()
            with self.subTest(fault.__name__):
                self.assertEqual(1, done.returncode, done.stdout + done.stderr)
                self.assertIn(rule, broken_rules(done), done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main()
