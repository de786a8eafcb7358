#include "common/bus/embedded/stored_batch.h"

#include <algorithm>

#include "common/base/big_endian.h"

namespace orbweaver {
namespace {

// A busy producer's batches are as large as a batch gets: growing from nothing would copy them once
// more.
constexpr size_t kFirstBytes = size_t{16} << 10;

void AppendVarint(uint64_t number, std::string* out) {
  char bytes[10];
  size_t size = 0;
  for (; number >= 0x80; number >>= 7) bytes[size++] = static_cast<char>(number | 0x80);
  bytes[size++] = static_cast<char>(number);
  out->append(bytes, size);
}

bool ReadVarint(std::string_view* in, uint64_t* number) {
  *number = 0;
  for (size_t i = 0; i < in->size() && i < 10; ++i) {
    const auto byte = static_cast<unsigned char>((*in)[i]);
    *number |= static_cast<uint64_t>(byte & 0x7f) << (7 * i);
    if (byte >= 0x80) continue;
    in->remove_prefix(i + 1);
    return true;
  }
  return false;
}

bool ReadBytes(std::string_view* in, uint64_t size, std::string_view* bytes) {
  if (size > in->size()) return false;
  *bytes = in->substr(0, size);
  in->remove_prefix(size);
  return true;
}

bool ReadSized(std::string_view* in, std::string_view* bytes) {
  uint64_t size;
  return ReadVarint(in, &size) && ReadBytes(in, size, bytes);
}

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

void StoredBatchHead::EncodeTo(char (&out)[kBytes]) const {
  StoreBigEndian(count, out);
  StoreBigEndian(Milliseconds(base_time), out + 4);
  StoreBigEndian(Milliseconds(newest_time), out + 12);
  StoreBigEndian(log_bytes, out + 20);
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
    AppendVarint(header.name.size(), &body_);
    body_.append(header.name);
    AppendVarint(header.value.size(), &body_);
    body_.append(header.value);
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
  if (stored.size() < StoredBatchHead::kBytes) return false;
  const char* const in = stored.data();
  head_.count = LoadBigEndian<uint32_t>(in);
  head_.base_time = FromMilliseconds(LoadBigEndian<uint64_t>(in + 4));
  head_.newest_time = FromMilliseconds(LoadBigEndian<uint64_t>(in + 12));
  head_.log_bytes = LoadBigEndian<uint64_t>(in + 20);
  left_ = stored.substr(StoredBatchHead::kBytes);
  read_ = 0;
  return true;
}

bool StoredBatchCursor::ReadSizes(std::string_view* in, Sizes* sizes) const {
  uint64_t time;
  if (!ReadVarint(in, &sizes->key) || !ReadVarint(in, &sizes->value) ||
      !ReadVarint(in, &sizes->headers) || !ReadVarint(in, &time)) {
    return false;
  }
  sizes->time_ms = UnZigZag(time);
  // A header takes two bytes at least; checked before memory is made for them.
  return sizes->headers <= in->size() / 2;
}

size_t StoredBatchCursor::NextBytes() const {
  std::string_view in = left_;
  Sizes sizes;
  return ReadSizes(&in, &sizes) ? sizes.key + sizes.value : 0;
}

bool StoredBatchCursor::Next(HeaderArena* headers, Message* message) {
  Sizes sizes;
  if (done() || !ReadSizes(&left_, &sizes) || !ReadBytes(&left_, sizes.key, &message->key) ||
      !ReadBytes(&left_, sizes.value, &message->value)) {
    return false;
  }
  message->time = head_.base_time + std::chrono::milliseconds(sizes.time_ms);
  message->headers = {};
  if (sizes.headers > 0) {
    const std::span<Header> read = headers->Allocate(sizes.headers);
    for (Header& header : read) {
      if (!ReadSized(&left_, &header.name) || !ReadSized(&left_, &header.value)) return false;
    }
    message->headers = read;
  }
  ++read_;
  return true;
}

bool StoredBatchCursor::Skip() {
  Sizes sizes;
  std::string_view bytes;
  if (done() || !ReadSizes(&left_, &sizes) || !ReadBytes(&left_, sizes.key, &bytes) ||
      !ReadBytes(&left_, sizes.value, &bytes)) {
    return false;
  }
  for (uint64_t i = 0; i < sizes.headers * 2; ++i) {
    if (!ReadSized(&left_, &bytes)) return false;
  }
  ++read_;
  return true;
}

}  // namespace orbweaver
