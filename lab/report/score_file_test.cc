#include "lab/report/score_file.h"

#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/status.h"
#include "common/parquet/parquet_writer.h"
#include "tests/support/expect_ok.h"
#include "tests/support/scratch_folder.h"

namespace orbweaver::lab {
namespace {

using testing::EndsWith;
using testing::HasSubstr;

class ScoreFileTest : public testing::Test {
 protected:
  absl::StatusOr<ScoreFile> Read(std::string_view text, std::string_view name = "scores.csv") {
    const std::filesystem::path path = folder_.path() / name;
    std::ofstream(path) << text;
    return ScoreFile::Read(path, {});
  }

  ScratchFolder folder_;
};

TEST_F(ScoreFileTest, ReadsLines) {
  const auto scores = Read(
      "url,score\nhttps://a.org/,1.5\r\n\"https://a.org/x,y\",2\nHTTPS://A.org:443/z#top, 3\n\n"
      "no url,4\nhttps://a.org/,0.5\n");
  ASSERT_OK(scores);
  EXPECT_EQ(0.5, scores->ScoreOf("https://a.org/"));
  EXPECT_EQ(2, scores->ScoreOf("https://a.org/x,y"));
  EXPECT_EQ(3, scores->ScoreOf("https://a.org/z"));
  EXPECT_EQ(0, scores->ScoreOf("https://a.org/other"));
  EXPECT_EQ(3, scores->largest());
  EXPECT_EQ(1u, scores->no_urls());
}

TEST_F(ScoreFileTest, NamesTheLineThatIsWrong) {
  EXPECT_THAT(std::string(MessageOf(Read("https://a.org/,1\nhttps://b.org/\n").status())),
              EndsWith("scores.csv: line 2: a line reads URL,SCORE, and this one has no number"));
  EXPECT_THAT(std::string(MessageOf(Read("https://a.org/,-1\n").status())),
              HasSubstr("line 1: the score -1 is below 0"));
  EXPECT_THAT(std::string(MessageOf(Read("https://a.org/,nan\n").status())), HasSubstr("line 1"));
  EXPECT_THAT(std::string(MessageOf(Read("url,score\n").status())), HasSubstr("it has no URL"));
  EXPECT_THAT(std::string(MessageOf(ScoreFile::Read(folder_.path() / "none", {}).status())),
              EndsWith("none: it cannot be opened"));
}

TEST_F(ScoreFileTest, ReadsParquet) {
  const auto schema =
      parquet::Schema::Make({{"url", parquet::Type::kString}, {"score", parquet::Type::kDouble}});
  ASSERT_OK(schema);
  std::string bytes;
  parquet::ParquetWriter writer(*schema, {}, [&](std::string_view more) {
    bytes += more;
    return absl::OkStatus();
  });
  // The columns are optional: a value is there at level 1.
  writer.column(schema->leaf(0)).AddBytes(0, "https://a.org/");
  writer.column(schema->leaf(1)).AddDouble(0, 7);
  ASSERT_OK(writer.EndRow());
  writer.column(schema->leaf(0)).AddBytes(0, "https://a.org/without");
  writer.column(schema->leaf(1)).AddNull(0, 0);
  ASSERT_OK(writer.EndRow());
  ASSERT_OK(writer.Finish());
  const auto scores = Read(bytes, "scores.parquet");
  ASSERT_OK(scores);
  EXPECT_EQ(7, scores->ScoreOf("https://a.org/"));
  EXPECT_EQ(1u, scores->size());
}

TEST_F(ScoreFileTest, RefusesWhatIsNoParquetFile) {
  EXPECT_THAT(std::string(MessageOf(Read("https://a.org/,1\n", "a.parquet").status())),
              HasSubstr("a.parquet: "));
}

}  // namespace
}  // namespace orbweaver::lab
