#include "strategy_worker/core/flight.h"

#include <utility>

#include "common/base/log.h"
#include "common/base/status.h"
#include "common/protocol/failed_url_rows.h"
#include "strategy_worker/core/phase_timer.h"

namespace orbweaver {
namespace {

// Deleted cells cost the store as much as written ones, and nobody waits for them to go.
constexpr int kBatchesPerErase = 16;

}  // namespace

Flight::~Flight() {
  // Waits for the write, which uses this object; its result no longer matters.
  if (is_writing_) parts_.background.Await().IgnoreError();
}

void Flight::Begin(Ownership* ownership, Batch* batch) {
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
      parts_.kept_entries.Flush(partition, *owned.version, &failed_);
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
  steps_.Begin();
  StartWrite();
}

void Flight::StartWrite() {
  is_writing_ = true;
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

std::span<const Flight::Steps::Step> Flight::FlightSteps() {
  static constexpr Steps::Step kSteps[] = {
      {"put rows", &Flight::AwaitWrite},
      {"append outboxes", &Flight::Append},
      {"still the owner?", &Flight::CheckOwner},
      {"commit", &Flight::Commit},
  };
  return kSteps;
}

absl::Status Flight::Finish() {
  return steps_.Advance(*this, [] { return false; });
}

absl::StatusOr<bool> Flight::AwaitWrite() {
  PhaseTimer timer(parts_.clock, parts_.metrics.write_seconds);
  if (!is_writing_) StartWrite();
  is_writing_ = false;
  RETURN_IF_ERROR(parts_.background.Await());
  parts_.states.Flushed();
  parts_.kept_entries.Flushed();
  return true;
}

absl::StatusOr<bool> Flight::Append() {
  PhaseTimer timer(parts_.clock, parts_.metrics.append_seconds);
  for (; next_outgoing_ < outgoing_.size(); ++next_outgoing_, next_entry_ = 0) {
    const Outgoing& outgoing = outgoing_[next_outgoing_];
    for (; next_entry_ < outgoing.entries.size(); ++next_entry_) {
      RETURN_IF_ERROR(parts_.log.Append(outgoing.partition, outgoing.domain,
                                        outgoing.entries[next_entry_], parts_.options.bus_timeout));
      parts_.metrics.messages.Increment();
    }
  }
  RETURN_IF_ERROR(parts_.log.AwaitAcks(parts_.options.bus_timeout));
  return true;
}

absl::StatusOr<bool> Flight::CheckOwner() {
  PhaseTimer timer(parts_.clock, parts_.metrics.commit_seconds);
  RETURN_IF_ERROR(parts_.log.CheckStillOwner(partitions_, parts_.options.bus_timeout));
  return true;
}

absl::StatusOr<bool> Flight::Commit() {
  PhaseTimer timer(parts_.clock, parts_.metrics.commit_seconds);
  RETURN_IF_ERROR(parts_.spider_log.Commit(commits_));
  parts_.metrics.batches.Increment();
  if (++since_erase_ == kBatchesPerErase) EraseGarbage();
  return true;
}

void Flight::EraseGarbage() {
  since_erase_ = 0;
  std::vector<RowErase> erases;
  parts_.states.TakeGarbage(&erases);
  if (erases.empty()) return;
  const absl::Status erased =
      parts_.store.Erase(Table::kDomains, erases, parts_.options.store_timeout);
  // Garbage that was not erased is found again when its row is read.
  if (!erased.ok()) Log(LogLevel::kWarning, "strategy", "erase garbage: {}", MessageOf(erased));
}

}  // namespace orbweaver
