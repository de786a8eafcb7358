#include "cli/check/result_log.h"

#include <fcntl.h>
#include <fstream>
#include <set>
#include <sstream>
#include <sys/resource.h>
#include <unistd.h>

#include "fmt/format.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/status.h"
#include "tests/support/expect_ok.h"
#include "tests/support/scratch_folder.h"

namespace orbweaver {
namespace {

using testing::HasSubstr;

class ResultLogTest : public testing::Test {
 protected:
  absl::Status Open() {
    log_.reset();
    told_.clear();
    auto opened = ResultLog::Open(path_, purpose_, [this](const CheckRecord& record) {
      told_.push_back(fmt::format("{} {} {}", record.line, record.host, record.milliseconds));
    });
    if (!opened.ok()) return opened.status();
    log_ = *std::move(opened);
    return absl::OkStatus();
  }
  void Add(uint32_t line, std::string_view text) {
    log_->Add(text, {.line = line, .milliseconds = 7, .host = "a.test"});
  }
  static std::string Read(const std::string& path) {
    std::stringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    return text.str();
  }
  std::string progress() const { return path_ + ".progress"; }

  const ScratchFolder folder_;
  const std::string path_ = (folder_.path() / "out.jsonl").string();
  ResultLog::Purpose purpose_{.digest = "abc", .options = "redirects=10"};
  std::unique_ptr<ResultLog> log_;
  std::vector<std::string> told_;
};

TEST_F(ResultLogTest, GoesOnBehindWhatIsThere) {
  ASSERT_OK(Open());
  Add(3, "three\n");
  Add(1, "");  // of which only the record is kept
  ASSERT_OK(log_->Flush());
  ASSERT_OK(Open());
  EXPECT_EQ(told_, (std::vector<std::string>{"3 a.test 7", "1 a.test 7"}));
  EXPECT_TRUE(log_->IsDone(3));
  EXPECT_TRUE(log_->IsDone(1));
  EXPECT_FALSE(log_->IsDone(2));
  EXPECT_FALSE(log_->IsDone(4'000'000));
  Add(2, "two\n");
  ASSERT_OK(log_->Sync());
  EXPECT_EQ(Read(path_), "three\ntwo\n");
}

// As a crash leaves the files: each cut off at any byte, the records never ahead of the results.
TEST_F(ResultLogTest, WhereverItWasCutOffEachResultIsThereOnceOrIsNotDone) {
  ASSERT_OK(Open());
  for (uint32_t line = 1; line <= 3; ++line) {
    Add(line, fmt::format("result {}\n", line));
    ASSERT_OK(log_->Flush());
  }
  log_.reset();
  const std::string results = Read(path_);
  const std::string records = Read(progress());
  const size_t header = records.find('\n') + 1;
  for (size_t kept_records = header; kept_records <= records.size(); ++kept_records) {
    for (const size_t kept_results :
         {size_t{0}, size_t{5}, size_t{9}, size_t{10}, results.size()}) {
      std::ofstream(path_, std::ios::binary) << results.substr(0, kept_results);
      std::ofstream(progress(), std::ios::binary) << records.substr(0, kept_records);
      ASSERT_OK(Open());
      std::string expected;
      for (uint32_t line = 1; line <= 3; ++line) {
        if (log_->IsDone(line)) expected += fmt::format("result {}\n", line);
      }
      log_.reset();
      ASSERT_EQ(Read(path_), expected) << kept_records << " " << kept_results;
      ASSERT_TRUE(expected.size() <= kept_results);
    }
  }
}

TEST_F(ResultLogTest, ABeginningThatWasCutOffBeginsAnew) {
  ASSERT_OK(Open());
  log_.reset();
  const std::string header = Read(progress());
  for (size_t kept = 0; kept < header.size(); ++kept) {
    std::ofstream(progress(), std::ios::binary) << header.substr(0, kept);
    ASSERT_OK(Open()) << kept;
    log_.reset();
    ASSERT_EQ(Read(progress()), header);
  }
}

TEST_F(ResultLogTest, AnotherListOrOtherOptionsAreToldAndNothingIsLost) {
  ASSERT_OK(Open());
  Add(1, "one\n");
  ASSERT_OK(log_->Flush());
  log_.reset();
  purpose_.digest = "def";
  EXPECT_THAT(std::string(MessageOf(Open())), HasSubstr("another list"));
  purpose_.digest = "abc";
  purpose_.options = "redirects=0";
  EXPECT_THAT(std::string(MessageOf(Open())), HasSubstr("(redirects=10, now redirects=0)"));
  EXPECT_EQ(Read(path_), "one\n");
  purpose_.restart = true;
  ASSERT_OK(Open());
  EXPECT_EQ(Read(path_), "");
  EXPECT_FALSE(log_->IsDone(1));
}

TEST_F(ResultLogTest, AFileOfSomethingElseIsNotTouched) {
  for (const bool restart : {false, true}) {
    purpose_.restart = restart;
    std::ofstream(path_) << "dear diary\n";
    EXPECT_THAT(std::string(MessageOf(Open())), HasSubstr("no check made it"));
    EXPECT_EQ(Read(path_), "dear diary\n");
    EXPECT_NE(access(progress().c_str(), F_OK), 0);
  }
}

TEST_F(ResultLogTest, ResultsThatWereRemovedAreWantedAnew) {
  ASSERT_OK(Open());
  Add(1, "one\n");
  Add(2, "");
  ASSERT_OK(log_->Flush());
  log_.reset();
  unlink(path_.c_str());
  ASSERT_OK(Open());
  EXPECT_FALSE(log_->IsDone(1));
  EXPECT_FALSE(log_->IsDone(2));
}

TEST_F(ResultLogTest, TwoAtATimeAreRefused) {
  ASSERT_OK(Open());
  const auto second = ResultLog::Open(path_, purpose_, [](const CheckRecord&) {});
  EXPECT_THAT(std::string(MessageOf(second.status())), HasSubstr("another check is writing it"));
}

TEST_F(ResultLogTest, WhatCannotBeWrittenIsToldAndLeavesNothingBehind) {
  const std::string nowhere = (folder_.path() / "none" / "out").string();
  EXPECT_FALSE(ResultLog::Open(nowhere, purpose_, [](const CheckRecord&) {}).ok());
  const int full = open("/dev/full", O_WRONLY | O_CLOEXEC);
  const auto log = ResultLog::To(full, "standard output");
  log->Add("one\n", {.line = 1});
  EXPECT_THAT(std::string(MessageOf(log->Flush())),
              HasSubstr("write standard output: No space left on device"));
  close(full);
}

TEST(CheckRecordTest, EveryFieldComesBack) {
  const CheckRecord record{.line = 4'000'000'000,
                           .verdict = CheckVerdict::kUnclear,
                           .redirects = CheckRedirects::kPermanent,
                           .status = 503,
                           .milliseconds = 12345,
                           .certificate_days = -3,
                           .cause = "http_5xx",
                           .host = "a.test:8080",
                           .certificate_host = "b.test"};
  std::string text;
  AppendRecord(record, uint64_t{1} << 45, &text);
  ASSERT_EQ(text.back(), '\n');
  text.pop_back();
  CheckRecord read;
  uint64_t end = 0;
  ASSERT_TRUE(ParseRecord(text, &read, &end));
  EXPECT_EQ(end, uint64_t{1} << 45);
  std::string again;
  AppendRecord(read, end, &again);
  EXPECT_EQ(again, text + "\n");
  // A part of it is none; the last field alone may be cut, which its missing line feed tells.
  for (size_t size = 0; size < text.size() - 6; ++size) {
    EXPECT_FALSE(ParseRecord(text.substr(0, size), &read, &end)) << text.substr(0, size);
  }
  for (const char* other : {"", "\t\t\t\t\t\t\t\t\t", "x\t1\talive\t\t200\t1\t0\t\ta\t",
                            "1\t1\tnice\t\t200\t1\t0\t\ta\t", "1\t1\talive\t\t200\t1\t7\t\ta\t"}) {
    EXPECT_FALSE(ParseRecord(other, &read, &end)) << other;
  }
}

}  // namespace
}  // namespace orbweaver
