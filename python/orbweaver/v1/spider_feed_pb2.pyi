from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Mapping as _Mapping, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Marker(_message.Message):
    __slots__ = ["owner", "written_at_ms"]
    OWNER_FIELD_NUMBER: _ClassVar[int]
    WRITTEN_AT_MS_FIELD_NUMBER: _ClassVar[int]
    owner: str
    written_at_ms: int
    def __init__(self, owner: _Optional[str] = ..., written_at_ms: _Optional[int] = ...) -> None: ...

class Request(_message.Message):
    __slots__ = ["attempt", "band", "delay_ms", "depth", "domain", "etag", "fingerprint", "index", "last_modified", "meta", "referrer", "score", "seq", "url"]
    class MetaEntry(_message.Message):
        __slots__ = ["key", "value"]
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: bytes
        def __init__(self, key: _Optional[str] = ..., value: _Optional[bytes] = ...) -> None: ...
    ATTEMPT_FIELD_NUMBER: _ClassVar[int]
    BAND_FIELD_NUMBER: _ClassVar[int]
    DELAY_MS_FIELD_NUMBER: _ClassVar[int]
    DEPTH_FIELD_NUMBER: _ClassVar[int]
    DOMAIN_FIELD_NUMBER: _ClassVar[int]
    ETAG_FIELD_NUMBER: _ClassVar[int]
    FINGERPRINT_FIELD_NUMBER: _ClassVar[int]
    INDEX_FIELD_NUMBER: _ClassVar[int]
    LAST_MODIFIED_FIELD_NUMBER: _ClassVar[int]
    META_FIELD_NUMBER: _ClassVar[int]
    REFERRER_FIELD_NUMBER: _ClassVar[int]
    SCORE_FIELD_NUMBER: _ClassVar[int]
    SEQ_FIELD_NUMBER: _ClassVar[int]
    URL_FIELD_NUMBER: _ClassVar[int]
    attempt: int
    band: int
    delay_ms: int
    depth: int
    domain: str
    etag: str
    fingerprint: bytes
    index: int
    last_modified: str
    meta: _containers.ScalarMap[str, bytes]
    referrer: str
    score: float
    seq: int
    url: str
    def __init__(self, url: _Optional[str] = ..., fingerprint: _Optional[bytes] = ..., domain: _Optional[str] = ..., depth: _Optional[int] = ..., score: _Optional[float] = ..., attempt: _Optional[int] = ..., etag: _Optional[str] = ..., last_modified: _Optional[str] = ..., band: _Optional[int] = ..., seq: _Optional[int] = ..., index: _Optional[int] = ..., meta: _Optional[_Mapping[str, bytes]] = ..., delay_ms: _Optional[int] = ..., referrer: _Optional[str] = ...) -> None: ...

class SpiderFeedEntry(_message.Message):
    __slots__ = ["epoch", "marker", "request"]
    EPOCH_FIELD_NUMBER: _ClassVar[int]
    MARKER_FIELD_NUMBER: _ClassVar[int]
    REQUEST_FIELD_NUMBER: _ClassVar[int]
    epoch: int
    marker: Marker
    request: Request
    def __init__(self, epoch: _Optional[int] = ..., marker: _Optional[_Union[Marker, _Mapping]] = ..., request: _Optional[_Union[Request, _Mapping]] = ...) -> None: ...
