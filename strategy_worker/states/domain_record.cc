#include "strategy_worker/states/domain_record.h"

#include <bit>
#include <limits>

#include "common/base/byte_format.h"
#include "common/base/check.h"
#include "common/base/status.h"
#include "common/scope/seed_places.h"

namespace orbweaver {
namespace {

constexpr uint8_t kFormat = 3;
// With the counts of assets and sitemaps, one of which is not 0.
constexpr uint8_t kFormatWithOwn = 4;
// With these and explore_chances, which is not 0.
constexpr uint8_t kFormatWithChances = 5;
constexpr uint32_t kAllPrefixes = 1 << 16;
constexpr size_t kShardBytes = sizeof(uint16_t) + sizeof(uint64_t);
// At most, of what has no text in it; and for the length of a text, or a shard.
constexpr size_t kAroundRecord = 160;
constexpr size_t kAroundEntry = 10;
constexpr size_t kUnbounded = std::numeric_limits<size_t>::max();

// Both are turned into unsigned integers without loss; negative ones merely take ten bytes.
uint64_t Unsigned(int64_t value) { return static_cast<uint64_t>(value); }
int64_t Signed(uint64_t value) { return static_cast<int64_t>(value); }

void ReadCounts(ByteReader& reader, uint8_t format, DomainRecord* record) {
  record->applied.topic_epoch = reader.Varint<uint64_t>();
  record->applied.offset = Offset(Signed(reader.Varint<uint64_t>() - 1));
  record->applied.part = reader.Varint<uint32_t>();
  record->fetched = reader.Varint<uint64_t>();
  record->scheduled = reader.Varint<uint64_t>();
  record->failed = reader.Varint<uint64_t>();
  record->known_urls = reader.Varint<uint64_t>();
  record->purges = reader.Varint<uint64_t>();
  const bool has_chances = format == kFormatWithChances;
  const bool has_own = has_chances || format == kFormatWithOwn;
  record->assets = has_own ? reader.Varint<uint64_t>() : 0;
  record->sitemaps = has_own ? reader.Varint<uint64_t>() : 0;
  record->explore_chances = has_chances ? reader.Varint<uint64_t>() : 0;
  if (has_chances) {
    if (record->explore_chances == 0) reader.Fail();
  } else if (has_own && record->assets == 0 && record->sitemaps == 0) {
    reader.Fail();
  }
}

void ReadRobots(ByteReader& reader, DomainRecord* record) {
  const auto has_delay = reader.Fixed<uint8_t>();
  if (has_delay > 1) reader.Fail();
  record->crawl_delay.reset();
  if (has_delay == 1) {
    record->crawl_delay = std::chrono::milliseconds(Signed(reader.Varint<uint64_t>()));
  }
  record->robots = static_cast<int32_t>(reader.Varint<uint32_t>());
  record->robots_status = reader.Varint<uint32_t>();
  record->robots_at = WallTime(std::chrono::milliseconds(Signed(reader.Varint<uint64_t>())));
}

void ReadManifest(ByteReader& reader, DomainRecord* record) {
  const auto shards = reader.Varint<uint32_t>();
  if (shards > reader.left() / kShardBytes) reader.Fail();
  record->manifest.clear();
  for (uint32_t i = 0; reader.ok() && i < shards; ++i) {
    const auto first = reader.Fixed<uint16_t>();
    const auto last_block = reader.Fixed<uint64_t>();
    record->manifest.push_back({.first = first, .last_block = Version(last_block)});
    if (last_block == 0) reader.Fail();
  }
  std::vector<uint8_t> bits;
  if (!record->manifest.empty() && !ShardBits(record->manifest, &bits)) reader.Fail();
}

void ReadOutbox(ByteReader& reader, DomainRecord* record) {
  const auto entries = reader.Varint<uint64_t>();
  if (entries > reader.left()) reader.Fail();
  record->outbox.clear();
  for (uint64_t i = 0; reader.ok() && i < entries; ++i) {
    record->outbox.emplace_back(reader.Bytes(kUnbounded));
  }
}

}  // namespace

bool ShardBits(std::span<const DomainRecord::Shard> manifest, std::vector<uint8_t>* bits) {
  bits->clear();
  for (size_t i = 0; i < manifest.size(); ++i) {
    const uint32_t first = manifest[i].first;
    const uint32_t end = i + 1 < manifest.size() ? manifest[i + 1].first : kAllPrefixes;
    if ((i == 0 && first != 0) || end <= first) return false;
    const uint32_t width = end - first;
    if (!std::has_single_bit(width) || first % width != 0) return false;
    bits->push_back(static_cast<uint8_t>(16 - std::countr_zero(width)));
  }
  return !manifest.empty();
}

std::string EncodeDomainRecord(const DomainRecord& record) {
  CHECK(record.strategy_data.size() <= kMaxStrategyBytes);
  std::string out;
  size_t bytes = record.strategy_name.size() + record.strategy_data.size() + kAroundRecord;
  bytes += record.seed_places.size();
  for (const std::string& entry : record.outbox) bytes += entry.size() + kAroundEntry;
  out.reserve(bytes + record.manifest.size() * kAroundEntry);
  const bool has_chances = record.explore_chances != 0;
  const bool has_own = has_chances || record.assets != 0 || record.sitemaps != 0;
  AppendFixed(has_chances ? kFormatWithChances : has_own ? kFormatWithOwn : kFormat, &out);
  AppendVarint(record.applied.topic_epoch, &out);
  AppendVarint(Unsigned(record.applied.offset.value()) + 1, &out);  // -1: none
  AppendVarint(record.applied.part, &out);
  for (const uint64_t count :
       {record.fetched, record.scheduled, record.failed, record.known_urls, record.purges}) {
    AppendVarint(count, &out);
  }
  if (has_own) {
    AppendVarint(record.assets, &out);
    AppendVarint(record.sitemaps, &out);
  }
  if (has_chances) AppendVarint(record.explore_chances, &out);
  AppendFixed(static_cast<uint8_t>(record.crawl_delay.has_value()), &out);
  if (record.crawl_delay.has_value()) AppendVarint(Unsigned(record.crawl_delay->count()), &out);
  AppendVarint(static_cast<uint32_t>(record.robots), &out);
  AppendVarint(record.robots_status, &out);
  AppendVarint(Unsigned(record.robots_at.time_since_epoch().count()), &out);
  AppendBytes(record.seed_places, &out);
  AppendBytes(record.strategy_name, &out);
  AppendVarint(record.strategy_version, &out);
  AppendBytes(record.strategy_data, &out);
  AppendVarint(record.manifest.size(), &out);
  for (const DomainRecord::Shard& shard : record.manifest) {
    AppendFixed(shard.first, &out);
    AppendFixed(shard.last_block.value(), &out);
  }
  AppendVarint(record.outbox.size(), &out);
  for (const std::string& entry : record.outbox) AppendBytes(entry, &out);
  return out;
}

absl::Status DecodeRecordCell(std::string_view cell, DomainRecord* record,
                              std::string_view* states) {
  ByteReader reader(cell);
  const auto format = reader.Fixed<uint8_t>();
  if (reader.ok() && (format < kFormat || format > kFormatWithChances)) {
    return PoisonError("domain record: format {}, this version reads {}", format,
                       kFormatWithChances);
  }
  ReadCounts(reader, format, record);
  ReadRobots(reader, record);
  record->seed_places = reader.Bytes(kMaxSeedPlaceBytes);
  if (!AreSeedPlaces(record->seed_places)) reader.Fail();
  record->strategy_name = reader.Bytes(kUnbounded);
  record->strategy_version = reader.Varint<uint32_t>();
  record->strategy_data = reader.Bytes(kMaxStrategyBytes);
  ReadManifest(reader, record);
  ReadOutbox(reader, record);
  if (!reader.ok()) return PoisonError("domain record: its bytes make no sense");
  *states = reader.Raw(reader.left());
  if (!states->empty() && !record->manifest.empty()) {
    return PoisonError("domain record: link states both inside and outside of its cell");
  }
  return absl::OkStatus();
}

}  // namespace orbweaver
