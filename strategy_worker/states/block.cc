#include "strategy_worker/states/block.h"

#include <algorithm>

#include "common/base/check.h"
#include "common/base/status.h"
#include "strategy_worker/states/byte_format.h"

namespace orbweaver {
namespace {

constexpr uint8_t kFormat = 1;
// A word is written whole, of which only the beginning may count.
constexpr size_t kSlackBytes = 8;

void AppendHead(std::span<const Version> chain, size_t entries, std::string* out) {
  AppendFixed(kFormat, out);
  AppendVarint(chain.size(), out);
  for (const Version version : chain) AppendFixed(version.value(), out);
  AppendVarint(entries, out);
}

// Makes room for many entries at once and takes back what they did not need.
class EntryWriter {
 public:
  EntryWriter(size_t bytes_bound, std::string* out) : out_(*out), end_(out->size()) {
    out_.resize(end_ + bytes_bound);
  }
  ~EntryWriter() { out_.resize(end_); }

  void Add(uint64_t key, const PackedLink& packed) {
    char* const begin = out_.data();
    end_ = static_cast<size_t>(WriteState(packed, WriteFixed(key, begin + end_)) - begin);
  }

 private:
  std::string& out_;
  size_t end_;
};

absl::Status ReadHead(ByteReader& reader, std::vector<Version>* chain, size_t* entries) {
  const auto format = reader.Fixed<uint8_t>();
  if (reader.ok() && format != kFormat) {
    return PoisonError("block of link states: format {}, this version reads {}", format, kFormat);
  }
  const auto chain_size = reader.Varint<uint64_t>();
  if (chain_size > reader.left() / sizeof(uint64_t)) reader.Fail();
  uint64_t last = 0;
  for (uint64_t i = 0; reader.ok() && i < chain_size; ++i) {
    const auto version = reader.Fixed<uint64_t>();
    if (version <= last) reader.Fail();
    last = version;
    if (chain != nullptr) chain->push_back(Version(version));
  }
  *entries = reader.Varint<uint64_t>();
  if (*entries > reader.left() / kMinEntryBytes) reader.Fail();
  return reader.ok() ? absl::OkStatus()
                     : PoisonError("block of link states: its head makes no sense");
}

}  // namespace

void EncodeBase(const LinkSet& set, std::string* out) {
  AppendHead({}, set.size(), out);
  EntryWriter writer(set.EntryBytesBound() + kSlackBytes, out);
  set.ForEach([&](uint64_t key, const PackedLink& packed) { writer.Add(key, packed); });
}

void EncodeDelta(const LinkSet& set, std::span<const Version> chain, std::span<const uint64_t> keys,
                 std::string* out) {
  AppendHead(chain, keys.size(), out);
  for (const uint64_t key : keys) {
    PackedLink packed;
    CHECK(set.Find(key, &packed));
    EntryWriter writer(kMaxUnfetchedEntryBytes + packed.fetched.size() + kSlackBytes, out);
    writer.Add(key, packed);
  }
}

absl::Status DecodeChain(std::string_view block, std::vector<Version>* chain) {
  ByteReader reader(block);
  size_t entries;
  return ReadHead(reader, chain, &entries);
}

absl::Status DecodeEntries(std::string_view block, LinkSet* set) {
  ByteReader reader(block);
  size_t entries;
  RETURN_IF_ERROR(ReadHead(reader, nullptr, &entries));
  const bool is_first = set->size() == 0;
  if (is_first) set->Reserve(entries);
  uint64_t last = 0;
  for (size_t i = 0; i < entries; ++i) {
    uint64_t key;
    PackedLink packed;
    if (!ReadEntry(reader, &key, &packed)) {
      return PoisonError("block of link states: entry {} of {} makes no sense", i, entries);
    }
    if ((i > 0 && key <= last) || !set->range().Contains(key)) {
      return PoisonError("block of link states: entry {} of {} is out of order or of another shard",
                         i, entries);
    }
    last = key;
    if (is_first) {
      set->Append(key, packed);
    } else {
      set->Put(key, packed);
    }
  }
  return reader.AtEnd()
             ? absl::OkStatus()
             : PoisonError("block of link states: {} bytes after its last entry", reader.left());
}

}  // namespace orbweaver
