// The record of one registered domain beside its link states: the `r` cell of the domain's first
// row, put together with the states that it accounts for.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"

#include "common/base/clock.h"
#include "common/base/ids.h"
#include "common/protocol/watermark.h"

namespace orbweaver {

struct DomainRecord {
  Watermark applied;  // the last event of the spider log that is in here

  uint64_t fetched = 0;    // pages crawled; every re-crawl counts
  uint64_t scheduled = 0;  // requests; every retry and re-crawl counts
  uint64_t failed = 0;
  uint64_t known_urls = 0;
  // Of the known URLs those that the strategy worker scheduled by itself, so that they count in no
  // strategy's caps (common/model/own_request.h). Neither do they in the counts above.
  uint64_t assets = 0;
  uint64_t sitemaps = 0;
  // Fetches since requests were last drawn by lot, each of which is a chance for one to be drawn
  // (strategy_worker/core/exploration.h).
  uint64_t explore_chances = 0;
  // How often the domain's queue was emptied: a URL that is QUEUED in a block of an earlier purge
  // is so no more (block.h). Kept by states/ only.
  uint64_t purges = 0;

  // Robots facts, as the spiders last saw them.
  std::optional<std::chrono::milliseconds> crawl_delay;
  int32_t robots = 0;  // RobotsOutcome
  uint32_t robots_status = 0;
  WallTime robots_at;

  // Where its seeds lie, as AddSeedPlace has made it (common/scope/seed_places.h); empty: it has no
  // seed.
  std::string seed_places;

  // The strategy's own bytes (at most kMaxStrategyBytes), and whose they are.
  std::string strategy_name;
  uint32_t strategy_version = 0;
  std::string strategy_data;

  // Where the link states stand: of each range of fingerprints (from `first`, its upper 16 bits, to
  // the next one's) the last block that counts, which names those before it; all others are
  // garbage. Empty: all of them stand in the record's own cell. Kept by states/ only.
  struct Shard {
    uint16_t first = 0;
    Version last_block;

    friend bool operator==(const Shard&, const Shard&) = default;
  };
  std::vector<Shard> manifest;

  // Encoded entries of the scoring log, with the epoch of the owner that put them, not yet known to
  // be in it, in the order of their source events.
  std::vector<std::string> outbox;
};

inline constexpr size_t kMaxStrategyBytes = 64 << 10;

// The shards of a manifest are 2^k-ths of all fingerprints; this is k of each. False when they are
// not, or do not cover all of them in order.
bool ShardBits(std::span<const DomainRecord::Shard> manifest, std::vector<uint8_t>* bits);

// `strategy_data` must not be over its limit.
std::string EncodeDomainRecord(const DomainRecord& record);

// A record's cell is an encoded record and, of a domain with an empty manifest, a block of link
// states after it (block.h); *states is that block, empty when there is none. Poison for anything
// that the encoder would not have written, or of a newer format; *record is then not to be used.
// Any bytes are safe. The block is not looked into.
absl::Status DecodeRecordCell(std::string_view cell, DomainRecord* record,
                              std::string_view* states);

}  // namespace orbweaver
