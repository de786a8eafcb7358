#include "spider/publish/outcome_encoder.h"

#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "common/model/arena.h"
#include "common/url/fingerprint.h"
#include "common/url/partition.h"
#include "spider/parse/page_parser.h"
#include "tests/support/expect_ok.h"
#include "tests/support/journey.h"

namespace orbweaver {
namespace {

using std::chrono::milliseconds;

constexpr std::string_view kUrl = "http://www.a.test/page";
const std::string kHuge(20'000, 'h');

class OutcomeEncoderTest : public ::testing::Test {
 protected:
  OutcomeEncoderTest() {
    request_ = {.url = kUrl,
                .fingerprint = FingerprintOf(kUrl),
                .domain = "a.test",
                .depth = 3,
                .score = 0.5f,
                .band = 2,
                .seq = 77,
                .index = 5,
                .meta = {&meta_, 1},
                // A field of a newer schema: number 100, a varint.
                .unknown = std::string_view("\xa0\x06\x01", 3)};
    result_.status = 200;
    result_.body = "<title>T</title>";
    result_.started_at = WallTime(milliseconds(1'700'000'000'000));
  }

  // The request, and redirects one after the other to `paths`.
  const Journey& On(const std::vector<std::string>& paths = {}) {
    journey_ = JourneyOf(request_, paths);
    return *journey_;
  }

  // The entries, decoded. Views are into `entries_` and the arena.
  std::vector<SpiderLogEntry> Decoded() {
    std::vector<SpiderLogEntry> all(entries_.size());
    for (size_t i = 0; i < entries_.size(); ++i) {
      EXPECT_OK(Decode(entries_[i].value, &arena_, &all[i]));
      EXPECT_EQ(all[i].domain, entries_[i].domain);
      EXPECT_EQ(all[i].time, clock_.Wall());
      EXPECT_EQ(entries_[i].slot, SlotOf(all[i].domain));
    }
    return all;
  }

  const ManualClock clock_{WallTime(milliseconds(1'700'000'000'777))};
  const Meta meta_{.key = "k", .value = "v"};
  Request request_;
  std::shared_ptr<Journey> journey_;
  FetchResult result_;
  ParsedPage page_;
  LogEntries entries_;
  Arena arena_;
};

TEST_F(OutcomeEncoderTest, APageCarriesItsRequestWholeAndWhatWasFetched) {
  result_.headers = {{.name = "server", .value = "s\xff"},
                     {.name = "set-cookie", .value = "secret"},
                     {.name = "etag", .value = "\"e\""}};
  result_.times.total = milliseconds(123);
  result_.address = *IpAddress::Parse("192.0.2.7");
  OutcomeEncoder encoder({}, clock_);
  encoder.Page(On({"/there"}), result_, page_, &entries_);
  const auto all = Decoded();
  ASSERT_EQ(all.size(), 1u);
  const auto& page = std::get<PageFetched>(all[0].event);
  EXPECT_EQ(page.request.url, kUrl);
  EXPECT_EQ(page.request.fingerprint, request_.fingerprint);
  EXPECT_EQ(page.request.seq, 77u);
  EXPECT_EQ(page.request.meta[0].value, "v");
  EXPECT_EQ(page.request.unknown, request_.unknown);
  EXPECT_EQ(page.final_url, "http://www.a.test/there");
  ASSERT_EQ(page.redirects.size(), 1u);
  EXPECT_EQ(page.redirects[0].status, 301u);
  EXPECT_EQ(page.etag, "\"e\"");
  ASSERT_EQ(page.headers.size(), 1u);
  EXPECT_EQ(page.headers[0].value, "s\xff");
  EXPECT_EQ(page.total, milliseconds(123));
  EXPECT_EQ(page.remote_address, "192.0.2.7");
  EXPECT_EQ(page.content_hash, FingerprintOf(result_.body));
  EXPECT_TRUE(page.body.empty());
}

TEST_F(OutcomeEncoderTest, LinksAreOneEntryADomainAndSplitAtTheBounds) {
  std::vector<Link> inside(2500, {.url = "http://www.a.test/x"});
  const Link outside{.url = "http://b.test/", .kind = LinkKind::kFrame};
  const DomainLinks domains[] = {
      {.domain = "a.test", .slot = SlotOf("a.test"), .links = inside},
      {.domain = "b.test", .slot = SlotOf("b.test"), .links = {&outside, 1}}};
  page_.domains = domains;
  page_.links_inside = 2500;
  page_.links_outside = 1;
  OutcomeEncoder encoder({}, clock_);
  encoder.Page(On(), result_, page_, &entries_);
  const auto all = Decoded();
  ASSERT_EQ(all.size(), 5u);
  size_t links = 0;
  for (size_t i = 1; i < all.size(); ++i) {
    const auto& found = std::get<LinksFound>(all[i].event);
    EXPECT_EQ(found.source.url, kUrl);
    EXPECT_EQ(found.source.depth, 3u);
    EXPECT_EQ(found.source.link_count, 2501u);
    links += found.links.size();
  }
  EXPECT_EQ(links, 2501u);
  EXPECT_EQ(all.back().domain, "b.test");
}

TEST_F(OutcomeEncoderTest, WhatAServerSendsNeverMakesAPageUnloggable) {
  for (int i = 0; i < 500; ++i) {
    result_.headers.push_back({.name = "server", .value = std::string_view(kHuge)});
  }
  result_.headers.push_back({.name = "etag", .value = std::string_view(kHuge)});
  result_.headers.push_back({.name = "last-modified", .value = "\xff\xfe"});
  result_.tls_error = kHuge;
  result_.times.total = std::chrono::hours(1);
  result_.times.dns = Duration(-5);
  std::vector<std::string> many;
  for (int i = 0; i < 100; ++i) many.push_back(std::to_string(i));
  OutcomeEncoder encoder({.max_message_bytes = 64 << 10}, clock_);
  encoder.Page(On(many), result_, page_, &entries_);
  const auto all = Decoded();
  ASSERT_EQ(all.size(), 1u);
  ASSERT_TRUE(std::holds_alternative<PageFetched>(all[0].event));
  EXPECT_LE(entries_[0].value.size(), size_t{64} << 10);
  EXPECT_TRUE(std::get<PageFetched>(all[0].event).etag.empty());
}

TEST_F(OutcomeEncoderTest, ABodyIsLoggedWhenItIsWantedAndFits) {
  OutcomeEncoder encoder({.max_message_bytes = 100'000, .log_body = true}, clock_);
  encoder.Page(On(), result_, page_, &entries_);
  EXPECT_EQ(std::get<PageFetched>(Decoded()[0].event).body, result_.body);
  entries_.Clear();
  result_.body.assign(90'000, 'x');
  encoder.Page(On(), result_, page_, &entries_);
  const auto all = Decoded();
  const auto& page = std::get<PageFetched>(all[0].event);
  EXPECT_TRUE(page.body.empty());
  EXPECT_EQ(page.body_bytes, 90'000u);
}

TEST_F(OutcomeEncoderTest, AnUnchangedPageKeepsItsValidators) {
  request_.etag = "\"old\"";
  result_.status = 304;
  result_.body.clear();
  OutcomeEncoder encoder({}, clock_);
  encoder.Page(On(), result_, page_, &entries_);
  const auto all = Decoded();
  const auto& page = std::get<PageFetched>(all[0].event);
  EXPECT_TRUE(page.not_modified);
  EXPECT_EQ(page.etag, "\"old\"");
  EXPECT_EQ(page.content_hash, Fingerprint());
}

TEST_F(OutcomeEncoderTest, AFailureSaysItsCauseAndAFailedLookUpIsAFactOfTheHost) {
  result_.status = 0;
  OutcomeEncoder encoder({}, clock_);
  encoder.Failed(On(), FailureCause::kDns, "no \xff name", &result_, &entries_);
  const auto all = Decoded();
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(std::get<FetchFailed>(all[0].event).cause, FailureCause::kDns);
  const auto& facts = std::get<HostFacts>(all[1].event);
  EXPECT_EQ(facts.host, "www.a.test");
  EXPECT_EQ(facts.dns, DnsOutcome::kNoSuchName);
}

TEST_F(OutcomeEncoderTest, ARedirectAwayIsAPageWithoutContentAndALink) {
  result_.status = 302;
  result_.body.clear();
  OutcomeEncoder encoder({}, clock_);
  encoder.RedirectAway(On({"/there", "/elsewhere"}), result_,
                       {.url = "http://b.test/x", .domain = "b.test", .slot = SlotOf("b.test")},
                       &entries_);
  const auto all = Decoded();
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(std::get<PageFetched>(all[0].event).status, 302u);
  EXPECT_EQ(std::get<PageFetched>(all[0].event).final_url, "http://www.a.test/there")
      << "the URL that answered";
  EXPECT_EQ(std::get<PageFetched>(all[0].event).redirects.size(), 2u);
  EXPECT_EQ(std::get<PageFetched>(all[0].event).links_outside, 1u);
  EXPECT_EQ(all[1].domain, "b.test");
  EXPECT_EQ(std::get<LinksFound>(all[1].event).links[0].kind, LinkKind::kRedirect);
}

TEST_F(OutcomeEncoderTest, OriginsAndHostsOfUrls) {
  EXPECT_EQ(OriginOf("https://a.test:8443/x?y"), "https://a.test:8443");
  EXPECT_EQ(HostAndPort("https://a.test:8443"), "a.test:8443");
  EXPECT_EQ(OriginOf("ftp:x"), "");
  EXPECT_EQ(HostAndPort(""), "");
}

}  // namespace
}  // namespace orbweaver
