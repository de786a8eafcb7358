#include "common/model/spider_feed.h"

#include "common/model/message_codec.h"
#include "common/model/request_schema.h"

namespace orbweaver {

template <>
struct wire::Schema<SpiderFeedEntry> {
  static constexpr std::string_view kName = "spider feed entry";
  using Fields = FieldList<
      Field<1, "epoch", &SpiderFeedEntry::epoch>,
      OneOf<&SpiderFeedEntry::entry, Case<2, "marker", Marker>, Case<3, "request", Request>>>;
};

absl::Status Decode(std::string_view bytes, Arena* arena, SpiderFeedEntry* entry) {
  return wire::DecodeWhole(bytes, arena, entry);
}

absl::StatusOr<std::string_view> Encode(const SpiderFeedEntry& entry, EncodeBuffer* buffer) {
  return wire::EncodeWhole(entry, buffer);
}

}  // namespace orbweaver
