#include "cli/console/workers_view.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/bus/topics.h"

namespace orbweaver {
namespace {

using ::testing::HasSubstr;

FrontierStatus Owned() {
  FrontierStatus owners;
  owners.reads.push_back({.group = kSpiderGroup, .topic = kSpiderFeedTopic, .partitions = {}});
  for (const char* const owner : {"s1", "", "s1", "s2"}) {
    owners.reads[0].partitions.push_back({.owner = owner});
  }
  return owners;
}

SampledWorker Worker(const char* id, const char* role) {
  SampledWorker worker{.report = {.id = id,
                                  .role = role,
                                  .version = "1",
                                  .admin_address = "h:1",
                                  .started_at = WallTime(std::chrono::milliseconds(5)),
                                  .reported_at = WallTime(std::chrono::milliseconds(7)),
                                  .vitals = {}},
                       .cpu_cores = std::nullopt,
                       .stages = {{.name = "spiders",
                                   .role = "spider",
                                   .busy = 0.25,
                                   .waits_for_input = 0.5,
                                   .waits_for_output = 0.25}}};
  worker.report.vitals.Take("process_resident_memory_bytes", 3000);
  return worker;
}

TEST(WorkersViewTest, AWorkerHasThePartitionsThatItsGroupNamesItFor) {
  const SampledWorker workers[] = {Worker("s1", "spider"), Worker("s1", "db-worker")};
  const std::string text = WorkersJson(workers, {}, Owned());
  EXPECT_EQ(text,
            R"({"workers":[{"id":"s1","role":"spider","version":"1","admin_address":"h:1",)"
            R"("started_at_ms":5,"reported_at_ms":7,"shares_process":false,"memory_bytes":3000,)"
            R"("cpu_cores":null,"partitions":[0,2],"stages":{"busy":0.25,)"
            R"("waits_for_input":0.5,"waits_for_output":0.25}},)"
            R"({"id":"s1","role":"db-worker","version":"1","admin_address":"h:1",)"
            R"("started_at_ms":5,"reported_at_ms":7,"shares_process":false,"memory_bytes":3000,)"
            R"("cpu_cores":null,"partitions":[],)"
            R"("stages":{"busy":null,"waits_for_input":null,"waits_for_output":null}}]})");
}

TEST(WorkersViewTest, TheCrawlOfThisProcessPlaysAllRoles) {
  const SampledWorker crawl = Worker("crawl", "crawl");
  const std::string roles[] = {"spider", "db-worker"};
  const std::string text = WorkersJson({&crawl, 1}, roles, Owned());
  EXPECT_THAT(text, HasSubstr(R"("role":"spider")"));
  EXPECT_THAT(text, HasSubstr(R"("shares_process":true)"));
  EXPECT_THAT(text, HasSubstr(R"("partitions":[0,1,2,3])"));
  EXPECT_THAT(text, HasSubstr(R"("role":"db-worker")"));
}

}  // namespace
}  // namespace orbweaver
