// The options of link states: those of an installation, and those of tests and benchmarks only.
#pragma once

#include <cstddef>
#include <cstdint>

namespace orbweaver {

namespace config {
class Schema;
}

struct StateOptions {
  // Cached states and records of all domains together. More domains are not loaded at once; one is
  // in any case, and what was changed stays until it is written.
  uint64_t cache_bytes = uint64_t{256} << 20;

  // The layout. These may be changed between runs: what is stored says itself how it is laid out.
  //
  // A domain's states stand in its record's cell up to here: one cell costs HBase the same whether
  // it has 16 bytes or 2,000.
  size_t inline_bytes = 2000;
  // A base is followed by at most so many deltas, and by at most as many bytes as it has itself.
  // Each costs HBase as much to read as some kilobytes.
  size_t max_deltas = 32;
  // A shard that exceeds one of these is split.
  size_t shard_urls = 1 << 16;
  size_t shard_bytes = size_t{6} << 20;
};

// `strategy_worker.cache_bytes`.
void DeclareStateOptions(config::Schema& schema, StateOptions* options);

}  // namespace orbweaver
