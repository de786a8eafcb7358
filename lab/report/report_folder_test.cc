#include "lab/report/report_folder.h"

#include <algorithm>
#include <fstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/status.h"
#include "lab/recording/folder_file.h"
#include "lab/report/evaluation.h"
#include "lab/report/html_report.h"
#include "lab/report/report_tables.h"
#include "lab/report/small_crawl.h"
#include "tests/support/expect_ok.h"
#include "tests/support/scratch_folder.h"

namespace orbweaver::lab {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

Report SmallReport() {
  const PageTable pages = SmallRecording();
  const std::vector<CrawlFetches> crawls = SmallCrawls(pages);
  return Evaluate(pages, crawls, {.points = 4});
}

std::vector<std::string> NamesIn(const fs::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) {
    names.push_back(entry.path().filename().string());
  }
  std::ranges::sort(names);
  return names;
}

const std::vector<std::string> kFiles = {
    "curves.csv",      "curves.parquet", "differences.csv", "differences.parquet", "domains.csv",
    "domains.parquet", "figures.csv",    "figures.parquet", "report.html"};

TEST(ReportFolder, HoldsPageAndTables) {
  const ScratchFolder scratch;
  const fs::path folder = scratch.path() / "a" / "report";
  ASSERT_OK(CheckReportFolder(folder));
  ASSERT_OK(WriteReport(SmallReport(), folder));
  EXPECT_EQ(kFiles, NamesIn(folder));
  EXPECT_EQ(std::vector<std::string>{"report"}, NamesIn(folder.parent_path()));
  const std::string figures = ReadWholeFile(folder / "figures.csv").value();
  EXPECT_THAT(figures, StartsWith("strategy,fetches,support,metric,low,estimate,high,"
                                  "interval_low,interval_high\n"
                                  "wide,4,1,unique_pages,3,3,3,,\n"));
  EXPECT_THAT(figures, HasSubstr("narrow,4,0.75,unique_pages,2,2.47619048,3,,\n"));
  EXPECT_THAT(ReadWholeFile(folder / "figures.parquet").value(), StartsWith("PAR1"));
}

TEST(ReportFolder, ReplacesAnEarlierReportAndNothingElse) {
  const ScratchFolder scratch;
  const fs::path folder = scratch.path() / "report";
  Report report = SmallReport();
  ASSERT_OK(WriteReport(report, folder));
  report.recording.name = "another";
  ASSERT_OK(WriteReport(report, folder / ""));
  EXPECT_THAT(ReadWholeFile(folder / "report.html").value(), HasSubstr("the recording another"));
  EXPECT_EQ(std::vector<std::string>{"report"}, NamesIn(scratch.path()));

  std::ofstream(folder / "notes.txt") << "mine";
  EXPECT_THAT(std::string(MessageOf(CheckReportFolder(folder))),
              HasSubstr("it holds notes.txt, which is no part of a report"));
  report.recording.name = "third";
  EXPECT_FALSE(WriteReport(report, folder).ok());
  EXPECT_THAT(ReadWholeFile(folder / "report.html").value(), HasSubstr("the recording another"));
  EXPECT_FALSE(CheckReportFolder(folder / "notes.txt").ok());
}

TEST(ReportFolder, LeavesNothingBehindWhereItCannotWrite) {
  const ScratchFolder scratch;
  std::ofstream(scratch.path() / "file") << "";
  EXPECT_FALSE(WriteReport(SmallReport(), scratch.path() / "file" / "report").ok());
  EXPECT_EQ(std::vector<std::string>{"file"}, NamesIn(scratch.path()));
}

TEST(ReportTable, QuotesTextsOfCsv) {
  const ReportTable table{.name = "t",
                          .columns = {{"a", parquet::Type::kString}, {"b"}},
                          .rows = {{"x,\"y\"\n", 0.1}, {ReportTable::Cell(), 2.0}}};
  EXPECT_EQ("a,b\n\"x,\"\"y\"\"\n\",0.1\n,2\n", table.ToCsv());
}

TEST(HtmlReport, ShowsNamesAsTextAndAsksForNothing) {
  Report report = SmallReport();
  report.strategies[0].name = "</script><img src=http://x/>";
  report.recording.name = "<b>\"";
  report.value = "title like '<%'";
  const std::string page = HtmlReport(report);
  EXPECT_THAT(page, Not(HasSubstr("<img")));
  EXPECT_THAT(page, Not(HasSubstr("<b>\"")));
  EXPECT_THAT(page, HasSubstr("&lt;b&gt;&quot;"));
  EXPECT_THAT(page, HasSubstr("\\u003c/script>"));
  for (const char* const asks : {" src=", " href=", "@import", "url("}) {
    EXPECT_THAT(HtmlReport(SmallReport()), Not(HasSubstr(asks)));
  }
}

TEST(HtmlReport, RepeatsItself) { EXPECT_EQ(HtmlReport(SmallReport()), HtmlReport(SmallReport())); }

}  // namespace
}  // namespace orbweaver::lab
