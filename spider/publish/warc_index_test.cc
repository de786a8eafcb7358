// An index as its writer makes it, and as it is made anew after a crash. That another's reader
// finds the records by it is warcio_test.py's to say.
#include "spider/publish/warc_index.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "spider/publish/archive.h"
#include "tests/support/expect_ok.h"
#include "tests/support/scratch_folder.h"

namespace orbweaver {
namespace {

namespace fs = std::filesystem;

std::string ReadAll(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

class WarcIndexTest : public ::testing::Test {
 protected:
  WarcIndexTest() { options_.folder = folder_.path() / "out"; }

  static FetchResult Answer(uint32_t status, std::string_view body) {
    FetchResult result;
    result.status = status;
    result.body = body;
    result.request_head = "GET /x HTTP/1.1\r\nHost: a.test\r\n\r\n";
    result.response_head = "HTTP/1.1 " + std::to_string(status) + " x\r\n" +
                           (body.empty() ? "\r\n" : "Content-Type: text/html; charset=x\r\n\r\n");
    if (!body.empty()) {
      result.headers.emplace_back();
      result.headers.back().name = "content-type";
      result.headers.back().value = "text/html; charset=x";
    }
    result.started_at = WallTime(std::chrono::milliseconds(1'700'000'000'123));
    return result;
  }
  // Answers of every kind; the file stays open with the archive.
  void Keep(Archive& archive) {
    ASSERT_OK(archive.KeepExchange("http://www.b.test/x?b&a", Answer(200, "body")));
    ASSERT_OK(archive.KeepExchange("http://a.test/again", Answer(200, "body")));
    ASSERT_OK(archive.KeepExchange("http://a.test/", Answer(404, "")));
    ASSERT_OK(archive.KeepExchange("http://a.test/same", Answer(304, "")));
  }
  Archive Make() { return Archive(options_, "w-0", "orbweaver-spider/1", clock_); }
  std::vector<fs::path> Files(std::string_view suffix) const {
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(options_.folder)) {
      if (entry.path().string().ends_with(suffix)) files.push_back(entry.path());
    }
    std::ranges::sort(files);
    return files;
  }

  const ScratchFolder folder_;
  ManualClock clock_;
  ArchiveOptions options_;
};

TEST_F(WarcIndexTest, ALineForEachAnswerIsSortedByKey) {
  Archive archive = Make();
  Keep(archive);
  EXPECT_EQ(Files(".cdxj").size(), 0u) << "before its file is finished";
  ASSERT_OK(archive.Finish());
  const auto files = Files(".cdxj");
  ASSERT_EQ(files.size(), 1u);
  const std::string name = Files(".warc.gz").at(0).filename();
  EXPECT_EQ(fs::path(name).stem().stem(), files[0].stem());
  std::istringstream lines(ReadAll(files[0]));
  std::vector<std::string> parts;
  for (std::string line; std::getline(lines, line);) {
    parts.push_back(line.substr(0, line.find(R"(,"status")") + 15));
    EXPECT_TRUE(line.ends_with(",\"filename\":\"" + name + "\"}")) << line;
  }
  EXPECT_EQ(parts, (std::vector<std::string>{
                       R"(test,a)/ 20231114221320 {"url":"http://a.test/","status":"404")",
                       R"(test,a)/again 20231114221320 {"url":"http://a.test/again",)"
                       R"("mime":"warc/revisit","status":"200")",
                       R"(test,a)/same 20231114221320 {"url":"http://a.test/same",)"
                       R"("mime":"warc/revisit","status":"304")",
                       R"(test,b)/x?a&b 20231114221320 {"url":"http://www.b.test/x?b&a",)"
                       R"("mime":"text/html","status":"200")"}));
}

TEST_F(WarcIndexTest, ACrashAtAnyTimeLeavesAnIndexAsItsWriterWouldHaveMadeIt) {
  {
    Archive archive = Make();
    Keep(archive);
    ASSERT_OK(archive.Finish());
  }
  const fs::path warc = Files(".warc.gz").at(0);
  const fs::path index = Files(".cdxj").at(0);
  const std::string whole = ReadAll(index);
  const auto rebuilt = IndexOfWarc(warc.string());
  ASSERT_OK(rebuilt);
  EXPECT_EQ(*rebuilt, whole);

  const auto again = [&] {
    RecoverArchives(options_);
    EXPECT_EQ(Files(".open").size(), 0u);
    EXPECT_EQ(ReadAll(index), whole);
    EXPECT_TRUE(fs::exists(warc));
  };
  const fs::path open_index = index.string() + ".open";
  // Before the WARC file had its name, behind it, and within the index.
  fs::rename(warc, warc.string() + ".open");
  fs::rename(index, open_index);
  fs::resize_file(open_index, 0);
  again();
  fs::rename(index, open_index);
  fs::resize_file(open_index, 0);
  again();
  fs::rename(index, open_index);
  fs::resize_file(open_index, whole.size() / 2);
  again();
}

TEST_F(WarcIndexTest, AnIndexOfNoFileIsRemoved) {
  fs::create_directories(options_.folder);
  std::ofstream(fs::path(options_.folder) / "orbweaver-x.cdxj.open") << "half a li";
  RecoverArchives(options_);
  EXPECT_TRUE(fs::is_empty(options_.folder));
}

TEST_F(WarcIndexTest, EachFileHasItsOwn) {
  options_.max_file_bytes = 2000;
  Archive archive = Make();
  for (int i = 0; i < 20; ++i) {
    ASSERT_OK(archive.KeepExchange("http://a.test/", Answer(200, std::to_string(i))));
  }
  ASSERT_OK(archive.Finish());
  EXPECT_GT(Files(".cdxj").size(), 2u);
  EXPECT_EQ(Files(".cdxj").size(), Files(".warc.gz").size());
  size_t lines = 0;
  for (const fs::path& file : Files(".cdxj")) lines += std::ranges::count(ReadAll(file), '\n');
  EXPECT_EQ(lines, 20u);
}

TEST_F(WarcIndexTest, IsNoneUnlessWanted) {
  options_.cdxj = false;
  Archive archive = Make();
  Keep(archive);
  ASSERT_OK(archive.Finish());
  EXPECT_EQ(Files(".cdxj").size(), 0u);
}

}  // namespace
}  // namespace orbweaver
