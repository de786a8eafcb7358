"""Seeds of the simulator with strategies in Python, under several seeds of Python's hashes: python3 hash_seeds_test.py SIMULATOR"""

import os
import subprocess
import sys
import unittest


def runs(hash_seed):
    done = subprocess.run([SIMULATOR, "--seeds", "1..40", "--python", "--trace"], capture_output=True, text=True,
                          env={**os.environ, "PYTHONHASHSEED": hash_seed})
    # The last line says how long it took.
    return done.returncode, done.stdout.splitlines()[:-1]


class HashSeeds(unittest.TestCase):
    def test_the_same_seed_is_the_same_run_in_every_process(self):
        first = runs("1")
        self.assertEqual(0, first[0], first)
        self.assertEqual(40, sum("digest" in line for line in first[1]), first)
        for hash_seed in ("2", "random"):
            self.assertEqual(first, runs(hash_seed))


if __name__ == "__main__":
    SIMULATOR = sys.argv.pop(1)
    unittest.main()
