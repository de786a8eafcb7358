// A chunk: up to 128 requests in one cell of a domain's row.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

#include "common/base/ids.h"
#include "common/model/arena.h"
#include "common/model/scoring_log.h"
#include "common/protocol/watermark.h"

namespace orbweaver {

inline constexpr uint32_t kMaxChunkRequests = 128;
// Places in a chunk are 16 bits. A request takes at most some 14 KB (common/model/limits.h).
inline constexpr size_t kMaxChunkBytes = 65'535;

// Immutable, so thread-safe.
class Chunk {
 public:
  // The message `by` took the request at `place` out: it counts for those who have applied that
  // message, and for nobody else.
  struct TakenOut {
    uint32_t place;
    Watermark by;
  };

  // Poison for bytes that ChunkWriter did not write, or that a newer version wrote. Does not look
  // into the requests.
  static absl::StatusOr<Chunk> Parse(std::string bytes);

  uint32_t size() const { return size_; }
  // Whether a request is there that no message up to `applied`, the head's watermark, has taken
  // out.
  bool Waits(uint32_t index, const Watermark& applied) const;
  std::string_view operator[](uint32_t index) const;
  // By the order of their places.
  std::span<const TakenOut> taken_out() const { return taken_out_; }
  // The same places, with these taken out and no others.
  Chunk WithTakenOut(std::vector<TakenOut> taken_out) const;
  const std::string& bytes() const { return bytes_; }

 private:
  friend class ChunkWriter;
  Chunk(std::string bytes, uint32_t size) : bytes_(std::move(bytes)), size_(size) {}
  uint16_t End(uint32_t index) const;
  absl::Status ParseTakenOut(size_t begin);

  std::string bytes_;
  uint32_t size_;
  std::vector<TakenOut> taken_out_;
};

// Collects the requests of one chunk. Used again after Finish. Not thread-safe.
class ChunkWriter {
 public:
  uint32_t size() const { return static_cast<uint32_t>(ends_.size()); }
  size_t bytes() const { return data_.size(); }

  // Whether one more of `bytes` fits.
  bool Fits(size_t bytes) const {
    return size() < kMaxChunkRequests && data_.size() + bytes <= kMaxChunkBytes;
  }
  // `encoded` as by EncodeRequest or taken from a chunk. Must fit.
  void Add(std::string_view encoded);

  // Of at least one place; forgets what was added.
  Chunk Finish();

 private:
  std::vector<uint16_t> ends_;
  std::string data_;
};

// Appends to *out. The action is not kept, nor fields of a newer schema: the feed has other
// numbers.
void EncodeRequest(const ScheduledRequest& request, std::string* out);

// Replaces *request, whose views point into `encoded` and `arena`. Poison for what EncodeRequest
// did not write; that texts are UTF-8 is not looked at.
absl::Status DecodeRequest(std::string_view encoded, Arena* arena, ScheduledRequest* request);

// Of an encoded request; all zero when it is too short to have one.
Fingerprint EncodedFingerprint(std::string_view encoded);

}  // namespace orbweaver
