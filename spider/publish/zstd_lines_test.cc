// Lines in zstd, whole and cut off anywhere.
#include "spider/publish/zstd_lines.h"

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <zstd.h>

#include "fmt/format.h"
#include <gtest/gtest.h>

#include "common/base/random.h"
#include "spider/publish/line_files.h"
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

// As the tool zstd unpacks a file: all frames, each whole, or nothing.
std::string Unpacked(std::string_view packed) {
  std::string text;
  std::string block(ZSTD_DStreamOutSize(), '\0');
  ZSTD_DCtx* const stream = ZSTD_createDCtx();
  ZSTD_inBuffer in{packed.data(), packed.size(), 0};
  size_t left = 0;
  while (in.pos < in.size) {
    ZSTD_outBuffer out{block.data(), block.size(), 0};
    left = ZSTD_decompressStream(stream, &out, &in);
    EXPECT_FALSE(ZSTD_isError(left)) << ZSTD_getErrorName(left);
    if (ZSTD_isError(left)) break;
    text.append(block, 0, out.pos);
  }
  EXPECT_EQ(left, 0u) << "the last frame is not whole";
  ZSTD_freeDCtx(stream);
  return text;
}

class ZstdLinesTest : public ::testing::Test {
 protected:
  ZstdLinesTest() {
    options_.folder = folder_.path() / "out";
    options_.line_format = LineFormat::kZstd;
  }
  static std::string Line(int number, size_t size = 100) {
    Random random(static_cast<uint64_t>(number));
    std::string line = fmt::format("{{\"number\":{},\"text\":\"", number);
    while (line.size() < size) line += static_cast<char>('a' + random.Below(20));
    return line + "\"}\n";
  }
  std::vector<fs::path> Files() const {
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(options_.folder)) {
      files.push_back(entry.path());
    }
    std::ranges::sort(files);
    return files;
  }

  const ScratchFolder folder_;
  ManualClock clock_;
  ArchiveOptions options_;
};

TEST_F(ZstdLinesTest, LinesComeOutAsTheyWereAndTakeLessRoom) {
  std::string all;
  {
    LineFiles files(options_, "pages", "w", clock_);
    for (int i = 0; i < 500; ++i) {
      all += Line(i % 7, i == 100 ? 500'000 : 300);
      ASSERT_OK(files.Append(Line(i % 7, i == 100 ? 500'000 : 300)));
    }
    ASSERT_OK(files.Finish());
  }
  ASSERT_EQ(Files().size(), 1u);
  EXPECT_TRUE(Files()[0].string().ends_with(".jsonl.zst"));
  const std::string packed = ReadAll(Files()[0]);
  EXPECT_EQ(Unpacked(packed), all);
  EXPECT_LT(packed.size(), all.size() * 7 / 10);
}

TEST_F(ZstdLinesTest, AFullFileIsFollowedByAnotherAndEachIsWhole) {
  options_.max_file_bytes = 3000;
  LineFiles files(options_, "pages", "w", clock_);
  for (int i = 0; i < 100; ++i) ASSERT_OK(files.Append(Line(i)));
  ASSERT_OK(files.Finish());
  EXPECT_GT(Files().size(), 2u);
  std::string all;
  for (const fs::path& file : Files()) all += Unpacked(ReadAll(file));
  for (int i = 0; i < 100; ++i) EXPECT_NE(all.find(Line(i)), std::string::npos) << i;
}

TEST_F(ZstdLinesTest, ACrashLosesNoLineThatWasTakenAndATornOneIsCutOff) {
  std::vector<std::string> before;  // what a file has after each line
  std::string all;
  {
    LineFiles files(options_, "pages", "w", clock_);
    for (int i = 0; i < 6; ++i) {
      const std::string line = Line(i, i == 3 ? 300'000 : 200);
      all += line;
      ASSERT_OK(files.Append(line));
      before.push_back(ReadAll(Files()[0]));
    }
  }
  const fs::path open = Files()[0];
  const std::string torn = before.back();
  const auto recovered = [&](std::string_view bytes) {
    for (const fs::path& file : Files()) fs::remove(file);
    std::ofstream(open, std::ios::binary) << bytes;
    RecoverLineFiles(options_);
    return Files().empty() ? std::string() : Unpacked(ReadAll(Files()[0]));
  };
  size_t whole = 0;
  for (size_t i = 0; i < before.size(); ++i) {
    // All of the line, and a byte less than that.
    const size_t lines = all.find('\n', whole) + 1;
    EXPECT_EQ(recovered(before[i]), all.substr(0, lines)) << i;
    EXPECT_EQ(recovered(std::string_view(before[i]).substr(0, before[i].size() - 1)),
              all.substr(0, whole))
        << i;
    whole = lines;
  }
  for (size_t size = 0; size < torn.size(); size += size < 600 ? 13 : 8001) {
    const std::string text = recovered(std::string_view(torn).substr(0, size));
    EXPECT_EQ(text, all.substr(0, text.size())) << size;
    EXPECT_TRUE(text.empty() || text.ends_with('\n')) << size;
  }
  // A file as a disk may leave it after a power cut.
  EXPECT_EQ(recovered(before[1] + std::string(5000, '\0')),
            all.substr(0, before[1].empty() ? 0 : all.find('\n', all.find('\n') + 1) + 1));
  EXPECT_EQ(recovered("no zstd at all"), "");
}

}  // namespace
}  // namespace orbweaver
