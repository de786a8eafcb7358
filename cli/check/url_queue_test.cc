#include "cli/check/url_queue.h"

#include <map>
#include <set>

#include <gtest/gtest.h>

#include "common/base/random.h"

namespace orbweaver {
namespace {

using std::chrono::seconds;

constexpr SteadyTime kNow{seconds(1000)};

// Groups of so many URLs, whose lines count from 1 on.
ListedUrls List(const std::vector<uint32_t>& sizes) {
  ListedUrls list;
  for (const uint32_t size : sizes) {
    const auto begin = static_cast<uint32_t>(list.urls.size());
    for (uint32_t i = 0; i < size; ++i) {
      list.urls.push_back(
          {.line = begin + i + 1, .group = static_cast<uint32_t>(list.groups.size())});
    }
    list.groups.push_back({.begin = begin, .end = begin + size});
  }
  return list;
}

TEST(UrlQueueTest, AFewOfEachGroupAreOutAtATime) {
  UrlQueue queue(List({5, 2}), 2);
  std::vector<ListedUrl> out;
  while (const auto url = queue.Take(kNow)) out.push_back(*url);
  ASSERT_EQ(out.size(), 4u);
  EXPECT_EQ(queue.NextWakeup(), SteadyTime::max());
  queue.Finish(out[0]);
  EXPECT_EQ(queue.NextWakeup(), SteadyTime::min());
  EXPECT_EQ(queue.Take(kNow)->line, 3u);
  EXPECT_FALSE(queue.Take(kNow));
  EXPECT_EQ(queue.left(), 2u);
  EXPECT_EQ(queue.out(), 4u);
}

TEST(UrlQueueTest, AGroupThatWasPutBackRestsAsAWhole) {
  UrlQueue queue(List({3, 1}), 2);
  const ListedUrl first = *queue.Take(kNow);
  queue.PutBack(first, kNow + seconds(5));
  EXPECT_EQ(queue.Take(kNow)->line, 4u);
  EXPECT_FALSE(queue.Take(kNow));
  EXPECT_EQ(queue.NextWakeup(), kNow + seconds(5));
  EXPECT_FALSE(queue.Take(kNow + seconds(4)));
  EXPECT_EQ(queue.Take(kNow + seconds(5))->line, 1u);
  EXPECT_EQ(queue.Take(kNow + seconds(5))->line, 2u);
}

TEST(UrlQueueTest, AnotherAttemptComesBehindTheFirstOnesAndNotTooSoon) {
  UrlQueue queue(List({4}), 1);
  for (const uint32_t line : {1u, 2u}) {
    ListedUrl url = *queue.Take(kNow);
    EXPECT_EQ(url.line, line == 1 ? 1u : 4u);
    url.attempts = 1;
    queue.Retry(url, kNow + seconds(30));
  }
  std::set<uint32_t> fresh;
  while (const auto url = queue.Take(kNow)) {
    EXPECT_EQ(url->attempts, 0u);
    fresh.insert(url->line);
    queue.Finish(*url);
  }
  EXPECT_EQ(fresh, (std::set<uint32_t>{2, 3}));
  EXPECT_EQ(queue.NextWakeup(), kNow + seconds(30));
  std::set<uint32_t> again;
  while (const auto url = queue.Take(kNow + seconds(30))) {
    EXPECT_EQ(url->attempts, 1u);
    again.insert(url->line);
    queue.Finish(*url);
  }
  EXPECT_EQ(again, (std::set<uint32_t>{1, 4}));
  EXPECT_EQ(queue.left(), 0u);
}

TEST(UrlQueueTest, WhateverComesBackEachUrlIsFinishedOnce) {
  Random random(3);
  for (int round = 0; round < 50; ++round) {
    UrlQueue queue(List({17, 9, 9, 4, 1, 1}), static_cast<uint32_t>(1 + random.Below(4)));
    std::vector<ListedUrl> out;
    std::map<uint32_t, int> finished;
    SteadyTime now = kNow;
    while (queue.left() > 0 || queue.out() > 0) {
      while (const auto url = queue.Take(now)) out.push_back(*url);
      if (out.empty()) {
        ASSERT_GT(queue.NextWakeup(), now);
        ASSERT_NE(queue.NextWakeup(), SteadyTime::max()) << "something is left that never comes";
        now = queue.NextWakeup();
        continue;
      }
      std::swap(out[random.Below(out.size())], out.back());
      ListedUrl url = out.back();
      out.pop_back();
      const SteadyTime later = now + seconds(1 + static_cast<int64_t>(random.Below(10)));
      switch (random.Below(3)) {
        case 0:
          queue.PutBack(url, later);
          break;
        case 1:
          url.attempts = url.attempts + 1;
          queue.Retry(url, later);
          break;
        default:
          ++finished[url.line];
          queue.Finish(url);
      }
    }
    EXPECT_EQ(finished.size(), 41u);
    for (const auto& [line, times] : finished) EXPECT_EQ(times, 1) << line;
  }
}

}  // namespace
}  // namespace orbweaver
