"""As breadth_first.py, with all links of a page at once: some times faster where that is all there is to decide."""

from orbweaver.strategy import CrawlRules, Strategy, band_score


class BreadthFirstBatch(Strategy):
    """Everything reachable, what is near the seeds first; a page's links at once"""

    rules = CrawlRules()

    def filter(self, links):
        self.rules.filter(links)

    def on_seeds(self, seeds):
        self.rules.schedule_seeds(seeds, band_score(0))

    def on_links(self, links):
        links.schedule_new(band_score(links.depth + 1), self.rules.budget(links))

    def on_failure(self, failure):
        self.rules.retry(failure)
