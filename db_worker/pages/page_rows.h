// The format of the table `pages`: the names of its rows and columns, and the bytes of its cells.
//
//   slot, reversed domain, 0x00, fingerprint    a page: `m` what is known of it, `c` its body
//   slot, reversed domain, 0x01, fingerprint    a failed URL: the strategy worker's
//                                               (common/protocol/failed_url_rows.h)
//   slot of the hash, 0x00, content hash, fingerprint    a page that had this content: `u` where
//
// A reversed domain begins with no zero byte, so the two never meet.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

#include "common/base/ids.h"
#include "common/model/arena.h"
#include "common/model/encode_buffer.h"
#include "common/model/spider_log.h"

namespace orbweaver {

inline constexpr std::string_view kPageColumn = "m";
inline constexpr std::string_view kBodyColumn = "c";
inline constexpr std::string_view kWhereColumn = "u";

std::string PageRow(std::string_view domain, const Fingerprint& url);

// The rows of a content hash are [ContentRow(hash, {}), ContentRowsEnd(hash)).
std::string ContentRow(const Fingerprint& hash, const Fingerprint& url);
std::string ContentRowsEnd(const Fingerprint& hash);

// The event that a page's row was last changed by, which is also the version of its cells: so a
// replay, or a worker that was slow, never undoes a later one. Nobody needs to own anything.
struct PageSource {
  uint64_t topic_epoch = 0;
  Offset offset{-1};

  friend auto operator<=>(const PageSource&, const PageSource&) = default;
};
// Fatal when one of them does not fit: 126 topic epochs, 2^56 events of a partition.
absl::StatusOr<Version> VersionOf(const PageSource& source);

// `m`. The page is as the spider logged it (proto/orbweaver/v1/spider_log.proto) without its body;
// views point into the cell and the arena.
struct StoredPage {
  PageSource source;
  std::string_view domain;
  PageFetched page;
};
absl::StatusOr<std::string> EncodePage(const StoredPage& page, EncodeBuffer* buffer);
// Poison for what EncodePage did not write.
absl::Status DecodePage(std::string_view cell, Arena* arena, StoredPage* page);

// `c`: compressed, with the hash of the content that it is the body of.
std::string EncodeBody(const Fingerprint& hash, std::string_view body);
struct StoredBody {
  Fingerprint hash;
  std::string body;
};
absl::StatusOr<StoredBody> DecodeBody(std::string_view cell);

// `u`.
struct Where {
  std::string_view domain;
  std::string_view url;
};
std::string EncodeWhere(const Where& where);
absl::StatusOr<Where> DecodeWhere(std::string_view cell);

}  // namespace orbweaver
