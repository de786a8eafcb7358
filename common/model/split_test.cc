#include "common/model/split.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"

#include "common/model/limits.h"

namespace orbweaver {
namespace {

// The frame at its largest.
struct Frame {
  std::string domain = std::string(kMaxDomainBytes, 'd');
  std::string url = std::string(kMaxUrlBytes, 'u');
  std::string key = std::string(kMaxMetaKeyBytes, 'k');
  std::string value = std::string(kMaxMetaValueBytes, 'v');
  std::vector<Meta> meta = std::vector<Meta>(kMaxMetaEntries, {.key = key, .value = value});
};

TEST(SplitTest, PartsOfAHugeLinkListFitTheirMessagesAndLoseNothing) {
  const Frame frame;
  const std::string anchor(kMaxAnchorBytes, 'a');
  std::vector<Link> links;
  for (int i = 0; i < 5000; ++i) {
    links.push_back({.url = std::string_view(frame.url).substr(0, 1 + i % kMaxUrlBytes),
                     .anchor = std::string_view(anchor).substr(0, i % kMaxAnchorBytes),
                     .rel = UINT32_MAX,
                     .kind = static_cast<LinkKind>(-1)});
  }
  for (const size_t max : {size_t{40'000}, size_t{200'000}, kDefaultMaxMessageBytes}) {
    std::span<const Link> rest = links;
    size_t sent = 0;
    EncodeBuffer buffer;
    while (!rest.empty()) {
      const size_t n = FittingPrefix(rest, max);
      ASSERT_GT(n, 0u);
      const auto bytes = Encode(
          SpiderLogEntry{.domain = frame.domain,
                         .event = LinksFound{.source = {.url = frame.url, .meta = frame.meta},
                                             .links = rest.first(n)}},
          &buffer);
      ASSERT_TRUE(bytes.ok()) << bytes.status();
      ASSERT_LE(bytes->size(), max);
      // Not needlessly small either, where the messages and not the count of links bound it.
      if (n < kMaxLinks && n < rest.size()) EXPECT_GT(bytes->size(), max / 2);
      sent += n;
      rest = rest.subspan(n);
    }
    EXPECT_EQ(sent, links.size());
  }
}

TEST(SplitTest, TheLargestSeedAndScheduledRequestFitAMessageOf32KB) {
  const Frame frame;
  const std::string etag(kMaxEtagBytes, 'e');
  const std::string modified(kMaxLastModifiedBytes, 'm');
  const std::vector<Seed> seeds(3, {.url = frame.url, .score = 1.0f, .meta = frame.meta});
  const std::vector<ScheduledRequest> requests(3, {.url = frame.url,
                                                   .fingerprint = {1, 1},
                                                   .depth = UINT32_MAX,
                                                   .score = 1,
                                                   .not_before = WallTime(std::chrono::hours(1)),
                                                   .attempt = UINT32_MAX,
                                                   .etag = etag,
                                                   .last_modified = modified,
                                                   .meta = frame.meta,
                                                   .action = static_cast<ScheduleAction>(-1),
                                                   .referrer = frame.url});
  EncodeBuffer buffer;
  constexpr size_t kMax = 32 << 10;
  ASSERT_EQ(FittingPrefix(std::span(seeds), kMax), 1u);
  const auto seed = Encode(
      SpiderLogEntry{.domain = frame.domain, .event = Seeds{.seeds = std::span(seeds).first(1)}},
      &buffer);
  ASSERT_TRUE(seed.ok()) << seed.status();
  EXPECT_LE(seed->size(), kMax);
  ASSERT_EQ(FittingPrefix(std::span(requests), kMax), 1u);
  const auto request =
      Encode(ScoringLogEntry{.entry = ScheduleRequests{.domain = frame.domain,
                                                       .requests = std::span(requests).first(1)}},
             &buffer);
  ASSERT_TRUE(request.ok()) << request.status();
  EXPECT_LE(request->size(), kMax);
}

TEST(SplitTest, NeverMoreThanAMessageMayList) {
  const std::vector<Link> links(3 * kMaxLinks, {.url = "u"});
  EXPECT_EQ(FittingPrefix(links, kDefaultMaxMessageBytes), kMaxLinks);
  EXPECT_EQ(FittingPrefix(std::span<const Link>(), kDefaultMaxMessageBytes), 0u);
}

}  // namespace
}  // namespace orbweaver
