"""./run screenshots on a crawl of a few seconds: a picture of each view, small, and shown by the documentation.

python3 screenshots_test.py SCREENSHOTS BUILD
"""

import pathlib
import subprocess
import sys
import tempfile
import unittest

from synthetic_web import PATIENCE_S

ROOT = pathlib.Path(__file__).resolve().parents[2]
VIEWS = {"overview", "curves", "domains", "domain", "url", "workers", "order", "orders", "dead-letters"}
MOST_BYTES = 80 << 10


class Screenshots(unittest.TestCase):
    script, build = "", ""  # set by the test that is run

    def test_each_view_has_a_small_picture_that_the_documentation_shows(self):
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([sys.executable, self.script, "--programs", self.build, "--seconds", "3", "--out", folder], capture_output=True, text=True,
                                  timeout=PATIENCE_S)
            self.assertEqual(0, done.returncode, done.stdout + done.stderr)
            pictures = list(pathlib.Path(folder).iterdir())
            self.assertEqual({f"console-{view}.png" for view in VIEWS}, {picture.name for picture in pictures})
            shown = (ROOT / "docs/console.md").read_text()
            for picture in pictures:
                self.assertTrue(picture.read_bytes().startswith(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"), picture)
                self.assertIn(f"({picture.name})", shown)
            for kept in (ROOT / "docs").glob("console-*.png"):
                self.assertIn(kept.name.removeprefix("console-").removesuffix(".png"), VIEWS)
                self.assertLess(kept.stat().st_size, MOST_BYTES)


if __name__ == "__main__":
    Screenshots.script, Screenshots.build = sys.argv[1:3]
    del sys.argv[1:3]
    unittest.main()
