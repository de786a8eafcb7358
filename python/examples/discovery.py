"""A few pages of every domain there is, as the built-in strategy finds them: what its sitemaps and its home page lead to."""

import struct
from urllib.parse import urlsplit

from orbweaver.strategy import Cause, CrawlRules, Dns, Flag, Globs, Integer, LinkKind, Number, Strategy, draw

DATA = struct.Struct("<IBBxx")  # sitemaps that were scheduled; the home page was; the domain is given up


def home_of(url):
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}/"


def is_of_domain(url, domain):
    try:
        parts = urlsplit(url)
        host = parts.hostname
    except ValueError:
        return False
    if parts.scheme not in ("http", "https") or not host or "@" in parts.netloc:
        return False
    return host == domain or host.endswith("." + domain)


def fnv1a(text):
    value = 0xCBF29CE484222325
    for byte in text.encode():
        value = (value ^ byte) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    return value


class Discovery(Strategy):
    """A few pages of every domain: sitemaps, home page, links within the domain"""

    rules = CrawlRules(max_pages=100)
    interest = Globs("*about*,*contact*,*impressum*,*imprint*", "Links within a domain that are fetched before others: patterns of URLs")
    home_score = Number(0.8, 0, 1, "Score of home pages")
    interest_score = Number(0.7, 0, 1, "Score of links of interest")
    other_score = Number(0.5, 0, 1, "Score of other links within a domain")
    sitemap_score = Number(0.95, 0, 1, "Score of sitemaps")
    max_sitemaps = Integer(5, 0, 10_000, "Sitemaps of a registered domain that are fetched")
    new_domains = Flag(True, "Links to other domains lead to their home pages; false: only domains of seeds")

    def start(self, seed):
        self.seed = seed

    def filter(self, links):
        # Once a domain is entered, links from other domains are of no use, and cost no read.
        self.rules.filter(links)
        if not links.is_seeds and not links.same_domain and (self.data_of(links.domain)[1] or not self.new_domains):
            links.drop_all()

    def on_seeds(self, seeds):
        # A seed is also worth another look at a domain that was given up.
        if not self.rules.budget(seeds):
            return
        self.rules.schedule_seeds(seeds, self.home_score)
        sitemaps, entered, _ = self.data_of(seeds.domain)
        if not entered and len(seeds):
            home = home_of(seeds[0].url)
            entered = self.enter(seeds, "" if any(seed.url == home for seed in seeds) else home, 0)
        seeds.keep_domain_data(DATA.pack(sitemaps, entered, 0))

    def on_links(self, links):
        sitemaps, entered, given_up = self.data_of(links.domain)
        if given_up and not links.domain.fetched:
            return
        if not links.same_domain:
            if len(links) and not entered and self.rules.budget(links):
                entered = self.enter(links, home_of(links[0].url), links.depth + 1)
                links.keep_domain_data(DATA.pack(sitemaps, entered, given_up))
            return
        # Where not all fit into the budget, those of interest go first.
        scarce = self.rules.budget(links) < len(links)
        self.schedule_sitemaps(links)
        for link in links:
            if link.kind == LinkKind.SITEMAP or not link.is_new:
                continue
            interesting = self.interest.match(link.url)
            if interesting or not scarce:
                self.rules.schedule_new(links, link, self.interest_score if interesting else self.other_score)
        if not scarce:
            return
        for link in links:
            if link.kind == LinkKind.SITEMAP or self.interest.match(link.url):
                continue
            if not self.rules.schedule_new(links, link, self.other_score) and not self.rules.budget(links):
                return

    def on_host(self, host):
        if host.dns == Dns.NO_SUCH_NAME:
            self.give_up_if_new(host)
            return
        sitemaps, entered, given_up = self.data_of(host.domain)
        urls = [url for url in host.sitemaps if is_of_domain(url, host.domain.name) and self.rules.allows_url(url)]
        for url in sorted(urls, key=lambda url: draw(self.seed, fnv1a(url)))[: max(0, self.max_sitemaps - sitemaps)]:
            if not self.rules.budget(host):
                break
            host.request(url, self.sitemap_score)
            sitemaps += 1
        if not entered:
            entered = self.enter(host, f"https://{host.name}/", 0)
        host.keep_domain_data(DATA.pack(sitemaps, entered, given_up))

    def on_failure(self, failure):
        _, _, given_up = self.data_of(failure.domain)
        if (given_up and not failure.domain.fetched) or self.rules.retry(failure):
            return
        if failure.cause in (Cause.DNS, Cause.DNS_TEMPORARY):
            self.give_up_if_new(failure)

    def enter(self, event, home, depth):
        """Requests the home page, unless `home` is empty: it is scheduled already. Whether it is."""
        if home:
            if not self.rules.budget(event) or not self.rules.allows_url(home):
                return False
            event.request(home, self.home_score, depth=depth)
        return True

    def give_up_if_new(self, event):
        # One dead host of a domain that answers elsewhere is no reason.
        if not event.domain.fetched:
            sitemaps, entered, _ = self.data_of(event.domain)
            event.keep_domain_data(DATA.pack(sitemaps, entered, True))
            event.give_up_domain()

    def schedule_sitemaps(self, links):
        """Those with the lowest lots, as many as the domain may still have."""
        sitemaps, entered, given_up = before = self.data_of(links.domain)
        lots = [(draw(self.seed, link.fingerprint_low), i) for i, link in enumerate(links) if link.kind == LinkKind.SITEMAP and link.is_new]
        for _, i in sorted(lots)[: max(0, self.max_sitemaps - sitemaps)]:
            sitemaps += self.rules.schedule_new(links, links[i], self.sitemap_score)
        if (sitemaps, entered, given_up) != before:
            links.keep_domain_data(DATA.pack(sitemaps, entered, given_up))

    @staticmethod
    def data_of(domain):
        data = domain.data
        return DATA.unpack(data) if len(data) == DATA.size else (0, 0, 0)
