// Writes a recording into topics.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"

#include "common/base/clock.h"
#include "common/bus/bus.h"
#include "lab/recording/record_clock.h"
#include "lab/recording/recording.h"

namespace orbweaver::lab {

struct ImporterOptions {
  bool skip_damaged = false;
  // By which the topics' log dates its records, so that they keep their times; null: it gives its
  // own. Must outlive the importer.
  RecordClock* clock = nullptr;
  Duration timeout = std::chrono::seconds(20);
};

// Place: `orbweaver record import`. Not thread-safe.
class Importer {
 public:
  // Both must outlive it.
  Importer(const Recording& recording, Bus& bus, ImporterOptions options)
      : recording_(recording), bus_(bus), options_(options) {}

  // Appends a topic's records, partition by partition, in their order. The topic must have the
  // partitions that were recorded, and nothing in them but the beginning of these records, as an
  // import that died leaves it: then it goes on behind them. Fatal otherwise, and where
  // retention has deleted some. Ends early, with OK and what was sent acknowledged, when `go_on`
  // says false, which is asked now and then.
  absl::Status Import(const std::string& topic, absl::FunctionRef<bool()> go_on);

  uint64_t records() const { return records_; }  // appended by this
  uint64_t before() const { return before_; }    // found there
  uint64_t raw_bytes() const { return raw_bytes_; }
  const LeftOut& left_out() const { return left_out_; }

 private:
  absl::Status ImportPartition(const std::string& topic, PartitionId partition,
                               absl::FunctionRef<bool()> go_on);
  // Passes over what the topic has already.
  absl::Status PassOver(const std::string& topic, PartitionId partition, uint64_t count,
                        RecordReader* records);

  const Recording& recording_;
  Bus& bus_;
  const ImporterOptions options_;
  uint64_t records_ = 0;
  uint64_t before_ = 0;
  uint64_t raw_bytes_ = 0;
  LeftOut left_out_;
};

}  // namespace orbweaver::lab
