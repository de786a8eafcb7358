// The role `pages`: keeps what the spiders logged of each page, by URL and by content.
//
// Place: stepped by its process, beside the queue's core or alone; a member of its own consumer
// group on the spider log. Not thread-safe, and has no thread of its own.
//
// At least once: a batch is committed when its rows are in the store, and rows are versioned by the
// event that they come from, so a replay changes nothing and a worker that was slow overwrites
// nothing newer. So no partition needs to be taken over.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"

#include "common/base/clock.h"
#include "common/bus/bus.h"
#include "common/model/arena.h"
#include "common/model/encode_buffer.h"
#include "common/store/store.h"
#include "common/worker/log_session.h"
#include "common/worker/step_sequence.h"
#include "db_worker/pages/page_rows.h"
#include "db_worker/pages/pages_metrics.h"
#include "db_worker/pages/pages_options.h"

namespace orbweaver {

struct PagesSetup {
  PagesOptions options;
  GroupMembership membership;
};

class PagesCore : private RebalanceListener {
 public:
  // Checks the topics and joins the group. The arguments must outlive the core. After a retry error
  // call it again; a fatal error says what to do.
  static absl::StatusOr<std::unique_ptr<PagesCore>> Create(Bus& bus, Store& store,
                                                           const Clock& clock,
                                                           PagesMetrics& metrics, PagesSetup setup);

  // One batch, or what is left of the one before, as far as it comes within about a second; waits
  // for messages at most `max_wait`.
  //   retry   the next Step goes on exactly where this one stood.
  //   fenced  a partition was lost to another worker: destroy this core and make another.
  //   fatal   as the message says; destroy it.
  absl::Status Step(Duration max_wait);

  // Leaves the group. Messages that are not committed come again. Idempotent.
  void Close();

 private:
  using Steps = StepSequence<PagesCore>;
  // A page that the batch changes.
  struct Change {
    std::string row;
    std::optional<StoredPage> page;  // as the store has it, then as it becomes
    Fingerprint old_content;         // all zero: none
    std::string_view body;           // of its content, when the batch has it
    bool changed = false;
  };
  struct Event {
    size_t change;
    PageSource source;
    std::string_view domain;
    PageFetched page;
  };
  struct Put {
    std::string row;
    Version version;
    std::vector<std::pair<std::string_view, std::string>> cells;
  };

  PagesCore(Bus& bus, Store& store, const Clock& clock, PagesMetrics& metrics, PagesSetup setup,
            uint64_t topic_epoch)
      : bus_(bus),
        store_(store),
        clock_(clock),
        metrics_(metrics),
        setup_(std::move(setup)),
        topic_epoch_(topic_epoch) {}

  absl::Status Start();
  absl::Status TryStep(Duration max_wait);
  static std::span<const Steps::Step> BatchSteps();
  // Busy still when the session is due.
  absl::Status Advance();
  void Begin(MessageBatch batch);
  void Take(const Message& message);
  absl::StatusOr<bool> ReadAndApply();
  absl::Status ReadPages();
  void Apply(const Event& event);
  // Makes the puts and erases of the changes.
  absl::Status Prepare();
  absl::Status PreparePage(Change& change);
  std::span<const HttpHeader> KeptHeaders(std::span<const HttpHeader> headers);
  // Puts all of *puts; on an error those that are left.
  absl::Status Write(std::vector<Put>* puts);
  absl::StatusOr<bool> WriteContent();
  absl::StatusOr<bool> WritePages();
  absl::StatusOr<bool> Erase();
  absl::StatusOr<bool> Commit();
  absl::Status GoOnBehindCuts();
  absl::Status CheckLogs();
  Duration timeout() const { return setup_.options.call_timeout; }

  void OnAssigned(std::span<const AssignedPartition> assigned) override;
  void OnRevoked(std::span<const PartitionId> revoked) override;
  void OnLost(std::span<const PartitionId> lost) override;

  Bus& bus_;
  Store& store_;
  const Clock& clock_;
  PagesMetrics& metrics_;
  const PagesSetup setup_;
  const uint64_t topic_epoch_;
  std::unique_ptr<LogSession> spider_log_;
  bool stalled_ = false;  // the last step ended with a retry error

  std::vector<PartitionId> new_;  // assigned, and not compared with the store yet

  // The batch in hand; views point into batch_, rows_ and arena_.
  Steps steps_{BatchSteps()};
  MessageBatch batch_;
  std::map<PartitionId, Offset> ends_;
  std::vector<Event> events_;
  std::vector<Change> changes_;
  absl::flat_hash_map<std::string, size_t> change_of_;  // by row
  Rows rows_;
  Arena arena_;
  EncodeBuffer buffer_;
  std::vector<Put> content_puts_;
  std::vector<Put> page_puts_;
  std::vector<Put> erased_;  // rows without cells
};

}  // namespace orbweaver
