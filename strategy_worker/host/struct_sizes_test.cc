#include "strategy_worker/host/struct_sizes.h"

#include <cstring>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/random.h"
#include "common/base/status.h"
#include "tests/support/expect_ok.h"

// The first header once more, under names of its own.
namespace orbweaver::abi_1_0 {
#undef ORBWEAVER_STRATEGY_ABI_H_
#undef ORBWEAVER_STRATEGY_ABI
#undef ORBWEAVER_STRATEGY_SYMBOL
#include "strategy_worker/host/testdata/abi_1_0/strategy_abi.h"
}  // namespace orbweaver::abi_1_0

namespace orbweaver {
namespace {

using ::testing::HasSubstr;

// The last member of each struct of 1.0 stands where it stood, and what came later stands behind
// the padding that the struct ended with.
#define STANDS(type, last)                                                 \
  static_assert(offsetof(::type, last) == offsetof(abi_1_0::type, last) && \
                sizeof(::type) >= sizeof(abi_1_0::type))
STANDS(orbweaver_text, size);
STANDS(orbweaver_meta, value);
STANDS(orbweaver_error, size);
STANDS(orbweaver_event, host_view);
STANDS(orbweaver_domain, data_view);
STANDS(orbweaver_page, changed);
STANDS(orbweaver_source, same_domain);
STANDS(orbweaver_failure, transient);
STANDS(orbweaver_host, dns);
STANDS(orbweaver_link, score);
STANDS(orbweaver_state, content_hash);
STANDS(orbweaver_decision, meta_count);
STANDS(orbweaver_output, warning_kept);
STANDS(orbweaver_parameter, max);
STANDS(orbweaver_setting, value_view);
STANDS(orbweaver_strategy, finished);
static_assert(offsetof(::orbweaver_request, decision) ==
              offsetof(abi_1_0::orbweaver_request, decision));
static_assert(sizeof(::orbweaver_request) - offsetof(::orbweaver_request, decision) ==
                  sizeof(::orbweaver_decision),
              "a request's decision grows, so nothing may stand behind it");
static_assert(offsetof(::orbweaver_strategy, needs) >= sizeof(abi_1_0::orbweaver_strategy));
// These have no size that a strategy could say.
static_assert(sizeof(::orbweaver_text) == sizeof(abi_1_0::orbweaver_text) &&
              sizeof(::orbweaver_meta) == sizeof(abi_1_0::orbweaver_meta) &&
              sizeof(::orbweaver_error) == sizeof(abi_1_0::orbweaver_error));

orbweaver_strategy OfToday() {
  orbweaver_strategy strategy{};
  strategy.abi = ORBWEAVER_STRATEGY_ABI;
  strategy.struct_size = sizeof(orbweaver_strategy);
  strategy.event_size = sizeof(orbweaver_event);
  strategy.domain_size = sizeof(orbweaver_domain);
  strategy.page_size = sizeof(orbweaver_page);
  strategy.source_size = sizeof(orbweaver_source);
  strategy.failure_size = sizeof(orbweaver_failure);
  strategy.host_size = sizeof(orbweaver_host);
  strategy.link_size = sizeof(orbweaver_link);
  strategy.state_size = sizeof(orbweaver_state);
  strategy.decision_size = sizeof(orbweaver_decision);
  strategy.request_size = sizeof(orbweaver_request);
  strategy.output_size = sizeof(orbweaver_output);
  strategy.parameter_size = sizeof(orbweaver_parameter);
  strategy.setting_size = sizeof(orbweaver_setting);
  return strategy;
}

TEST(StructSizesTest, SizesOfTodayAndOfTheFirstVersionAreTaken) {
  EXPECT_OK(CheckSizes(OfToday()));
  orbweaver_strategy first = OfToday();
  first.struct_size = sizeof(abi_1_0::orbweaver_strategy);
  first.event_size = sizeof(abi_1_0::orbweaver_event);
  first.domain_size = sizeof(abi_1_0::orbweaver_domain);
  first.page_size = sizeof(abi_1_0::orbweaver_page);
  first.source_size = sizeof(abi_1_0::orbweaver_source);
  first.failure_size = sizeof(abi_1_0::orbweaver_failure);
  first.host_size = sizeof(abi_1_0::orbweaver_host);
  first.link_size = sizeof(abi_1_0::orbweaver_link);
  first.state_size = sizeof(abi_1_0::orbweaver_state);
  first.decision_size = sizeof(abi_1_0::orbweaver_decision);
  first.request_size = sizeof(abi_1_0::orbweaver_request);
  first.output_size = sizeof(abi_1_0::orbweaver_output);
  first.parameter_size = sizeof(abi_1_0::orbweaver_parameter);
  first.setting_size = sizeof(abi_1_0::orbweaver_setting);
  EXPECT_OK(CheckSizes(first));
}

TEST(StructSizesTest, SmallerThanEverAndLargerThanTheHostsAreRefused) {
  for (size_t orbweaver_strategy::* const size :
       {&orbweaver_strategy::struct_size, &orbweaver_strategy::event_size,
        &orbweaver_strategy::domain_size, &orbweaver_strategy::page_size,
        &orbweaver_strategy::source_size, &orbweaver_strategy::failure_size,
        &orbweaver_strategy::host_size, &orbweaver_strategy::link_size,
        &orbweaver_strategy::state_size, &orbweaver_strategy::decision_size,
        &orbweaver_strategy::request_size, &orbweaver_strategy::output_size,
        &orbweaver_strategy::parameter_size, &orbweaver_strategy::setting_size}) {
    orbweaver_strategy strategy = OfToday();
    strategy.*size += 8;
    EXPECT_THAT(MessageOf(CheckSizes(strategy)), HasSubstr("built against a newer SDK"));
    strategy.*size = 8;
    EXPECT_THAT(MessageOf(CheckSizes(strategy)), HasSubstr("none ever had fewer than"));
    strategy.*size = 0;
    EXPECT_FALSE(CheckSizes(strategy).ok());
  }
}

// As the host's struct of a later version would be to a strategy of today.
struct Grown {
  orbweaver_decision decision;
  uint64_t added;
};

TEST(StructSizesTest, AnArrayIsSteppedThroughByTheStrategysSize) {
  Random random(1);
  for (size_t count = 0; count < 5; ++count) {
    std::vector<Grown> ours(count);
    for (size_t i = 0; i < count; ++i) {
      ours[i].decision.attempt = static_cast<uint32_t>(random());
      ours[i].added = random();
    }
    ArrayOf<Grown> array(sizeof(orbweaver_decision));
    auto* const theirs = reinterpret_cast<orbweaver_decision*>(array.Theirs(std::span(ours)));
    for (size_t i = 0; i < count; ++i) {
      ASSERT_EQ(theirs[i].attempt, ours[i].decision.attempt);
      theirs[i].score = static_cast<float>(i);
    }
    array.TakeBack(ours);
    for (size_t i = 0; i < count; ++i) {
      EXPECT_EQ(ours[i].decision.score, static_cast<float>(i));
      EXPECT_EQ(ours[i].added, 0u) << "a strategy that knows nothing of it says zero";
    }
  }
}

TEST(StructSizesTest, WhatAStrategyAsksForIsTakenByItsOwnSize) {
  orbweaver_decision theirs[3] = {};
  for (uint32_t i = 0; i < 3; ++i) theirs[i].attempt = i + 1;
  std::vector<Grown> copies;
  const std::span<const Grown> ours =
      Ours(reinterpret_cast<const Grown*>(theirs), sizeof(orbweaver_decision), 3, &copies);
  ASSERT_EQ(ours.size(), 3u);
  for (uint32_t i = 0; i < 3; ++i) {
    EXPECT_EQ(ours[i].decision.attempt, i + 1);
    EXPECT_EQ(ours[i].added, 0u);
  }
}

TEST(StructSizesTest, NothingIsCopiedWhereTheSizesAreTheSame) {
  std::vector<orbweaver_link> links(3);
  ArrayOf<orbweaver_link> array(sizeof(orbweaver_link));
  EXPECT_EQ(array.Theirs(std::span<const orbweaver_link>(links)), links.data());
  std::vector<orbweaver_link> copies;
  EXPECT_EQ(Ours(links.data(), sizeof(orbweaver_link), 3, &copies).data(), links.data());
}

}  // namespace
}  // namespace orbweaver
