"""breadth_first.py that tells how many blocks of memory Python has: the strategy of python_soak_bench.cc."""

import gc
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "python" / "examples"))
from breadth_first import BreadthFirst  # noqa: E402


class CountedBreadthFirst(BreadthFirst):
    """Everything reachable, what is near the seeds first; counted"""

    def adopt(self, from_name, from_version, data):
        """The one call whose answer its caller sees."""
        gc.collect()
        return str(sys.getallocatedblocks()).encode()
