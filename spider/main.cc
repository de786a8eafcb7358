// orbweaver-spider: the spider on Kafka.
#include <atomic>
#include <memory>
#include <string>
#include <utility>

#include "common/base/status.h"
#include "common/bus/kafka/kafka_bus.h"
#include "common/bus/topics.h"
#include "common/runtime/process.h"
#include "common/runtime/stats_reporter.h"
#include "common/runtime/step_loop.h"
#include "common/worker/worker_options.h"
#include "spider/crawl/http_spider.h"
#include "spider/crawl/spider_core.h"

namespace orbweaver {
namespace {

constexpr char kModule[] = "spider";
constexpr Duration kStartTimeout = std::chrono::seconds(20);

struct Options {
  KafkaOptions kafka;
  PublicSuffixOptions public_suffixes;
  SpiderOptions spider;
  WorkerOptions worker;
};

void Declare(config::Schema& schema, Options* options) {
  DeclareKafkaOptions(schema, &options->kafka);
  DeclareSpiderOptions(schema, &options->spider, &options->public_suffixes);
  DeclareWorkerOptions(schema, &options->worker);
}

absl::Status Run(const Options& options, Process& process) {
  ASSIGN_OR_RETURN(const GroupMembership membership, MembershipOf(options.worker));
  ASSIGN_OR_RETURN(const auto suffixes, PublicSuffixes::Load(options.public_suffixes));
  const auto list = process.admin.AddStatus(
      "public_suffixes", [&suffixes](JsonWriter& json) { suffixes->WriteStatus(json); });
  ASSIGN_OR_RETURN(const auto bus, NewKafkaBus(options.kafka));
  CrawlMetrics metrics(process.metrics);
  const StatsReporter reporter(*bus, process.metrics,
                               {.worker_id = WorkerId(options.worker),
                                .role = kModule,
                                .version = ORBWEAVER_VERSION,
                                .admin_address = process.admin_address,
                                .interval = options.worker.stats_interval});
  std::unique_ptr<SpiderCore> core;  // once the topics are known
  std::atomic<bool> joined = false;
  const auto ready = process.admin.AddCondition(
      "group", [&joined] { return joined ? "" : "has not joined its group yet"; });
  AdminSite::Registration status;
  process.started = true;

  const auto make = [&]() -> absl::StatusOr<std::unique_ptr<Stepped>> {
    joined = false;
    if (core == nullptr) {
      ASSIGN_OR_RETURN(const int partitions, SpiderPartitions(*bus, kStartTimeout));
      ASSIGN_OR_RETURN(core, MakeHttpSpider(options.spider,
                                            {.bus = *bus,
                                             .suffixes = *suffixes,
                                             .metrics = metrics,
                                             .partitions = partitions,
                                             .membership = membership,
                                             .worker_id = WorkerId(options.worker),
                                             .software = "orbweaver-spider/" ORBWEAVER_VERSION}));
      status = process.admin.AddStatus(
          "spider", [core = core.get()](JsonWriter& json) { core->WriteStatus(json); });
    }
    ASSIGN_OR_RETURN(auto member, JoinSpiders(*core));
    joined = true;
    return member;
  };
  absl::Status result = RunSteps(kModule, make, process.stop);
  // Also after what was fatal: whole files are of more use than torn ones.
  if (core != nullptr) result.Update(core->Finish());
  return result;
}

}  // namespace
}  // namespace orbweaver

int main(int argc, char** argv) {
  orbweaver::Options options;
  return orbweaver::RunProcess(
      {.name = "orbweaver-spider",
       .summary = "Fetches and parses what the feed asks for",
       .admin_port = 9610},
      argc, argv,
      [&options](orbweaver::config::Schema& schema) { orbweaver::Declare(schema, &options); },
      [&options](orbweaver::Process& process) { return orbweaver::Run(options, process); });
}
