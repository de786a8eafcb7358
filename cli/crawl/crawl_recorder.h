// Records the logs of a crawl on this machine while it runs.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"

#include "common/base/clock.h"
#include "common/bus/bus.h"
#include "common/runtime/stop_request.h"
#include "common/url/domain.h"
#include "lab/recording/record_options.h"
#include "lab/recording/recorder.h"
#include "lab/recording/recording_folder.h"

namespace orbweaver {

// Place: beside CrawlWatch, which deletes nothing from the logs before this has it in a file with
// its name, on the disk. So a crawl that is killed records on where it stood. Has a thread.
class CrawlRecorder {
 public:
  // Null when options.folder is empty. Fatal when nothing can be recorded there. The bus and the
  // suffixes must outlive it.
  static absl::StatusOr<std::unique_ptr<CrawlRecorder>> Start(const RecordOptions& options,
                                                              const lab::RecordingOrigin& origin,
                                                              Bus& bus,
                                                              const PublicSuffixes& suffixes,
                                                              int partitions);
  ~CrawlRecorder();

  // Up to where a partition's log may be deleted; nullopt for a topic that is not recorded.
  std::optional<Offset> RecordedTo(std::string_view topic, PartitionId partition) const
      ABSL_LOCKS_EXCLUDED(mutex_);

  // The failure that ended it, as a full disk; OK while it records.
  absl::Status status() const ABSL_LOCKS_EXCLUDED(mutex_);

  // Records what the logs have by now, and ends. For when the workers have ended.
  absl::Status Finish() ABSL_LOCKS_EXCLUDED(mutex_);

  uint64_t records() const { return records_; }

 private:
  CrawlRecorder(Bus& bus, const PublicSuffixes& suffixes,
                std::unique_ptr<lab::RecordingFolder> folder)
      : bus_(bus), folder_(std::move(folder)), recorder_(folder_.get(), suffixes, {}) {}

  struct Partition {
    lab::LogRangeOf range;
    SteadyTime recorded_at;  // when its last file was finished
    Offset recorded_to;
  };

  void Run();
  // Records of each partition what there is, when it is much or has waited for long, or `all`.
  absl::Status RecordDue(bool all) ABSL_LOCKS_EXCLUDED(mutex_);

  Bus& bus_;
  const std::unique_ptr<lab::RecordingFolder> folder_;
  lab::Recorder recorder_;
  std::unique_ptr<OffsetReader> offsets_;
  StopRequest stop_;

  mutable absl::Mutex mutex_;
  std::vector<Partition> partitions_ ABSL_GUARDED_BY(mutex_);
  absl::Status status_ ABSL_GUARDED_BY(mutex_);

  std::atomic<uint64_t> records_ = 0;
  std::thread thread_;
};

}  // namespace orbweaver
