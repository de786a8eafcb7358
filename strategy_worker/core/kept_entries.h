// Entries of the spider log on their way into table `pages`: failures, so that their URLs can be
// asked for again (common/protocol/failed_url_rows.h), and facts about hosts, so that people can
// look at their robots.txt (common/protocol/robots_rows.h).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/base/ids.h"
#include "common/store/store.h"
#include "strategy_worker/states/flush_buffer.h"

namespace orbweaver {

// A row goes with its domain's states, and is put before them: after a crash in between, until the
// event is applied anew, the row is ahead. So a URL's state has the last word, and what is asked
// for again without having failed is left alone (Seeds.only_failed).
//
// Place: inside StrategyCore, filled by EventHandler, written by Flight before the states. Bounded
// as a batch is. Not thread-safe.
class KeptEntries {
 public:
  enum class What : uint8_t { kFailed, kTriedAgain, kNotFailed };

  // `entry`: the failure's message in the spider log; none of what is not failed any more.
  void AddFailure(PartitionId partition, std::string_view domain, const Fingerprint& url, What what,
                  std::string_view entry);

  // `entry`: the message of the host's facts, with its robots.txt where there is one.
  void AddRobots(PartitionId partition, std::string_view domain, std::string_view host,
                 std::string_view entry);

  // Appends the puts of `partition`; their views live until Flushed.
  void Flush(PartitionId partition, Version version, std::vector<RowPut>* puts);
  void Flushed() { buffer_.Reset(); }

  // Forgets what was not flushed.
  void Drop(PartitionId partition);

 private:
  struct Kept {
    PartitionId partition;
    std::string row;
    std::string_view column;
    std::string entry;
  };

  std::vector<Kept> kept_;
  FlushBuffer buffer_;
};

}  // namespace orbweaver
