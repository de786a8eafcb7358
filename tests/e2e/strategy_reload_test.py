"""A strategy in Python reloaded by SIGHUP, in a strategy worker on real Kafka and HBase: python3 strategy_reload_test.py BUILD"""

import pathlib
import re
import signal
import tempfile

from cluster_world import World, main

STRATEGY = """from orbweaver.strategy import Strategy
from beside import SCORE


class Own(Strategy):
    def on_seeds(self, seeds):
        for seed in seeds:
            seed.schedule(SCORE)
"""


class Reload(World):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="orbweaver-reload-")
        self.addCleanup(folder.cleanup)
        self.own = pathlib.Path(folder.name)

    def score_of(self, number):
        """With which the strategy schedules a seed."""
        url = f"https://site{number}.example/"
        seeds = self.own / "seeds.txt"
        seeds.write_text(url + "\n")
        self.run_command("seeds", "add", str(seeds))
        found = []

        def is_scheduled():
            for message in self.messages("scoring-log", "--type", "schedule"):
                found.extend(request["score"] for request in message["detail"]["requests"] if request["url"] == url)
            return found

        self.await_that(f"{url} is scheduled", is_scheduled)
        self.assertEqual(1, len(set(found)))
        return found[0]

    def reload(self, says):
        """The line that a SIGHUP leads to."""
        self.running[0].send(signal.SIGHUP)
        line = re.compile(f".*{says}.*")
        self.await_that(f"the log says {says}", lambda: line.search(self.running[0].log.read_text()))
        return line.search(self.running[0].log.read_text())[0]

    def count(self, result):
        text = self.running[0].get("/metrics")[1]
        return float(re.search(rf'orbweaver_strategy_reloads_total{{result="{result}"}} (\S+)', text)[1])

    def test_a_changed_file_decides_after_sighup_and_a_broken_one_is_told_and_left_alone(self):
        module, beside = self.own / "own.py", self.own / "beside.py"
        module.write_text(STRATEGY)
        beside.write_text("SCORE = 0.25\n")
        self.start(counts=(0, 1, 0), settings={"strategy.name": "python", "strategy.params": {"module": str(module)}})
        self.assertEqual(0.25, self.score_of(1))
        beside.write_text("SCORE = 0.75\n")
        self.assertEqual(0.25, self.score_of(2))
        self.reload("strategy 'own' is reloaded")
        self.assertEqual(0.75, self.score_of(3))
        module.write_text(STRATEGY.replace("for seed in seeds:", "for seed in seeds"))
        line = self.reload("reload strategy 'own': SyntaxError")
        self.assertIn("(own.py:7: for seed in seeds)", line)
        self.assertIn("The one before goes on", line)
        self.assertEqual(0.75, self.score_of(4))
        self.assertEqual((1, 1), (self.count("done"), self.count("refused")))
        self.assertEqual([], self.dead_letters())
        self.stop_all()


if __name__ == "__main__":
    main()
