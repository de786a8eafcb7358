#include "strategy_worker/states/packed_link.h"

#include <algorithm>
#include <cstring>

#include "common/base/check.h"

namespace orbweaver {
namespace {

constexpr uint64_t kMaxDepth = (1u << (kDueShift - kDepthShift)) - 1;
constexpr uint64_t kMaxDueMs = (uint64_t{1} << (64 - kDueShift)) - 1;
constexpr size_t kShortWordBytes = 3;  // all but the due time: 22 bits
constexpr size_t kTimeBytes = 6;

size_t WordBytes(uint64_t word) { return (word & kHasDueBit) != 0 ? sizeof word : kShortWordBytes; }

uint64_t PackedTime(WallTime time, uint64_t max_ms) {
  const int64_t ms = time.time_since_epoch().count();
  return ms <= 0 ? 0 : std::min(static_cast<uint64_t>(ms), max_ms);
}

std::string_view Fitting(const std::string& validator, size_t max_bytes) {
  return validator.size() <= max_bytes ? std::string_view(validator) : std::string_view();
}

// The fields of `fetched`, in their order.
struct Fetched {
  uint32_t fetches = 0;
  uint32_t errors = 0;
  uint16_t http_status = 0;
  uint64_t fetched_at_ms = 0;
  uint64_t content_hash = 0;
  std::string_view etag;
  std::string_view last_modified;

  bool IsNever() const {
    return (fetches | errors | http_status | fetched_at_ms | content_hash) == 0 && etag.empty() &&
           last_modified.empty();
  }
};

Fetched ReadFetched(ByteReader& reader) {
  Fetched fetched;
  fetched.fetches = reader.Varint<uint32_t>();
  fetched.errors = reader.Varint<uint32_t>();
  fetched.http_status = reader.Varint<uint16_t>();
  const std::string_view time = reader.Raw(kTimeBytes);
  if (!time.empty()) std::memcpy(&fetched.fetched_at_ms, time.data(), kTimeBytes);
  fetched.content_hash = reader.Fixed<uint64_t>();
  fetched.etag = reader.Bytes(kMaxEtagBytes);
  fetched.last_modified = reader.Bytes(kMaxLastModifiedBytes);
  return fetched;
}

char* WriteFetched(const Fetched& fetched, char* out) {
  out = WriteVarint(fetched.fetches, out);
  out = WriteVarint(fetched.errors, out);
  out = WriteVarint(fetched.http_status, out);
  std::memcpy(out, &fetched.fetched_at_ms, kTimeBytes);
  out = WriteFixed(fetched.content_hash, out + kTimeBytes);
  out = WriteVarint(fetched.etag.size(), out);
  out = WriteRaw(fetched.etag, out);
  out = WriteVarint(fetched.last_modified.size(), out);
  return WriteRaw(fetched.last_modified, out);
}

}  // namespace

PackedLink LinkPacker::Pack(const LinkState& state) {
  PackedLink packed;
  packed.word = static_cast<uint64_t>(state.status) | std::min<uint64_t>(state.depth, kMaxDepth)
                                                          << kDepthShift;
  std::memcpy(&packed.data, state.data.data(), sizeof packed.data);
  if (packed.data != 0) packed.word |= kHasDataBit;
  const uint64_t due_ms = PackedTime(state.due_at, kMaxDueMs);
  if (due_ms != 0) packed.word |= kHasDueBit | due_ms << kDueShift;
  const Fetched fetched = {
      .fetches = state.fetches,
      .errors = state.errors,
      .http_status = state.http_status,
      .fetched_at_ms = PackedTime(state.fetched_at, (uint64_t{1} << (8 * kTimeBytes)) - 1),
      .content_hash = state.content_hash,
      .etag = Fitting(state.etag, kMaxEtagBytes),
      .last_modified = Fitting(state.last_modified, kMaxLastModifiedBytes)};
  if (!fetched.IsNever()) {
    packed.word |= kFetchedBit;
    packed.fetched = {fetched_, static_cast<size_t>(WriteFetched(fetched, fetched_) - fetched_)};
  }
  return packed;
}

void Unpack(const PackedLink& packed, LinkState* state) {
  using std::chrono::milliseconds;
  state->status = static_cast<LinkStatus>(packed.word & kStatusMask);
  state->depth = static_cast<uint32_t>(packed.word >> kDepthShift & kMaxDepth);
  std::memcpy(state->data.data(), &packed.data, sizeof packed.data);
  state->due_at = WallTime(milliseconds(packed.word >> kDueShift));
  if (packed.fetched.empty()) {
    // Most states, most of the time: an assignment to a string is a call.
    state->fetches = 0;
    state->errors = 0;
    state->http_status = 0;
    state->fetched_at = WallTime();
    state->content_hash = 0;
    if (!state->etag.empty()) state->etag.clear();
    if (!state->last_modified.empty()) state->last_modified.clear();
    return;
  }
  ByteReader reader(packed.fetched);
  const Fetched fetched = ReadFetched(reader);
  CHECK(reader.ok());
  state->fetches = fetched.fetches;
  state->errors = fetched.errors;
  state->http_status = fetched.http_status;
  state->fetched_at = WallTime(milliseconds(fetched.fetched_at_ms));
  state->content_hash = fetched.content_hash;
  state->etag = fetched.etag;
  state->last_modified = fetched.last_modified;
}

PackedLink OutOfQueue(const PackedLink& packed) {
  // The first of the fetched bytes are the fetches, as a varint.
  const bool was_fetched = !packed.fetched.empty() && packed.fetched.front() != 0;
  const LinkStatus status = was_fetched ? LinkStatus::kCrawled : LinkStatus::kNotCrawled;
  PackedLink out = packed;
  out.word = (packed.word & ~kStatusMask) | static_cast<uint64_t>(status);
  return out;
}

char* WriteState(const PackedLink& packed, char* out) {
  std::memcpy(out, &packed.word, sizeof packed.word);
  out += WordBytes(packed.word);
  if ((packed.word & kHasDataBit) != 0) out = WriteFixed(packed.data, out);
  return WriteRaw(packed.fetched, out);
}

PackedLink StateOf(std::string_view bytes) {
  PackedLink packed;
  std::memcpy(&packed.word, bytes.data(), kShortWordBytes);
  std::memcpy(&packed.word, bytes.data(), WordBytes(packed.word));
  bytes.remove_prefix(WordBytes(packed.word));
  if ((packed.word & kHasDataBit) != 0) {
    std::memcpy(&packed.data, bytes.data(), sizeof packed.data);
    bytes.remove_prefix(sizeof packed.data);
  }
  packed.fetched = bytes;
  return packed;
}

bool ReadAnyEntry(ByteReader& reader, uint64_t* key, PackedLink* packed) {
  *packed = {};
  *key = reader.Fixed<uint64_t>();
  std::string_view word = reader.Raw(kShortWordBytes);
  if (!reader.ok()) return false;
  std::memcpy(&packed->word, word.data(), kShortWordBytes);
  if ((packed->word & kHasDueBit) != 0) {
    word = reader.Raw(sizeof packed->word - kShortWordBytes);
    if (!reader.ok()) return false;
    std::memcpy(reinterpret_cast<char*>(&packed->word) + kShortWordBytes, word.data(), word.size());
  }
  if ((packed->word & kStatusMask) > static_cast<uint64_t>(LinkStatus::kGone) ||
      ((packed->word & kHasDueBit) != 0) != (packed->word >> kDueShift != 0)) {
    return reader.Fail();
  }
  if ((packed->word & kHasDataBit) != 0) {
    packed->data = reader.Fixed<uint64_t>();
    if (packed->data == 0) return reader.Fail();
  }
  if ((packed->word & kFetchedBit) != 0) {
    const char* const begin = reader.position();
    if (ReadFetched(reader).IsNever()) return reader.Fail();
    packed->fetched = {begin, static_cast<size_t>(reader.position() - begin)};
  }
  return reader.ok();
}

}  // namespace orbweaver
