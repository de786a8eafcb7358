// Bytes that no client of ours writes: each is poison with the place and the cause, takes little
// memory and never crashes (the sanitizers and tests/fuzz watch the same).
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "common/base/random.h"
#include "common/base/status.h"
#include "common/model/limits.h"
#include "common/model/scoring_log.h"
#include "common/model/spider_feed.h"
#include "common/model/spider_log.h"
#include "common/model/stats.h"

namespace orbweaver {
namespace {

using testing::HasSubstr;

std::string Varint(uint64_t value) {
  std::string bytes;
  for (; value >= 0x80; value >>= 7) bytes += static_cast<char>(value | 0x80);
  return bytes + static_cast<char>(value);
}
std::string Number(int field, uint64_t value) { return Varint(field << 3 | 0) + Varint(value); }
std::string Block(int field, std::string_view content) {
  return Varint(field << 3 | 2) + Varint(content.size()) + std::string(content);
}

// Field numbers of proto/orbweaver/v1/.
const std::string kRequest = Block(1, "http://a/") + Block(3, "a");
std::string Feed(std::string_view request) { return Block(3, request); }
std::string Log(int event, std::string_view content) {
  return Block(1, "a") + Block(event, content);
}
const std::string kSource = Block(1, Block(1, "http://a/"));

template <typename Entry>
std::string PoisonOf(std::string_view bytes) {
  Arena arena;
  Entry entry;
  const absl::Status status = Decode(bytes, &arena, &entry);
  EXPECT_TRUE(!status.ok() && IsPoison(status)) << status;
  EXPECT_LT(arena.HeldBytes(), 100'000 + 4 * bytes.size());
  return std::string(MessageOf(status));
}

TEST(DecodeTest, TheSmallestMessagesAreTaken) {
  Arena arena;
  const std::string request = Feed(kRequest);
  SpiderFeedEntry feed;
  ASSERT_TRUE(Decode(request, &arena, &feed).ok());
  EXPECT_EQ(std::get<Request>(feed.entry).url, "http://a/");
  const std::string links = Log(4, kSource + Block(2, Block(1, "http://b/")));
  SpiderLogEntry log;
  ASSERT_TRUE(Decode(links, &arena, &log).ok());
  EXPECT_EQ(std::get<LinksFound>(log.event).links[0].url, "http://b/");
}

TEST(DecodeTest, LinksAreToldApartWithoutReadingThem) {
  const std::string links = kSource + Block(2, Block(1, "http://b/"));
  EXPECT_TRUE(IsLinksFound(Log(4, links)));
  EXPECT_TRUE(IsLinksFound(Block(4, links) + Block(1, "a"))) << "another client's order";
  EXPECT_TRUE(IsLinksFound(Log(4, "nonsense")));
  for (const int event : {2, 3, 5, 6, 7, 8, 44}) EXPECT_FALSE(IsLinksFound(Log(event, links)));
  for (const std::string& bytes : {std::string(), Block(1, "a"), std::string("\x0a\x7f"),
                                   std::string("\x23"), std::string("\xff\xff\xff\xff\xff\xff")}) {
    EXPECT_FALSE(IsLinksFound(bytes)) << testing::PrintToString(bytes);
  }
}

TEST(DecodeTest, EmptyBytesHaveNoEvent) {
  EXPECT_THAT(PoisonOf<SpiderFeedEntry>(""), HasSubstr("no event that this version knows"));
  EXPECT_THAT(PoisonOf<ScoringLogEntry>(""), HasSubstr("no event that this version knows"));
  EXPECT_THAT(PoisonOf<SpiderLogEntry>(Block(1, "a")), HasSubstr("no event"));
  EXPECT_THAT(PoisonOf<WorkerStats>(""), HasSubstr("worker_id: missing"));
}

TEST(DecodeTest, AnEventOfANewerSchemaIsKeptAsideAndNotPassedOver) {
  EXPECT_THAT(PoisonOf<SpiderLogEntry>(Log(900, "?")), HasSubstr("no event"));
}

TEST(DecodeTest, EveryCutOfAMessageIsPoison) {
  const std::string whole = Log(4, kSource + Block(2, Block(1, "http://b/") + Block(2, "text")));
  for (size_t size = 0; size < whole.size(); ++size) {
    PoisonOf<SpiderLogEntry>(std::string_view(whole).substr(0, size));
  }
}

TEST(DecodeTest, ALengthPastTheEndIsRefusedWithoutAllocatingIt) {
  const std::string huge = Varint(3 << 3 | 2) + Varint(100'000'000) + "xyz";
  EXPECT_THAT(PoisonOf<SpiderFeedEntry>(huge), HasSubstr("100000000 bytes announced, 3 left"));
  const std::string nested = Feed(Varint(1 << 3 | 2) + Varint(~uint64_t{0}));
  EXPECT_THAT(PoisonOf<SpiderFeedEntry>(nested), HasSubstr("request.url: 18446744073709551615"));
  const std::string unknown = Feed(kRequest) + Varint(77 << 3 | 2) + Varint(100'000'000);
  EXPECT_THAT(PoisonOf<SpiderFeedEntry>(unknown), HasSubstr("100000000 bytes announced"));
}

TEST(DecodeTest, AVarintOfMoreThan64BitsIsRefused) {
  const std::string ten(9, '\xff');
  EXPECT_THAT(PoisonOf<SpiderFeedEntry>("\x08" + ten + "\x02"), HasSubstr("more than 64 bits"));
  EXPECT_THAT(PoisonOf<SpiderFeedEntry>("\x08" + std::string(20, '\x80')),
              HasSubstr("more than 64 bits"));
  EXPECT_THAT(PoisonOf<SpiderFeedEntry>("\x08" + ten), HasSubstr("epoch: cut off"));
}

TEST(DecodeTest, NumbersOutsideTheirTypeAreRefusedInsteadOfCut) {
  EXPECT_THAT(PoisonOf<SpiderFeedEntry>(Feed(kRequest + Number(4, uint64_t{1} << 32))),
              HasSubstr("request.depth: a number out of its range"));
  EXPECT_THAT(PoisonOf<SpiderFeedEntry>(Number(1, ~uint64_t{0}) + Feed(kRequest)),
              HasSubstr("epoch: a number"));
  EXPECT_THAT(PoisonOf<SpiderFeedEntry>(Feed(kRequest + Number(13, kMaxTimeMs + 1))),
              HasSubstr("delay_ms: a number"));
  EXPECT_THAT(PoisonOf<SpiderLogEntry>(Log(6, Block(1, kRequest) + Number(3, uint64_t{1} << 31))),
              HasSubstr("deferred.reason: a number"));
}

TEST(DecodeTest, ScoresThatCompareWithNothingAreRefused) {
  const std::string tag(1, static_cast<char>(5 << 3 | 5));
  EXPECT_THAT(PoisonOf<SpiderFeedEntry>(Feed(kRequest + tag + std::string("\0\0\xc0\x7f", 4))),
              HasSubstr("request.score"));  // NaN
  EXPECT_THAT(PoisonOf<SpiderFeedEntry>(Feed(kRequest + tag + std::string("\0\0\x80\x7f", 4))),
              HasSubstr("request.score"));  // infinity
}

TEST(DecodeTest, AnotherWireTypeOfAKnownFieldIsRefused) {
  EXPECT_THAT(PoisonOf<SpiderFeedEntry>(Feed(kRequest + Block(4, "2"))),
              HasSubstr("request.depth: another wire type"));
  EXPECT_THAT(PoisonOf<SpiderFeedEntry>(Number(3, 5)), HasSubstr("request: another wire type"));
  EXPECT_THAT(PoisonOf<SpiderFeedEntry>(Block(1, "7") + Feed(kRequest)),
              HasSubstr("epoch: another wire type"));
}

TEST(DecodeTest, GroupsReservedWireTypesAndFieldNumberZeroAreRefused) {
  for (const int type : {3, 4, 6, 7}) {
    EXPECT_THAT(PoisonOf<SpiderFeedEntry>(Varint(50 << 3 | type)),
                HasSubstr("field 50 has wire type " + std::to_string(type)));
  }
  EXPECT_THAT(PoisonOf<SpiderFeedEntry>(Number(0, 1)), HasSubstr("field number 0"));
  EXPECT_THAT(PoisonOf<SpiderFeedEntry>(Varint(uint64_t{1} << 32)),
              HasSubstr("a field number past"));
}

TEST(DecodeTest, TwoEventsOrASingularFieldTwiceAreRefused) {
  EXPECT_THAT(PoisonOf<SpiderFeedEntry>(Feed(kRequest) + Feed(kRequest)),
              HasSubstr("more than one event"));
  EXPECT_THAT(PoisonOf<SpiderFeedEntry>(Feed(kRequest) + Block(2, "")),
              HasSubstr("more than one event"));
  EXPECT_THAT(PoisonOf<SpiderFeedEntry>(Feed(kRequest + Block(1, "http://b/"))),
              HasSubstr("request.url: comes twice"));
}

TEST(DecodeTest, FingerprintsOfAnotherLengthAreRefused) {
  EXPECT_THAT(PoisonOf<SpiderFeedEntry>(Feed(kRequest + Block(2, std::string(15, 'f')))),
              HasSubstr("request.fingerprint: not 16 bytes"));
}

TEST(DecodeTest, TextThatIsNotUtf8IsRefused) {
  EXPECT_THAT(PoisonOf<SpiderFeedEntry>(Feed(Block(1, "http://\xff/") + Block(3, "a"))),
              HasSubstr("request.url: not UTF-8"));
}

TEST(DecodeTest, TextsAndListsPastTheirBoundsAreRefused) {
  EXPECT_THAT(PoisonOf<SpiderFeedEntry>(Feed(Block(1, std::string(2049, 'u')) + Block(3, "a"))),
              HasSubstr("request.url: 2049 bytes, at most 2048"));
  std::string links = kSource;
  for (size_t i = 0; i <= kMaxLinks; ++i) links += Block(2, Block(1, "u"));
  EXPECT_THAT(PoisonOf<SpiderLogEntry>(Log(4, links)), HasSubstr("links_found.links: more than"));
}

// 400,000 empty links are 800 KB on the wire, and would be 25 MB of structs.
TEST(DecodeTest, AFloodOfEmptyElementsTakesNoMoreThanTheBoundOfTheList) {
  std::string flood = kSource;
  for (int i = 0; i < 400'000; ++i) flood += Block(2, "");
  PoisonOf<SpiderLogEntry>(Log(4, flood));
}

TEST(DecodeTest, UnknownFieldsScatteredAmongKnownOnesSurviveInOrder) {
  const std::string request = Number(100, 1) + kRequest + Number(101, 2) + Number(4, 9) +
                              Block(102, "three") + Number(103, 4);
  const std::string bytes = Number(104, 5) + Feed(request) + Number(105, 6);
  Arena arena;
  SpiderFeedEntry entry;
  ASSERT_TRUE(Decode(bytes, &arena, &entry).ok());
  EXPECT_EQ(entry.unknown, Number(104, 5) + Number(105, 6));
  EXPECT_EQ(std::get<Request>(entry.entry).unknown,
            Number(100, 1) + Number(101, 2) + Block(102, "three") + Number(103, 4));
  EXPECT_EQ(std::get<Request>(entry.entry).depth, 9u);
}

// Quadratic copying would take minutes here.
TEST(DecodeTest, ManyUnknownFieldsAmongKnownOnesAreKeptInLinearTime) {
  std::string links = kSource;
  for (size_t i = 0; i < kMaxLinks; ++i) {
    links += Block(2, Block(1, "u"));
    for (int k = 0; k < 100; ++k) links += Number(50, k);
    links += Block(51, std::string(1000, 'x'));
  }
  const std::string bytes = Log(4, links);
  Arena arena;
  SpiderLogEntry entry;
  ASSERT_TRUE(Decode(bytes, &arena, &entry).ok());
  EXPECT_GT(std::get<LinksFound>(entry.event).unknown.size(), kMaxLinks * 1300);
}

TEST(DecodeTest, DeeplyNestedUnknownFieldsAreNotDescendedInto) {
  std::string nested = "x";
  for (int i = 0; i < 10'000; ++i) nested = Block(60, nested.size() > 1'000'000 ? "x" : nested);
  Arena arena;
  SpiderFeedEntry entry;
  EXPECT_TRUE(Decode(Feed(kRequest) + nested, &arena, &entry).ok());
}

// Whatever is taken from the noise must be encoded and decoded again to the same bytes.
template <typename Entry>
void Mutate(const std::string& golden, uint64_t seed) {
  std::ifstream in("common/model/golden/" + golden + ".bin", std::ios::binary);
  std::stringstream content;
  content << in.rdbuf();
  const std::string original = content.str();
  ASSERT_FALSE(original.empty());
  Random random(seed);
  Arena arena;
  EncodeBuffer buffer;
  for (int i = 0; i < 20'000; ++i) {
    std::string bytes = original;
    for (uint64_t n = 1 + random.Below(4); n > 0; --n) {
      const size_t at = random.Below(bytes.size());
      switch (random.Below(4)) {
        case 0:
          bytes[at] = static_cast<char>(random());
          break;
        case 1:
          bytes.erase(at, 1 + random.Below(8));
          break;
        case 2:
          bytes.insert(at, 1, static_cast<char>(random()));
          break;
        default:
          bytes.resize(at + 1);
      }
      if (bytes.empty()) bytes = "\n";
    }
    arena.Reset();
    Entry entry;
    const absl::Status status = Decode(bytes, &arena, &entry);
    if (!status.ok()) {
      ASSERT_TRUE(IsPoison(status)) << status;
      continue;
    }
    const auto encoded = Encode(entry, &buffer);
    ASSERT_TRUE(encoded.ok()) << encoded.status();
    const std::string once(*encoded);
    Entry again;
    ASSERT_TRUE(Decode(once, &arena, &again).ok());
    const auto twice = Encode(again, &buffer);
    ASSERT_TRUE(twice.ok());
    ASSERT_EQ(*twice, once);
  }
}

TEST(DecodeTest, DamagedMessagesArePoisonOrStillMakeSense) {
  Mutate<SpiderLogEntry>("page_fetched", 1);
  Mutate<SpiderLogEntry>("links_found", 2);
  Mutate<SpiderLogEntry>("seeds", 3);
  Mutate<SpiderLogEntry>("host_facts", 4);
  Mutate<ScoringLogEntry>("schedule", 5);
  Mutate<SpiderFeedEntry>("feed_request", 6);
  Mutate<WorkerStats>("worker_stats", 7);
}

}  // namespace
}  // namespace orbweaver
