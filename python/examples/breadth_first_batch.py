"""As breadth_first.py, with all links of a page at once: some times faster where that is all there is to decide."""

from breadth_first import BreadthFirst
from orbweaver.strategy import band_score


class BreadthFirstBatch(BreadthFirst):
    """Everything reachable, what is near the seeds first; a page's links at once"""

    def on_links(self, links):
        links.schedule_new(band_score(links.depth + 1), self.rules.budget(links))
