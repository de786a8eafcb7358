#include "spider/fetch/host_resolver.h"

#include <gtest/gtest.h>

#include "common/base/status.h"
#include "spider/fetch/idle_pool.h"
#include "tests/support/expect_ok.h"

namespace orbweaver {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using Outcome = DnsAnswer::Outcome;

IpAddress At(const char* text) { return *IpAddress::Parse(text); }

class HostResolverTest : public testing::Test {
 protected:
  HostResolver& resolver() {
    if (resolver_ == nullptr) {
      policy_ = std::make_unique<AddressPolicy>(AddressPolicy::Create(options_).value());
      auto made = HostResolver::Create(options_, *policy_, clock_, HostsFile(hosts_),
                                       [this](const std::string& name) { asked_.push_back(name); });
      EXPECT_OK(made);
      resolver_ = std::move(made).value();
    }
    return *resolver_;
  }
  // Whether the host was known at once; *found is written when it is told.
  bool Find(std::string_view host, std::optional<HostAddresses>* found) {
    found->reset();
    resolver().Find(host, [found](const HostAddresses& addresses, Duration) {
      EXPECT_FALSE(found->has_value()) << "told twice";
      *found = addresses;
    });
    return found->has_value();
  }
  void Answer(const std::string& name, const std::vector<IpAddress>& addresses,
              seconds age = seconds(300)) {
    resolver().OnAnswer(name, {.outcome = Outcome::kFound, .addresses = addresses, .age = age});
  }

  NetworkOptions options_;
  std::string hosts_;
  ManualClock clock_;
  std::unique_ptr<AddressPolicy> policy_;
  std::vector<std::string> asked_;
  std::unique_ptr<HostResolver> resolver_;
  std::optional<HostAddresses> a_, b_, c_;
};

TEST_F(HostResolverTest, AllWhoAskMeanwhileShareOneQuestion) {
  EXPECT_FALSE(Find("a.test", &a_));
  clock_.Advance(milliseconds(5));
  EXPECT_FALSE(Find("a.test", &b_));
  EXPECT_FALSE(Find("b.test", &c_));
  EXPECT_EQ(asked_, (std::vector<std::string>{"a.test", "b.test"}));
  Answer("a.test", {At("8.8.8.8"), At("9.9.9.9")});
  ASSERT_TRUE(a_ && b_ && !c_);
  EXPECT_EQ(a_->addresses, (std::vector{At("8.8.8.8"), At("9.9.9.9")}));
  EXPECT_EQ(b_->addresses, a_->addresses);
  EXPECT_TRUE(Find("a.test", &a_)) << "known from now on";
  EXPECT_EQ(asked_.size(), 2u);
}

TEST_F(HostResolverTest, AnAnswerHoldsAsLongAsItSaysWithinTheBounds) {
  options_.dns_min_age = seconds(60);
  options_.dns_max_age = seconds(600);
  const std::pair<seconds, seconds> cases[] = {
      {seconds(0), seconds(60)}, {seconds(300), seconds(300)}, {seconds(86400), seconds(600)}};
  for (const auto& [said, holds] : cases) {
    resolver_.reset();
    Find("a.test", &a_);
    Answer("a.test", {At("8.8.8.8")}, said);
    clock_.Advance(holds - milliseconds(1));
    EXPECT_TRUE(Find("a.test", &a_)) << said.count();
    clock_.Advance(milliseconds(1));
    EXPECT_FALSE(Find("a.test", &a_)) << said.count();
  }
}

TEST_F(HostResolverTest, NamesThatAreNotThereAreRememberedToo) {
  Find("a.test", &a_);
  resolver().OnAnswer("a.test", {.outcome = Outcome::kMissing});
  EXPECT_EQ(a_->failure, FailureCause::kDns);
  clock_.Advance(options_.dns_missing_age - milliseconds(1));
  EXPECT_TRUE(Find("a.test", &a_));
  clock_.Advance(milliseconds(1));
  EXPECT_FALSE(Find("a.test", &a_));
  resolver().OnAnswer("a.test", {.outcome = Outcome::kFailed});
  EXPECT_EQ(a_->failure, FailureCause::kDnsTemporary);
  clock_.Advance(options_.dns_failed_age);
  EXPECT_FALSE(Find("a.test", &a_));
}

TEST_F(HostResolverTest, ANameThatTakesTooLongFailsForNowAndItsLateAnswerServesTheNext) {
  Find("a.test", &a_);
  clock_.Advance(options_.dns_timeout - milliseconds(1));
  resolver().Tick();
  EXPECT_FALSE(a_);
  clock_.Advance(milliseconds(1));
  resolver().Tick();
  ASSERT_TRUE(a_);
  EXPECT_EQ(a_->failure, FailureCause::kDnsTemporary);
  EXPECT_EQ(resolver().waited_for(), 0u);
  Answer("a.test", {At("8.8.8.8")});
  EXPECT_TRUE(Find("a.test", &a_));
  EXPECT_FALSE(a_->failure);
}

TEST_F(HostResolverTest, WhereNoNameServerSaysAnythingNothingIsLearntOfTheName) {
  Find("a.test", &a_);
  resolver().OnAnswer("a.test", {.outcome = Outcome::kUnanswered});
  ASSERT_TRUE(a_);
  EXPECT_EQ(a_->failure, FailureCause::kDnsTemporary);
  EXPECT_EQ(a_->suspect, OwnSide::kNameServers);
  EXPECT_FALSE(Find("a.test", &a_)) << "it is asked for again";
  resolver().OnAnswer("a.test", {.outcome = Outcome::kFailed});
  EXPECT_EQ(a_->suspect, std::nullopt) << "the name server is there";
  EXPECT_TRUE(Find("a.test", &a_));
}

TEST_F(HostResolverTest, AddressesThatAreNotPublicAreLeftOut) {
  Find("a.test", &a_);
  Answer("a.test", {At("10.0.0.1"), At("8.8.8.8"), At("::1")});
  EXPECT_EQ(a_->addresses, std::vector{At("8.8.8.8")});
  Find("b.test", &b_);
  Answer("b.test", {At("10.0.0.1")});
  EXPECT_EQ(b_->failure, FailureCause::kPrivateAddress);
  EXPECT_TRUE(b_->addresses.empty());
}

TEST_F(HostResolverTest, AnAddressAsHostIsJudgedAndNotAskedFor) {
  EXPECT_TRUE(Find("8.8.8.8", &a_));
  EXPECT_EQ(a_->addresses, std::vector{At("8.8.8.8")});
  EXPECT_TRUE(Find("[2001:4860::1]", &a_));
  EXPECT_EQ(a_->addresses, std::vector{At("2001:4860::1")});
  EXPECT_TRUE(Find("127.0.0.1", &a_));
  EXPECT_EQ(a_->failure, FailureCause::kPrivateAddress);
  EXPECT_TRUE(asked_.empty());
}

TEST_F(HostResolverTest, FixedAnswersGoByTheLongestMatch) {
  options_.hosts = {{"*", "8.8.8.1"},
                    {"*.test", "8.8.8.2:8080"},
                    {"*.a.test", "[2001:4860::1]:81"},
                    {"x.a.test", "8.8.8.4"},
                    {"private.test", "10.0.0.1"}};
  const auto address = [&](std::string_view host) {
    EXPECT_TRUE(Find(host, &a_)) << host;
    return a_->addresses.empty() ? "none"
                                 : a_->addresses[0].Text() + " " + std::to_string(a_->port);
  };
  EXPECT_EQ(address("x.a.test"), "8.8.8.4 0");
  EXPECT_EQ(address("y.a.test"), "2001:4860::1 81");
  EXPECT_EQ(address("z.y.a.test"), "2001:4860::1 81");
  EXPECT_EQ(address("a.test"), "8.8.8.2 8080");
  EXPECT_EQ(address("example.com"), "8.8.8.1 0");
  EXPECT_EQ(address("9.9.9.9"), "8.8.8.1 0");
  EXPECT_EQ(address("private.test"), "none");
  EXPECT_EQ(resolver().PortOf("a.test"), 8080);
  EXPECT_EQ(resolver().PortOf("example.com"), 0);
}

TEST_F(HostResolverTest, NoMoreNamesAreKeptThanAllowedAndThoseAskedForLastStay) {
  options_.dns_cache_names = 3;
  for (const char* name : {"a.test", "b.test", "c.test"}) {
    Find(name, &a_);
    Answer(name, {At("8.8.8.8")});
  }
  EXPECT_TRUE(Find("a.test", &a_));
  Find("d.test", &a_);
  Answer("d.test", {At("8.8.8.8")});
  EXPECT_EQ(resolver().names(), 3u);
  EXPECT_TRUE(Find("a.test", &a_));
  EXPECT_FALSE(Find("b.test", &a_));
}

TEST_F(HostResolverTest, AnAddressThatDidNotAnswerComesLast) {
  Find("a.test", &a_);
  Answer("a.test", {At("8.8.8.8"), At("9.9.9.9"), At("1.1.1.1")});
  resolver().Demote("a.test", At("8.8.8.8"));
  Find("a.test", &a_);
  EXPECT_EQ(a_->addresses, (std::vector{At("9.9.9.9"), At("1.1.1.1"), At("8.8.8.8")}));
  resolver().Demote("a.test", At("7.7.7.7"));
  resolver().Demote("unknown.test", At("7.7.7.7"));
}

TEST_F(HostResolverTest, WhoIsToldMayAskAgain) {
  std::optional<HostAddresses> again;
  resolver().Find("a.test", [&](const HostAddresses&, Duration) {
    resolver().Find("b.test", [&](const HostAddresses& found, Duration) { again = found; });
  });
  Answer("a.test", {At("8.8.8.8")});
  EXPECT_EQ(asked_, (std::vector<std::string>{"a.test", "b.test"}));
  Answer("b.test", {At("9.9.9.9")});
  EXPECT_TRUE(again);
}

TEST_F(HostResolverTest, TheHostsFileAndLocalhostComeBeforeAnyNameServer) {
  hosts_ = "8.8.8.8 dns.corp\n10.0.0.1 wiki.corp\n";
  EXPECT_TRUE(Find("dns.corp", &a_));
  EXPECT_EQ(a_->addresses, std::vector{At("8.8.8.8")});
  EXPECT_TRUE(Find("wiki.corp", &a_));
  EXPECT_EQ(a_->failure, FailureCause::kPrivateAddress);
  EXPECT_TRUE(Find("localhost", &a_));
  EXPECT_EQ(a_->failure, FailureCause::kPrivateAddress);
  EXPECT_TRUE(asked_.empty());
  EXPECT_FALSE(Find("other.corp", &a_));
}

TEST_F(HostResolverTest, OfLocalhostOnlyTheWantedVersionIsTold) {
  options_.allow_private = true;
  EXPECT_TRUE(Find("localhost", &a_));
  EXPECT_EQ(a_->addresses, (std::vector{At("127.0.0.1"), At("::1")}));
  resolver_.reset();
  options_.ip_versions = NetworkOptions::IpVersions::kV6;
  EXPECT_TRUE(Find("localhost", &a_));
  EXPECT_EQ(a_->addresses, std::vector{At("::1")});
}

TEST_F(HostResolverTest, ANamedHostMayBePrivate) {
  hosts_ = "10.0.0.1 wiki.corp\n";
  options_.allow_hosts = {"localhost:8000", "wiki.corp", "10.0.0.7:9000", "named.test"};
  for (const char* host : {"localhost", "wiki.corp", "10.0.0.7"}) {
    EXPECT_TRUE(Find(host, &a_));
    EXPECT_FALSE(a_->failure) << host;
  }
  for (const char* host : {"10.0.0.8", "app.localhost", "127.0.0.1"}) {
    EXPECT_TRUE(Find(host, &a_));
    EXPECT_EQ(a_->failure, FailureCause::kPrivateAddress) << host;
  }
  Find("named.test", &a_);
  Answer("named.test", {At("10.0.0.1")});
  EXPECT_FALSE(a_->failure);
}

TEST_F(HostResolverTest, ANamedHostThatWasPublicStaysPublic) {
  options_.allow_hosts = {"named.test"};
  Find("named.test", &a_);
  Answer("named.test", {At("8.8.8.8")});
  EXPECT_FALSE(a_->failure);
  clock_.Advance(std::chrono::hours(24));
  Find("named.test", &a_);
  Answer("named.test", {At("127.0.0.1")});
  EXPECT_EQ(a_->failure, FailureCause::kPrivateAddress) << "its name servers lead us home";
}

// ---- the pool

const auto kAny = [](int) { return true; };

TEST(IdlePoolTest, TheOnePutLastIsTakenFirstAndOnce) {
  IdlePool<int> pool({.max_idle = 10, .max_per_key = 5, .idle_timeout = seconds(10)});
  pool.Put("a", 1, {});
  pool.Put("a", 2, {});
  pool.Put("b", 3, {});
  EXPECT_EQ(pool.Take("a", kAny), 2);
  EXPECT_EQ(pool.Take("a", kAny), 1);
  EXPECT_EQ(pool.Take("a", kAny), std::nullopt);
  EXPECT_EQ(pool.Take("b", [](int n) { return n != 3; }), std::nullopt);
  EXPECT_EQ(pool.size(), 1u);
}

TEST(IdlePoolTest, BoundsHoldInAllAndByKey) {
  IdlePool<int> pool({.max_idle = 3, .max_per_key = 2, .idle_timeout = seconds(10)});
  for (int i = 1; i <= 3; ++i) pool.Put("a", i, {});
  EXPECT_EQ(pool.size(), 2u);
  pool.Put("b", 4, {});
  pool.Put("c", 5, {});
  EXPECT_EQ(pool.size(), 3u);
  EXPECT_EQ(pool.Take("a", kAny), 2) << "1 had waited longest";
  EXPECT_EQ(pool.Take("a", kAny), std::nullopt);
  IdlePool<int> none({.max_idle = 0, .max_per_key = 2, .idle_timeout = seconds(10)});
  none.Put("a", 1, {});
  EXPECT_EQ(none.size(), 0u);
}

TEST(IdlePoolTest, WhatHasWaitedTooLongGoes) {
  IdlePool<int> pool({.max_idle = 9, .max_per_key = 9, .idle_timeout = seconds(10)});
  pool.Put("a", 1, SteadyTime(seconds(0)));
  pool.Put("a", 2, SteadyTime(seconds(5)));
  pool.Expire(SteadyTime(seconds(10)));
  EXPECT_EQ(pool.size(), 1u);
  EXPECT_EQ(pool.Take("a", kAny), 2);
}

}  // namespace
}  // namespace orbweaver
