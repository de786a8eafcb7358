#include "spider/publish/failure_file.h"

#include <filesystem>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "spider/publish/outcome_encoder.h"
#include "tests/support/expect_ok.h"
#include "tests/support/journey.h"
#include "tests/support/scratch_folder.h"

namespace orbweaver {
namespace {

namespace fs = std::filesystem;

class FailureFileTest : public ::testing::Test {
 protected:
  FailureFileTest() {
    options_.folder = folder_.path() / "out";
    options_.failures = true;
  }

  // The one file's text.
  std::string Text() const {
    std::stringstream text;
    for (const auto& entry : fs::directory_iterator(options_.folder)) {
      EXPECT_TRUE(entry.path().filename().string().starts_with("failures-w-")) << entry.path();
      EXPECT_EQ(entry.path().extension(), ".jsonl");
      text << std::ifstream(entry.path()).rdbuf();
    }
    return text.str();
  }

  const ScratchFolder folder_;
  const ManualClock clock_{WallTime(std::chrono::milliseconds(1'700'000'000'123))};
  ArchiveOptions options_;
  OutcomeEncoder encoder_{{}, clock_};
};

TEST_F(FailureFileTest, ALineSaysWhatFailedWhyAndWhoLinkedThere) {
  const auto file = FailureFile::Create(options_, "w", clock_);
  const Request request{.url = "http://a.test/gone",
                        .domain = "a.test",
                        .depth = 2,
                        .attempt = 1,
                        .referrer = "http://a.test/list"};
  FetchResult result;
  result.status = 404;
  result.times.total = std::chrono::milliseconds(12);
  LogEntries entries;
  encoder_.Failed(*JourneyOf(request, {"http://a.test/moved"}), FailureCause::kHttp4xx, "not here",
                  &result, &entries);
  ASSERT_TRUE(entries.failure().has_value());
  ASSERT_OK(file->Keep(entries[0].value));
  ASSERT_OK(file->Finish());
  EXPECT_EQ(Text(),
            R"({"url":"http://a.test/gone","final_url":"http://a.test/moved","domain":"a.test",)"
            R"("failed_at":"2023-11-14T22:13:20.123Z","cause":"http_4xx","status":404,)"
            R"("message":"not here","referrer":"http://a.test/list","depth":2,"attempt":2,)"
            R"("total_ms":12})"
            "\n");
}

TEST_F(FailureFileTest, IsNoneUnlessAskedFor) {
  options_.failures = false;
  EXPECT_EQ(FailureFile::Create(options_, "w", clock_), nullptr);
  options_.failures = true;
  options_.folder.clear();
  EXPECT_EQ(FailureFile::Create(options_, "w", clock_), nullptr);
}

}  // namespace
}  // namespace orbweaver
