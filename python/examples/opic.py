"""Important pages first, importance being computed while the crawl runs, as the built-in strategy does it.

OPIC: Abiteboul, Preda, Cobena, "Adaptive On-Line Page Importance Computation", 2003.
"""

import math
import struct

from orbweaver.strategy import CrawlRules, Number, Status, Strategy

SPAN = 24
DATA = struct.Struct("<ff")  # of a page that waits: what it owns, and as how much the queue knows it
FLOAT = struct.Struct("<f")


def rounded(number):
    """As a float of 32 bits, which states and scores are."""
    return FLOAT.unpack(FLOAT.pack(number))[0]


def score_of(cash):
    return 0.0 if cash <= 0 else rounded(min(max(1 + math.log2(cash) / SPAN, 0.0), 1.0))


def cash_of(score):
    return 0.0 if score <= 0 else rounded(2.0 ** ((min(score, 1.0) - 1) * SPAN))


class Opic(Strategy):
    """Important pages first, by cash that flows over links (OPIC)"""

    rules = CrawlRules()
    raise_step = Number(0.03, 0, 1, "How far a waiting page's score must rise before the queue is told")

    def filter(self, links):
        # Links of a domain with a spent budget still bring cash to what waits there.
        self.rules.filter(links, past_budget=True)

    def on_seeds(self, seeds):
        for seed in seeds:
            self.receive(seeds, seed, cash_of(1.0 if seed.seed_score is None else seed.seed_score))

    def on_links(self, links):
        share = rounded(cash_of(links.source_score) / max(links.source_link_count, len(links)))
        for link in links:
            self.receive(links, link, share)

    def receive(self, event, link, cash):
        waits = link.status == Status.QUEUED
        if not waits and not link.is_new:
            return  # fetched: what it owns would never be given away
        own, told = DATA.unpack(link.data)
        own = rounded(own + cash)
        if not waits:
            if not self.rules.schedule_new(event, link, score_of(own)):
                return
            told = own
        elif score_of(own) >= score_of(told) + self.raise_step:
            link.raise_score(score_of(own))
            told = own
        link.set_data(DATA.pack(own, told))

    def on_page(self, page):
        # Its links have taken what it was requested with.
        own, _ = DATA.unpack(page.link.data)
        page.link.set_data(DATA.pack(max(0.0, rounded(own - cash_of(page.score))), 0))

    def on_failure(self, failure):
        self.rules.retry(failure)
