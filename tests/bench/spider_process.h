// Spiders that do at once whatever stands in the feed, for benchmarks of what fills it.
#pragma once

#include <csignal>
#include <cstdlib>
#include <memory>
#include <span>
#include <string>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include "absl/status/status.h"

#include "common/base/check.h"
#include "common/base/log.h"
#include "common/base/status.h"
#include "common/bus/kafka/kafka_bus.h"
#include "common/bus/topics.h"

namespace orbweaver {

// A process of its own, so that its CPU, librdkafka's threads included, is not the worker's. Made
// while this process has one thread.
class SpiderProcess {
 public:
  SpiderProcess() {
    int orders[2], answers[2];
    CHECK(pipe(orders) == 0 && pipe(answers) == 0);
    child_ = fork();
    CHECK(child_ >= 0);
    if (child_ == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      close(orders[1]);
      Serve(orders[0], answers[1]);
    }
    close(orders[0]);
    close(answers[1]);
    orders_ = orders[1];
    answers_ = answers[0];
  }
  ~SpiderProcess() {
    kill(child_, SIGKILL);
    waitpid(child_, nullptr, 0);
    close(orders_);
    close(answers_);
  }
  SpiderProcess(const SpiderProcess&) = delete;
  SpiderProcess& operator=(const SpiderProcess&) = delete;

  // Commits the ends of the feed's partitions, in the topics of that prefix.
  absl::Status CommitEnds(const std::string& prefix, int partitions) {
    Order order{.partitions = partitions};
    CHECK(prefix.size() < sizeof order.prefix);
    prefix.copy(order.prefix, prefix.size());
    char done = 0;
    if (write(orders_, &order, sizeof order) != sizeof order || read(answers_, &done, 1) != 1 ||
        done != 1) {
      return FatalError("the spiders could not commit");
    }
    return absl::OkStatus();
  }

 private:
  struct Order {
    char prefix[64] = {};
    int partitions = 0;
  };
  static constexpr Duration kTimeout = std::chrono::minutes(2);

  // The spiders' side of one cluster: the objects that are open.
  struct Spiders {
    std::string prefix;
    std::unique_ptr<Bus> bus;
    std::unique_ptr<OffsetReader> offsets;
    std::unique_ptr<Consumer> consumer;
    std::vector<PartitionId> partitions;
  };

  [[noreturn]] static void Serve(int orders, int answers) {
    Spiders spiders;
    Order order;
    while (read(orders, &order, sizeof order) == sizeof order) {
      const absl::Status status = Commit(order, &spiders);
      if (!status.ok()) Log(LogLevel::kError, "spiders", "{}", MessageOf(status));
      const char done = status.ok() ? 1 : 0;
      CHECK(write(answers, &done, 1) == 1);
    }
    _exit(0);
  }

  static absl::Status Commit(const Order& order, Spiders* spiders) {
    if (spiders->prefix != order.prefix) RETURN_IF_ERROR(Open(order, spiders));
    ASSIGN_OR_RETURN(const auto bounds,
                     spiders->offsets->Bounds(kSpiderFeedTopic, spiders->partitions, kTimeout));
    std::vector<OffsetCommit> commits;
    for (size_t p = 0; p < bounds.size(); ++p) {
      commits.push_back(
          {.partition = spiders->partitions[p], .offset = bounds[p].end, .metadata = {}});
    }
    return spiders->consumer->Commit(commits, kTimeout);
  }

  static absl::Status Open(const Order& order, Spiders* spiders) {
    *spiders = Spiders();
    ASSIGN_OR_RETURN(spiders->bus,
                     NewKafkaBus({.brokers = getenv("ORBWEAVER_KAFKA"), .prefix = order.prefix}));
    ASSIGN_OR_RETURN(spiders->offsets, spiders->bus->NewOffsetReader());
    ASSIGN_OR_RETURN(spiders->consumer,
                     spiders->bus->NewConsumer({.group = std::string(kSpiderGroup)}));
    std::vector<AssignedPartition> from;
    for (int p = 0; p < order.partitions; ++p) {
      spiders->partitions.emplace_back(p);
      from.push_back({.partition = PartitionId(p), .position = Offset(0)});
    }
    RETURN_IF_ERROR(spiders->consumer->Assign(kSpiderFeedTopic, from));
    spiders->prefix = order.prefix;
    return absl::OkStatus();
  }

  pid_t child_ = 0;
  int orders_ = 0;
  int answers_ = 0;
};

}  // namespace orbweaver
