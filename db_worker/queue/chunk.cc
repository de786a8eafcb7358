#include "db_worker/queue/chunk.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "common/base/byte_format.h"
#include "common/base/check.h"
#include "common/base/status.h"
#include "common/model/limits.h"
#include "common/model/wire.h"

namespace orbweaver {
namespace {

constexpr char kFormat = 1;
// With what was taken out, behind all else: number; for each, place and watermark.
constexpr char kFormatTakenOut = 2;
// Format, number of places; then a 16-bit end for each place, then the requests.
constexpr size_t kFixedBytes = 2;
constexpr size_t kEndBytes = sizeof(uint16_t);

// Fields that most requests do not have.
enum Present : uint8_t {
  kNotBefore = 1,
  kAttempt = 2,
  kEtag = 4,
  kLastModified = 8,
  kMeta = 16,
  kReferrer = 32,
};

void AppendText(std::string_view text, std::string* out) {
  AppendVarint(text.size(), out);
  out->append(text);
}

bool ReadText(wire::Reader& in, size_t most, std::string_view* text) {
  return in.ReadBytes(text) && text->size() <= most;
}

bool ReadNumber32(wire::Reader& in, uint32_t* number) {
  uint64_t wide;
  if (!in.ReadVarint(&wide) || wide > UINT32_MAX) return false;
  *number = static_cast<uint32_t>(wide);
  return true;
}

bool ReadMeta(wire::Reader& in, Arena* arena, std::span<const Meta>* meta) {
  uint64_t count;
  if (!in.ReadVarint(&count) || count > kMaxMetaEntries) return false;
  ArenaList<Meta> list;
  for (; count > 0; --count) {
    Meta* const entry = list.Append(*arena);
    if (!ReadText(in, kMaxMetaKeyBytes, &entry->key)) return false;
    if (!ReadText(in, kMaxMetaValueBytes, &entry->value)) return false;
  }
  *meta = list.view();
  return true;
}

bool ReadRequest(wire::Reader& in, Arena* arena, ScheduledRequest* request) {
  uint8_t present;
  std::array<char, 16> fingerprint;
  if (!in.ReadFixed(&present) || !in.ReadFixed(&fingerprint) || !in.ReadFixed(&request->score)) {
    return false;
  }
  char raw[16];
  std::memcpy(raw, fingerprint.data(), sizeof raw);
  request->fingerprint = Fingerprint::FromBytes(raw);
  if (!ReadNumber32(in, &request->depth)) return false;
  if (!ReadText(in, kMaxUrlBytes, &request->url)) return false;
  if ((present & kNotBefore) != 0) {
    uint64_t not_before_ms;
    if (!in.ReadVarint(&not_before_ms) || not_before_ms > static_cast<uint64_t>(kMaxTimeMs)) {
      return false;
    }
    request->not_before = WallTime(std::chrono::milliseconds(not_before_ms));
  }
  if ((present & kAttempt) != 0 && !ReadNumber32(in, &request->attempt)) return false;
  if ((present & kEtag) != 0 && !ReadText(in, kMaxEtagBytes, &request->etag)) return false;
  if ((present & kLastModified) != 0 &&
      !ReadText(in, kMaxLastModifiedBytes, &request->last_modified)) {
    return false;
  }
  if ((present & kMeta) != 0 && !ReadMeta(in, arena, &request->meta)) return false;
  return (present & kReferrer) == 0 || ReadText(in, kMaxUrlBytes, &request->referrer);
}

}  // namespace

void ChunkWriter::Add(std::string_view encoded) {
  CHECK(Fits(encoded.size()));
  data_.append(encoded);
  ends_.push_back(static_cast<uint16_t>(data_.size()));
}

Chunk ChunkWriter::Finish() {
  CHECK(!ends_.empty());
  const uint32_t places = size();
  std::string chunk;
  chunk.reserve(kFixedBytes + kEndBytes * ends_.size() + data_.size());
  chunk.push_back(kFormat);
  chunk.push_back(static_cast<char>(ends_.size()));
  static_assert(std::endian::native == std::endian::little);
  chunk.append(reinterpret_cast<const char*>(ends_.data()), kEndBytes * ends_.size());
  chunk.append(data_);
  ends_.clear();
  data_.clear();
  return Chunk(std::move(chunk), places);
}

absl::StatusOr<Chunk> Chunk::Parse(std::string bytes) {
  if (bytes.size() < kFixedBytes || (bytes[0] != kFormat && bytes[0] != kFormatTakenOut)) {
    return PoisonError("chunk: format {}, up to {} is known. A newer version of Orbweaver wrote it",
                       bytes.empty() ? 0 : static_cast<int>(bytes[0]),
                       static_cast<int>(kFormatTakenOut));
  }
  const auto size = static_cast<uint32_t>(static_cast<unsigned char>(bytes[1]));
  const size_t data = kFixedBytes + kEndBytes * size;
  if (size == 0 || size > kMaxChunkRequests || bytes.size() < data) {
    return PoisonError("chunk: {} requests in {} bytes", size, bytes.size());
  }
  Chunk chunk(std::move(bytes), size);
  uint16_t last = 0;
  for (uint32_t i = 0; i < size; ++i) {
    const uint16_t end = chunk.End(i);
    if (end < last) return PoisonError("chunk: request {} ends before it begins", i);
    last = end;
  }
  if (chunk.bytes_[0] == kFormatTakenOut && data + last <= chunk.bytes_.size()) {
    RETURN_IF_ERROR(chunk.ParseTakenOut(data + last));
    return chunk;
  }
  if (data + last != chunk.bytes_.size()) {
    return PoisonError("chunk: {} bytes, {} expected", chunk.bytes_.size(), data + last);
  }
  return chunk;
}

absl::Status Chunk::ParseTakenOut(size_t begin) {
  wire::Fault fault;
  wire::Reader in(std::string_view(bytes_).substr(begin), fault);
  uint8_t count = 0;
  bool ok = in.ReadFixed(&count) && count > 0;
  for (; ok && count > 0; --count) {
    uint8_t place = 0;
    TakenOut one{};
    uint64_t offset = 0;
    ok = in.ReadFixed(&place) && in.ReadVarint(&one.by.topic_epoch) && in.ReadVarint(&offset) &&
         offset <= INT64_MAX && ReadNumber32(in, &one.by.part) && place < size_ &&
         (taken_out_.empty() || taken_out_.back().place < place);
    one.place = place;
    one.by.offset = Offset(static_cast<int64_t>(offset));
    taken_out_.push_back(one);
  }
  if (!ok || !in.AtEnd()) {
    return PoisonError("chunk: {} extra bytes behind its requests", bytes_.size() - begin);
  }
  return absl::OkStatus();
}

bool Chunk::Waits(uint32_t index, const Watermark& applied) const {
  if ((*this)[index].empty()) return false;
  if (taken_out_.empty()) return true;
  const auto found =
      std::lower_bound(taken_out_.begin(), taken_out_.end(), index,
                       [](const TakenOut& one, uint32_t place) { return one.place < place; });
  return found == taken_out_.end() || found->place != index || found->by > applied;
}

Chunk Chunk::WithTakenOut(std::vector<TakenOut> taken_out) const {
  const size_t end = kFixedBytes + kEndBytes * size_ + End(size_ - 1);
  std::string bytes = bytes_.substr(0, end);
  if (!taken_out.empty()) {
    bytes[0] = kFormatTakenOut;
    bytes.push_back(static_cast<char>(taken_out.size()));
    for (const TakenOut& one : taken_out) {
      bytes.push_back(static_cast<char>(one.place));
      AppendVarint(one.by.topic_epoch, &bytes);
      AppendVarint(static_cast<uint64_t>(one.by.offset.value()), &bytes);
      AppendVarint(one.by.part, &bytes);
    }
  } else {
    bytes[0] = kFormat;
  }
  Chunk chunk(std::move(bytes), size_);
  chunk.taken_out_ = std::move(taken_out);
  return chunk;
}

uint16_t Chunk::End(uint32_t index) const {
  uint16_t end;
  std::memcpy(&end, bytes_.data() + kFixedBytes + kEndBytes * index, sizeof end);
  return end;
}

std::string_view Chunk::operator[](uint32_t index) const {
  const uint16_t begin = index == 0 ? 0 : End(index - 1);
  const char* const data = bytes_.data() + kFixedBytes + kEndBytes * size_;
  return {data + begin, static_cast<size_t>(End(index) - begin)};
}

void EncodeRequest(const ScheduledRequest& request, std::string* out) {
  uint8_t present = 0;
  if (request.not_before != WallTime()) present |= kNotBefore;
  if (request.attempt != 0) present |= kAttempt;
  if (!request.etag.empty()) present |= kEtag;
  if (!request.last_modified.empty()) present |= kLastModified;
  if (!request.meta.empty()) present |= kMeta;
  if (!request.referrer.empty()) present |= kReferrer;
  // The fields that every request has are appended at once: this is called for every request.
  char fixed[1 + 16 + sizeof request.score + 2 * kMaxVarintBytes];
  fixed[0] = static_cast<char>(present);
  const auto fingerprint = request.fingerprint.ToBytes();
  std::memcpy(fixed + 1, fingerprint.data(), fingerprint.size());
  char* at = fixed + 1 + fingerprint.size();
  std::memcpy(at, &request.score, sizeof request.score);
  at = WriteVarint(request.depth, at + sizeof request.score);
  at = WriteVarint(request.url.size(), at);
  out->append(fixed, static_cast<size_t>(at - fixed));
  out->append(request.url);
  if ((present & kNotBefore) != 0) {
    AppendVarint(static_cast<uint64_t>(request.not_before.time_since_epoch().count()), out);
  }
  if ((present & kAttempt) != 0) AppendVarint(request.attempt, out);
  if ((present & kEtag) != 0) AppendText(request.etag, out);
  if ((present & kLastModified) != 0) AppendText(request.last_modified, out);
  if ((present & kMeta) != 0) {
    AppendVarint(request.meta.size(), out);
    for (const Meta& entry : request.meta) {
      AppendText(entry.key, out);
      AppendText(entry.value, out);
    }
  }
  if ((present & kReferrer) != 0) AppendText(request.referrer, out);
}

absl::Status DecodeRequest(std::string_view encoded, Arena* arena, ScheduledRequest* request) {
  *request = {};
  wire::Fault fault;
  wire::Reader in(encoded, fault);
  if (!ReadRequest(in, arena, request) || !in.AtEnd()) {
    return PoisonError("queued request: {} bytes that are not one", encoded.size());
  }
  return absl::OkStatus();
}

Fingerprint EncodedFingerprint(std::string_view encoded) {
  char raw[16] = {};
  if (encoded.size() > sizeof raw) std::memcpy(raw, encoded.data() + 1, sizeof raw);
  return Fingerprint::FromBytes(raw);
}

}  // namespace orbweaver
