// Messages of the spider feed: plain structs, their decoder and their encoder.
// proto/orbweaver/v1/spider_feed.proto defines each field.
//
// Here and in the other messages: views and spans of a decoded message point into the bytes it was
// decoded from and into the arena, and live as long as both. `unknown` holds the fields that a
// newer schema has and this one has not; encoding writes them again. Limits: limits.h.
#pragma once

#include <chrono>
#include <cstdint>
#include <span>
#include <string_view>
#include <variant>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

#include "common/base/clock.h"
#include "common/base/ids.h"
#include "common/model/arena.h"
#include "common/model/encode_buffer.h"

namespace orbweaver {

// An entry of a `meta` map. Should a key come twice, the later one counts.
struct Meta {
  std::string_view key;
  std::string_view value;
};

struct Marker {
  std::string_view owner;
  WallTime written_at;
  std::string_view unknown;
};

struct Request {
  std::string_view url;
  Fingerprint fingerprint;
  std::string_view domain;
  uint32_t depth = 0;
  float score = 0;
  uint32_t attempt = 0;
  std::string_view etag;
  std::string_view last_modified;
  uint32_t band = 0;
  uint64_t seq = 0;
  uint32_t index = 0;
  std::span<const Meta> meta;
  std::chrono::milliseconds delay{};
  std::string_view referrer;
  std::string_view unknown;
};

struct SpiderFeedEntry {
  Offset epoch;
  std::variant<Marker, Request> entry;
  std::string_view unknown;
};

// Replaces *entry. Poison, naming the field and what is wrong with it, for anything that Encode
// would not have written; *entry is then not to be used. Memory is taken from `arena` only,
// and bounded by the message's own bytes and the bounds of its lists. Never blocks.
absl::Status Decode(std::string_view bytes, Arena* arena, SpiderFeedEntry* entry);

// Replaces what `buffer` holds; the view lives until its next change. Poison for what Decode would
// refuse (a bound, a required field, text that is not UTF-8): what is encoded can be decoded.
absl::StatusOr<std::string_view> Encode(const SpiderFeedEntry& entry, EncodeBuffer* buffer);

}  // namespace orbweaver
