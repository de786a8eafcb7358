"""The options of a spider."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Dict


@dataclass(frozen=True)
class SpiderOptions:
    """Durations are seconds. The defaults are those of Orbweaver's own spider."""

    # The least time between the end of a request to a registered domain and the start of the next; the feed may ask for more.
    delay: float = 1.0
    # A request that would wait longer for its turn is handed back to the queue.
    max_wait: float = 30.0
    # How many requests may be in hand at the same time, between iterator and outcome; 0: any number.
    concurrency: int = 0
    # A request that has no outcome after so long is handed back, and a later outcome is not used.
    fetch_timeout: float = 300.0
    # How long a stop, or a partition that goes to another spider, waits for requests in hand.
    drain_timeout: float = 10.0
    # The rest of a domain after 429 or 503 without Retry-After; doubles with each further one, up to the longest, which bounds
    # Retry-After too.
    back_off_first: float = 60.0
    back_off_most: float = 86400.0
    # Requests that wait or are in hand, and messages between the oldest unfinished one and the newest.
    max_requests: int = 1000
    window: int = 20000
    # How often finished requests are committed. A crash fetches those since the last commit again.
    commit_interval: float = 1.0
    # A spider that is silent for so long is dead to its group.
    session_timeout: float = 45.0
    # Every answer of Kafka's.
    bus_timeout: float = 30.0
    # Goes on where retention has deleted messages that were never read; they are lost. Otherwise that is an error.
    skip_lost: bool = False
    # Further settings of librdkafka, for consumer and producer: security.protocol, sasl.…, ssl.…
    kafka: Dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in ("max_wait", "fetch_timeout", "max_requests", "window", "commit_interval", "session_timeout", "bus_timeout"):
            if getattr(self, name) <= 0:
                raise ValueError(f"{name} = {getattr(self, name)}: expected more than 0")
        for name in ("delay", "concurrency", "drain_timeout", "back_off_first", "back_off_most"):
            if getattr(self, name) < 0:
                raise ValueError(f"{name} = {getattr(self, name)}: expected 0 or more")
