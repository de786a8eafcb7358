// The spider feed as spiders take it: what counts of it by the rules of the crash protocol, and
// commits, without which a db worker sends no more.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

#include "common/base/clock.h"
#include "common/bus/bus.h"
#include "common/protocol/epoch_filter.h"

namespace orbweaver {

// Reads all partitions from the first entry on; as the spiders' group it must be the only one. Not
// thread-safe.
class SpiderFeedReader {
 public:
  // `bus` must outlive it.
  static absl::StatusOr<std::unique_ptr<SpiderFeedReader>> Create(Bus& bus, int partitions,
                                                                  Duration timeout);

  // Reads what comes within `wait`, at most one portion. Entries that cannot be decoded are an
  // error.
  absl::Status ReadOn(Duration wait);

  // As spiders do that have fetched all of it.
  absl::Status Commit();

  // How often each URL was sent, by entries that count.
  const std::map<std::string, int>& sent() const { return sent_; }
  // When, for each domain, in the order of the log.
  const std::map<std::string, std::vector<WallTime>>& sent_to() const { return sent_to_; }
  uint64_t requests() const { return requests_; }  // that count
  uint64_t markers() const { return markers_; }
  uint64_t of_old_epochs() const { return of_old_epochs_; }

 private:
  SpiderFeedReader(std::unique_ptr<Consumer> consumer, Duration timeout)
      : consumer_(std::move(consumer)), timeout_(timeout) {}

  absl::Status Take(const Message& message);

  const std::unique_ptr<Consumer> consumer_;
  const Duration timeout_;  // of a commit

  std::map<PartitionId, EpochFilter> epochs_;
  std::map<PartitionId, Offset> read_to_;
  std::map<std::string, int> sent_;
  std::map<std::string, std::vector<WallTime>> sent_to_;
  uint64_t requests_ = 0;
  uint64_t markers_ = 0;
  uint64_t of_old_epochs_ = 0;
};

}  // namespace orbweaver
