#include "db_worker/pages/page_rows.h"

#include <cstring>
#include <zstd.h>

#include "common/base/big_endian.h"
#include "common/base/check.h"
#include "common/base/status.h"
#include "common/bus/message.h"
#include "common/model/limits.h"
#include "common/url/partition.h"

namespace orbweaver {
namespace {

constexpr char kFormat = 1;
constexpr size_t kFingerprintBytes = 16;
constexpr size_t kPageFixedBytes = 1 + 2 * sizeof(uint64_t);
constexpr size_t kBodyFixedBytes = 1 + kFingerprintBytes;
// Fast, and a third of most documents' size; more effort saves little more.
constexpr int kCompressionLevel = 3;

constexpr uint64_t kMaxTopicEpoch = 126;  // as of VersionSequence
constexpr int kOffsetBits = 56;

void Append(const Fingerprint& fingerprint, std::string* out) {
  const auto bytes = fingerprint.ToBytes();
  out->append(bytes.data(), bytes.size());
}

std::string ContentPrefix(const Fingerprint& hash) {
  static_assert(kSlots == 1 << 12);
  std::string row;
  AppendBigEndian(static_cast<uint16_t>(hash.high >> 52), &row);
  row.push_back('\0');
  Append(hash, &row);
  return row;
}

absl::Status WrongFormat(std::string_view what, std::string_view cell) {
  return PoisonError(
      "{}: {} bytes of format {}, {} is known. A newer version of Orbweaver wrote it", what,
      cell.size(), cell.empty() ? 0 : static_cast<int>(cell[0]), static_cast<int>(kFormat));
}

}  // namespace

std::string PageRow(std::string_view domain, const Fingerprint& url) {
  std::string row = DomainRow(domain);
  row.push_back('\0');
  Append(url, &row);
  return row;
}

std::string ContentRow(const Fingerprint& hash, const Fingerprint& url) {
  std::string row = ContentPrefix(hash);
  Append(url, &row);
  return row;
}

std::string ContentRowsEnd(const Fingerprint& hash) {
  return ContentPrefix(hash) + std::string(kFingerprintBytes + 1, '\xff');
}

absl::StatusOr<Version> VersionOf(const PageSource& source) {
  const auto offset = static_cast<uint64_t>(source.offset.value());
  if (source.topic_epoch > kMaxTopicEpoch || offset >> kOffsetBits != 0) {
    return FatalError("version of topic epoch {} and offset {}: does not fit", source.topic_epoch,
                      source.offset);
  }
  return Version(source.topic_epoch << kOffsetBits | offset);
}

absl::StatusOr<std::string> EncodePage(const StoredPage& page, EncodeBuffer* buffer) {
  ASSIGN_OR_RETURN(const std::string_view entry,
                   Encode(SpiderLogEntry{.domain = page.domain, .event = page.page}, buffer));
  std::string cell(1, kFormat);
  cell.reserve(kPageFixedBytes + entry.size());
  AppendBigEndian(page.source.topic_epoch, &cell);
  AppendBigEndian(static_cast<uint64_t>(page.source.offset.value()), &cell);
  cell += entry;
  return cell;
}

absl::Status DecodePage(std::string_view cell, Arena* arena, StoredPage* page) {
  if (cell.size() < kPageFixedBytes || cell[0] != kFormat) return WrongFormat("stored page", cell);
  page->source.topic_epoch = LoadBigEndian<uint64_t>(cell.data() + 1);
  const auto offset = LoadBigEndian<uint64_t>(cell.data() + 1 + sizeof(uint64_t));
  if (offset >> kOffsetBits != 0) return WrongFormat("stored page", cell);
  page->source.offset = Offset(static_cast<int64_t>(offset));
  SpiderLogEntry entry;
  RETURN_IF_ERROR(Annotate(Decode(cell.substr(kPageFixedBytes), arena, &entry), "stored page"));
  const auto* const fetched = std::get_if<PageFetched>(&entry.event);
  if (fetched == nullptr) return PoisonError("stored page: is another event");
  page->domain = entry.domain;
  page->page = *fetched;
  return absl::OkStatus();
}

std::string EncodeBody(const Fingerprint& hash, std::string_view body) {
  std::string cell(1, kFormat);
  Append(hash, &cell);
  cell.resize(kBodyFixedBytes + ZSTD_compressBound(body.size()));
  const size_t size = ZSTD_compress(cell.data() + kBodyFixedBytes, cell.size() - kBodyFixedBytes,
                                    body.data(), body.size(), kCompressionLevel);
  CHECK(ZSTD_isError(size) == 0);  // fails for want of room or memory only
  cell.resize(kBodyFixedBytes + size);
  return cell;
}

absl::StatusOr<StoredBody> DecodeBody(std::string_view cell) {
  if (cell.size() < kBodyFixedBytes || cell[0] != kFormat) return WrongFormat("stored body", cell);
  StoredBody stored;
  char hash[kFingerprintBytes];
  std::memcpy(hash, cell.data() + 1, sizeof hash);
  stored.hash = Fingerprint::FromBytes(hash);
  const std::string_view frame = cell.substr(kBodyFixedBytes);
  const unsigned long long size = ZSTD_getFrameContentSize(frame.data(), frame.size());
  // Bodies come in records of the spider log. The two values for errors are larger still.
  if (size > kMaxRecordBytes) return PoisonError("stored body: no size, or too large a one");
  stored.body.resize(size);
  const size_t got =
      ZSTD_decompress(stored.body.data(), stored.body.size(), frame.data(), frame.size());
  if (ZSTD_isError(got) != 0 || got != size) {
    return PoisonError("stored body: cannot be decompressed");
  }
  return stored;
}

std::string EncodeWhere(const Where& where) {
  CHECK(where.domain.size() <= kMaxDomainBytes);
  std::string cell(1, static_cast<char>(where.domain.size()));
  cell += where.domain;
  cell += where.url;
  return cell;
}

absl::StatusOr<Where> DecodeWhere(std::string_view cell) {
  const size_t size = cell.empty() ? 0 : static_cast<unsigned char>(cell[0]);
  if (size == 0 || cell.size() < 1 + size)
    return PoisonError("place of a page: {} bytes", cell.size());
  return Where{.domain = cell.substr(1, size), .url = cell.substr(1 + size)};
}

}  // namespace orbweaver
