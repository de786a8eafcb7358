#include "strategy_worker/core/flight.h"

#include <utility>

#include "common/base/check.h"
#include "common/base/log.h"
#include "common/base/planted_fault.h"
#include "common/base/status.h"
#include "common/protocol/failed_url_rows.h"
#include "strategy_worker/core/phase_timer.h"

namespace orbweaver {
namespace {

// Deleted cells cost the store as much as written ones, and nobody waits for them to go.
constexpr int kBatchesPerErase = 16;

}  // namespace

Flight::~Flight() {
  // What it says matters to nobody any more.
  if (step_ == Step::kWriting) parts_.background.Await().IgnoreError();
}

void Flight::Begin(Ownership* ownership, Batch* batch) {
  CHECK(!IsUnderWay());
  failed_.clear();
  first_.clear();
  second_.clear();
  outgoing_.clear();
  next_outgoing_ = next_entry_ = 0;
  partitions_.clear();
  commits_.clear();
  for (auto& [partition, owned] : ownership->owned()) {
    if (!owned.has_changes && !owned.applied_to.has_value()) continue;
    partitions_.push_back(partition);
    if (owned.has_changes) {
      parts_.states.Flush(partition, *owned.version, &first_, &second_);
      parts_.failed_urls.Flush(partition, *owned.version, &failed_);
      owned.version.reset();
      owned.has_changes = false;
    }
    if (!owned.applied_to.has_value()) continue;
    commits_.push_back({.partition = partition, .offset = *owned.applied_to, .metadata = {}});
    owned.applied_to.reset();
  }
  // Only now: the puts hold them.
  for (TouchedDomain& domain : batch->domains()) {
    if (!domain.sends) continue;
    domain.sends = false;
    std::vector<std::string>& outbox = parts_.states.Find(domain.name)->record().outbox;
    outgoing_.push_back({domain.partition, std::string(domain.name), std::exchange(outbox, {})});
  }
  if (partitions_.empty()) return;
  if (IsPlanted(PlantedFault::kCommitFirst) && !commits_.empty()) {
    parts_.consumer.Commit(commits_, parts_.options.bus_timeout).IgnoreError();
  }
  StartWrite();
}

void Flight::StartWrite() {
  step_ = Step::kWriting;
  parts_.background.Start([this] { return WriteRemaining(); });
}

absl::Status Flight::WriteRemaining() {
  RETURN_IF_ERROR(WriteList(kFailedUrlTable, &failed_));
  RETURN_IF_ERROR(WriteList(Table::kDomains, &first_));
  return WriteList(Table::kDomains, &second_);
}

absl::Status Flight::WriteList(Table table, std::vector<RowPut>* puts) {
  if (puts->empty()) return absl::OkStatus();
  const absl::Status status =
      parts_.store.Write(table, *puts, parts_.options.store_timeout, &remaining_);
  for (size_t i = 0; i < remaining_.size(); ++i) (*puts)[i] = (*puts)[remaining_[i]];
  puts->resize(remaining_.size());
  return Annotate(status, "write link states");
}

absl::Status Flight::Finish() {
  const Duration timeout = parts_.options.bus_timeout;
  if (step_ == Step::kWriteAgain) StartWrite();
  if (step_ == Step::kWriting) {
    PhaseTimer timer(parts_.clock, parts_.metrics.write_seconds);
    step_ = Step::kWriteAgain;
    RETURN_IF_ERROR(parts_.background.Await());
    parts_.states.Flushed();
    parts_.failed_urls.Flushed();
    step_ = Step::kAppending;
  }
  if (step_ == Step::kAppending || step_ == Step::kAcks) {
    PhaseTimer timer(parts_.clock, parts_.metrics.append_seconds);
    RETURN_IF_ERROR(Append());
    step_ = Step::kAcks;
    RETURN_IF_ERROR(parts_.log.AwaitAcks(timeout));
    step_ = Step::kLetters;
  }
  PhaseTimer timer(parts_.clock, parts_.metrics.commit_seconds);
  if (step_ == Step::kLetters) {
    RETURN_IF_ERROR(parts_.dead_letters.Settle(timeout));
    step_ = Step::kOwner;
  }
  if (step_ == Step::kOwner) {
    RETURN_IF_ERROR(parts_.log.CheckStillOwner(partitions_, timeout));
    step_ = Step::kCommit;
  }
  if (step_ == Step::kCommit) {
    if (!commits_.empty()) RETURN_IF_ERROR(parts_.consumer.Commit(commits_, timeout));
    step_ = Step::kNone;
    parts_.metrics.batches.Increment();
    if (++since_erase_ == kBatchesPerErase) EraseGarbage();
  }
  return absl::OkStatus();
}

absl::Status Flight::Append() {
  for (; next_outgoing_ < outgoing_.size(); ++next_outgoing_, next_entry_ = 0) {
    const Outgoing& outgoing = outgoing_[next_outgoing_];
    for (; next_entry_ < outgoing.entries.size(); ++next_entry_) {
      RETURN_IF_ERROR(parts_.log.Append(outgoing.partition, outgoing.domain,
                                        outgoing.entries[next_entry_], parts_.options.bus_timeout));
      parts_.metrics.messages.Increment();
    }
  }
  return absl::OkStatus();
}

void Flight::EraseGarbage() {
  since_erase_ = 0;
  std::vector<RowErase> erases;
  parts_.states.TakeGarbage(&erases);
  if (erases.empty()) return;
  const absl::Status erased =
      parts_.store.Erase(Table::kDomains, erases, parts_.options.store_timeout);
  // What stays is found again when its row is read.
  if (!erased.ok()) Log(LogLevel::kWarning, "strategy", "erase garbage: {}", MessageOf(erased));
}

}  // namespace orbweaver
