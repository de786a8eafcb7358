#include "tests/support/spider_world.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "common/base/status.h"
#include "common/bus/topics.h"
#include "common/runtime/step_loop.h"
#include "spider/crawl/lane.h"
#include "tests/support/expect_ok.h"

namespace orbweaver {
namespace {

constexpr Duration kCallTimeout = std::chrono::seconds(10);

SimulatedAnswer DefaultWeb(std::string_view url) {
  if (url.ends_with("/robots.txt")) return {.status = 404};
  return {.body = "<title>A page</title>"};
}

}  // namespace

SimulatedSpider::SimulatedSpider(SpiderWorld& world, Options options)
    : world_(world), process_(options.dies_at) {
  bus_ = std::make_unique<MemoryBus>(
      &world.broker, MemoryBusOptions{.process = &process_, .faults = options.faults});
  auto fetcher = std::make_unique<SimulatedFetcher>(
      world.clock,
      [&world](FetchId id, std::string_view url) {
        world.asked.emplace_back(url, world.clock.Now());
        if (world.on_begin) world.on_begin(id, url);
        return world.web ? world.web(url) : DefaultWeb(url);
      },
      [&world](FetchId id) {
        if (world.on_end) world.on_end(id);
      });
  fetcher->no_names = world.no_names;
  fetcher->addresses = world.addresses;
  auto lane = std::make_unique<Lane>(
      LaneParts{.fetcher = std::move(fetcher),
                .archive = std::make_unique<Archive>(ArchiveOptions(), "", "", world.clock),
                .suffixes = *world.suffixes,
                .clock = world.clock,
                .metrics = crawl_metrics_.fetchers,
                .publish = options.publish});
  core_ = std::make_unique<SpiderCore>(SpiderCoreParts{
      .bus = *bus_,
      .clock = world.clock,
      .suffixes = *world.suffixes,
      .metrics = crawl_metrics_,
      .lanes = std::move(lane),
      .partitions = SpiderWorld::kPartitions,
      .membership = {.member = options.name, .session_timeout = options.session_timeout},
      .options = options.crawl,
      .flow = {.politeness = options.politeness,
               .robots = options.robots,
               .publish = options.publish,
               .max_fetches = options.crawl.max_fetches}});
}

SimulatedSpider::~SimulatedSpider() { process_.Kill(); }

void SimulatedSpider::Step(Duration wait) {
  try {
    StepAlive(wait);
  } catch (const SimulatedCrash&) {
  }
}

void SimulatedSpider::StepAlive(Duration wait) {
  if (!joined_) {
    const absl::Status joined = core_->Join();
    ASSERT_NE(FateAfter(joined), CoreFate::kEndsTheProcess) << joined;
    joined_ = joined.ok();
    if (!joined_) {
      core_->Leave();
      world_.clock.Advance(wait);
    }
    return;
  }
  const absl::Status status = core_->Step(wait);
  ASSERT_NE(FateAfter(status), CoreFate::kEndsTheProcess) << status;
  if (FateAfter(status) != CoreFate::kIsMadeAnew) return;
  core_->Leave();
  joined_ = false;
}

void SimulatedSpider::StepUntil(const std::function<bool()>& done, Duration most) {
  const SteadyTime end = world_.clock.Now() + most;
  while (!dead() && !done()) {
    ASSERT_LT(world_.clock.Now(), end) << "too much virtual time passes";
    const SteadyTime before = world_.clock.Now();
    Step();
    ASSERT_FALSE(::testing::Test::HasFatalFailure());
    // A spider that is busy at one instant for ever is one that spins.
    if (world_.clock.Now() == before) {
      ASSERT_LT(++still_, 100'000) << "spins";
    } else {
      still_ = 0;
    }
  }
}

void SimulatedSpider::Close() {
  for (int i = 0; i < 100; ++i) {
    const absl::Status status = core_->Close();
    if (status.ok()) return;
    ASSERT_TRUE(IsRetry(status)) << status;
  }
  FAIL() << "does not close";
}

SpiderWorld::SpiderWorld() {
  auto loaded = PublicSuffixes::Load({});
  CHECK_OK(loaded.status());
  suffixes = *std::move(loaded);
  const auto topics = ProductTopics({.partitions = kPartitions});
  CHECK_OK(topics.status());
  CHECK_OK(bus.EnsureTopics(*topics, kCallTimeout).status());
  feed_ = std::make_unique<FeedWriter>(bus, kPartitions, *suffixes, kCallTimeout);
}

int SpiderWorld::AskedTimes(std::string_view url) const {
  return static_cast<int>(std::count_if(asked.begin(), asked.end(),
                                        [url](const auto& one) { return one.first == url; }));
}

SpiderLogContents SpiderWorld::Log() {
  SpiderLogContents contents;
  EXPECT_OK(ReadSpiderLog(bus, kPartitions, kCallTimeout, &contents));
  return contents;
}

int64_t SpiderWorld::Committed() {
  std::vector<PartitionId> partitions;
  for (int p = 0; p < kPartitions; ++p) partitions.emplace_back(p);
  const auto reader = bus.NewOffsetReader();
  const auto committed =
      (*reader)->Committed(kSpiderGroup, kSpiderFeedTopic, partitions, kCallTimeout);
  EXPECT_OK(committed);
  int64_t sum = 0;
  for (const auto& one : *committed) sum += one ? one->offset.value() : 0;
  return sum;
}

bool SpiderWorld::AllCommitted() {
  std::vector<PartitionId> partitions;
  for (int p = 0; p < kPartitions; ++p) partitions.emplace_back(p);
  const auto reader = bus.NewOffsetReader();
  const auto bounds = (*reader)->Bounds(kSpiderFeedTopic, partitions, kCallTimeout);
  EXPECT_OK(bounds);
  int64_t sum = 0;
  for (const LogBounds& one : *bounds) sum += one.end.value();
  return Committed() == sum;
}

}  // namespace orbweaver
