#include "strategy_worker/core/event_reader.h"

#include <set>

#include <gmock/gmock.h>

#include "common/base/random.h"
#include "common/base/utf8.h"
#include "common/model/limits.h"
#include "common/url/fingerprint.h"
#include "tests/support/random_links.h"
#include "tests/support/strategy_parts_fixture.h"

namespace orbweaver {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class EventReaderTest : public CorePartsTest {
 protected:
  SourceEvent Read(const Message& message) {
    SourceEvent event;
    reader_.Read(message, &event);
    return event;
  }
  static std::vector<std::string> UrlsOf(const SourceEvent& event) {
    std::vector<std::string> urls;
    for (const orbweaver_link& link : event.links) urls.emplace_back(ToView(link.url_view));
    return urls;
  }
};

TEST_F(EventReaderTest, LinksAreCanonicalOfTheDomainAndDifferent) {
  const SourceEvent event = Read(NewLinks(
      "a.test", {"https://a.test/1", "HTTPS://WWW.a.test:443/2#x", "https://a.test/1#again",
                 "https://b.test/", "https://nota.test/", "mailto:x@a.test", "https://a.test/3"}));
  EXPECT_THAT(UrlsOf(event),
              ElementsAre("https://a.test/1", "https://www.a.test/2", "https://a.test/3"));
  for (size_t i = 0; i < event.links.size(); ++i) {
    const Fingerprint fingerprint = FingerprintOf(ToView(event.links[i].url_view));
    EXPECT_EQ(event.fingerprints[i], fingerprint);
    EXPECT_EQ(event.links[i].fingerprint_high, fingerprint.high);
    EXPECT_EQ(event.links[i].fingerprint_low, fingerprint.low);
  }
}

TEST_F(EventReaderTest, WhatOneDomainMayHaveIsNotBelievedOfAnother) {
  const std::string url = "https://www.a.test/a/path/that/is/plain.html";
  EXPECT_EQ(Read(NewLinks("a.test", {url, url + "2"})).links.size(), 2u);
  EXPECT_EQ(Read(NewLinks("b.test", {url, "https://b.test/"})).links.size(), 1u);
  EXPECT_EQ(Read(NewLinks("b.test", {"https://b.test/", url})).links.size(), 1u);
  std::string_view canonical;
  Fingerprint fingerprint;
  EXPECT_FALSE(reader_.Resolve(url, "b.test", &canonical, &fingerprint));
  EXPECT_TRUE(reader_.Resolve(url, "a.test", &canonical, &fingerprint));
}

TEST_F(EventReaderTest, AHostThatBeginsAsTheOneBeforeIsAnotherHost) {
  const SourceEvent event =
      Read(NewLinks("a.test", {"https://a.test/1", "https://a.test.evil.example/a-plain-path",
                               "https://a.test@evil.example/a-plain-path",
                               "https://a.test:8080/a-plain-path", "https://a.test"}));
  EXPECT_THAT(UrlsOf(event), ElementsAre("https://a.test/1", "https://a.test:8080/a-plain-path",
                                         "https://a.test/"));
}

TEST_F(EventReaderTest, AnyLinksAreReadAsTheCanonicalizerReadsThem) {
  Random random(5);
  UrlCanonicalizer canonicalizer((UrlOptions()));
  size_t taken = 0;
  for (int round = 0; round < 2000; ++round) {
    const std::string domain = random.Chance(0.5) ? "example.com" : "host.org";
    std::vector<std::string> links;
    for (int i = 0; i < 20; ++i) {
      std::string link = RandomLink(random);
      if (random.Chance(0.3)) link = "https://" + domain + "/plain-" + link;
      // Leaves out links that an encoder would refuse.
      if (!link.empty() && link.size() <= kMaxUrlBytes && IsValidUtf8(link)) links.push_back(link);
    }
    std::vector<std::string> expected;
    std::set<std::string> seen;
    for (const std::string& link : links) {
      if (canonicalizer.Canonicalize(link) != UrlError::kNone) continue;
      const std::string url(canonicalizer.url());
      if (world_.suffixes->RegisteredDomain(canonicalizer.host()) != domain) continue;
      if (seen.insert(url).second) expected.push_back(url);
    }
    const SourceEvent event = Read(NewLinks(domain, links));
    ASSERT_EQ(UrlsOf(event), expected);
    taken += expected.size();
    reader_.Reset();
  }
  EXPECT_GT(taken, 1000u);
}

TEST_F(EventReaderTest, OnlyAPageOfTheDomainItselfIsInside) {
  const Link link{.url = "https://a.test/1"};
  const auto is_inside = [&](std::string_view source) {
    return Read(NewMessage({.domain = "a.test",
                            .event = LinksFound{.source = {.url = source}, .links = {&link, 1}}}))
        .is_from_inside;
  };
  EXPECT_TRUE(is_inside("https://www.a.test/page"));
  EXPECT_FALSE(is_inside("https://b.test/page"));
  EXPECT_FALSE(is_inside("no URL"));
}

TEST_F(EventReaderTest, GarbageIsPoisonWithItsCauseAndNothingElse) {
  EncodeBuffer buffer;
  const Message& whole = NewLinks("a.test", {"https://a.test/1"});
  for (size_t size = 0; size < whole.value.size(); ++size) {
    const SourceEvent event = Read(NewMessage("a.test", whole.value.substr(0, size)));
    EXPECT_NE(event.poison, "") << size;
    EXPECT_EQ(event.entry, nullptr);
    EXPECT_EQ(event.kind, 0u);
    EXPECT_TRUE(event.links.empty());
    EXPECT_FALSE(event.NeedsStates());
  }
  EXPECT_EQ(Read(whole).poison, "");
}

TEST_F(EventReaderTest, BytesOfAnyKindNeverPassAsAnEventOfAnotherDomain) {
  Random random(9);
  const std::string whole(NewLinks("a.test", {"https://a.test/1", "https://a.test/22"}).value);
  for (int i = 0; i < 20'000; ++i) {
    std::string value = whole;
    for (uint64_t n = 1 + random.Below(4); n > 0; --n) {
      value[random.Below(value.size())] = static_cast<char>(random());
    }
    const SourceEvent event = Read(NewMessage("a.test", value));
    if (event.entry == nullptr) {
      EXPECT_NE(event.poison, "");
      continue;
    }
    EXPECT_EQ(event.entry->domain, "a.test");
    for (const std::string& url : UrlsOf(event)) EXPECT_THAT(url, HasSubstr("a.test"));
    if (i % 100 == 0) reader_.Reset();
  }
}

TEST_F(EventReaderTest, ADomainThatNoHostCanHaveMakesNoRow) {
  for (const std::string& domain :
       {std::string("a\0b.test", 8), std::string("A.test"), std::string("a b.test"),
        std::string("b\xc3\xbc"
                    "cher.test"),
        std::string("a\n.test"), std::string("\x7f.test")}) {
    const SourceEvent event =
        Read(NewMessage({.domain = domain, .event = HostFacts{.host = "https://a.test"}}));
    EXPECT_THAT(event.poison, HasSubstr("not in canonical form")) << domain;
    EXPECT_EQ(event.entry, nullptr);
  }
  EXPECT_EQ(Read(NewLinks("[::1]", {"http://[::1]/"})).poison, "");
  EXPECT_EQ(Read(NewLinks("_x.test", {"http://_x.test/"})).poison, "");
}

TEST_F(EventReaderTest, ARequestOfAnotherDomainIsPoisonWhateverItsKind) {
  const Request request{.url = "https://b.test/", .domain = "a.test"};
  for (const auto& event : {decltype(SpiderLogEntry::event)(PageFetched{.request = request}),
                            decltype(SpiderLogEntry::event)(FetchFailed{.request = request}),
                            decltype(SpiderLogEntry::event)(Deferred{.request = request})}) {
    EXPECT_THAT(Read(NewMessage({.domain = "a.test", .event = event})).poison,
                HasSubstr("https://b.test/"));
  }
}

TEST_F(EventReaderTest, AnOrderIsAnEventOfItsDomainWithoutAnyLink) {
  const SourceEvent event =
      Read(NewMessage({.domain = "a.test", .event = DomainOrder{.purge = true}}));
  EXPECT_EQ(event.poison, "");
  EXPECT_EQ(event.kind, kOrderEvent);
  EXPECT_TRUE(event.IsOfDomain());
  EXPECT_TRUE(event.links.empty());
  EXPECT_THAT(
      Read(NewMessage({.domain = "www.a.test", .event = DomainOrder{.purge = true}})).poison,
      HasSubstr("the registered domain is 'a.test'"));
}

TEST_F(EventReaderTest, ASeedKeepsItsPlaceInItsEventWhenOthersAreLeftOut) {
  const Seed seeds[] = {
      {.url = "no URL"}, {.url = "https://a.test/1", .score = 0.5f}, {.url = "https://a.test/2"}};
  const SourceEvent event = Read(NewMessage({.domain = "a.test", .event = Seeds{.seeds = seeds}}));
  EXPECT_THAT(event.seeds, ElementsAre(1, 2));
  EXPECT_EQ(event.links[0].score, 0.5f);
}

TEST_F(EventReaderTest, TheSameUrlInTheNextEventIsTaken) {
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(Read(NewLinks("a.test", {"https://a.test/1"})).links.size(), 1u);
  }
}

TEST_F(EventReaderTest, AResolvedUrlOutlivesTheTextItCameFrom) {
  std::string_view canonical;
  Fingerprint fingerprint;
  {
    std::string url = "https://a.test/a/plain/path";
    ASSERT_TRUE(reader_.Resolve(url, "a.test", &canonical, &fingerprint));
    url.assign(url.size(), 'x');
  }
  EXPECT_EQ(canonical, "https://a.test/a/plain/path");
  EXPECT_EQ(fingerprint, FingerprintOf(canonical));
}

// Else an entry that was copied into another log would be decided otherwise there.
TEST_F(EventReaderTest, AnEventsTimeIsItsEntrysAndTheRecordsWhereThatSaysNone) {
  SpiderLogEntry entry{.domain = "a.test", .event = HostFacts{.host = "a.test"}};
  EXPECT_EQ(Read(NewMessage(entry)).time, world_.clock.Wall());
  entry.time = WallTime(std::chrono::milliseconds(1'700'000'000'123));
  EXPECT_EQ(Read(NewMessage(entry)).time, entry.time);
}

}  // namespace
}  // namespace orbweaver
