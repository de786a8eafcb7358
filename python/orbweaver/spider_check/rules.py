"""The rules for spiders, as proto/README.md names them, and what was found of each."""

from __future__ import annotations

from typing import Dict, List

RULES = {
    "first-commit": "a partition without a commit gets one before its first request is fetched",
    "dead-letter": "a message that cannot be read is kept in dead-letter",
    "epoch": "requests of replaced db workers are passed over",
    "delay": "one request of a domain at a time, its delay from the end of one to the start of the next",
    "rest": "a domain that answers 429 is left alone for as long as Retry-After asks, by the next spider too",
    "hand-back": "a request that would wait too long is handed back",
    "outcome": "each request has exactly one outcome, with the request whole",
    "links": "a page's links by registered domain, at most 1,000 in an entry",
    "acked": "no commit passes a request whose outcome is not acknowledged",
    "metadata": "a commit has the epoch that holds at its offset, and the domains that rest",
    "drain": "a stop in good order leaves no request that was fetched to be fetched again",
}


class Verdict:
    """Breaches by rule; the first few of each are kept."""

    _MOST = 5

    def __init__(self) -> None:
        self.breaches: Dict[str, List[str]] = {}

    def breach(self, rule: str, text: str) -> None:
        if rule not in RULES:
            raise KeyError(rule)
        found = self.breaches.setdefault(rule, [])
        if text not in found and len(found) < self._MOST:
            found.append(text)

    def report(self) -> str:
        lines = []
        for rule, meaning in RULES.items():
            breaches = self.breaches.get(rule, [])
            lines.append(f"{'BROKEN' if breaches else 'kept':7}{rule:14}{meaning}")
            lines += [f"       {'':14}- {text}" for text in breaches]
        return "\n".join(lines)
