#include "tests/bench/queue_workload.h"

#include <vector>

#include "common/base/status.h"
#include "common/bus/topics.h"
#include "common/model/scoring_log.h"
#include "common/url/fingerprint.h"
#include "common/url/partition.h"

namespace orbweaver {
namespace {

constexpr Duration kTimeout = std::chrono::minutes(2);

}  // namespace

std::string QueueWorkloadDomain(int number) {
  return "www-site-" + std::to_string(number) + ".com";
}

absl::Status AppendScoringLog(Bus& bus, const QueueWorkload& workload) {
  absl::Status failure;
  ASSIGN_OR_RETURN(const auto producer,
                   bus.NewProducer({}, [&failure](const Ack& ack) { failure.Update(ack.status); }));
  EncodeBuffer buffer;
  std::vector<std::string> urls(workload.in_message);
  std::vector<ScheduledRequest> requests(workload.in_message);
  for (int message = 0; message < workload.requests / workload.in_message; ++message) {
    const std::string domain = QueueWorkloadDomain(message % workload.domains);
    for (int i = 0; i < workload.in_message; ++i) {
      urls[i] = "https://" + domain + "/articles/2024/11/some-page-with-a-name-" +
                std::to_string(message * workload.in_message + i) + ".html";
      requests[i] = {
          .url = urls[i], .fingerprint = FingerprintOf(urls[i]), .depth = 3, .score = 0.7F};
    }
    ASSIGN_OR_RETURN(
        const std::string_view value,
        Encode(ScoringLogEntry{.epoch = Offset(0),
                               .entry = ScheduleRequests{.source_topic_epoch = 1,
                                                         .source_offset = Offset(message),
                                                         .domain = domain,
                                                         .requests = requests}},
               &buffer));
    const Record record{.topic = kScoringLogTopic,
                        .partition = PartitionOf(SlotOf(domain), workload.partitions),
                        .key = domain,
                        .value = value};
    absl::Status sent = producer->Send(record, 0);
    for (; IsRetry(sent); sent = producer->Send(record, 0)) producer->Poll(kTimeout);
    RETURN_IF_ERROR(sent);
  }
  RETURN_IF_ERROR(producer->Flush(kTimeout));
  return failure;
}

}  // namespace orbweaver
