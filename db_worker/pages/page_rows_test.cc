#include "db_worker/pages/page_rows.h"

#include <string>

#include <gtest/gtest.h>

#include "common/base/status.h"
#include "common/url/fingerprint.h"
#include "tests/support/expect_ok.h"

namespace orbweaver {
namespace {

TEST(PageRows, APageComesBackAsItWasWithoutCopying) {
  const StoredPage page{.source = {.topic_epoch = 3, .offset = Offset(77)},
                        .domain = "one.com",
                        .page = {.request = {.url = "http://one.com/",
                                             .fingerprint = FingerprintOf("http://one.com/"),
                                             .domain = "one.com"},
                                 .status = 200,
                                 .content_hash = {1, 2},
                                 .title = "One"}};
  EncodeBuffer buffer;
  const auto cell = EncodePage(page, &buffer);
  ASSERT_OK(cell);
  Arena arena;
  StoredPage read;
  ASSERT_OK(DecodePage(*cell, &arena, &read));
  EXPECT_EQ(read.source, page.source);
  EXPECT_EQ(read.domain, "one.com");
  EXPECT_EQ(read.page.title, "One");
  EXPECT_EQ(read.page.content_hash, page.page.content_hash);
}

TEST(PageRows, WhatIsNoPageIsRefused) {
  Arena arena;
  StoredPage read;
  const std::string fixed(17, '\0');
  for (const std::string& cell : {std::string(), std::string("\x02") + fixed,
                                  std::string("\x01") + fixed, std::string("\x01 short")}) {
    EXPECT_TRUE(IsPoison(DecodePage(cell, &arena, &read))) << cell.size();
  }
}

TEST(PageRows, ABodyComesBackAndDamageIsSeen) {
  std::string body;
  for (int i = 0; i < 5000; ++i) body += "<p>" + std::to_string(i) + "</p>";
  const std::string cell = EncodeBody({5, 6}, body);
  EXPECT_LT(cell.size(), body.size() / 2);
  const auto read = DecodeBody(cell);
  ASSERT_OK(read);
  EXPECT_EQ(read->body, body);
  EXPECT_EQ(read->hash, (Fingerprint{5, 6}));
  EXPECT_EQ(DecodeBody(EncodeBody({}, ""))->body, "");
  EXPECT_FALSE(DecodeBody(cell.substr(0, cell.size() - 1)).ok());
  EXPECT_FALSE(DecodeBody("").ok());
  // A frame that says it holds a terabyte takes no terabyte.
  std::string huge(std::string("\x01") + std::string(16, '\0'));
  huge += std::string("\x28\xb5\x2f\xfd\xe0", 5) + std::string("\0\0\0\0\0\1\0\0", 8);
  EXPECT_FALSE(DecodeBody(huge).ok());
}

TEST(PageRows, RowsOfAContentStandTogetherAndMeetNoPages) {
  const Fingerprint content{0xabc0000000000000, 1};
  const std::string end = ContentRowsEnd(content);
  EXPECT_LT(ContentRow(content, {}), ContentRow(content, {UINT64_MAX, UINT64_MAX}));
  EXPECT_LT(ContentRow(content, {UINT64_MAX, UINT64_MAX}), end);
  EXPECT_GT(ContentRow({content.high, 2}, {}), end);
  EXPECT_EQ(ContentRow(content, {}).substr(0, 3), std::string("\x0a\xbc\0", 3));
  EXPECT_NE(PageRow("one.com", {})[2], '\0');
}

TEST(PageRows, ALaterEventHasTheHigherVersionAlsoInANewTopic) {
  const auto version = [](uint64_t epoch, int64_t offset) {
    return *VersionOf({.topic_epoch = epoch, .offset = Offset(offset)});
  };
  EXPECT_LT(version(1, 5), version(1, 6));
  EXPECT_LT(version(1, int64_t{1} << 55), version(2, 0));
  EXPECT_LE(version(126, (int64_t{1} << 56) - 1), kMaxVersion);
  EXPECT_FALSE(VersionOf({.topic_epoch = 127, .offset = Offset(0)}).ok());
  EXPECT_FALSE(VersionOf({.topic_epoch = 1, .offset = Offset(int64_t{1} << 56)}).ok());
}

}  // namespace
}  // namespace orbweaver
