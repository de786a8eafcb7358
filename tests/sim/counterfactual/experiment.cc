#include "tests/sim/counterfactual/experiment.h"

#include <unordered_set>
#include <utility>
#include <vector>

#include "common/base/check.h"
#include "common/base/log.h"
#include "common/base/status.h"
#include "common/bus/topics.h"
#include "lab/crawl/recorded_source.h"
#include "lab/recording/recorder.h"
#include "lab/recording/recording.h"
#include "lab/recording/recording_folder.h"
#include "lab/report/evaluation.h"
#include "strategy_worker/host/loader.h"
#include "tests/sim/counterfactual/hasty_source.h"

namespace orbweaver::lab {
namespace {

using std::chrono::milliseconds;

constexpr int kPartitions = 2;
constexpr uint64_t kRecordedFetches = 1700;
constexpr double kExplored = 0.05;
constexpr size_t kSeeds = 3;
constexpr size_t kDraws = 5;
constexpr Duration kTimeout = std::chrono::hours(1);  // of virtual time
constexpr uint32_t kOk = 200;
// Of strategies that decide at random: reality draws otherwise than any draw of a prediction.
constexpr uint64_t kOtherSeed = 1'000'003;

template <typename T>
T Must(absl::StatusOr<T> made) {
  CHECK_OK(made.status());
  return *std::move(made);
}

synthetic::WebOptions WebOf(uint64_t seed) {
  return {.seed = seed,
          .hosts = 60,
          .pages_per_host = 40,
          .page_bytes = 1'500,
          .links_per_page = 12,
          .outside_links = 0.2,
          .gone_pages = 0.125};
}

std::unique_ptr<Strategy> Load(const std::string& name, uint64_t seed) {
  return Must(LoadStrategy({.name = name}, seed));
}

}  // namespace

Experiment::Experiment(uint64_t seed, const std::filesystem::path& folder)
    : seed_(seed),
      folder_(folder),
      suffixes_(Must(PublicSuffixes::Load({}))),
      web_(Must(synthetic::Web::Create(WebOf(seed)))),
      value_(Must(PageValue::FromExpression(kValue))) {
  ConfigureLog({.level = LogLevel::kError, .repeats_per_ten_seconds = 1});
  Record();
  const auto recording = Must(Recording::Open(folder_));
  const auto go_on = [](uint64_t) { return true; };
  recorded_ = Must(RecordedWeb::Read(*recording, folder_, go_on));
  pages_ = Must(RecordedPages::Read(*recorded_, value_, go_on));
  CHECK(pages_->table().explored() > 0);
}

VirtualCrawlSetup Experiment::SetupOf(CrawlSource& source, Strategy& strategy,
                                      const CrawlLimit& limit) const {
  VirtualCrawlSetup setup{.source = source,
                          .strategy = strategy,
                          .suffixes = *suffixes_,
                          .partitions = kPartitions,
                          .spiders = 1,
                          .budget = limit.budget,
                          .time = limit.time};
  setup.flow.robots.product_token = "orbweaver";
  setup.flow.scope = Must(CrawlScope::Make({}, *suffixes_));
  setup.flow.max_fetches = setup.crawl.max_fetches = 12;
  setup.flow.politeness.delay = setup.db_worker.politeness.delay = milliseconds(100);
  return setup;
}

void Experiment::Record() {
  SyntheticSource source(*web_, *suffixes_, kSeeds);
  const auto strategy = Load("breadth_first", seed_);
  VirtualCrawlSetup setup = SetupOf(source, *strategy, {.budget = kRecordedFetches});
  setup.keeps_logs = true;
  setup.strategy_worker.explore = kExplored;
  const auto crawl = Must(VirtualCrawl::Create(setup));
  Must(crawl->Run([](const CrawlTrace&) { return true; }));

  const auto folder =
      Must(RecordingFolder::Open(folder_, {.software = "test 1"}, /*sample=*/1, source.begin()));
  Recorder recorder(folder.get(), *suffixes_, {});
  const auto offsets = Must(crawl->bus().NewOffsetReader());
  for (int32_t i = 0; i < kPartitions; ++i) {
    const PartitionId id(i);
    const LogBounds bounds = Must(offsets->Bounds(kSpiderLogTopic, {&id, 1}, kTimeout)).front();
    CHECK_OK(recorder.Record(crawl->bus(),
                             {.topic = std::string(kSpiderLogTopic),
                              .partition = id,
                              .first = bounds.start,
                              .end = bounds.end},
                             [] { return true; }));
  }
  CHECK_OK(folder->Save());
}

RealFigures Experiment::Really(const std::string& strategy, const CrawlLimit& limit) {
  SyntheticSource source(*web_, *suffixes_, kSeeds);
  const auto loaded = Load(strategy, seed_ + kOtherSeed);
  const auto crawl = Must(VirtualCrawl::Create(SetupOf(source, *loaded, limit)));
  Must(crawl->Run([](const CrawlTrace&) { return true; }));

  RealFigures figures;
  std::unordered_set<size_t> contents;
  std::unordered_set<std::string> urls;
  for (const ServedPage& page : source.served()) {
    if (limit.budget > 0 && figures.fetches >= static_cast<double>(limit.budget)) break;
    if (limit.time > Duration() && page.began >= limit.time) break;
    ++figures.fetches;
    if (page.status != kOk) {
      ++figures.errors;
      continue;
    }
    if (contents.insert(page.body_hash).second) ++figures.unique;
    if (urls.insert(page.url).second && page.url.find('7') != std::string::npos) ++figures.value;
  }
  return figures;
}

StrategyReport Experiment::Predict(const std::string& strategy, const CrawlLimit& limit,
                                   Mistake mistake) {
  std::vector<CrawlFetches> draws;
  for (uint64_t draw = 0; draw < kDraws; ++draw) {
    RecordedSource recorded(*recorded_, draw);
    HastySource hasty(*recorded_, draw);
    CrawlSource* source = &recorded;
    if (mistake == Mistake::kLatencyIgnored) source = &hasty;
    const auto loaded = Load(strategy, seed_ + draw);
    const auto crawl = Must(VirtualCrawl::Create(SetupOf(*source, *loaded, limit)));
    draws.push_back(pages_->FetchesOf(Must(crawl->Run([](const CrawlTrace&) { return true; }))));
  }
  Report report =
      Evaluate(pages_->table(), draws,
               {.draws = kDraws,
                .value = value_.text(),
                .force = true,
                .bias = mistake == Mistake::kUnknownIsFailure ? PlantedBias::kUnknownIsFailure
                                                              : PlantedBias::kNone});
  return std::move(report.strategies.at(0));
}

}  // namespace orbweaver::lab
