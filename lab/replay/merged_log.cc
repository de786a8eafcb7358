#include "lab/replay/merged_log.h"

#include "common/base/status.h"

namespace orbweaver::lab {

MergedLog::MergedLog(const Recording& recording, std::string_view topic, bool skip_damaged) {
  for (const PartitionId partition : recording.manifest().Partitions(topic)) {
    sources_.emplace_back().reader = recording.Read(topic, partition, skip_damaged);
  }
}

absl::StatusOr<const Message*> MergedLog::Peek() {
  if (first_ != nullptr) return &first_->next;
  for (Source& source : sources_) {
    if (!source.has_next && !source.is_at_end) {
      ASSIGN_OR_RETURN(source.has_next, source.reader->Next(&source.next));
      source.is_at_end = !source.has_next;
    }
    if (!source.has_next) continue;
    if (first_ == nullptr || source.next.time < first_->next.time) first_ = &source;
  }
  return first_ == nullptr ? nullptr : &first_->next;
}

void MergedLog::Pop() {
  if (first_ != nullptr) first_->has_next = false;
  first_ = nullptr;
}

}  // namespace orbweaver::lab
