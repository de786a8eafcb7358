"""The topics of a check: the feed that it writes, the spider log that it reads, the group's commits."""

from __future__ import annotations

import socket
import time
from dataclasses import dataclass
from typing import Any, Dict, List, Tuple

import confluent_kafka
from confluent_kafka import KafkaError, KafkaException, TopicPartition
from confluent_kafka.admin import (  # type: ignore[attr-defined,unused-ignore]
    AdminClient,
    AlterConfigOpType,
    ConfigEntry,
    ConfigResource,
    NewTopic,
)

from orbweaver.messages import Marker, Request, SpiderFeedEntry
from orbweaver.partition import partition_of
from orbweaver.spider_check.group_commits import GroupCommit, GroupCommits, NotNow, address_of
from orbweaver.urls import fingerprint

PARTITIONS = 4
# A field that no class knows: number 1013, "kept".
UNKNOWN_FIELD = b"\xaa\x3f\x04kept"
_TIMEOUT_S = 30.0
# A partition has no leader for a moment after its topic was made, or when its broker was restarted.
_NO_LEADER = (KafkaError.NOT_LEADER_FOR_PARTITION, KafkaError.LEADER_NOT_AVAILABLE, KafkaError.UNKNOWN_TOPIC_OR_PART)


@dataclass
class Sent:
    """A request of the feed."""

    partition: int
    offset: int
    epoch: int
    message: Request
    wanted: bool  # False: of a replaced db worker


@dataclass
class Logged:
    """A record of the spider log, or of the dead letters."""

    partition: int
    key: bytes
    value: bytes
    headers: Dict[str, bytes]


class Cluster:
    """Not thread-safe but for commits()."""

    def __init__(self, brokers: str, prefix: str) -> None:
        """OSError when nothing answers there: Kafka's clients would try again and again."""
        socket.create_connection(address_of(brokers), _TIMEOUT_S).close()
        self.brokers = brokers
        self.prefix = prefix
        self._admin: Any = AdminClient({"bootstrap.servers": brokers})
        self._producer: Any = confluent_kafka.Producer({"bootstrap.servers": brokers})
        self._topics = {"spider-feed": PARTITIONS, "spider-log": PARTITIONS, "dead-letter": 1}
        made = self._admin.create_topics([NewTopic(prefix + name, count) for name, count in self._topics.items()])
        for future in made.values():
            future.result(_TIMEOUT_S)
        self._reader: Any = confluent_kafka.Consumer({"bootstrap.servers": brokers, "group.id": f"{prefix}spider-check", "enable.auto.commit": False,
                                                 "auto.offset.reset": "earliest",
                                                 # A question for ends stands behind a fetch that waits.
                                                 "fetch.wait.max.ms": 10})
        self._places: List[Any] = [TopicPartition(prefix + name, number, 0) for name in ("spider-log", "dead-letter")
                        for number in range(self._topics[name])]
        self._reader.assign(self._places)
        self._read = {(place.topic, place.partition): 0 for place in self._places}
        self.epochs = dict.fromkeys(range(PARTITIONS), 0)
        self.markers: Dict[int, List[int]] = {number: [] for number in range(PARTITIONS)}
        self.sent: List[Sent] = []

    def close(self) -> None:
        self._reader.close()
        for future in self._admin.delete_topics([self.prefix + name for name in self._topics]).values():
            future.result(_TIMEOUT_S)

    def commits(self) -> Dict[int, GroupCommit]:
        deadline = time.monotonic() + _TIMEOUT_S
        while True:
            try:
                with GroupCommits(self.brokers, f"{self.prefix}spiders") as commits:
                    return commits.read(self.prefix + "spider-feed", range(PARTITIONS))
            except NotNow:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.1)

    # The feed.

    def marker(self, partition: int) -> None:
        entry = SpiderFeedEntry(marker=Marker(owner="spider-check", written_at_ms=int(time.time() * 1000)))
        self.epochs[partition] = self._append(partition, b"", entry.SerializeToString())
        self.markers[partition].append(self.epochs[partition])

    def request(self, url: str, domain: str, delay_ms: int = 0, wanted: bool = True) -> Sent:
        partition = partition_of(domain, PARTITIONS)
        message = Request(url=url, domain=domain, fingerprint=fingerprint(url), depth=2, score=0.5, attempt=1, band=3, seq=len(self.sent),
                          index=1, delay_ms=delay_ms, meta={"check": b"\xff\x00"})
        message.MergeFromString(UNKNOWN_FIELD)
        epoch = self.epochs[partition] if wanted else self.markers[partition][-2]
        entry = SpiderFeedEntry(epoch=epoch, request=message)
        sent = Sent(partition, self._append(partition, domain.encode(), entry.SerializeToString()), epoch, message, wanted)
        self.sent.append(sent)
        return sent

    def nonsense(self, partition: int, value: bytes, headers: List[Tuple[str, bytes]]) -> int:
        return self._append(partition, b"nonsense", value, headers)

    def _append(self, partition: int, key: bytes, value: bytes, headers: Any = None) -> int:
        placed: List[Any] = []
        self._producer.produce(self.prefix + "spider-feed", value, key=key or None, partition=partition, headers=headers,
                               on_delivery=lambda error, message: placed.append((error, message)))
        self._producer.flush(_TIMEOUT_S)
        error, message = placed[0]
        if error is not None:
            raise OSError(f"append to the feed: {error.str()}")
        return int(message.offset())

    # The log.

    def new_records(self) -> List[Tuple[str, Logged]]:
        """Everything that stands in the logs now and was not given before, with the topic's name."""
        ends = {(place.topic, place.partition): self._end_of(place) for place in self._places}
        found = []
        while any(self._read[place] < end for place, end in ends.items()):
            message = self._reader.poll(_TIMEOUT_S)
            if message is None:
                raise OSError("read the spider log: the brokers do not answer")
            if message.error() is None:
                self._read[message.topic(), message.partition()] = message.offset() + 1
                found.append((message.topic()[len(self.prefix):], Logged(message.partition(), message.key() or b"", message.value() or b"",
                                                                         dict(message.headers() or []))))
        return found

    def _end_of(self, place: Any) -> int:
        deadline = time.monotonic() + _TIMEOUT_S
        while True:
            try:
                return int(self._reader.get_watermark_offsets(place, _TIMEOUT_S)[1])
            except KafkaException as failure:
                if failure.args[0].code() not in _NO_LEADER or time.monotonic() > deadline:
                    raise
                time.sleep(0.1)

    def refuse_entries(self, refuses: bool) -> None:
        """Whether the spider log takes no entry of any size; it holds when this returns."""
        entry = ConfigEntry("max.message.bytes", "1" if refuses else "1048588", incremental_operation=AlterConfigOpType.SET)
        resource = ConfigResource(ConfigResource.Type.TOPIC, self.prefix + "spider-log", incremental_configs=[entry])
        for future in self._admin.incremental_alter_configs([resource]).values():
            future.result(_TIMEOUT_S)
        # The controller has answered; the broker acts on it later.
        deadline = time.monotonic() + _TIMEOUT_S
        for partition in range(PARTITIONS):
            while self._takes_an_entry(partition) == refuses:
                if time.monotonic() > deadline:
                    raise OSError(f"partition {partition} of the spider log {'takes' if refuses else 'refuses'} entries as before")
                time.sleep(0.05)

    def _takes_an_entry(self, partition: int) -> bool:
        """Tried with an entry that tells nothing."""
        errors: List[Any] = []
        self._producer.produce(self.prefix + "spider-log", b"", partition=partition, on_delivery=lambda error, _: errors.append(error))
        self._producer.flush(_TIMEOUT_S)
        if errors[0] is not None and errors[0].code() != KafkaError.MSG_SIZE_TOO_LARGE:
            raise OSError(f"append to the spider log: {errors[0].str()}")
        return errors[0] is None
