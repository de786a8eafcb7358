#include "strategy_worker/states/block.h"

#include <algorithm>

#include "common/base/byte_format.h"
#include "common/base/check.h"
#include "common/base/status.h"

namespace orbweaver {
namespace {

constexpr uint8_t kFormat = 3;
constexpr Version kNone{0};  // what a base comes after
// A word is written whole, of which only the beginning may count.
constexpr size_t kSlackBytes = 8;

void AppendHead(Version before, uint64_t purges, size_t entries, std::string* out) {
  AppendFixed(kFormat, out);
  AppendFixed(before.value(), out);
  AppendVarint(purges, out);
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

absl::StatusOr<BlockHead> ReadHead(ByteReader& reader) {
  const auto format = reader.Fixed<uint8_t>();
  if (reader.ok() && format != kFormat) {
    return PoisonError("block of link states: format {}, this version reads {}", format, kFormat);
  }
  const Version before(reader.Fixed<uint64_t>());
  const auto purges = reader.Varint<uint64_t>();
  const BlockHead head{before == kNone ? std::nullopt : std::optional(before), purges,
                       reader.Varint<uint64_t>()};
  if (head.entries > reader.left() / kMinEntryBytes) reader.Fail();
  if (!reader.ok()) return PoisonError("block of link states: its head makes no sense");
  return head;
}

}  // namespace

void EncodeBase(const LinkSet& set, uint64_t purges, std::string* out) {
  AppendHead(kNone, purges, set.size(), out);
  EntryWriter writer(set.EntryBytesBound() + kSlackBytes, out);
  set.ForEach([&](uint64_t key, const PackedLink& packed) { writer.Add(key, packed); });
}

void EncodeDelta(const LinkSet& set, Version before, uint64_t purges,
                 std::span<const ChangedLink> changed, std::string* out) {
  AppendHead(before, purges, changed.size(), out);
  out->reserve(out->size() + changed.size() * kMaxUnfetchedEntryBytes);
  for (const auto& [key, word] : changed) {
    PackedLink packed{.word = word};
    if (!IsPlain(packed)) CHECK(set.Find(key, &packed));
    char entry[sizeof key + kMaxStateBytes + kSlackBytes];
    const char* const end = WriteState(packed, WriteFixed(key, entry));
    out->append(entry, static_cast<size_t>(end - entry));
  }
}

absl::StatusOr<BlockHead> DecodeHead(std::string_view block) {
  ByteReader reader(block);
  return ReadHead(reader);
}

absl::Status DecodeEntries(std::string_view block, uint64_t purges, LinkSet* set) {
  ByteReader reader(block);
  ASSIGN_OR_RETURN(const BlockHead head, ReadHead(reader));
  if (head.purges > purges) {
    return PoisonError("block of link states: of purge {}, its domain has had {}", head.purges,
                       purges);
  }
  const bool was_purged = head.purges < purges;
  const bool is_first = set->size() == 0;
  if (is_first) set->Reserve(head.entries, reader.left());
  uint64_t last = 0;
  for (size_t i = 0; i < head.entries; ++i) {
    uint64_t key;
    PackedLink packed;
    if (!ReadEntry(reader, &key, &packed)) {
      return PoisonError("block of link states: entry {} of {} makes no sense", i, head.entries);
    }
    if ((i > 0 && key <= last) || !set->range().Contains(key)) {
      return PoisonError("block of link states: entry {} of {} is out of order or of another shard",
                         i, head.entries);
    }
    last = key;
    if (was_purged && StatusOf(packed) == LinkStatus::kQueued) packed = OutOfQueue(packed);
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
