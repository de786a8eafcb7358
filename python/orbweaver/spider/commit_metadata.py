"""The words that travel with a commit of the feed: an epoch, and the domains that asked for rest."""

from __future__ import annotations

import math
import re
from typing import Dict, Tuple

# Brokers take 4,096.
MOST_BYTES = 4000
_WORD = re.compile(r"[!-~]+\Z")


def read_metadata(metadata: "str | None") -> Tuple[int, Dict[str, float]]:
    """The epoch, and of each domain the Unix time until which it rests. Words that cannot be read are left out.

    Of metadata that do not end with a space nothing is taken: the client was given them without their length, and what stands behind
    them in memory looks like a part. Requests of replaced db workers may count then, and none is passed over.
    """
    if not metadata or metadata[-1] != " ":
        return 0, {}
    words = metadata.split(" ")
    epoch = int(words[0]) if _is_number(words[0]) else 0
    rests: Dict[str, float] = {}
    for until, domain in zip(words[1::2], words[2::2]):
        if _is_number(until) and domain:
            rests[domain] = max(float(until), rests.get(domain, 0.0))
    return epoch, rests


def write_metadata(epoch: int, rests: Dict[str, float], now: float) -> str:
    """The metadata of a commit at which `epoch` holds. Where not all rests fit, it has those that end last. Rests that are over at
    `now` are removed from `rests`."""
    for domain in [domain for domain, until in rests.items() if until <= now]:
        del rests[domain]
    words = [str(epoch)]
    room = MOST_BYTES - len(words[0]) - 2
    for domain, until in sorted(rests.items(), key=lambda rest: -rest[1]):
        word = f"{math.ceil(until)} {domain}"
        if len(word) + 1 > room:
            break
        room -= len(word) + 1
        words.append(word)
    # The client adds the zero byte that the contract wants.
    return " ".join(words) + " "


def can_be_written(domain: str) -> bool:
    """No canonical URL has another one; a commit with it would be refused or misread."""
    return bool(_WORD.match(domain))


def _is_number(word: str) -> bool:
    return word.isascii() and word.isdigit() and len(word) < 19
