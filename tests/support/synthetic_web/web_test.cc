#include "tests/support/synthetic_web/web.h"

#include <set>

#include <gtest/gtest.h>

#include "common/url/canonical.h"
#include "common/url/domain.h"
#include "tests/support/expect_ok.h"
#include "tests/support/synthetic_web/http_date.h"

namespace orbweaver::synthetic {
namespace {

std::unique_ptr<const Web> Make(const WebOptions& options) {
  auto web = Web::Create(options);
  EXPECT_OK(web);
  return std::move(web).value();
}

Place Page(uint32_t host, uint32_t page) {
  return {.host = host, .number = page, .kind = Place::Kind::kPage};
}

// A web where every page but a home page has its host's fault.
WebOptions Only(Fault fault) {
  WebOptions options{.hosts = 64, .pages_per_host = 40};
  options.troubles.faults.Add(fault);
  options.faulty_hosts = 1;
  options.faulty_pages = 1;
  return options;
}

TEST(SyntheticWeb, TheSameSeedGivesTheSameBytes) {
  const WebOptions options = TroubledWeb({.seed = 9, .hosts = 120, .pages_per_host = 10});
  const auto one = Make(options);
  const auto two = Make(options);
  Answer a, b;
  for (uint32_t host = 0; host < 120; ++host) {
    for (uint32_t page = 0; page < 10; ++page) {
      const Ask ask{.place = Page(host, page), .attempt = 5, .version = 3};
      one->Get(ask, &a);
      two->Get(ask, &b);
      ASSERT_EQ(a.body, b.body);
      ASSERT_EQ(a.status, b.status);
      ASSERT_EQ(a.etag, b.etag);
      ASSERT_EQ(a.location, b.location);
    }
  }
}

TEST(SyntheticWeb, AnotherSeedGivesOtherPagesAndOtherFaults) {
  const auto one = Make(TroubledWeb({.seed = 1}));
  const auto two = Make(TroubledWeb({.seed = 2}));
  Answer a, b;
  one->Get({.place = Page(0, 0)}, &a);
  two->Get({.place = Page(0, 0)}, &b);
  EXPECT_NE(a.body, b.body);
  uint32_t different = 0;
  for (uint32_t host = 0; host < 100; ++host) {
    different += one->hosts().TraitsOf(host).fault != two->hosts().TraitsOf(host).fault;
  }
  EXPECT_GT(different, 10u);
}

TEST(SyntheticWeb, UrlsAreCanonicalAndLeadBackToTheirPlaces) {
  const auto web = Make(TroubledWeb({.hosts = 70, .pages_per_host = 60, .https_hosts = 0.3}));
  UrlCanonicalizer canonicalizer({});
  std::vector<Place> places;
  for (uint32_t host = 0; host < 70; ++host) {
    for (uint32_t n = 0; n < 60; ++n) {
      places.push_back(Page(host, n));
      for (const Place::Kind kind : {Place::Kind::kMoved, Place::Kind::kHop, Place::Kind::kDay}) {
        places.push_back({.host = host, .number = n, .kind = kind});
      }
    }
    for (const Place::Kind kind :
         {Place::Kind::kSitemap, Place::Kind::kRobots, Place::Kind::kRobotsRules}) {
      places.push_back({.host = host, .number = 0, .kind = kind});
    }
    places.push_back({.host = host, .number = 3, .kind = Place::Kind::kSitemap});
  }
  std::set<std::string> urls;
  for (const Place& place : places) {
    const std::string url = web->paths().UrlOf(place);
    ASSERT_EQ(canonicalizer.Canonicalize(url), UrlError::kNone) << url;
    ASSERT_EQ(canonicalizer.url(), url);
    ASSERT_EQ(web->paths().FindUrl(url), place) << url;
    ASSERT_TRUE(urls.insert(url).second) << url;
  }
}

TEST(SyntheticWeb, WhatIsNoUrlOfTheWebIsNotFound) {
  const auto web = Make({});
  const std::string page = web->paths().UrlOf(Page(3, 7));
  for (const std::string& url :
       {page + "x", page + "?", page + "7", std::string("http://h3.site3.test/0.html"),
        std::string("http://h3.site3.test/sitemap-0.xml")}) {
    const auto place = web->paths().FindUrl(url);
    ASSERT_TRUE(place.has_value()) << url;
    EXPECT_EQ(place->kind, Place::Kind::kUnknown) << url;
  }
  for (const char* const url :
       {"", "http", "http://", "http://h3.site3.test", "https://h3.site3.test/",
        "http://h3.site4.test/", "http://h03.site3.test/", "http://h100.site62.test/",
        "http://site3.test/", "http://127.0.1.1/", "http://127.128.0.8/", "http://127.128.0.09/",
        "http://h3.site3.test:80/", "http://999999999999.test/"}) {
    EXPECT_FALSE(web->paths().FindUrl(url).has_value()) << url;
  }
  EXPECT_TRUE(web->paths().FindUrl("http://127.128.0.9/").has_value());
}

TEST(SyntheticWeb, RegisteredDomainsAreThoseOfThePublicSuffixList) {
  const auto web = Make({.hosts = 200});
  const auto suffixes = PublicSuffixes::Load({}).value();
  std::set<std::string> domains;
  for (uint32_t host = 0; host < 200; ++host) {
    std::string name, domain;
    web->hosts().AppendName(host, &name);
    web->hosts().AppendDomain(host, &domain);
    EXPECT_EQ(suffixes->RegisteredDomain(name), domain);
    EXPECT_EQ(web->hosts().Find(name), host);
    domains.insert(domain);
  }
  // Some hosts share a domain, as the judge and the crawler must notice.
  EXPECT_EQ(domains.size(), 125u);
}

TEST(SyntheticWeb, TheWrittenNameOfAHostIsItsNameToTheUrlStandard) {
  const auto web = Make({});
  UrlCanonicalizer canonicalizer({});
  uint32_t differ = 0;
  for (uint32_t host = 0; host < 100; ++host) {
    std::string name, written;
    web->hosts().AppendName(host, &name);
    web->hosts().AppendWrittenName(host, &written);
    differ += name != written;
    ASSERT_EQ(canonicalizer.Canonicalize("http://" + written + "/"), UrlError::kNone);
    EXPECT_EQ(canonicalizer.host(), name);
  }
  EXPECT_GT(differ, 0u);
}

TEST(SyntheticWeb, FewHostsAreEnoughToHaveEveryFaultAndEveryRobots) {
  const auto web = Make(TroubledWeb({.hosts = 100}));
  const Troubles all = AllTroubles();
  std::set<Fault> faults;
  std::set<RobotsKind> robots;
  uint32_t healthy = 0;
  for (uint32_t host = 0; host < 100; ++host) {
    faults.insert(web->hosts().TraitsOf(host).fault);
    robots.insert(web->hosts().TraitsOf(host).robots);
    healthy += web->hosts().TraitsOf(host).fault == Fault::kNone;
  }
  for (uint8_t i = 0; i < static_cast<uint8_t>(Fault::kCount); ++i) {
    const auto fault = static_cast<Fault>(i);
    EXPECT_EQ(faults.contains(fault), i == 0 || all.faults.Has(fault)) << NameOf(fault);
  }
  EXPECT_EQ(robots.size(), static_cast<size_t>(RobotsKind::kCount));
  EXPECT_GE(healthy, 45u);
  EXPECT_LE(healthy, 60u);
}

TEST(SyntheticWeb, TransientFaultsPassAfterTheirNumberOfRequests) {
  for (const Fault fault :
       {Fault::kReset, Fault::kShortBody, Fault::kTooManyRequests, Fault::kTooManyRequestsBare,
        Fault::kUnavailable, Fault::kUnavailableBare}) {
    const auto web = Make(Only(fault));
    Answer answer;
    for (uint32_t attempt = 0; attempt < 4; ++attempt) {
      web->Get({.place = Page(5, 3), .attempt = attempt}, &answer);
      const bool fine = answer.status == 200 && answer.delivery == Delivery::kWhole;
      EXPECT_EQ(fine, attempt >= 2) << NameOf(fault) << " " << attempt;
    }
    EXPECT_EQ(web->FailuresBefore(Page(5, 3)), 2u);
  }
}

TEST(SyntheticWeb, RetryAfterComesAsSecondsAndAsADate) {
  const auto web = Make(Only(Fault::kTooManyRequests));
  Answer answer;
  std::set<bool> forms;
  for (uint32_t page = 1; page < 40; ++page) {
    web->Get({.place = Page(5, page)}, &answer);
    EXPECT_EQ(answer.retry_after, std::chrono::seconds(1));
    forms.insert(answer.retry_after_as_date);
  }
  EXPECT_EQ(forms.size(), 2u);
}

TEST(SyntheticWeb, ValidatorsGive304UntilTheHostsVersionChangesThePage) {
  const auto web = Make({});
  uint32_t changed = 0;
  for (uint32_t page = 0; page < 100; ++page) {
    Answer first, again, later;
    web->Get({.place = Page(1, page)}, &first);
    web->Get({.place = Page(1, page), .if_none_match = first.etag}, &again);
    EXPECT_EQ(again.status, 304);
    EXPECT_TRUE(again.body.empty());
    std::string date;
    AppendHttpDate(first.last_modified_s, &date);
    web->Get({.place = Page(1, page), .if_modified_since = date}, &again);
    EXPECT_EQ(again.status, 304);
    web->Get({.place = Page(1, page), .version = 1, .if_none_match = first.etag}, &later);
    if (later.status == 304) continue;
    ++changed;
    EXPECT_NE(later.body, first.body);
    EXPECT_GT(later.last_modified_s, first.last_modified_s);
  }
  // A quarter of the pages change with each version.
  EXPECT_GT(changed, 10u);
  EXPECT_LT(changed, 45u);
}

TEST(SyntheticWeb, DuplicatesHaveTheBytesOfAnotherPage) {
  WebOptions options = Only(Fault::kDuplicates);
  options.faulty_pages = 0.5;
  const auto web = Make(options);
  std::set<std::string> bodies;
  Answer answer;
  for (uint32_t page = 0; page < 40; ++page) {
    web->Get({.place = Page(2, page)}, &answer);
    bodies.insert(answer.body);
  }
  EXPECT_GT(bodies.size(), 5u);
  EXPECT_LT(bodies.size(), 35u);
}

TEST(SyntheticWeb, AWrongCharsetIsOneThatTheBytesAreNotIn) {
  const auto web = Make(Only(Fault::kWrongCharset));
  std::set<std::string_view> headers;
  Answer answer;
  for (uint32_t page = 0; page < 40; ++page) {
    web->Get({.place = Page(3, page)}, &answer);
    headers.insert(answer.content_type);
  }
  EXPECT_EQ(headers.size(), 3u);
}

TEST(SyntheticWeb, PagesAreAboutAsLargeAsAsked) {
  const auto web = Make({.page_bytes = 20'000});
  Answer answer;
  for (uint32_t page = 0; page < 100; ++page) {
    web->Get({.place = Page(4, page)}, &answer);
    EXPECT_NEAR(static_cast<double>(answer.body.size()), 20'000, 200);
    EXPECT_EQ(answer.content_length, answer.body.size());
  }
}

TEST(SyntheticWeb, PagesAreAsLargeWithMoreMarkUp) {
  const auto web = Make({.page_bytes = 254'000, .links_per_page = 200, .spans_per_link = 12});
  Answer answer;
  for (uint32_t page = 0; page < 10; ++page) {
    web->Get({.place = Page(4, page)}, &answer);
    EXPECT_NEAR(static_cast<double>(answer.body.size()), 254'000, 2'000);
    size_t tags = 0;
    for (const char c : answer.body) tags += c == '<' ? 1 : 0;
    EXPECT_NEAR(static_cast<double>(tags), 5'600, 50);
  }
}

TEST(SyntheticWeb, OptionsOutOfBoundsAreRefusedByName) {
  EXPECT_NE(Web::Create({.hosts = 0}).status().message().find("hosts"), absl::string_view::npos);
  EXPECT_NE(Web::Create({.outside_links = 1.5}).status().message().find("outside-links"),
            absl::string_view::npos);
}

TEST(SyntheticWeb, TroublesAreReadByTheirNames) {
  EXPECT_TRUE(ParseTroubles("none")->faults.empty());
  const auto some = ParseTroubles("reset,robots-huge");
  ASSERT_OK(some);
  EXPECT_TRUE(some->faults.Has(Fault::kReset));
  EXPECT_TRUE(some->robots.Has(RobotsKind::kHuge));
  EXPECT_FALSE(some->faults.Has(Fault::kDrip));
  const auto most = ParseTroubles("all,-hang");
  EXPECT_FALSE(most->faults.Has(Fault::kHang));
  EXPECT_TRUE(most->faults.Has(Fault::kCalendar));
  EXPECT_FALSE(most->faults.Has(Fault::kRedirectPrivate));
  EXPECT_NE(ParseTroubles("reset,hum").status().message().find("'hum'"), absl::string_view::npos);
}

}  // namespace
}  // namespace orbweaver::synthetic
