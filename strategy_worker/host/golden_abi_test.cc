// A strategy that was built against ABI 1.0 (testdata/abi_1_0), under the host of today.
#include <gtest/gtest.h>

#include "common/base/status.h"
#include "strategy_worker/host/loader.h"
#include "strategy_worker/host/strategy_library.h"
#include "tests/support/expect_ok.h"

namespace orbweaver {
namespace {

constexpr char kPath[] = ORBWEAVER_TESTDATA "/golden_1_0.so";

std::string_view View(orbweaver_text text) { return {text.data, text.size}; }
orbweaver_text Text(std::string_view text) { return {text.data(), text.size()}; }

class GoldenAbiTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto strategy = LoadStrategy({.path = kPath, .params = {{"depth", "5"}, {"word", "mate"}}}, 7);
    ASSERT_OK(strategy);
    strategy_ = *std::move(strategy);
    domain_.name_view = Text("example.com");
    domain_.data_view = Text("bytes");
    event_.struct_size = sizeof(event_);
    event_.domain_view = &domain_;
    output_.struct_size = sizeof(output_);
  }
  // Decisions of two URLs, about which the last members of their structs are known.
  std::array<orbweaver_decision, 2> Decide() {
    std::array<orbweaver_decision, 2> decisions{};
    EXPECT_OK(strategy_->OnEvent(event_, Links(), states_, decisions, &output_));
    return decisions;
  }
  std::span<const orbweaver_link> Links() {
    links_[0].url_view = Text("https://example.com/0");
    links_[1].url_view = Text("https://example.com/1");
    for (size_t i = 0; i < 2; ++i) {
      links_[i].score = 0.25f * static_cast<float>(i + 1);
      states_[i].content_hash = 1000 * (i + 1);
      states_[i].data[7] = static_cast<uint8_t>(i + 1);
    }
    return links_;
  }

  std::unique_ptr<Strategy> strategy_;
  orbweaver_domain domain_{};
  orbweaver_event event_{};
  orbweaver_output output_{};
  std::array<orbweaver_link, 2> links_{};
  std::array<orbweaver_state, 2> states_{};
};

TEST_F(GoldenAbiTest, WhatItDoesNotSayIsZero) {
  const auto library = StrategyLibrary::Open(kPath, {});
  ASSERT_OK(library);
  EXPECT_EQ(nullptr, library->strategy().describe);
  // But for what it said in its own way.
  EXPECT_EQ(uint64_t{ORBWEAVER_NEEDS_BODY}, library->strategy().needs);
  EXPECT_STREQ("golden", library->strategy().name);
  EXPECT_STREQ("word", library->strategy().parameters[1].name);
}

TEST_F(GoldenAbiTest, ItReadsLinksAndStatesAndDecides) {
  orbweaver_source source{};
  source.same_domain = 1;
  event_.kind = ORBWEAVER_LINKS;
  event_.source_view = &source;
  const auto decisions = Decide();
  for (size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(ORBWEAVER_SCHEDULE, decisions[i].action);
    EXPECT_EQ(0.25f * static_cast<float>(i + 1), decisions[i].score);
    EXPECT_EQ(static_cast<int64_t>(1000 * (i + 1)), decisions[i].not_before_ms);
    EXPECT_EQ(i + 1, decisions[i].data[7]);
    ASSERT_EQ(1u, decisions[i].meta_count);
    EXPECT_EQ("mate", View(decisions[i].meta_kept[0].value));
  }
  std::array<uint8_t, 2> keep{1, 1};
  EXPECT_OK(strategy_->Filter(event_, Links(), keep));
  EXPECT_EQ((std::array<uint8_t, 2>{1, 0}), keep);
}

TEST_F(GoldenAbiTest, ItReadsAPageAndMakesRequests) {
  orbweaver_page page{};
  page.final_url_view = Text("https://example.com/final");
  page.canonical_url_view = Text("https://example.com/canonical");
  page.title_view = Text("a title");
  page.changed = 1;
  event_.kind = ORBWEAVER_PAGE;
  event_.page_view = &page;
  event_.depth = 4;
  event_.score = 0.5f;
  Decide();
  ASSERT_EQ(2u, output_.request_count);
  EXPECT_EQ("https://example.com/canonical", View(output_.requests_kept[0].url));
  EXPECT_EQ("https://example.com/final", View(output_.requests_kept[1].url));
  EXPECT_EQ(5u, output_.requests_kept[1].depth);
  EXPECT_EQ(1, output_.requests_kept[1].even_if_known);
  EXPECT_EQ(0.5f, output_.requests_kept[1].decision.score);
  EXPECT_EQ("bytes", View(output_.domain_data_kept));
  EXPECT_EQ("a title", View(output_.warning_kept));
}

TEST_F(GoldenAbiTest, ItReadsFailuresAndHosts) {
  orbweaver_failure failure{};
  failure.retry_after_ms = 500;
  failure.transient = 1;
  event_.kind = ORBWEAVER_FAILURE;
  event_.failure_view = &failure;
  event_.now_ms = 10'000;
  EXPECT_EQ(10'500, Decide()[0].not_before_ms);
  EXPECT_EQ(1, output_.back_off);
  orbweaver_host host{};
  host.crawl_delay_ms = 3000;
  host.dns = 2;
  event_.kind = ORBWEAVER_HOST;
  event_.host_view = &host;
  Decide();
  EXPECT_EQ(3000, output_.blocked_until_ms);
  EXPECT_EQ(1, output_.give_up_domain);
}

TEST_F(GoldenAbiTest, ItAdoptsFinishesAndFails) {
  const auto adopted = strategy_->Adopt("other", 3, "data");
  ASSERT_OK(adopted);
  EXPECT_EQ("otherdata", *adopted);
  const auto finished = strategy_->Finished();
  ASSERT_OK(finished);
  EXPECT_TRUE(*finished);
  event_.kind = 77;
  std::array<orbweaver_decision, 2> decisions{};
  const absl::Status failed = strategy_->OnEvent(event_, Links(), states_, decisions, &output_);
  EXPECT_NE(failed.message().find("an event that 1.0 did not have"), std::string::npos) << failed;
}

}  // namespace
}  // namespace orbweaver
