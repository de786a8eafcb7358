#include "cli/frontier/robots_files.h"

#include <string>
#include <vector>

#include "cli/frontier/inspect.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/status.h"
#include "common/model/encode_buffer.h"
#include "common/protocol/failed_url_rows.h"
#include "common/protocol/robots_rows.h"
#include "common/store/memory/memory_store.h"
#include "tests/support/expect_ok.h"

namespace orbweaver {
namespace {

using std::chrono::milliseconds;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr Duration kLong = std::chrono::minutes(1);

class RobotsFilesTest : public testing::Test {
 protected:
  void Put(const std::string& row, std::string_view column, std::string_view value) {
    const CellPut cell{column, value};
    const RowPut put{row, Version(1), {&cell, 1}};
    std::vector<uint32_t> remaining;
    ASSERT_OK(store_.Write(kRobotsTable, {&put, 1}, kLong, &remaining));
  }
  void Keep(const std::string& domain, const HostFacts& facts) {
    EncodeBuffer buffer;
    const auto entry = Encode({.domain = domain, .event = facts}, &buffer);
    ASSERT_OK(entry);
    Put(RobotsRow(domain, facts.host), kRobotsColumn, *entry);
  }
  RobotsFiles Read(const RobotsBounds& bounds = {}) {
    auto read = ReadRobotsFiles(store_, "a.test", bounds);
    EXPECT_OK(read);
    return *std::move(read);
  }

  MemoryTables tables_;
  MemoryStore store_{&tables_, {}};
};

TEST_F(RobotsFilesTest, EachHostsFileIsToldAsItCameAndNoOthers) {
  constexpr std::string_view kSitemap = "http://a.test/s.xml";
  Keep("a.test", {.host = "www.a.test:8080",
                  .observed_at = WallTime(milliseconds(7)),
                  .robots = RobotsOutcome::kAllowAll,
                  .robots_status = 404});
  Keep("a.test", {.host = "a.test",
                  .observed_at = WallTime(milliseconds(8)),
                  .robots = RobotsOutcome::kRules,
                  .robots_status = 200,
                  .crawl_delay = milliseconds(2000),
                  .sitemaps = {&kSitemap, 1},
                  .robots_txt = "User-agent: *\nDisallow: /\xff",
                  .robots_txt_bytes = 26});
  Keep("b.test", {.host = "b.test", .robots = RobotsOutcome::kRules, .robots_txt = ""});
  Put(FailedUrlRow("a.test", {1, 2}), kFailedUrlColumn, "no facts");
  const RobotsFiles read = Read();
  ASSERT_EQ(read.files.size(), 2u);
  EXPECT_FALSE(read.has_more);
  EXPECT_EQ(read.files[0].host, "a.test");
  EXPECT_EQ(read.files[0].text, "User-agent: *\nDisallow: /\xff");
  EXPECT_EQ(read.files[0].bytes, 26u);
  EXPECT_EQ(read.files[0].fetched_at, WallTime(milliseconds(8)));
  EXPECT_EQ(read.files[0].crawl_delay, milliseconds(2000));
  EXPECT_THAT(read.files[0].sitemaps, ElementsAre(kSitemap));
  EXPECT_EQ(read.files[1].host, "www.a.test:8080");
  EXPECT_EQ(read.files[1].status, 404u);
  EXPECT_EQ(read.files[1].text, std::nullopt);
  const DomainFacts facts{.domain = "a.test", .robots = read};
  const std::string json = DomainJson(facts, WallTime());
  EXPECT_THAT(json, HasSubstr(R"("robots":{"files":[{"host":"a.test","fetched_at_ms":8,)"
                              R"("outcome":"rules","status":200,"crawl_delay_ms":2000,)"
                              R"("sitemaps":["http://a.test/s.xml"],)"
                              R"("text":"User-agent: *\nDisallow: /�","text_is_cut":false,)"
                              R"("bytes":26},)"));
  EXPECT_THAT(json, HasSubstr(R"("status":404,"crawl_delay_ms":null,"sitemaps":[],"text":null,)"
                              R"("text_is_cut":false,"bytes":0}],"has_more":false})"));
}

TEST_F(RobotsFilesTest, WhatIsShownIsBoundedAndSaysSo) {
  const std::string text(300, 'x');
  for (const char* const host : {"1.a.test", "2.a.test", "3.a.test"}) {
    Keep("a.test", {.host = host,
                    .robots = RobotsOutcome::kRules,
                    .robots_txt = text,
                    .robots_txt_bytes = 300});
  }
  const RobotsFiles read = Read({.hosts = 2, .text_bytes = 400});
  ASSERT_EQ(read.files.size(), 2u);
  EXPECT_TRUE(read.has_more);
  EXPECT_EQ(read.files[0].text, text);
  EXPECT_EQ(read.files[1].text, text.substr(0, 100));
  const DomainFacts facts{.domain = "a.test", .robots = read};
  EXPECT_THAT(DomainJson(facts, WallTime()),
              HasSubstr(R"("text_is_cut":true,"bytes":300}],"has_more":true})"));
  EXPECT_FALSE(Read({.hosts = 3}).has_more);
}

TEST_F(RobotsFilesTest, AForgottenDomainHasNone) {
  for (int i = 0; i < 2100; ++i) {
    const std::string host = std::to_string(i) + ".a.test";
    Keep("a.test", {.host = host, .robots = RobotsOutcome::kAllowAll});
  }
  Keep("b.test", {.host = "b.test", .robots = RobotsOutcome::kAllowAll});
  ASSERT_OK(EraseRobotsFiles(store_, "a.test"));
  EXPECT_TRUE(Read().files.empty());
  EXPECT_EQ(ReadRobotsFiles(store_, "b.test", {})->files.size(), 1u);
}

TEST_F(RobotsFilesTest, ARowThatIsNoEntryIsNamed) {
  Put(RobotsRow("a.test", "a.test"), kRobotsColumn, "nonsense");
  const auto read = ReadRobotsFiles(store_, "a.test", {});
  EXPECT_TRUE(IsFatal(read.status()));
  EXPECT_THAT(std::string(MessageOf(read.status())), HasSubstr("robots.txt"));
}

}  // namespace
}  // namespace orbweaver
