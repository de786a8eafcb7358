#include "spider/fetch/cookie_file.h"

#include <fstream>

#include <gtest/gtest.h>

#include "common/base/status.h"
#include "tests/support/expect_ok.h"
#include "tests/support/scratch_folder.h"

namespace orbweaver {
namespace {

constexpr WallTime kNow{std::chrono::seconds(1'800'000'000)};

std::string Sent(const CookieFile& file, std::string_view url) {
  return file.For(*SplitFetchUrl(url), kNow);
}

CookieFile Parsed(std::string_view text) {
  auto file = CookieFile::Parse(text);
  EXPECT_OK(file);
  return std::move(file).value();
}

TEST(CookieFileTest, SendsToItsHostPathAndSchemeOnly) {
  const CookieFile file = Parsed(
      "# Netscape HTTP Cookie File\r\n\n"
      ".a.test\tTRUE\t/\tFALSE\t0\tall\t1\r\n"
      "a.test\tFALSE\t/\tFALSE\t0\thost\t2\n"
      "#HttpOnly_www.a.test\tFALSE\t/shop\tTRUE\t0\tdeep\t3\n");
  EXPECT_EQ(Sent(file, "http://a.test/"), "all=1; host=2");
  EXPECT_EQ(Sent(file, "http://www.a.test/"), "all=1");
  EXPECT_EQ(Sent(file, "https://www.a.test/shop"), "deep=3; all=1");
  EXPECT_EQ(Sent(file, "https://www.a.test/shop/x?y"), "deep=3; all=1");
  EXPECT_EQ(Sent(file, "http://www.a.test:8080/shop"), "all=1") << "secure";
  EXPECT_EQ(Sent(file, "https://www.a.test/shopping"), "all=1");
  EXPECT_EQ(Sent(file, "https://www.a.test/?/shop"), "all=1");
  for (const char* other :
       {"http://b.test/", "http://nota.test/", "http://a.test.evil.test/", "http://test/"}) {
    EXPECT_EQ(Sent(file, other), "") << other;
  }
}

TEST(CookieFileTest, AnExpiredOneIsNotSent) {
  const CookieFile file = Parsed(
      "a.test\tFALSE\t/\tFALSE\t1800000000\told\t1\n"
      "a.test\tFALSE\t/\tFALSE\t1800000001.5\tnew\t2\n"
      "a.test\tFALSE\t/\tFALSE\t9223372036854775807\tfar\t3\n"
      "a.test\tFALSE\t/\tFALSE\t-1\tsession\t4\n");
  EXPECT_EQ(Sent(file, "http://a.test/"), "new=2; far=3; session=4");
  EXPECT_EQ(file.size(), 4u);
  EXPECT_EQ(file.Expired(kNow), 1u);
}

TEST(CookieFileTest, AnAddressHasNoSubdomains) {
  const CookieFile file =
      Parsed("0.0.1\tTRUE\t/\tFALSE\t0\ta\t1\n127.0.0.1\tFALSE\t/\tFALSE\t0\tb\t2\n");
  EXPECT_EQ(Sent(file, "http://127.0.0.1:8000/"), "b=2");
}

TEST(CookieFileTest, AnEmptyValueMayLackItsTab) {
  const CookieFile file =
      Parsed("a.test\tFALSE\t/\tFALSE\t0\ta\na.test\tFALSE\t/\tFALSE\t0\t\tv\n");
  EXPECT_EQ(Sent(file, "http://a.test/"), "a=; v");
}

TEST(CookieFileTest, OtherLinesAreNamedByTheirNumberAndNotShown) {
  for (const std::string line :
       {"{\"name\": \"secret\"}", "a.test TRUE / FALSE 0 secret 1",
        "a.test\tTRUE\t/\tFALSE\tsoon\tsecret\t1", "a.test\tyes\t/\tFALSE\t0\tsecret\t1",
        "a.test\tTRUE\tx\tFALSE\t0\tsecret\t1", "\tTRUE\t/\tFALSE\t0\tsecret\t1",
        "a.test\tTRUE\t/\tFALSE\t0\tsecret\ta;b=c", "a.test\tTRUE\t/\tFALSE\t0\tsecret\ta\rX: y",
        "a.test\tTRUE\t/\tFALSE\t0"}) {
    const auto refused = CookieFile::Parse("# comment\n" + line + "\n");
    ASSERT_FALSE(refused.ok()) << line;
    EXPECT_TRUE(MessageOf(refused.status()).starts_with("line 2 is no cookie"))
        << MessageOf(refused.status());
    EXPECT_EQ(MessageOf(refused.status()).find("secret"), std::string::npos);
  }
}

TEST(CookieFileTest, TheHeaderIsBounded) {
  std::string text;
  for (int i = 0; i < 100; ++i) {
    text +=
        "a.test\tFALSE\t/\tFALSE\t0\tn" + std::to_string(i) + "\t" + std::string(1000, 'x') + "\n";
  }
  const std::string sent = Sent(Parsed(text), "http://a.test/");
  EXPECT_LE(sent.size(), CookieFile::kMaxSentBytes);
  EXPECT_GT(sent.size(), CookieFile::kMaxSentBytes / 2);
}

TEST(CookieFileTest, AFileThatCannotBeReadIsNamed) {
  EXPECT_EQ(MessageOf(CookieFile::Read("/nowhere/cookies").status()),
            "'/nowhere/cookies': No such file or directory");
  const ScratchFolder folder;
  EXPECT_FALSE(CookieFile::Read(folder.path()).ok());
  const std::string path = folder.path() / "cookies";
  std::ofstream(path) << "a.test\tFALSE\t/\tFALSE\t0\ta\t1\n";
  EXPECT_EQ(CookieFile::Read(path)->size(), 1u);
  std::ofstream(path) << std::string(CookieFile::kMaxBytes + 1, '#');
  EXPECT_FALSE(CookieFile::Read(path).ok());
}

}  // namespace
}  // namespace orbweaver
