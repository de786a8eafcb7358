#include "cli/check/check_engine.h"

#include <algorithm>
#include <map>
#include <set>

#include "fmt/format.h"
#include <gtest/gtest.h>

#include "common/url/domain.h"
#include "common/url/fingerprint.h"
#include "spider/fetch/failure_cause.h"
#include "tests/support/simulated_fetcher.h"

namespace orbweaver {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// A list on a web without a network, in virtual time.
class CheckEngineTest : public testing::Test {
 protected:
  CheckEngineTest() {
    fetcher_.on_head = [this](FetchId id, std::string_view url) { return Answer(id, "HEAD", url); };
  }

  void Make(const std::vector<std::string>& texts) {
    texts_ = texts;
    ListedUrls listed;
    std::map<std::string, std::vector<uint32_t>> by_domain;
    for (uint32_t i = 0; i < texts.size(); ++i) {
      ResolvedUrl url;
      const bool is_url = resolver_.Resolve(texts[i], &url) == UrlError::kNone;
      by_domain[is_url ? std::string(url.domain) : ""].push_back(i);
    }
    for (const auto& [domain, lines] : by_domain) {
      const auto begin = static_cast<uint32_t>(listed.urls.size());
      for (const uint32_t i : lines) {
        listed.urls.push_back(
            {.offset = i, .line = i + 1, .group = static_cast<uint32_t>(listed.groups.size())});
      }
      listed.groups.push_back({.begin = begin, .end = begin + static_cast<uint32_t>(lines.size())});
    }
    engine_ = std::make_unique<CheckEngine>(
        settings_, std::move(listed),
        [this](const ListedUrl& url) -> std::string_view { return texts_[url.offset]; }, resolver_,
        fetcher_, clock_,
        [this](const CheckResult& result) {
          EXPECT_TRUE(results_.emplace(result.line, result).second) << "told twice";
        });
  }

  // The results by line; `most` steps, since an engine that goes round in circles never ends.
  void Check(const std::vector<std::string>& texts, int most = 100'000) {
    Make(texts);
    while (!engine_->done() && most-- > 0) engine_->Step(SteadyTime::max());
    EXPECT_TRUE(engine_->done());
    EXPECT_EQ(results_.size(), texts.size());
  }
  // "alive 200", "dead dns".
  std::string Outcome(uint32_t line) {
    const CheckResult& result = results_.at(line);
    return fmt::format("{} {}", CheckVerdictName(result.verdict),
                       result.status > 0 ? std::to_string(result.status)
                       : result.cause    ? FailureCauseName(*result.cause)
                                         : "nothing");
  }

  SimulatedAnswer Answer(FetchId, std::string_view method, std::string_view url) {
    asked_.push_back({fmt::format("{} {}", method, url), clock_.Now()});
    for (const std::string& key : {fmt::format("{} {}", method, url), std::string(url)}) {
      const auto found = web_.find(key);
      if (found == web_.end()) continue;
      std::vector<SimulatedAnswer>& answers = found->second;
      const SimulatedAnswer answer = answers.front();
      if (answers.size() > 1) answers.erase(answers.begin());
      return answer;
    }
    return {.status = 404};
  }
  std::vector<std::string> Asked() const {
    std::vector<std::string> asked;
    for (const auto& [what, when] : asked_) asked.push_back(what);
    return asked;
  }

  ManualClock clock_;
  // By URL, or method and URL: answers one after the other, the last one again and again.
  std::map<std::string, std::vector<SimulatedAnswer>> web_;
  std::vector<std::pair<std::string, SteadyTime>> asked_;
  SimulatedFetcher fetcher_{
      clock_, [this](FetchId id, std::string_view url) { return Answer(id, "GET", url); }};
  const std::unique_ptr<const PublicSuffixes> suffixes_ = PublicSuffixes::Load({}).value();
  UrlResolver resolver_{UrlOptions(), *suffixes_};
  CheckSettings settings_;
  std::vector<std::string> texts_;
  std::unique_ptr<CheckEngine> engine_;
  std::map<uint32_t, CheckResult> results_;
};

using Asks = std::vector<std::string>;

TEST_F(CheckEngineTest, HeadIsAskedAndBelievedWhenItIsGood) {
  web_["http://a.test/"] = {{.status = 200}};
  Check({"http://a.test/"});
  EXPECT_EQ(Outcome(1), "alive 200");
  EXPECT_EQ(Asked(), (Asks{"HEAD http://a.test/"}));
  EXPECT_FALSE(results_.at(1).by_get);
}

TEST_F(CheckEngineTest, GetDecidesWhereHeadIsRefusedOrFindsNothing) {
  for (const uint32_t status : {400, 403, 404, 405, 500, 501}) {
    web_["HEAD http://a.test/"] = {{.status = status}};
    web_["GET http://a.test/"] = {{.status = 200}};
    results_.clear();
    Check({"http://a.test/"});
    EXPECT_EQ(Outcome(1), "alive 200") << status;
    EXPECT_TRUE(results_.at(1).by_get);
  }
  asked_.clear();
  results_.clear();
  Check({"http://a.test/none"});
  EXPECT_EQ(Outcome(1), "dead 404");
  EXPECT_EQ(Asked(), (Asks{"HEAD http://a.test/none", "GET http://a.test/none"}));
}

TEST_F(CheckEngineTest, AHostThatRefusesHeadIsAskedOnce) {
  for (const char* page : {"1", "2", "3"}) {
    web_[fmt::format("HEAD http://a.test/{}", page)] = {{.status = 405}};
    web_[fmt::format("GET http://a.test/{}", page)] = {{.status = 200}};
  }
  settings_.limits.domain = settings_.limits.host;  // one after the other
  Check({"http://a.test/1", "http://a.test/2", "http://a.test/3"});
  const Asks asked = Asked();
  EXPECT_EQ(std::ranges::count_if(asked, [](const std::string& ask) { return ask[0] == 'H'; }), 1);
}

TEST_F(CheckEngineTest, GetHasATurnOfItsOwn) {
  web_["HEAD http://a.test/"] = {{.status = 405}};
  web_["GET http://a.test/"] = {{.status = 200}};
  Check({"http://a.test/"});
  ASSERT_EQ(asked_.size(), 2u);
  EXPECT_GE(asked_[1].second - asked_[0].second, seconds(1));
}

TEST_F(CheckEngineTest, RedirectsAreFollowedToOtherDomainsInTheirTurn) {
  web_["http://a.test/"] = {{.status = 301, .location = "https://a.test/x"}};
  web_["https://a.test/x"] = {{.status = 302, .location = "//b.test/y"}};
  web_["http://b.test/y"] = web_["https://b.test/y"] = {{.status = 200}};
  Check({"http://a.test/"});
  EXPECT_EQ(Outcome(1), "alive 200");
  EXPECT_EQ(results_.at(1).final_url(), "https://b.test/y");
  ASSERT_EQ(results_.at(1).redirects.size(), 2u);
  EXPECT_EQ(results_.at(1).redirects[0].status, 301u);
  EXPECT_EQ(results_.at(1).host, "a.test");
}

TEST_F(CheckEngineTest, RedirectsThatLeadNowhereAreDead) {
  web_["http://circle.test/"] = {{.status = 302, .location = "/x"}};
  web_["http://circle.test/x"] = {{.status = 302, .location = "/"}};
  web_["http://mail.test/"] = {{.status = 302, .location = "mailto:x@y"}};
  web_["http://none.test/"] = {{.status = 302}};
  web_["http://gone.test/"] = {{.status = 302, .location = "http://missing.test/"}};
  for (int i = 0; i < 20; ++i) {
    web_[fmt::format("http://long.test/{}", i)] = {
        {.status = 302, .location = fmt::format("/{}", i + 1)}};
  }
  fetcher_.missing = {"missing.test"};
  Check({"http://circle.test/", "http://mail.test/", "http://none.test/", "http://gone.test/",
         "http://long.test/0"});
  for (const uint32_t line : {1u, 2u, 3u, 5u}) {
    EXPECT_EQ(Outcome(line), "dead 302") << line;
    EXPECT_EQ(results_.at(line).cause, FailureCause::kRedirect) << line;
  }
  EXPECT_EQ(Outcome(4), "dead dns");
  EXPECT_EQ(results_.at(5).redirects.size(), 11u);
}

TEST_F(CheckEngineTest, RedirectsMayBeLeftAlone) {
  settings_.max_redirects = 0;
  web_["http://a.test/"] = {{.status = 301, .location = "/x"}};
  Check({"http://a.test/"});
  EXPECT_EQ(Outcome(1), "unclear 301");
  EXPECT_EQ(results_.at(1).final_url(), "http://a.test/x");
}

TEST_F(CheckEngineTest, AFailureThatMayPassIsTriedAgainLater) {
  web_["http://a.test/"] = {{.failure = FailureCause::kTimeoutConnect}, {.status = 200}};
  web_["http://b.test/"] = {{.status = 500}};
  web_["http://c.test/"] = {{.failure = FailureCause::kTlsCertificate}};
  Check({"http://a.test/", "http://b.test/", "http://c.test/"});
  EXPECT_EQ(Outcome(1), "alive 200");
  EXPECT_EQ(results_.at(1).attempts, 2u);
  EXPECT_EQ(Outcome(2), "unclear 500");
  EXPECT_EQ(results_.at(2).attempts, 2u);
  EXPECT_EQ(Outcome(3), "unclear tls_certificate");
  EXPECT_EQ(results_.at(3).attempts, 1u);
  EXPECT_GE(clock_.Now() - SteadyTime(), settings_.retry_delay);
}

TEST_F(CheckEngineTest, RetryAfterIsKept) {
  web_["http://a.test/1"] = {{.status = 429, .retry_after = seconds(90)}, {.status = 200}};
  web_["http://a.test/2"] = {{.status = 200}};
  settings_.limits.domain = settings_.limits.host;
  Check({"http://a.test/1", "http://a.test/2"});
  EXPECT_EQ(Outcome(1), "alive 200");
  EXPECT_EQ(Outcome(2), "alive 200");
  ASSERT_GE(asked_.size(), 2u);
  EXPECT_GE(asked_[1].second - asked_[0].second, seconds(90));
}

TEST_F(CheckEngineTest, AHostThatRestsForLongHoldsNobodyUp) {
  web_["http://slow.test/1"] = {{.status = 503, .retry_after = std::chrono::hours(2)}};
  web_["http://slow.test/2"] = {{.status = 200}};
  std::vector<std::string> texts = {"http://slow.test/1", "http://slow.test/2"};
  for (int i = 0; i < 300; ++i) {
    texts.push_back(fmt::format("http://h{}.test/", i));
    web_[texts.back()] = {{.status = 200}};
  }
  settings_.max_waiting = 3;
  settings_.limits.at_once = 3;
  Make(texts);
  while (results_.size() < 300 && clock_.Now() - SteadyTime() < std::chrono::hours(1)) {
    engine_->Step(SteadyTime::max());
  }
  EXPECT_GE(results_.size(), 300u);
}

TEST_F(CheckEngineTest, AHostThatDoesNotAnswerIsGivenUp) {
  std::vector<std::string> texts;
  for (int i = 0; i < 50; ++i) {
    texts.push_back(fmt::format("http://dead.test/{}", i));
    web_[texts.back()] = {{.failure = FailureCause::kTimeoutConnect, .takes = seconds(10)}};
  }
  Check(texts);
  for (uint32_t line = 1; line <= 50; ++line) EXPECT_EQ(Outcome(line), "unclear timeout_connect");
  EXPECT_LE(asked_.size(), 8u);
  EXPECT_GE(
      std::ranges::count_if(results_, [](const auto& result) { return !result.second.asked; }), 40);
  EXPECT_TRUE(results_.at(1).asked);
}

TEST_F(CheckEngineTest, AHostThatIsBackIsAskedAgain) {
  std::vector<std::string> texts;
  for (int i = 0; i < 20; ++i) {
    texts.push_back(fmt::format("http://a.test/{}", i));
    web_[texts.back()] = {{.status = 200}};
    if (i < 6)
      web_[texts.back()].insert(web_[texts.back()].begin(), {.failure = FailureCause::kRefused});
  }
  Check(texts);
  for (uint32_t line = 1; line <= 20; ++line) EXPECT_EQ(Outcome(line), "alive 200") << line;
}

TEST_F(CheckEngineTest, LinesWithoutAnUrlAndNamesThatDoNotExistAreTold) {
  fetcher_.missing = {"missing.test"};
  Check({"ftp://a.test/", "http://missing.test/", "", "nonsense://"});
  EXPECT_EQ(Outcome(1), "skipped bad_url");
  EXPECT_EQ(results_.at(1).url, "ftp://a.test/");
  EXPECT_EQ(Outcome(2), "dead dns");
  EXPECT_EQ(Outcome(3), "skipped bad_url");
  EXPECT_TRUE(asked_.empty());
}

TEST_F(CheckEngineTest, TheCertificateThatEndsFirstIsTold) {
  const WallTime soon = clock_.Wall() + std::chrono::hours(24 * 3 + 1);
  web_["https://a.test/"] = {
      {.status = 301, .location = "https://b.test/", .certificate_end = soon}};
  web_["https://b.test/"] = {
      {.status = 200, .certificate_end = clock_.Wall() + std::chrono::hours(24 * 300)}};
  Check({"https://a.test/"});
  EXPECT_EQ(CertificateDays(results_.at(1)), 3);
  EXPECT_EQ(results_.at(1).certificate_host, "a.test");
}

TEST_F(CheckEngineTest, AStaleConnectionIsAskedAgainAndIsNoFailure) {
  web_["http://a.test/"] = {{.failure = FailureCause::kReset, .stale = true}, {.status = 200}};
  Check({"http://a.test/"});
  EXPECT_EQ(Outcome(1), "alive 200");
  EXPECT_EQ(results_.at(1).attempts, 1u);
}

TEST_F(CheckEngineTest, DrainingEndsWhatIsAskedAndBeginsNothing) {
  std::vector<std::string> texts;
  for (int i = 0; i < 40; ++i) {
    texts.push_back(fmt::format("http://h{}.test/", i));
    web_[texts.back()] = {{.status = i % 2 == 0 ? 200U : 405U, .takes = seconds(5)}};
  }
  settings_.limits.at_once = 10;
  Make(texts);
  while (engine_->asking() < 10) engine_->Step(clock_.Now());
  engine_->Drain();
  const size_t asked = asked_.size();
  for (int i = 0; i < 100 && !engine_->done(); ++i) engine_->Step(SteadyTime::max());
  EXPECT_TRUE(engine_->done());
  EXPECT_EQ(asked_.size(), asked);
  EXPECT_GT(results_.size(), 0u);
  EXPECT_LE(results_.size(), asked);
}

TEST_F(CheckEngineTest, OneHostNeverHasMoreThanOneRequestAtATime) {
  std::vector<std::string> texts;
  for (int i = 0; i < 200; ++i) {
    texts.push_back(fmt::format("http://{}.a.test/{}", i % 3, i));
    web_[texts.back()] = {{.status = 200, .takes = milliseconds(1500)}};
  }
  Check(texts);
  std::map<std::string, SteadyTime> last;
  for (const auto& [ask, when] : asked_) {
    const std::string host = ask.substr(0, ask.rfind('/'));
    if (last.contains(host)) {
      EXPECT_GE(when - last[host], milliseconds(1500));
    }
    last[host] = when;
  }
}

TEST_F(CheckEngineTest, ManyDomainsThatLeadToOneHostWaitOrAreToldAsNotFollowed) {
  std::vector<std::string> texts;
  for (int i = 0; i < 400; ++i) {
    texts.push_back(fmt::format("http://h{}.test/", i));
    web_[texts.back()] = {{.status = 302, .location = fmt::format("http://sale.test/{}", i)}};
    web_[fmt::format("http://sale.test/{}", i)] = {{.status = 200}};
  }
  Check(texts);
  size_t alive = 0, not_followed = 0;
  for (const auto& [line, result] : results_) {
    (result.verdict == CheckVerdict::kAlive ? alive : not_followed) += 1;
    if (result.verdict != CheckVerdict::kAlive) {
      EXPECT_EQ(result.cause, FailureCause::kRedirect);
      EXPECT_EQ(result.verdict, CheckVerdict::kUnclear);
      EXPECT_TRUE(result.final_url().starts_with("http://sale.test/"));
    }
  }
  EXPECT_GT(alive, 30u);
  EXPECT_GT(not_followed, 30u);
}

TEST_F(CheckEngineTest, RobotsTxtIsObeyedOnlyWhenItIsWanted) {
  web_["http://a.test/robots.txt"] = {{.status = 200, .body = "User-agent: *\nDisallow: /no\n"}};
  web_["http://a.test/no"] = web_["http://a.test/yes"] = {{.status = 200}};
  Check({"http://a.test/no", "http://a.test/yes"});
  EXPECT_EQ(Outcome(1), "alive 200");
  asked_.clear();
  results_.clear();
  settings_.obey_robots = true;
  Check({"http://a.test/no", "http://a.test/yes"});
  EXPECT_EQ(Outcome(1), "skipped robots");
  EXPECT_EQ(Outcome(2), "alive 200");
  EXPECT_EQ(Asked(), (Asks{"GET http://a.test/robots.txt", "HEAD http://a.test/yes"}));
}

TEST_F(CheckEngineTest, WhereThereIsNoRobotsTxtToHaveTheHostIsToldAsItIs) {
  settings_.obey_robots = true;
  fetcher_.missing = {"missing.test"};
  web_["http://down.test/robots.txt"] = {{.failure = FailureCause::kRefused}};
  web_["http://ill.test/robots.txt"] = {{.status = 500}};
  web_["http://moved.test/robots.txt"] = {{.status = 301, .location = "http://other.test/r"}};
  web_["http://other.test/r"] = {{.status = 200, .body = "User-agent: *\nDisallow: /\n"}};
  Check({"http://missing.test/", "http://down.test/", "http://ill.test/", "http://moved.test/"});
  EXPECT_EQ(Outcome(1), "dead dns");
  EXPECT_EQ(Outcome(2), "dead refused");
  EXPECT_EQ(Outcome(3), "unclear robots_unreachable");
  EXPECT_EQ(Outcome(4), "skipped robots");
}

}  // namespace
}  // namespace orbweaver
