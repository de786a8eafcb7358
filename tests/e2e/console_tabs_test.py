"""Fifty tabs on the console of a crawl that goes on: memory stays bounded, every probe is answered, each tab is fresh.

python3 console_tabs_test.py PROGRAM. How much slower the crawl gets is measured by `./run bench console`.
"""

import pathlib
import sys
import threading
import time
import unittest
import urllib.request

from console_crawl import ConsoleCrawl, resident_bytes
from console_window import Window
from synthetic_web import PATIENCE_S

TABS = 50
LOOKS_OF_EACH_TAB = 10
MOST_MORE_BYTES = 64 << 20
VIEWS = ("#/", "#/domains", "#/curves", "#/workers", "#/domain/127.0.0.1")


class Probe:
    """Asks /healthz again and again, as an orchestrator does."""

    def __init__(self, base):
        self.answers, self.failures, self._over = 0, [], threading.Event()
        self._thread = threading.Thread(target=self._run, args=(base,))
        self._thread.start()

    def _run(self, base):
        while not self._over.wait(0.05):
            try:
                with urllib.request.urlopen(base + "/healthz", timeout=10) as answer:
                    self.answers += answer.status == 200
            except OSError as error:
                self.failures.append(error)

    def end(self):
        self._over.set()
        self._thread.join()


class ConsoleTabs(ConsoleCrawl):
    def test_fifty_tabs_cost_bounded_memory_and_no_probe(self):
        process, base = self.begins_crawl()
        with Window(flags=["--process-per-site"]) as window:
            window.go(base + "/")
            window.waits_for_text("How the crawl stands")
            before = resident_bytes(process)
            probe = Probe(base)
            self.addCleanup(probe.end)
            tabs = []
            for i in range(TABS):
                target = window.call("Target.createTarget", url=f"{base}/?{i}{VIEWS[i % len(VIEWS)]}")["targetId"]
                tabs.append(window.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"])
            most = before
            for tab in tabs:
                window.look_at(tab)
                window.evaluate("document.readyState")
                window.evaluate(f"""window.looks = 0; new MutationObserver(() => ++window.looks).observe(document.getElementById("footer"), {{childList: true}}); 0""")
            waiting, deadline = set(tabs), time.monotonic() + PATIENCE_S
            while waiting:
                self.assertLess(time.monotonic(), deadline, f"{len(waiting)} tabs are not fresh")
                self.assertIsNone(process.poll())
                for tab in list(waiting):
                    window.look_at(tab)
                    if window.evaluate("window.looks") >= LOOKS_OF_EACH_TAB:
                        waiting.remove(tab)
                most = max(most, resident_bytes(process))
            probe.end()
            print(f"{probe.answers} probes answered; {(most - before) >> 20} MiB more at the most")
            self.assertEqual([], probe.failures)
            self.assertGreater(probe.answers, 100)
            self.assertLess(most - before, MOST_MORE_BYTES)
        self.ends(process, 4)


if __name__ == "__main__":
    ConsoleTabs.program = str(pathlib.Path(sys.argv.pop(1)).resolve())
    unittest.main()
