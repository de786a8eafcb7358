#include "common/bus/embedded/stored_batch.h"

#include <algorithm>

#include "common/base/big_endian.h"
#include "common/base/byte_format.h"
#include "common/store/rocksdb/compression.h"

namespace orbweaver {
namespace {

// A busy producer's batches are as large as a batch gets: growing from nothing would copy them once
// more.
constexpr size_t kFirstBytes = size_t{16} << 10;
constexpr uint32_t kCompressed = uint32_t{1} << 31;  // in the head's count

// The wall clock may go back, so times are kept as signed distances: small ones in few bytes.
uint64_t ZigZag(int64_t n) {
  return (static_cast<uint64_t>(n) << 1) ^ static_cast<uint64_t>(n >> 63);
}
int64_t UnZigZag(uint64_t n) { return static_cast<int64_t>((n >> 1) ^ (~(n & 1) + 1)); }

uint64_t Milliseconds(WallTime time) {
  return static_cast<uint64_t>(time.time_since_epoch().count());
}
WallTime FromMilliseconds(uint64_t ms) {
  return WallTime(std::chrono::milliseconds(static_cast<int64_t>(ms)));
}

}  // namespace

bool StoredBatchHead::Decode(std::string_view stored) {
  if (stored.size() < kBytes) return false;
  const char* const in = stored.data();
  count = LoadBigEndian<uint32_t>(in) & ~kCompressed;
  base_time = FromMilliseconds(LoadBigEndian<uint64_t>(in + 4));
  newest_time = FromMilliseconds(LoadBigEndian<uint64_t>(in + 12));
  log_bytes = LoadBigEndian<uint64_t>(in + 20);
  return true;
}

void PackBatch(const StoredBatchHead& head, std::string_view body, std::string* packed) {
  packed->resize(StoredBatchHead::kBytes);
  const bool is_compressed = Compress(body, packed);
  if (!is_compressed) packed->append(body);
  char* const out = packed->data();
  StoreBigEndian(head.count | (is_compressed ? kCompressed : 0), out);
  StoreBigEndian(Milliseconds(head.base_time), out + 4);
  StoreBigEndian(Milliseconds(head.newest_time), out + 12);
  StoreBigEndian(head.log_bytes, out + 20);
}

bool UnpackBatch(std::string_view packed, std::string* batch) {
  if (packed.size() < StoredBatchHead::kBytes) return false;
  const auto count = LoadBigEndian<uint32_t>(packed.data());
  if ((count & kCompressed) == 0) {
    batch->assign(packed);
    return true;
  }
  batch->assign(packed.substr(0, StoredBatchHead::kBytes));
  StoreBigEndian(count & ~kCompressed, batch->data());
  return Decompress(packed.substr(StoredBatchHead::kBytes), batch);
}

void StoredBatchBuilder::Add(const Record& record, WallTime time) {
  if (count_ == 0) {
    base_time_ = newest_time_ = time;
    body_.reserve(kFirstBytes);
  }
  newest_time_ = std::max(newest_time_, time);
  ++count_;
  AppendVarint(record.key.size(), &body_);
  AppendVarint(record.value.size(), &body_);
  AppendVarint(record.headers.size(), &body_);
  AppendVarint(ZigZag((time - base_time_).count()), &body_);
  body_.append(record.key);
  body_.append(record.value);
  for (const Header& header : record.headers) {
    AppendBytes(header.name, &body_);
    AppendBytes(header.value, &body_);
  }
}

std::span<Header> HeaderArena::Allocate(size_t count) {
  constexpr size_t kPerBlock = 256;
  if (blocks_.empty() || blocks_.back().capacity() - blocks_.back().size() < count) {
    blocks_.emplace_back().reserve(std::max(count, kPerBlock));
  }
  std::vector<Header>& block = blocks_.back();
  block.resize(block.size() + count);
  return std::span(block).last(count);
}

bool StoredBatchCursor::Open(std::string_view stored) {
  if (!head_.Decode(stored)) return false;
  left_ = ByteReader(stored.substr(StoredBatchHead::kBytes));
  read_ = 0;
  return true;
}

StoredBatchCursor::Sizes StoredBatchCursor::ReadSizes(ByteReader* in) {
  Sizes sizes{.key = in->Varint<uint64_t>(),
              .value = in->Varint<uint64_t>(),
              .headers = in->Varint<uint64_t>(),
              .time_ms = UnZigZag(in->Varint<uint64_t>())};
  // A header takes two bytes at least; checked before memory is made for them.
  if (sizes.headers > in->left() / 2) in->Fail();
  return sizes;
}

size_t StoredBatchCursor::NextBytes() const {
  ByteReader in = left_;
  const Sizes sizes = ReadSizes(&in);
  return in.ok() ? sizes.key + sizes.value : 0;
}

bool StoredBatchCursor::Next(HeaderArena* headers, Message* message) {
  if (done()) return false;
  const Sizes sizes = ReadSizes(&left_);
  message->key = left_.Raw(sizes.key);
  message->value = left_.Raw(sizes.value);
  message->time = head_.base_time + std::chrono::milliseconds(sizes.time_ms);
  message->headers = {};
  if (left_.ok() && sizes.headers > 0) {
    const std::span<Header> read = headers->Allocate(sizes.headers);
    for (Header& header : read) {
      header.name = left_.Bytes(left_.left());
      header.value = left_.Bytes(left_.left());
    }
    message->headers = read;
  }
  if (!left_.ok()) return false;
  ++read_;
  return true;
}

bool StoredBatchCursor::Skip() {
  if (done()) return false;
  const Sizes sizes = ReadSizes(&left_);
  left_.Raw(sizes.key);
  left_.Raw(sizes.value);
  for (uint64_t i = 0; i < sizes.headers * 2 && left_.ok(); ++i) left_.Bytes(left_.left());
  if (!left_.ok()) return false;
  ++read_;
  return true;
}

}  // namespace orbweaver
