// The fixture of the fetcher's tests on the network.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "fmt/format.h"
#include <gtest/gtest.h>

#include "spider/fetch/failure_cause.h"
#include "spider/fetch/http_fetcher.h"
#include "tests/support/expect_ok.h"

namespace orbweaver {

// Everything that was told, by id.
class Collector : public FetchListener {
 public:
  void OnResolved(const Resolution& resolution) override {
    EXPECT_TRUE(resolved.emplace(resolution.id, resolution.address).second);
    failures[resolution.id] = resolution.failure;
  }
  void OnFetched(FetchResult& result) override {
    const FetchId id = result.id;
    EXPECT_TRUE(fetched.emplace(id, std::move(result)).second) << "told twice";
  }
  std::map<FetchId, IpAddress> resolved;
  std::map<FetchId, std::optional<FailureCause>> failures;
  std::map<FetchId, FetchResult> fetched;
};

// A fetcher for a server of this machine, to which all names lead.
class HttpFetcherTest : public testing::Test {
 protected:
  HttpFetcherTest() {
    network_.allow_networks = {"127.0.0.0/8"};
    options_.content_types = {"*"};
  }

  // From here on all hosts are at `port`.
  void LeadTo(int port) { network_.hosts["*"] = fmt::format("127.0.0.1:{}", port); }

  HttpFetcher& fetcher() {
    if (fetcher_ == nullptr) {
      auto made = HttpFetcher::Create(network_, options_, *clock_);
      EXPECT_OK(made);
      fetcher_ = std::move(made).value();
    }
    return *fetcher_;
  }

  // Until `count` fetches are told in all.
  void RunUntil(size_t count) {
    const auto deadline = SystemClock().Now() + std::chrono::seconds(60);
    while (collector_.fetched.size() < count && SystemClock().Now() < deadline) {
      fetcher().Run(deadline, collector_);
    }
    ASSERT_EQ(collector_.fetched.size(), count);
  }

  FetchResult Fetch(const std::string& url, FetchRequest request = {}) {
    const FetchId id(++last_id_);
    request.url = url;
    fetcher().Fetch(id, request);
    RunUntil(collector_.fetched.size() + 1);
    return std::move(collector_.fetched[id]);
  }

  // The cause's name, or the status.
  std::string OutcomeOf(const FetchResult& result) {
    if (result.failure) return std::string(FailureCauseName(*result.failure));
    return std::to_string(result.status);
  }
  std::string Outcome(const std::string& url) { return OutcomeOf(Fetch(url)); }

  NetworkOptions network_;
  FetchOptions options_;
  const Clock* clock_ = &SystemClock();  // of the fetcher
  std::unique_ptr<HttpFetcher> fetcher_;
  Collector collector_;
  uint64_t last_id_ = 0;
};

}  // namespace orbweaver
