"""Where the tests find the package and what it needs: imported first by each of them.

ORBWEAVER_CACHE has the packages of deploy/deps/python.txt, of parquet_readers.txt for Arrow, and of scrapy.txt; elsewhere those of the
running Python are taken.
"""
import os
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "python"
CACHE = pathlib.Path(os.environ.get("ORBWEAVER_CACHE") or pathlib.Path.home() / ".cache/orbweaver")
PACKAGES = CACHE / "python-packages-1"
PATHS = [str(path) for path in (PACKAGE, PACKAGES, CACHE / "parquet-readers-26.0.1", CACHE / "scrapy-2.19.0") if path.exists()]

sys.dont_write_bytecode = True
if sys.version_info[:2] == (3, 11):
    sys.path[:0] = PATHS
else:
    sys.path.insert(0, str(PACKAGE))
