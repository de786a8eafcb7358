// The SDK's TestDriver stands for a worker in the tests of strategies: on the same events and
// decisions both must come to the same states, counts and queue.
#include <algorithm>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "common/base/random.h"
#include "orbweaver/test_driver.h"
#include "tests/support/expect_ok.h"
#include "tests/support/strategy_core_fixture.h"
#include "tests/support/strategy_world.h"

namespace orbweaver {
namespace {

// Decides by URL and time alone, as if by chance: everything that a strategy may.
class Anything final : public sdk::Strategy {
  static uint64_t ChanceOf(std::string_view url, const sdk::Event& event) {
    uint64_t hash = static_cast<uint64_t>(event.now_ms()) * 0x9e3779b97f4a7c15u;
    for (const char c : url) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
    return hash >> 7;
  }
  static float ScoreOf(uint64_t chance) { return static_cast<float>(chance / 64 % 8) / 8; }

  static void Decide(const sdk::Event& event, sdk::Link link) {
    const uint64_t chance = ChanceOf(link.url(), event);
    switch (chance % 8) {
      case 0:
      case 1:
        link.Schedule(ScoreOf(chance));
        break;
      case 2:
      case 3:
      case 4:
        link.Raise(ScoreOf(chance));
        break;
      case 5:
        link.Drop();
        break;
      default:
        break;
    }
    if (chance / 8 % 8 == 0) link.SetData(static_cast<uint16_t>(chance));
    if (chance / 8 % 8 == 1) link.SetStatus(sdk::Status::kGone);
    if (chance / 8 % 16 == 2) link.SetAttempt(static_cast<uint32_t>(chance / 128 % 3));
  }
  static void DecideAll(sdk::LinkEvent& event) {
    for (const sdk::Link link : event) Decide(event, link);
    const uint64_t chance = ChanceOf("", event);
    if (chance % 16 == 0) event.GiveUpDomain();
    for (uint64_t i = 0; i < chance / 16 % 3; ++i) {
      event.Request(kUrl.substr(0, kUrl.size() - 1) + std::to_string(chance / 64 % 12 + i),
                    ScoreOf(chance), {.even_if_known = chance / 1024 % 2 == 0});
    }
  }

  void OnSeeds(sdk::Seeds& seeds) override { DecideAll(seeds); }
  void OnLinks(sdk::Links& links) override { DecideAll(links); }
  void OnPage(sdk::Page& page) override { DecideAll(page); }
  void OnFailure(sdk::Failure& failure) override { DecideAll(failure); }
};

using Waiting = std::tuple<std::string, float, uint32_t, uint32_t>;  // URL, score, depth, attempt

// The queue as a db worker keeps it.
void Apply(const ReadRequest& request, std::vector<Waiting>* queue) {
  const auto is_same = [&](const Waiting& other) { return std::get<0>(other) == request.url; };
  if (request.action == ScheduleAction::kRaise) {
    float best = -1;
    for (const Waiting& other : *queue) {
      if (is_same(other)) best = std::max(best, std::get<1>(other));
    }
    if (best < 0 || best >= request.score) return;
  }
  if (request.action != ScheduleAction::kAdd) std::erase_if(*queue, is_same);
  if (request.action == ScheduleAction::kDelete) return;
  queue->emplace_back(request.url, request.score, request.depth, request.attempt);
}

class TestDriverAgreement : public StrategyCoreTest {
 protected:
  using Exported = sdk::internal::Exported<Anything>;

  TestDriverAgreement() : driver_(Exported::Describe("anything", 1, "")) {
    const orbweaver_strategy* const raw = Exported::Describe("anything", 1, "");
    orbweaver_error error{};
    EXPECT_EQ(raw->create(nullptr, 0, 1, &self_, &error), 0);
    strategy_.on_event = [this, raw](ScriptedStrategy::Call call) {
      orbweaver_error why{};
      const int failed = raw->on_event(self_, &call.event, call.links.data(), call.states.data(),
                                       call.links.size(), call.decisions.data(), call.output, &why);
      return failed == 0 ? absl::OkStatus() : absl::InternalError("the strategy failed");
    };
  }
  ~TestDriverAgreement() override { Exported::Describe("anything", 1, "")->destroy(self_); }

  // The same event for the driver and, in the spider log, for the worker.
  void Happen(Random& random) {
    world_.clock.Advance(std::chrono::milliseconds(1 + random.Below(1000)));
    driver_.SetTime(world_.clock.Wall().time_since_epoch().count());
    const uint64_t kind = random.Below(4);
    if (kind == 0 || kind == 3) {
      std::vector<std::string> urls;
      for (uint64_t i = 0; i < 12; ++i) {
        if (random.Chance(0.4)) urls.push_back("https://a.test/" + std::to_string(i));
      }
      if (urls.empty()) return;
      if (kind == 3) {
        std::vector<Seed> seeds;
        for (const std::string& url : urls) seeds.push_back({.url = url});
        driver_.Seeds({urls.begin(), urls.end()});
        world_.Append({.domain = kDomain, .event = Seeds{.seeds = seeds}});
        return;
      }
      std::vector<Link> links;
      for (const std::string& url : urls) links.push_back({.url = url});
      driver_.Links("https://b.test/", {urls.begin(), urls.end()});
      world_.Append({.domain = kDomain,
                     .event = LinksFound{.source = {.url = "https://b.test/"}, .links = links}});
      return;
    }
    const std::optional<sdk::TestRequest> next = driver_.Next();
    if (!next) return;
    const Request request{.url = next->url,
                          .domain = kDomain,
                          .depth = next->depth,
                          .score = next->score,
                          .attempt = next->attempt};
    Offset at;
    if (kind == 1) {
      driver_.Page(next->url);
      at = world_.Append({.domain = kDomain,
                          .event = PageFetched{.request = request,
                                               .status = 200,
                                               .fetched_at = world_.clock.Wall(),
                                               .content_hash = {.high = 0, .low = 1}}});
    } else {
      driver_.Fail(next->url);
      at = world_.Append(
          {.domain = kDomain,
           .event = FetchFailed{.request = request, .cause = FailureCause::kTimeoutTotal}});
    }
    taken_.emplace_back(at, Waiting(next->url, next->score, next->depth, next->attempt));
  }

  // The requests that wait in the queue after the last event, by the worker's scoring log.
  std::vector<Waiting> QueueOfTheWorker() {
    std::vector<Waiting> queue;
    auto taken = taken_.begin();
    const auto take_until = [&](Offset offset) {
      for (; taken != taken_.end() && taken->first <= offset; ++taken) {
        const auto found = std::ranges::find(queue, taken->second);
        ASSERT_NE(found, queue.end()) << std::get<0>(taken->second) << " was handed out";
        queue.erase(found);
      }
    };
    for (const ReadSchedule& schedule : world_.ReadScoringLog()) {
      take_until(schedule.source_offset);
      if (schedule.update.has_value() && schedule.update->purge) queue.clear();
      for (const ReadRequest& request : schedule.requests) Apply(request, &queue);
    }
    take_until(Offset(1 << 20));
    return queue;
  }

  void ExpectTheSame() {
    for (uint64_t i = 0; i < 15; ++i) {
      const std::string url = "https://a.test/" + std::to_string(i);
      const orbweaver_state* const is = driver_.State(url);
      const std::optional<LinkState> should = world_.StateOf(kDomain, url);
      ASSERT_EQ(is != nullptr, should.has_value()) << url;
      if (is == nullptr) continue;
      EXPECT_EQ(is->status, static_cast<uint8_t>(should->status)) << url;
      EXPECT_EQ(is->depth, should->depth) << url;
      EXPECT_EQ(is->fetches, should->fetches) << url;
      EXPECT_EQ(is->errors, should->errors) << url;
      EXPECT_TRUE(std::equal(std::begin(is->data), std::end(is->data), should->data.begin()))
          << url;
    }
    const sdk::TestDomain& is = driver_.Domain(kDomain);
    const DomainRecord should = world_.RecordOf(kDomain).value_or(DomainRecord());
    EXPECT_EQ(is.fetched, should.fetched);
    EXPECT_EQ(is.scheduled, should.scheduled);
    EXPECT_EQ(is.failed, should.failed);
    EXPECT_EQ(is.known_urls, should.known_urls);
    std::vector<Waiting> waiting;
    for (const sdk::TestRequest& request : driver_.queue()) {
      waiting.emplace_back(request.url, request.score, request.depth, request.attempt);
    }
    std::vector<Waiting> queue = QueueOfTheWorker();
    std::ranges::sort(waiting);
    std::ranges::sort(queue);
    EXPECT_EQ(waiting, queue);
  }

  void* self_ = nullptr;
  sdk::TestDriver driver_;
  std::vector<std::pair<Offset, Waiting>> taken_;  // with the offset of its outcome
};

class Seeded : public TestDriverAgreement, public ::testing::WithParamInterface<uint64_t> {};

TEST_P(Seeded, RandomDecisionsHaveTheSameEffect) {
  Random random(GetParam());
  for (int i = 0; i < 60; ++i) Happen(random);
  ASSERT_OK(Run());
  ExpectTheSame();
}

INSTANTIATE_TEST_SUITE_P(TestDriverAgreement, Seeded, ::testing::Range<uint64_t>(0, 20));

}  // namespace
}  // namespace orbweaver
