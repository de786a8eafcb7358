#include "spider/publish/warc_lookup.h"

#include <filesystem>

#include "fmt/format.h"
#include <gtest/gtest.h>

#include "common/base/status.h"
#include "spider/publish/archive.h"
#include "tests/support/expect_ok.h"
#include "tests/support/scratch_folder.h"

namespace orbweaver {
namespace {

class WarcLookupTest : public ::testing::Test {
 protected:
  WarcLookupTest() { options_.folder = folder_.path() / "out"; }

  Archive Make(std::string_view writer = "w-0") {
    return Archive(options_, writer, "orbweaver-spider/1", clock_);
  }
  void Keep(Archive& archive, std::string_view url, std::string_view body, uint32_t status = 200) {
    FetchResult result;
    result.status = status;
    result.body = body;
    result.request_head = "GET /x HTTP/1.1\r\n\r\n";
    result.response_head = fmt::format("HTTP/1.1 {} x\r\nContent-Type: text/html\r\n\r\n", status);
    time_ += std::chrono::seconds(1);
    result.started_at = time_;
    ASSERT_OK(archive.KeepExchange(url, result));
  }
  // Of the newest answer; what is wrong in place of it.
  std::string BodyOf(std::string_view url) {
    const auto found = FindInArchive(options_.folder, url);
    if (!found.ok()) return std::string(found.status().message());
    if (!*found) return "none";
    EXPECT_EQ((*found)->url, url);
    return (*found)->status + " " + ((*found)->has_body ? (*found)->body : "no body");
  }

  const ScratchFolder folder_;
  ManualClock clock_;
  WallTime time_ = WallTime(std::chrono::milliseconds(1'700'000'000'123));
  ArchiveOptions options_;
};

TEST_F(WarcLookupTest, EveryPageIsFoundInFilesThatAreFinishedAndInThoseThatAreNot) {
  options_.max_file_bytes = 20'000;
  Archive first = Make();
  Archive second = Make("w-1");
  for (int i = 0; i < 200; ++i) {
    Keep(i % 3 == 0 ? second : first, fmt::format("http://a{}.test/p?{}", i % 7, i),
         fmt::format("body {}", i));
  }
  ASSERT_OK(first.Finish());
  for (int i = 0; i < 200; ++i) {
    const std::string url = fmt::format("http://a{}.test/p?{}", i % 7, i);
    EXPECT_EQ(BodyOf(url), fmt::format("200 body {}", i));
  }
  EXPECT_EQ(BodyOf("http://a1.test/p?0"), "none");
  EXPECT_EQ(BodyOf("http://0.test/"), "none");
  EXPECT_EQ(BodyOf("http://z.test/"), "none");
}

TEST_F(WarcLookupTest, TheNewestAnswerCountsAndARevisitHasTheBodyItRefersTo) {
  Archive archive = Make();
  Keep(archive, "http://a.test/", "old");
  Keep(archive, "http://a.test/same", "old");
  Keep(archive, "http://a.test/", "new");
  Keep(archive, "http://a.test/", "", 304);
  Keep(archive, "http://a.test/gone", "there");
  Keep(archive, "http://a.test/gone", "", 404);
  ASSERT_OK(archive.Finish());
  EXPECT_EQ(BodyOf("http://a.test/"), "304 new");
  EXPECT_EQ(BodyOf("http://a.test/same"), "200 old");
  EXPECT_EQ(BodyOf("http://a.test/gone"), "404 ");
}

TEST_F(WarcLookupTest, TwoUrlsOfOneKeyAreTwoPages) {
  Archive archive = Make();
  Keep(archive, "http://www.a.test/x", "one");
  Keep(archive, "https://a.test/X", "two");
  ASSERT_OK(archive.Finish());
  EXPECT_EQ(BodyOf("http://www.a.test/x"), "200 one");
  EXPECT_EQ(BodyOf("https://a.test/X"), "200 two");
}

TEST_F(WarcLookupTest, AFileThatIsCutOffIsAnError) {
  Archive archive = Make();
  Keep(archive, "http://a.test/", "body");
  ASSERT_OK(archive.Finish());
  for (const auto& entry : std::filesystem::directory_iterator(options_.folder)) {
    if (entry.path().extension() == ".gz") std::filesystem::resize_file(entry.path(), 500);
  }
  EXPECT_TRUE(IsFatal(FindInArchive(options_.folder, "http://a.test/").status()));
}

}  // namespace
}  // namespace orbweaver
