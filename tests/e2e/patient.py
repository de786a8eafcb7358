"""A test that waits for a condition: the base of all that start a program and look at what it does."""

import time
import unittest

from synthetic_web import PATIENCE_S


class Patient(unittest.TestCase):
    patience_s = PATIENCE_S
    look_again_s = 0.005

    def waits_until(self, condition, process=None, what=""):
        """It polls: neither a server's list nor another process's folder wakes anybody. `process`: it must not end meanwhile."""
        deadline = time.monotonic() + self.patience_s
        while not condition():
            self.assertLess(time.monotonic(), deadline, what)
            if process is not None:
                self.assertIsNone(process.poll(), "it ended by itself")
            time.sleep(self.look_again_s)
