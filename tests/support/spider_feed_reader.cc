#include "tests/support/spider_feed_reader.h"

#include <utility>

#include "common/base/status.h"
#include "common/bus/topics.h"
#include "common/model/spider_feed.h"

namespace orbweaver {

absl::StatusOr<std::unique_ptr<SpiderFeedReader>> SpiderFeedReader::Create(Bus& bus, int partitions,
                                                                           Duration timeout) {
  ASSIGN_OR_RETURN(auto consumer, bus.NewConsumer({.group = std::string(kSpiderGroup)}));
  std::vector<AssignedPartition> from;
  for (int p = 0; p < partitions; ++p) {
    from.push_back({.partition = PartitionId(p), .position = Offset(0)});
  }
  RETURN_IF_ERROR(consumer->Assign(kSpiderFeedTopic, from));
  return std::unique_ptr<SpiderFeedReader>(new SpiderFeedReader(std::move(consumer), timeout));
}

absl::Status SpiderFeedReader::ReadOn(Duration wait) {
  MessageBatch batch;
  RETURN_IF_ERROR(consumer_->Poll({}, wait, &batch));
  for (const Message& message : batch.messages()) {
    RETURN_IF_ERROR(Take(message));
    read_to_[message.partition] = message.offset + 1;
  }
  return absl::OkStatus();
}

absl::Status SpiderFeedReader::Take(const Message& message) {
  Arena arena;
  SpiderFeedEntry entry;
  RETURN_IF_ERROR(Decode(message.value, &arena, &entry));
  EpochFilter& epochs = epochs_[message.partition];
  if (std::holds_alternative<Marker>(entry.entry)) {
    ++markers_;
    epochs.Pass(message.offset);
    return absl::OkStatus();
  }
  if (!epochs.Accepts(entry.epoch)) {
    ++of_old_epochs_;
    return absl::OkStatus();
  }
  const auto& request = std::get<Request>(entry.entry);
  ++requests_;
  ++sent_[std::string(request.url)];
  sent_to_[std::string(request.domain)].push_back(message.time);
  return absl::OkStatus();
}

absl::Status SpiderFeedReader::Commit() {
  std::vector<OffsetCommit> commits;
  for (const auto& [partition, offset] : read_to_) {
    commits.push_back(
        {.partition = partition, .offset = offset, .metadata = epochs_[partition].Metadata()});
  }
  return commits.empty() ? absl::OkStatus() : consumer_->Commit(commits, timeout_);
}

}  // namespace orbweaver
