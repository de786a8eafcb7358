#include "cli/requeue_writer.h"

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "common/base/status.h"
#include "common/bus/topics.h"
#include "common/model/encode_buffer.h"
#include "common/model/limits.h"
#include "common/model/split.h"
#include "common/url/partition.h"

namespace orbweaver {
namespace {

constexpr size_t kMostInMessage = 500;

// The seeds of one domain until they are written. Not thread-safe.
class Requeuer {
 public:
  Requeuer(const Clock& clock, int partitions, Duration timeout)
      : clock_(clock), partitions_(partitions), timeout_(timeout) {}

  absl::Status Open(Bus& bus) {
    ASSIGN_OR_RETURN(producer_,
                     bus.NewProducer({}, [this](const Ack& ack) { acked_.Update(ack.status); }));
    return absl::OkStatus();
  }

  absl::Status Add(std::string_view domain, const Request& request) {
    if (domain != domain_ || seeds_.size() == kMostInMessage) RETURN_IF_ERROR(Write());
    domain_ = domain;
    Seed seed{.url = Keep(request.url), .score = request.score};
    std::vector<Meta>& meta = meta_.emplace_back();
    for (const Meta& one : request.meta) meta.push_back({Keep(one.key), Keep(one.value)});
    seed.meta = meta;
    seeds_.push_back(seed);
    return absl::OkStatus();
  }

  // All that was added is durable.
  absl::Status Finish() {
    RETURN_IF_ERROR(Write());
    RETURN_IF_ERROR(producer_->Flush(timeout_));
    return acked_;
  }

  uint64_t written() const { return written_; }

 private:
  std::string_view Keep(std::string_view text) { return texts_.emplace_back(text); }

  absl::Status Write() {
    std::span<const Seed> left = seeds_;
    for (size_t n = 0; !left.empty(); left = left.subspan(n)) {
      n = FittingPrefix(left, kDefaultMaxMessageBytes);
      ASSIGN_OR_RETURN(const std::string_view value,
                       Encode({.domain = domain_,
                               .event = Seeds{.seeds = left.first(n), .only_failed = true},
                               .time = clock_.Wall()},
                              &buffer_));
      RETURN_IF_ERROR(Send(value));
      written_ += n;
    }
    seeds_.clear();
    meta_.clear();
    texts_.clear();
    return absl::OkStatus();
  }

  absl::Status Send(std::string_view value) {
    const Record record{.topic = kSpiderLogTopic,
                        .partition = PartitionOf(SlotOf(domain_), partitions_),
                        .key = domain_,
                        .value = value};
    const SteadyTime deadline = clock_.Now() + timeout_;
    absl::Status sent = producer_->Send(record, 0);
    while (IsRetry(sent) && clock_.Now() < deadline) {
      producer_->Poll(deadline - clock_.Now());
      sent = producer_->Send(record, 0);
    }
    sent.Update(acked_);
    return sent;
  }

  const Clock& clock_;
  const int partitions_;
  const Duration timeout_;
  std::unique_ptr<Producer> producer_;
  EncodeBuffer buffer_;
  absl::Status acked_;
  std::string domain_;
  std::vector<Seed> seeds_;
  std::deque<std::vector<Meta>> meta_;
  std::deque<std::string> texts_;
  uint64_t written_ = 0;
};

}  // namespace

absl::StatusOr<uint64_t> RequeueFailures(Store& store, Bus& bus, const Clock& clock,
                                         const WantedFailures& wanted, Duration timeout) {
  ASSIGN_OR_RETURN(const int partitions, bus.PartitionCount(kSpiderLogTopic, timeout));
  if (!IsPartitionCount(partitions)) {
    return FatalError("topic '{}' has {} partitions. Run `orbweaver init`", kSpiderLogTopic,
                      partitions);
  }
  Requeuer requeuer(clock, partitions, timeout);
  RETURN_IF_ERROR(requeuer.Open(bus));
  absl::Status added;
  RETURN_IF_ERROR(
      VisitFailures(store, wanted, [&](const SpiderLogEntry& entry, const FetchFailed& failed) {
        added = requeuer.Add(entry.domain, failed.request);
        return added.ok();
      }));
  RETURN_IF_ERROR(added);
  RETURN_IF_ERROR(requeuer.Finish());
  return requeuer.written();
}

}  // namespace orbweaver
