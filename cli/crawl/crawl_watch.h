#pragma once

#include <cstdint>
#include <deque>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "cli/crawl/crawl_recorder.h"
#include "cli/crawl/crawl_tally.h"
#include "cli/crawl/crawl_view.h"
#include "cli/crawl/dead_letter_tally.h"
#include "cli/crawl/idle_detector.h"
#include "cli/crawl/local_crawl.h"
#include "cli/frontier/recent_outcomes.h"

namespace orbweaver {

// Adds the sums over the queue's partitions to a snapshot.
void AddQueue(std::span<const PartitionReport> partitions, CrawlSnapshot* look);

// Follows a crawl from beside: counts what its spider log gets, sees when nothing is left to do,
// and deletes from the logs what no worker will read again.
//
// Place: `orbweaver crawl`, on its main thread. Not thread-safe.
class CrawlWatch {
 public:
  // Entries that are in the log already are of an earlier run and do not count. `recorder` may be
  // null: nothing is recorded; it must outlive this. `outcomes` is the file of the last ones
  // (outcomes_file.h), from which this begins and which it keeps; empty: there is none.
  static absl::StatusOr<std::unique_ptr<CrawlWatch>> Create(LocalCrawl& crawl,
                                                            const CrawlRecorder* recorder,
                                                            std::filesystem::path outcomes);

  // Reads on, waiting at most twice `timeout`. Trims now and then, the sooner the more is read.
  absl::Status Follow(Duration timeout);

  // When the first of what is left may be fetched, while nothing is going on; as IdleDetector's.
  absl::StatusOr<std::optional<WallTime>> IdleUntil();

  // Deletes what has been read by those whom it was for, and recorded where it is, and looks for
  // dead letters. A recorder that has failed fails this.
  absl::Status Trim();

  // Writes the last outcomes to their file, as Follow does now and then. Trouble is told in the
  // log.
  void KeepOutcomes();

  // Requests in the feed that have no outcome yet, and markers too: they have left the queue, and
  // whoever goes on begins with them.
  absl::StatusOr<uint64_t> HandedOut();

  const CrawlTally& tally() const { return tally_; }
  bool is_idle() const { return is_idle_; }  // at the last IdleUntil
  const RecentOutcomes& recent() const { return recent_; }
  const DeadLetterTally& dead_letters() const { return *dead_letters_; }
  CrawlSnapshot Snapshot(std::string_view state, std::optional<double> done);

 private:
  CrawlWatch(LocalCrawl& crawl, const CrawlRecorder* recorder, std::filesystem::path outcomes)
      : crawl_(crawl),
        recorder_(recorder),
        outcomes_file_(std::move(outcomes)),
        idle_(static_cast<size_t>(crawl.partitions())) {}

  // Ends of all partitions' logs of the three topics, in order; nullopt when one of them was not
  // read by its workers up to there.
  absl::StatusOr<std::optional<std::vector<Offset>>> EndsWhenAllIsRead();

  LocalCrawl& crawl_;
  const CrawlRecorder* const recorder_;
  const std::filesystem::path outcomes_file_;
  std::vector<PartitionId> partitions_;
  std::unique_ptr<OffsetReader> offsets_;
  std::unique_ptr<Consumer> consumer_;
  std::vector<Offset> followed_to_;  // by partition
  size_t followed_ = 0;              // messages since the last trim
  SteadyTime next_trim_;
  SteadyTime next_look_;
  CrawlTally tally_;
  RecentOutcomes recent_;
  uint64_t kept_outcomes_ = 0;  // of recent_.added()
  SteadyTime next_keep_;
  std::unique_ptr<DeadLetterTally> dead_letters_;
  SteadyTime start_;

  IdleDetector idle_;
  bool is_idle_ = false;  // at the last look

  struct Mark {
    SteadyTime at;
    uint64_t pages;
    uint64_t bytes;
  };
  std::deque<Mark> marks_;  // of the last seconds, for speeds
};

}  // namespace orbweaver
