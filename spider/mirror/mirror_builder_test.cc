// Mirrors made from what a writer kept: in any order of answers, again and again, and after
// crashes.
#include "spider/mirror/mirror_builder.h"

#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <future>
#include <map>
#include <sstream>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gtest/gtest.h"

#include "common/base/status.h"
#include "spider/publish/mirror_path.h"
#include "spider/publish/mirror_writer.h"
#include "tests/support/expect_ok.h"
#include "tests/support/scratch_folder.h"

namespace orbweaver {
namespace {

namespace fs = std::filesystem;
using Tree = std::map<std::string, std::string>;

struct Answer {
  std::string url;
  uint32_t status = 200;
  std::string header;  // the type, or where a redirect leads
  std::string body;
  bool cut = false;
};

class MirrorBuilderTest : public ::testing::Test {
 protected:
  // Writes as a spider does that is killed after it.
  void Keep(const std::vector<Answer>& answers, const std::string& folder = "out") {
    ArchiveOptions options;
    options.folder = Path(folder);
    MirrorWriter writer(options, "spider", SystemClock());
    for (const Answer& answer : answers) {
      FetchResult result;
      result.status = answer.status;
      result.body = answer.body;
      result.body_truncated = answer.cut;
      result.started_at = WallTime(std::chrono::milliseconds(++now_ms_));
      result.header_text = answer.header;
      result.headers = {{.name = answer.status == 200 ? "content-type" : "location",
                         .value = result.header_text}};
      EXPECT_OK(writer.Keep(answer.url, result));
    }
  }

  MirrorReport Build(bool convert = true, const std::string& folder = "out") {
    const auto report = BuildMirror({.folder = Path(folder), .convert_links = convert, .urls = {}});
    EXPECT_OK(report.status());
    return report.value_or(MirrorReport());
  }

  // All files but our own.
  Tree Files(const std::string& folder = "out") const {
    Tree tree;
    for (auto entry = fs::recursive_directory_iterator(Path(folder)); entry != end(entry);
         ++entry) {
      if (entry->path().filename() == ".mirror") {
        entry.disable_recursion_pending();
      } else if (entry->is_regular_file()) {
        tree[fs::relative(entry->path(), Path(folder)).string()] = Text(entry->path());
      }
    }
    return tree;
  }

  static std::string Text(const fs::path& path) {
    std::stringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  }
  std::string Path(const std::string& name) const {
    return (fs::path(folder_.path()) / name).string();
  }

  ScratchFolder folder_;
  int64_t now_ms_ = 0;
};

const std::string kHtml = "text/html";

const std::vector<Answer> kSite = {
    {"http://h/", 200, kHtml, "<a href=/index.html><a href=/a><a href=/moved#x><a href=/gone>"},
    {"http://h/a", 200, "text/plain", "text"},
    {"http://h/a/b", 200, kHtml, "<a href=../a><a href=/>"},
    {"http://h/moved", 302, "/moved2", ""},
    {"http://h/moved2", 301, "a/b#y", ""},
    {"http://h/index.html", 200, kHtml, "other"},
};

std::string Hashed(const std::string& stem, const std::string& url) {
  return stem + "~" + MirrorHash(url);
}
const std::string kRoot = Hashed("index", "http://h/") + ".html";
const std::string kA = Hashed("a", "http://h/a");

Tree TreeOfSite() {
  return {{"h/index.html", "other"},
          {"h/" + kRoot,
           "<a href=index.html><a href=" + kA + "><a href=a/b.html#x><a href=http://h/gone>"},
          {"h/" + kA, "text"},
          {"h/a/b.html", "<a href=../" + kA + "><a href=../" + kRoot + ">"}};
}

TEST_F(MirrorBuilderTest, EveryUrlHasItsFileAndLinksLeadThere) {
  Keep(kSite);
  const MirrorReport report = Build();
  EXPECT_EQ(Files(), TreeOfSite());
  EXPECT_EQ(report.files, 4U);
  EXPECT_EQ(report.converted, 2U);
  EXPECT_EQ(report.first, "h/" + kRoot);
  EXPECT_EQ(Text(Path("out/.mirror/files.jsonl")).substr(0, 74),
            R"({"url":"http://h/","file":"h/)" + kRoot + R"(",)");
  EXPECT_NE(
      Text(Path("out/.mirror/files.jsonl"))
          .find(R"({"url":"http://h/moved","redirect":"http://h/moved2","file":"h/a/b.html"})"),
      std::string::npos);
}

TEST_F(MirrorBuilderTest, AFoldersPageAndItsIndexThatAreOnePageAreOneFile) {
  const std::string home = "<a href=/a>";
  const std::vector<Answer> site = {{"http://h/", 200, kHtml, home},
                                    {"http://h/index.html", 200, kHtml, home},
                                    {"http://h/a", 200, kHtml, "<a href=/><a href=index.html>"}};
  const Tree expected = {{"h/index.html", "<a href=a.html>"},
                         {"h/a.html", "<a href=index.html><a href=index.html>"}};
  for (const auto& [folder, order] :
       {std::pair("out", site), std::pair("back", std::vector(site.rbegin(), site.rend()))}) {
    Keep(order, folder);
    const MirrorReport report = Build(true, folder);
    EXPECT_EQ(Files(folder), expected);
    EXPECT_EQ(report.files, 2U);
  }
  // They part, and come together again.
  Keep({{"http://h/index.html", 200, kHtml, "now another"}});
  Build();
  EXPECT_EQ(Files()["h/index.html"], "now another");
  EXPECT_EQ(Files()["h/" + kRoot], "<a href=a.html>");
  EXPECT_EQ(Files()["h/a.html"], "<a href=" + kRoot + "><a href=index.html>");
  Keep({{"http://h/index.html", 200, kHtml, home}});
  Build();
  EXPECT_EQ(Files(), expected);
}

TEST_F(MirrorBuilderTest, TheOrderOfAnswersAndOfRunsMakesNoDifference) {
  std::vector<Answer> reversed(kSite.rbegin(), kSite.rend());
  Keep(reversed);
  Build();
  EXPECT_EQ(Files(), TreeOfSite());
  // One run after each answer.
  for (const Answer& answer : kSite) {
    Keep({answer}, "steps");
    Build(true, "steps");
  }
  EXPECT_EQ(Files("steps"), TreeOfSite());
}

TEST_F(MirrorBuilderTest, ASecondRunChangesNothing) {
  Keep(kSite);
  Build();
  const auto written = fs::last_write_time(Path("out/h/" + kRoot));
  const auto inode = [this] {
    struct stat found{};
    EXPECT_EQ(stat(Path("out/h/" + kRoot).c_str(), &found), 0);
    return found.st_ino;
  };
  const auto before = inode();
  Build();
  EXPECT_EQ(Files(), TreeOfSite());
  EXPECT_EQ(fs::last_write_time(Path("out/h/" + kRoot)), written);
  EXPECT_EQ(inode(), before);
}

TEST_F(MirrorBuilderTest, WithoutConversionFilesAreAsTheyWereFetched) {
  Keep(kSite);
  Build();
  const MirrorReport report = Build(/*convert=*/false);
  EXPECT_EQ(report.converted, 0U);
  EXPECT_EQ(Files()["h/a/b.html"], "<a href=../a><a href=/>");
  Build();
  EXPECT_EQ(Files(), TreeOfSite());
}

TEST_F(MirrorBuilderTest, APageThatIsFetchedAgainReplacesItsFile) {
  Keep({{"http://h/x", 200, kHtml, "<a href=y>"}, {"http://h/y", 200, "text/css", "old"}});
  Build();
  Keep({{"http://h/x", 200, kHtml, "<a href=y>new"}, {"http://h/y", 200, kHtml, "html"}});
  Build();
  EXPECT_EQ(Files(), (Tree{{"h/x.html", "<a href=y.html>new"}, {"h/y.html", "html"}}));
  // A page that is a redirect now frees its path, and a better one of another page.
  Keep({{"http://h/x.html", 200, kHtml, "spelled"}});
  Build();
  EXPECT_EQ(Files()["h/x.html"], "spelled");
  Keep({{"http://h/x.html", 301, "/x", ""}});
  Build();
  EXPECT_EQ(Files(), (Tree{{"h/x.html", "<a href=y.html>new"}, {"h/y.html", "html"}}));
}

TEST_F(MirrorBuilderTest, APageThatWasCutOffIsNoFileUnlessAnotherAnswerIsWhole) {
  Keep({{"http://h/", 200, kHtml, "<a href=/big><a href=/whole>"},
        {"http://h/big", 200, kHtml, "part", /*cut=*/true},
        {"http://h/whole", 200, kHtml, "all"},
        {"http://h/whole", 200, kHtml, "par", /*cut=*/true}});
  const MirrorReport report = Build();
  EXPECT_EQ(report.cut, 1U);
  EXPECT_EQ(Files(), (Tree{{"h/index.html", "<a href=http://h/big><a href=whole.html>"},
                           {"h/whole.html", "all"}}));
}

TEST_F(MirrorBuilderTest, ABodyThatIsNotWholeIsToldAndIsNoFile) {
  Keep({{"http://h/", 200, kHtml, "<a href=/a>"}, {"http://h/a", 200, kHtml, "torn"}});
  fs::resize_file(Path("out/" + MirrorBodyPath("http://h/a")), 0);  // as a power cut leaves it
  const MirrorReport report = Build();
  EXPECT_EQ(report.lost, 1U);
  EXPECT_EQ(Files()["h/index.html"], "<a href=http://h/a>");
}

TEST_F(MirrorBuilderTest, ALineThatIsBeingWrittenIsPassedOver) {
  Keep(kSite);
  for (const auto& entry : fs::directory_iterator(Path("out/.mirror"))) {
    if (entry.path().extension() != ".open") continue;
    std::ofstream(entry.path(), std::ios::app) << "file\t1\thttp://h/torn\t1\ttext/ht";
  }
  std::ofstream(Path("out/.mirror/answers-x.tsv"))
      << "file\n\nfile\t1\tnone\t1\tx\nfile\t9\thttp://h/\t-1\t\n";
  const MirrorReport report = Build();
  EXPECT_EQ(report.files, 4U);
  EXPECT_EQ(report.lost, 0U);
  EXPECT_EQ(Files(), TreeOfSite());
}

TEST_F(MirrorBuilderTest, OnlyOneProcessIsAtIt) {
  Keep(kSite);
  Build();
  const int fd = open(Path("out/.mirror/lock").c_str(), O_RDWR | O_CLOEXEC);
  ASSERT_EQ(flock(fd, LOCK_EX | LOCK_NB), 0);
  const auto refused = BuildMirror({.folder = Path("out"), .urls = {}});
  EXPECT_TRUE(IsFatal(refused.status()));
  // One that is patient comes next.
  auto next = std::async(std::launch::async, [this] {
    return BuildMirror(
        {.folder = Path("out"), .convert_links = true, .patience = std::chrono::hours(1)});
  });
  close(fd);
  EXPECT_OK(next.get().status());
}

TEST_F(MirrorBuilderTest, WhereToBeginIsThePageThatWasFetchedFirst) {
  Keep({{"http://h/robots.txt", 200, kHtml, "<p>not here"},
        {"http://h/logo", 200, "image/png", "png"},
        {"http://h/start", 200, kHtml, "page"},
        {"http://h/", 200, kHtml, "page"}});
  EXPECT_EQ(Build().first, "h/start.html");
}

TEST_F(MirrorBuilderTest, ACircleOfRedirectsLeadsNowhere) {
  Keep({{"http://h/", 200, kHtml, "<a href=/a>"},
        {"http://h/a", 302, "/b", ""},
        {"http://h/b", 302, "/a", ""},
        {"http://h/c", 302, "mailto:x", ""}});
  Build();
  EXPECT_EQ(Files(), (Tree{{"h/index.html", "<a href=http://h/a>"}}));
}

}  // namespace
}  // namespace orbweaver
