// What a strategy worker knows of one registered domain beside its link states: the `r` cell of the
// domain's first row, put together with the states that it accounts for.
#pragma once

#include <cstdint>
#include <optional>
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

  uint64_t fetched = 0;    // pages crawled, again counted again
  uint64_t scheduled = 0;  // requests scheduled, again counted again
  uint64_t failed = 0;
  uint64_t known_urls = 0;

  // Robots facts, as the spiders last saw them.
  std::optional<std::chrono::milliseconds> crawl_delay;
  int32_t robots = 0;  // RobotsOutcome
  uint32_t robots_status = 0;
  WallTime robots_at;

  // The strategy's own bytes (at most kMaxStrategyBytes), and whose they are.
  std::string strategy_name;
  uint32_t strategy_version = 0;
  std::string strategy_data;

  // Which columns of link states count; all others are garbage. For a domain of several shards
  // each shard's row holds its own (states/ only).
  struct Manifest {
    uint8_t shard_bits = 0;  // 2^shard_bits rows
    std::optional<Version> base;
    std::vector<Version> deltas;  // ascending
  } manifest;

  // Encoded ScheduleRequests entries, without an epoch, not yet known to be in the scoring log, in
  // the order of their source events.
  std::vector<std::string> outbox;
};

inline constexpr size_t kMaxStrategyBytes = 64 << 10;

std::string EncodeDomainRecord(const DomainRecord& record);

// Poison for anything that the encoder would not have written, or of a newer format; *record is
// then not to be used. Any bytes are safe.
absl::Status DecodeDomainRecord(std::string_view bytes, DomainRecord* record);

}  // namespace orbweaver
