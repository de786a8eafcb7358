#include "common/model/scoring_log.h"

#include "common/model/message_codec.h"
#include "common/model/request_schema.h"

namespace orbweaver {
namespace wire {

template <>
struct Schema<DomainUpdate> {
  using Fields = FieldList<Field<1, "crawl_delay_ms", &DomainUpdate::crawl_delay>,
                           Field<2, "blocked_until_ms", &DomainUpdate::blocked_until>,
                           Field<3, "back_off", &DomainUpdate::back_off>,
                           Field<4, "purge", &DomainUpdate::purge>>;
};

template <>
struct Schema<ScheduledRequest> {
  using Fields = FieldList<
      Field<1, "url", &ScheduledRequest::url, Required<Text<kMaxUrlBytes>>>,
      Field<2, "fingerprint", &ScheduledRequest::fingerprint>,
      Field<3, "depth", &ScheduledRequest::depth>, Field<4, "score", &ScheduledRequest::score>,
      Field<5, "not_before_ms", &ScheduledRequest::not_before>,
      Field<6, "attempt", &ScheduledRequest::attempt>,
      Field<7, "etag", &ScheduledRequest::etag, Text<kMaxEtagBytes>>,
      Field<8, "last_modified", &ScheduledRequest::last_modified, Text<kMaxLastModifiedBytes>>,
      Field<9, "meta", &ScheduledRequest::meta, MetaMap>,
      Field<10, "action", &ScheduledRequest::action>,
      Field<11, "referrer", &ScheduledRequest::referrer, Text<kMaxUrlBytes>>>;
};

template <>
struct Schema<ScheduleRequests> {
  using Fields = FieldList<
      Field<1, "source_topic_epoch", &ScheduleRequests::source_topic_epoch>,
      Field<2, "source_offset", &ScheduleRequests::source_offset>,
      Field<3, "part", &ScheduleRequests::part>,
      Field<4, "domain", &ScheduleRequests::domain, Required<Text<kMaxDomainBytes>>>,
      Field<5, "domain_update", &ScheduleRequests::domain_update, Optional<Message<DomainUpdate>>>,
      Field<6, "requests", &ScheduleRequests::requests,
            Many<Message<ScheduledRequest>, kMaxScheduledRequests>>>;
};

template <>
struct Schema<ScoringLogEntry> {
  static constexpr std::string_view kName = "scoring log entry";
  using Fields = FieldList<Field<1, "epoch", &ScoringLogEntry::epoch>,
                           OneOf<&ScoringLogEntry::entry, Case<2, "marker", Marker>,
                                 Case<3, "schedule", ScheduleRequests>>>;
};

}  // namespace wire

absl::Status Decode(std::string_view bytes, Arena* arena, ScoringLogEntry* entry) {
  return wire::DecodeWhole(bytes, arena, entry);
}

absl::StatusOr<std::string_view> Encode(const ScoringLogEntry& entry, EncodeBuffer* buffer) {
  return wire::EncodeWhole(entry, buffer);
}

}  // namespace orbweaver
