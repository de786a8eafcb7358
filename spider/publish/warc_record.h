// Records of WARC 1.1 (https://iipc.github.io/warc-specifications/), each a gzip member of its own.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"

#include "common/base/clock.h"

namespace orbweaver {

struct WarcRecord {
  std::string_view type;  // "response"
  std::string_view id;    // of NewWarcId
  WallTime date;
  // Further headers, in their order.
  std::vector<std::pair<std::string_view, std::string>> headers;
  std::string_view content_type;
  // The block, in two parts that stand one behind the other: an HTTP head, and its payload.
  std::string_view head;
  std::string_view payload;
};

// "<urn:uuid:…>", drawn from the system's randomness.
std::string NewWarcId();

// As WARC 1.1 writes times: UTC, with milliseconds.
std::string WarcDate(WallTime time);

// "sha1:" and 32 characters of base 32: what archives write and tools check.
std::string WarcDigest(std::string_view first, std::string_view second = {});

// Place: in WarcWriter, one a thread. Keeps its buffers and the compressor's state. Not
// thread-safe.
class WarcEncoder {
 public:
  // `level` of gzip, 1 to 9. The first is ISA-L's, a quarter to an eighth of zlib's work for files
  // as small; the others are libdeflate's.
  explicit WarcEncoder(int level);
  ~WarcEncoder();

  // `record` with its WARC-Block-Digest. Valid until the next call.
  std::string_view Encode(const WarcRecord& record);

 private:
  struct Fast;
  struct Small;

  const std::unique_ptr<Fast> fast_;    // one of them
  const std::unique_ptr<Small> small_;  // is null
  std::string text_;
  std::string compressed_;
};

// The content of one gzip member; fatal when the bytes are none, or not whole.
absl::StatusOr<std::string> UnpackGzipMember(std::string_view packed);

// A gzip member of a file.
struct GzipMember {
  uint64_t offset = 0;
  uint64_t length = 0;
  std::string_view head;  // what it begins with, unpacked
};

// Calls `visit` for each whole member with at most `head_bytes` of what is in it; returns how many
// bytes of the file, from its start, are whole members. Reads all of it.
absl::StatusOr<uint64_t> ReadGzipMembers(int fd, size_t head_bytes,
                                         absl::FunctionRef<void(const GzipMember&)> visit);

}  // namespace orbweaver
