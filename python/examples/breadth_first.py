"""Everything reachable, what is near the seeds first: as the built-in strategy does it."""

from orbweaver.strategy import CrawlRules, Strategy, band_score


class BreadthFirst(Strategy):
    """Everything reachable, what is near the seeds first"""

    rules = CrawlRules()

    def filter(self, links):
        self.rules.filter(links)

    def on_seeds(self, seeds):
        self.rules.schedule_seeds(seeds, band_score(0))

    def on_links(self, links):
        score = band_score(links.depth + 1)
        for link in links:
            self.rules.schedule_new(links, link, score)

    def on_failure(self, failure):
        self.rules.retry(failure)
