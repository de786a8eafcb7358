// The whole db worker on bus and store in memory, for tests of what it does as a whole.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "common/store/memory/memory_store.h"
#include "tests/support/db_worker_harness.h"

namespace orbweaver {

class DbWorkerTest : public ::testing::Test {
 protected:
  MemoryTables tables_;
  MemoryStore store_{&tables_, {}};
  DbWorkerHarness worker_{store_};

  static std::vector<std::string> Urls(const std::vector<DbWorkerHarness::Sent>& sent) {
    std::vector<std::string> urls;
    for (const auto& one : sent) urls.push_back(one.url);
    return urls;
  }
  // Until `requests` came or for so many looks at the feed, which the spiders finish each time.
  std::vector<DbWorkerHarness::Sent> Drain(size_t requests, int looks = 100'000) {
    std::vector<DbWorkerHarness::Sent> all;
    for (; all.size() < requests && looks > 0; --looks) {
      worker_.CommitFeed();
      worker_.StepOnce();
      for (auto& sent : worker_.NewInFeed()) all.push_back(std::move(sent));
    }
    return all;
  }
  void WithoutDelays() { worker_.politeness().delay = std::chrono::milliseconds(0); }
};

}  // namespace orbweaver
