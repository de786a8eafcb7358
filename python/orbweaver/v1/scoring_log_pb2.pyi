from orbweaver.v1 import spider_feed_pb2 as _spider_feed_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor
SCHEDULE_ACTION_ADD: ScheduleAction
SCHEDULE_ACTION_DELETE: ScheduleAction
SCHEDULE_ACTION_RAISE: ScheduleAction

class DomainUpdate(_message.Message):
    __slots__ = ["back_off", "blocked_until_ms", "crawl_delay_ms", "purge"]
    BACK_OFF_FIELD_NUMBER: _ClassVar[int]
    BLOCKED_UNTIL_MS_FIELD_NUMBER: _ClassVar[int]
    CRAWL_DELAY_MS_FIELD_NUMBER: _ClassVar[int]
    PURGE_FIELD_NUMBER: _ClassVar[int]
    back_off: bool
    blocked_until_ms: int
    crawl_delay_ms: int
    purge: bool
    def __init__(self, crawl_delay_ms: _Optional[int] = ..., blocked_until_ms: _Optional[int] = ..., back_off: bool = ..., purge: bool = ...) -> None: ...

class ScheduleRequests(_message.Message):
    __slots__ = ["domain", "domain_update", "part", "requests", "source_offset", "source_topic_epoch"]
    DOMAIN_FIELD_NUMBER: _ClassVar[int]
    DOMAIN_UPDATE_FIELD_NUMBER: _ClassVar[int]
    PART_FIELD_NUMBER: _ClassVar[int]
    REQUESTS_FIELD_NUMBER: _ClassVar[int]
    SOURCE_OFFSET_FIELD_NUMBER: _ClassVar[int]
    SOURCE_TOPIC_EPOCH_FIELD_NUMBER: _ClassVar[int]
    domain: str
    domain_update: DomainUpdate
    part: int
    requests: _containers.RepeatedCompositeFieldContainer[ScheduledRequest]
    source_offset: int
    source_topic_epoch: int
    def __init__(self, source_topic_epoch: _Optional[int] = ..., source_offset: _Optional[int] = ..., part: _Optional[int] = ..., domain: _Optional[str] = ..., domain_update: _Optional[_Union[DomainUpdate, _Mapping]] = ..., requests: _Optional[_Iterable[_Union[ScheduledRequest, _Mapping]]] = ...) -> None: ...

class ScheduledRequest(_message.Message):
    __slots__ = ["action", "attempt", "depth", "etag", "fingerprint", "last_modified", "meta", "not_before_ms", "referrer", "score", "url"]
    class MetaEntry(_message.Message):
        __slots__ = ["key", "value"]
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: bytes
        def __init__(self, key: _Optional[str] = ..., value: _Optional[bytes] = ...) -> None: ...
    ACTION_FIELD_NUMBER: _ClassVar[int]
    ATTEMPT_FIELD_NUMBER: _ClassVar[int]
    DEPTH_FIELD_NUMBER: _ClassVar[int]
    ETAG_FIELD_NUMBER: _ClassVar[int]
    FINGERPRINT_FIELD_NUMBER: _ClassVar[int]
    LAST_MODIFIED_FIELD_NUMBER: _ClassVar[int]
    META_FIELD_NUMBER: _ClassVar[int]
    NOT_BEFORE_MS_FIELD_NUMBER: _ClassVar[int]
    REFERRER_FIELD_NUMBER: _ClassVar[int]
    SCORE_FIELD_NUMBER: _ClassVar[int]
    URL_FIELD_NUMBER: _ClassVar[int]
    action: ScheduleAction
    attempt: int
    depth: int
    etag: str
    fingerprint: bytes
    last_modified: str
    meta: _containers.ScalarMap[str, bytes]
    not_before_ms: int
    referrer: str
    score: float
    url: str
    def __init__(self, url: _Optional[str] = ..., fingerprint: _Optional[bytes] = ..., depth: _Optional[int] = ..., score: _Optional[float] = ..., not_before_ms: _Optional[int] = ..., attempt: _Optional[int] = ..., etag: _Optional[str] = ..., last_modified: _Optional[str] = ..., meta: _Optional[_Mapping[str, bytes]] = ..., action: _Optional[_Union[ScheduleAction, str]] = ..., referrer: _Optional[str] = ...) -> None: ...

class ScoringLogEntry(_message.Message):
    __slots__ = ["epoch", "marker", "schedule"]
    EPOCH_FIELD_NUMBER: _ClassVar[int]
    MARKER_FIELD_NUMBER: _ClassVar[int]
    SCHEDULE_FIELD_NUMBER: _ClassVar[int]
    epoch: int
    marker: _spider_feed_pb2.Marker
    schedule: ScheduleRequests
    def __init__(self, epoch: _Optional[int] = ..., marker: _Optional[_Union[_spider_feed_pb2.Marker, _Mapping]] = ..., schedule: _Optional[_Union[ScheduleRequests, _Mapping]] = ...) -> None: ...

class ScheduleAction(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = []
