// The fields of the messages that several topics share. For the codecs only.
#pragma once

#include "common/model/message_codec.h"
#include "common/model/spider_feed.h"

namespace orbweaver::wire {

template <>
struct Schema<Meta> {
  using Fields = FieldList<Field<1, "key", &Meta::key, Text<kMaxMetaKeyBytes>>,
                           Field<2, "value", &Meta::value, Bytes<kMaxMetaValueBytes>>>;
};
using MetaMap = Many<Message<Meta>, kMaxMetaEntries>;

template <>
struct Schema<Marker> {
  using Fields = FieldList<Field<1, "owner", &Marker::owner, Text<kMaxWorkerIdBytes>>,
                           Field<2, "written_at_ms", &Marker::written_at>>;
};

template <>
struct Schema<Request> {
  using Fields =
      FieldList<Field<1, "url", &Request::url, Required<Text<kMaxUrlBytes>>>,
                Field<2, "fingerprint", &Request::fingerprint>,
                Field<3, "domain", &Request::domain, Required<Text<kMaxDomainBytes>>>,
                Field<4, "depth", &Request::depth>, Field<5, "score", &Request::score>,
                Field<6, "attempt", &Request::attempt>,
                Field<7, "etag", &Request::etag, Text<kMaxEtagBytes>>,
                Field<8, "last_modified", &Request::last_modified, Text<kMaxLastModifiedBytes>>,
                Field<9, "band", &Request::band>, Field<10, "seq", &Request::seq>,
                Field<11, "index", &Request::index>, Field<12, "meta", &Request::meta, MetaMap>,
                Field<13, "delay_ms", &Request::delay>,
                Field<14, "referrer", &Request::referrer, Text<kMaxUrlBytes>>>;
};

}  // namespace orbweaver::wire
