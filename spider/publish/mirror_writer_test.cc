#include "spider/publish/mirror_writer.h"

#include <filesystem>
#include <fstream>
#include <sstream>

#include "gtest/gtest.h"

#include "spider/publish/archive.h"
#include "tests/support/expect_ok.h"
#include "tests/support/scratch_folder.h"

namespace orbweaver {
namespace {

namespace fs = std::filesystem;

class MirrorWriterTest : public ::testing::Test {
 protected:
  MirrorWriterTest() {
    options_.folder = folder_.path().string();
    options_.mirror = true;
    options_.warc = false;
  }

  static FetchResult Answer(uint32_t status, std::string body, std::string name = "content-type",
                            std::string value = "text/html") {
    FetchResult result;
    result.status = status;
    result.body = std::move(body);
    result.header_text = name + value;
    const std::string_view text = result.header_text;
    result.headers = {{.name = text.substr(0, name.size()), .value = text.substr(name.size())}};
    return result;
  }
  std::string Text(const std::string& path) const {
    std::stringstream text;
    text << std::ifstream((folder_.path() / path)).rdbuf();
    return text.str();
  }
  // All files of answers, one after the other, without times.
  std::string Answers() const {
    std::string all;
    for (const auto& entry : fs::directory_iterator(folder_.path() / ".mirror")) {
      if (!entry.is_regular_file()) continue;
      std::ifstream file(entry.path());
      for (std::string line; std::getline(file, line);) {
        const size_t time = line.find('\t') + 1;
        all += line.erase(time, line.find('\t', time) - time) + "\n";
      }
    }
    return all;
  }

  ScratchFolder folder_;
  ArchiveOptions options_;
};

TEST_F(MirrorWriterTest, APageIsAFileAtOnce) {
  Archive archive(options_, "spider", "", SystemClock());
  EXPECT_OK(archive.KeepExchange("http://h/a/", Answer(200, "page")));
  EXPECT_EQ(Text("h/a/index.html"), "page");
  EXPECT_EQ(Text(MirrorBodyPath("http://h/a/")), "page");
  // Another one of the same path waits until somebody knows them all.
  EXPECT_OK(archive.KeepExchange("http://h/a/index.html", Answer(200, "other")));
  EXPECT_EQ(Text("h/a/index.html"), "page");
  EXPECT_EQ(Text(MirrorBodyPath("http://h/a/index.html")), "other");
  EXPECT_OK(archive.Finish());
  EXPECT_EQ(Answers(),
            "file\t\thttp://h/a/\t4\ttext/html\nfile\t\thttp://h/a/index.html\t5\ttext/html\n");
}

TEST_F(MirrorWriterTest, OnlyWholePagesAreFiles) {
  MirrorWriter writer(options_, "spider", SystemClock());
  FetchResult cut = Answer(200, "par");
  cut.body_truncated = true;
  EXPECT_OK(writer.Keep("http://h/cut", cut));
  EXPECT_OK(writer.Keep("http://h/gone", Answer(404, "no")));
  FetchResult failed = Answer(200, "");
  failed.failure = FailureCause::kContentType;
  EXPECT_OK(writer.Keep("http://h/failed", failed));
  EXPECT_OK(writer.Keep("http://h/same", Answer(304, "")));
  EXPECT_OK(writer.Keep("http://h/moved", Answer(301, "<p>moved", "location", "/a\tb")));
  EXPECT_OK(writer.Finish());
  EXPECT_EQ(Answers(), "cut\t\thttp://h/cut\t3\ttext/html\nredirect\t\thttp://h/moved\t8\t/a b\n");
  EXPECT_FALSE(fs::exists(folder_.path() / "h"));
}

TEST_F(MirrorWriterTest, NothingIsMadeBeforeThereIsSomethingToWrite) {
  Archive archive(options_, "spider", "", SystemClock());
  EXPECT_OK(archive.Finish());
  EXPECT_TRUE(fs::is_empty(folder_.path()));
}

TEST_F(MirrorWriterTest, AnotherStartFinishesWhatADeadOneLeft) {
  {
    MirrorWriter writer(options_, "spider", SystemClock());
    EXPECT_OK(writer.Keep("http://h/a", Answer(200, "page")));
    std::ofstream(folder_.path() / ".mirror/new/spider-1") << "to";
  }
  EXPECT_EQ(RecoverMirror(folder_.path().string()), 1);
  EXPECT_TRUE(fs::is_empty(folder_.path() / ".mirror/new"));
  EXPECT_EQ(Answers(), "file\t\thttp://h/a\t4\ttext/html\n");
  for (const auto& entry : fs::directory_iterator(folder_.path() / ".mirror")) {
    EXPECT_NE(entry.path().extension(), ".open");
  }
}

}  // namespace
}  // namespace orbweaver
