// Lines become Parquet files: the same rows, once, whatever a crash has left.
#include "spider/publish/lines_to_parquet.h"

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <sys/resource.h>

#include "fmt/format.h"
#include <gtest/gtest.h>

#include "common/base/clock.h"
#include "common/base/status.h"
#include "common/parquet/json_rows.h"
#include "spider/publish/archive.h"
#include "spider/publish/failure_file.h"
#include "spider/publish/outcome_encoder.h"
#include "tests/support/expect_ok.h"
#include "tests/support/journey.h"
#include "tests/support/killed_child.h"
#include "tests/support/scratch_folder.h"

namespace orbweaver {
namespace {

namespace fs = std::filesystem;

using NameList = std::vector<std::string>;

std::string ReadAll(const fs::path& path) {
  std::stringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

class LinesToParquetTest : public ::testing::Test {
 protected:
  LinesToParquetTest() {
    options_.folder = folder_.path().string();
    options_.line_format = LineFormat::kParquet;
    options_.warc = false;
    options_.jsonl = true;
    options_.links = true;
    options_.failures = true;
    options_.text = true;
  }

  std::string At(std::string_view name) const { return (folder_.path() / name).string(); }
  NameList Names() const {
    NameList names;
    for (const auto& entry : fs::directory_iterator(folder_.path())) {
      names.push_back(entry.path().filename().string());
    }
    std::sort(names.begin(), names.end());
    return names;
  }
  void Write(std::string_view name, std::string_view text) const {
    std::ofstream(At(name), std::ios::binary) << text;
  }
  // The rows of the file, a line each.
  static std::string Rows(const std::string& path) {
    auto source = parquet::FileSource::Open(path);
    EXPECT_OK(source);
    const auto reader = parquet::ParquetReader::Open(*std::move(source));
    EXPECT_OK(reader);
    parquet::JsonRowReader rows(reader->get());
    std::string all;
    std::string row;
    while (true) {
      const auto more = rows.Next(&row);
      EXPECT_OK(more);
      if (!more.ok() || !*more) return all;
      all += row + "\n";
    }
  }

  static constexpr std::string_view kLines =
      R"({"url":"http://a.test/1","domain":"a.test","failed_at":"2026-01-31T12:00:00.123Z","status":404})"
      "\n"
      R"({"url":"http://a.test/2","domain":"a.test","failed_at":"2026-01-31T12:00:01.000Z","cause":"dns"})"
      "\n";
  static constexpr std::string_view kRows =
      R"({"url":"http://a.test/1","final_url":null,"domain":"a.test","failed_at":"2026-01-31T12:00:00.123Z","cause":null,"status":404,"message":null,"referrer":null,"depth":null,"attempt":null,"total_ms":null,"retry_after_ms":null})"
      "\n"
      R"({"url":"http://a.test/2","final_url":null,"domain":"a.test","failed_at":"2026-01-31T12:00:01.000Z","cause":"dns","status":null,"message":null,"referrer":null,"depth":null,"attempt":null,"total_ms":null,"retry_after_ms":null})"
      "\n";

  const ScratchFolder folder_;
  ManualClock clock_;
  ArchiveOptions options_;
};

TEST_F(LinesToParquetTest, ARowForEachLine) {
  Write("failures-w.parquet.lines.open", kLines);
  ASSERT_OK(LinesToParquet(At("failures-w.parquet")));
  EXPECT_EQ(Names(), NameList{"failures-w.parquet"});
  EXPECT_EQ(Rows(At("failures-w.parquet")), kRows);
}

// Every state that a crash between two steps leaves, and one more crash in that.
TEST_F(LinesToParquetTest, AfterACrashBetweenAnyTwoStepsEachRowIsThereOnce) {
  Write("failures-w.parquet.lines.open", kLines);
  ASSERT_OK(LinesToParquet(At("failures-w.parquet")));
  const std::string whole = ReadAll(At("failures-w.parquet"));
  for (size_t written = 0; written <= whole.size(); written += 100) {
    fs::remove(At("failures-w.parquet"));
    Write("failures-w.parquet.lines.open", kLines);
    Write("failures-w.parquet.open", std::string_view(whole).substr(0, written));
    RecoverArchives(options_);
    ASSERT_EQ(Names(), NameList{"failures-w.parquet"}) << written;
    ASSERT_EQ(Rows(At("failures-w.parquet")), kRows);
  }
  // The file has its name, and the lines are still there.
  Write("failures-w.parquet.lines.open", kLines);
  RecoverArchives(options_);
  EXPECT_EQ(Names(), NameList{"failures-w.parquet"});
  EXPECT_EQ(ReadAll(At("failures-w.parquet")), whole);
}

TEST_F(LinesToParquetTest, AFileOfAnotherThatHasTheNameStaysAsItIs) {
  Write("failures-w.parquet", "mine");
  for (int times = 0; times < 2; ++times) {
    Write("failures-w.parquet.lines.open", kLines);
    RecoverArchives(options_);
    EXPECT_EQ(Names(), (NameList{"failures-w-2.parquet", "failures-w.parquet"}));
    EXPECT_EQ(Rows(At("failures-w-2.parquet")), kRows);
  }
  EXPECT_EQ(ReadAll(At("failures-w.parquet")), "mine");
  // Other lines are other rows, also under a name that has some.
  Write("failures-w.parquet.lines.open", kLines.substr(0, kLines.find('\n') + 1));
  RecoverArchives(options_);
  EXPECT_EQ(Names(),
            (NameList{"failures-w-2.parquet", "failures-w-3.parquet", "failures-w.parquet"}));
}

TEST_F(LinesToParquetTest, ATornLineIsCutOffAndAFileWithNothingElseGoes) {
  Write("failures-w.parquet.lines.open", std::string(kLines) + R"({"url":"http://a.te)");
  Write("failures-x.parquet.lines.open", R"({"url":"http://a.te)");
  RecoverArchives(options_);
  EXPECT_EQ(Names(), NameList{"failures-w.parquet"});
  EXPECT_EQ(Rows(At("failures-w.parquet")), kRows);
}

TEST_F(LinesToParquetTest, LinesThatAreNotUnderstoodStay) {
  const std::pair<std::string_view, std::string_view> kBad[] = {
      {"failures-w", R"({"url":"http://a.test/","colour":"red"})"},
      {"failures-w", R"({"domain":"a.test"})"},
      {"failures-w", R"({"url":"http://a.test/","status":"404"})"},
      {"failures-w", R"({"url":"http://a.test/","failed_at":"yesterday"})"},
      {"failures-w", R"({"url":"http://a.test/","url":"http://b.test/"})"},
      {"failures-w", "nonsense"},
      {"guesses-w", R"({"url":"http://a.test/"})"}};
  for (const auto& [name, line] : kBad) {
    const std::string lines = std::string(name) + ".parquet.lines.open";
    Write(lines, std::string(line) + "\n");
    EXPECT_TRUE(IsPoison(LinesToParquet(At(std::string(name) + ".parquet")))) << line;
    EXPECT_EQ(Names(), NameList{lines}) << line;
    fs::remove(At(lines));
  }
}

TEST_F(LinesToParquetTest, OnAFullDiskTheLinesStay) {
  const std::string lines = "failures-w.parquet.lines.open";
  std::string many;
  for (int i = 0; i < 2'000; ++i) {
    many += R"({"url":"http://a.test/)" + std::to_string(i * 7919) + "\"}\n";
  }
  Write(lines, many);
  const auto convert = [this] {
    rlimit limit{};
    limit.rlim_cur = 2'000;
    limit.rlim_max = RLIM_INFINITY;
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &limit);
    const absl::Status status = LinesToParquet(At("failures-w.parquet"));
    exit(IsFatal(status) && MessageOf(status).find("Make room") != std::string::npos ? 0 : 1);
  };
  EXPECT_EXIT(convert(), ::testing::ExitedWithCode(0), "");
  EXPECT_EQ(Names(), NameList{lines});
}

TEST_F(LinesToParquetTest, KilledAtAnyMomentItLosesAndRepeatsNoRow) {
  constexpr int kRowsOfAFile = 3'000;
  options_.folder = SharedWithChild("folder", folder_.path().string());
  const auto convert_many = [this](const Acked& acked) {
    for (uint64_t file = 0;; ++file) {
      const std::string name = fmt::format("failures-{}.parquet", file);
      auto lines = OutputFile::Create(options_.folder, name, kLinesEnding);
      CHECK_OK(lines.status());
      for (int row = 0; row < kRowsOfAFile; ++row) {
        CHECK_OK((*lines)->Append(fmt::format("{{\"url\":\"http://a.test/{}/{}\"}}\n", file, row)));
      }
      acked(2 * file + 1);
      CHECK_OK(LinesToParquet((*lines)->path()));
      acked(2 * file + 2);
    }
  };
  for (uint64_t kill_at = 1; kill_at <= 12; ++kill_at) {
    const uint64_t acked = RunInKilledChild(convert_many, kill_at);
    RecoverArchives(options_);
    std::map<std::string, int> rows;
    for (const std::string& name : Names()) {
      ASSERT_TRUE(name.ends_with(kParquetSuffix)) << name;
      std::istringstream text(Rows(At(name)));
      for (std::string row; std::getline(text, row);) ++rows[row.substr(0, row.find(','))];
      fs::remove(At(name));
    }
    for (const auto& [row, times] : rows) ASSERT_EQ(times, 1) << row << ", killed at " << kill_at;
    ASSERT_GE(rows.size(), (acked + 1) / 2 * kRowsOfAFile) << "killed at " << kill_at;
  }
}

// A name that the schema has not, or a value of another type, would keep lines from ever becoming
// rows; so every field is written here.
TEST_F(LinesToParquetTest, EveryFieldOfAPageItsLinksAndItsTextIsAColumn) {
  FetchResult result;
  result.status = 200;
  result.body = "<p>x";
  result.started_at = WallTime(std::chrono::milliseconds(1'700'000'000'123));
  result.headers = {{.name = "etag", .value = "\"e\""}};
  const Request request{.url = "http://a.test/1",
                        .domain = "a.test",
                        .depth = 4'000'000'000,
                        .referrer = "http://a.test/"};
  const Link link{.url = "http://b.test/", .anchor = "a \"text\"", .rel = kRelNofollow};
  ParsedPage page;
  page.title = "\xc3\xa9\xff";
  page.text = "text";
  page.markdown = "# text";
  const DomainLinks domain{.domain = "b.test", .links = std::span(&link, 1)};
  page.domains = std::span(&domain, 1);
  options_.markdown = true;
  const auto converter = std::make_shared<LineConverter>();
  Archive archive(options_, "w", "test", clock_, converter);
  ASSERT_OK(archive.KeepPage(*JourneyOf(request, {"http://a.test/2"}), result, page));
  // The line is in a file before anybody hears of the page.
  EXPECT_EQ(Names().size(), 3u);
  for (const std::string& name : Names()) EXPECT_TRUE(name.ends_with(".lines.open")) << name;
  ASSERT_OK(archive.Finish());
  ASSERT_EQ(Names().size(), 3u);
  EXPECT_EQ(Rows(At(Names()[0])),
            R"({"url":"http://a.test/1","final_url":"http://a.test/2","domain":"a.test",)"
            R"("fetched_at":"2023-11-14T22:13:20.123Z","links_truncated":false,"links":[{"url":)"
            R"("http://b.test/","anchor":"a \"text\"","rel":"nofollow","kind":"anchor"}]})"
            "\n");
  EXPECT_NE(Rows(At(Names()[1])).find(R"("headers":{"etag":"\"e\""})"), std::string::npos);
  EXPECT_NE(Rows(At(Names()[1])).find(R"("depth":4000000000)"), std::string::npos);
  EXPECT_NE(Rows(At(Names()[2])).find(R"("text":"text","markdown":"# text")"), std::string::npos);
}

TEST_F(LinesToParquetTest, EveryFieldOfAFailureIsAColumn) {
  FetchResult result;
  result.status = 503;
  result.retry_after = std::chrono::milliseconds(7'000);
  const Request request{.url = "http://a.test/1", .domain = "a.test"};
  OutcomeEncoder encoder({}, clock_);
  LogEntries entries;
  encoder.Failed(*JourneyOf(request, {"http://a.test/2"}), FailureCause::kHttp5xx, "busy", &result,
                 &entries);
  const auto file = FailureFile::Create(options_, "w", clock_, std::make_shared<LineConverter>());
  ASSERT_OK(file->Keep(entries[0].value));
  ASSERT_OK(file->Finish());
  ASSERT_EQ(Names().size(), 1u);
  EXPECT_NE(Rows(At(Names()[0])).find(R"("retry_after_ms":7000)"), std::string::npos);
}

TEST_F(LinesToParquetTest, AFileThatIsLargeEnoughIsConvertedWhileTheNextIsWritten) {
  options_.max_file_bytes = 1'000;
  const auto converter = std::make_shared<LineConverter>();
  LineFiles files(options_, "failures", "w", clock_, converter);
  const std::string_view line = kLines.substr(0, kLines.find('\n') + 1);
  for (int i = 0; i < 200; ++i) ASSERT_OK(files.Append(line));
  ASSERT_OK(files.Finish());
  ASSERT_OK(converter->Wait());
  size_t rows = 0;
  for (const std::string& name : Names()) {
    const std::string text = Rows(At(name));
    rows += static_cast<size_t>(std::count(text.begin(), text.end(), '\n'));
  }
  EXPECT_EQ(rows, 200u);
  EXPECT_GT(Names().size(), 10u);
}

TEST_F(LinesToParquetTest, AConversionThatFailsIsToldAndNothingIsLost) {
  const auto converter = std::make_shared<LineConverter>();
  LineFiles files(options_, "failures", "w", clock_, converter);
  ASSERT_OK(files.Append("nonsense\n"));
  const absl::Status handed_over = files.Finish();
  EXPECT_TRUE(handed_over.ok() || IsPoison(handed_over));
  EXPECT_TRUE(IsPoison(converter->Wait()));
  ASSERT_OK(files.Append(kLines));
  EXPECT_TRUE(IsPoison(files.Finish()));
  EXPECT_EQ(Names().size(), 2u);
}

}  // namespace
}  // namespace orbweaver
