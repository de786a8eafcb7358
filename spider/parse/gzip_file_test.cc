#include "spider/parse/gzip_file.h"

#include <gtest/gtest.h>

#include "tests/support/synthetic_web/gzip.h"

namespace orbweaver {
namespace {

constexpr BodyBounds kBounds{.max_bytes = 8 << 20, .max_compression = 250};

std::string Gzip(std::string_view content) {
  std::string file;
  synthetic::Gzip(content, &file);
  return file;
}

// A sitemap of some size that does not compress to nothing.
std::string Lines(int count) {
  std::string lines;
  for (int i = 0; i < count; ++i) {
    lines += "http://www.example.com/" + std::to_string(i * 7919 % 100'003) + "\n";
  }
  return lines;
}

struct Result {
  Unpacked unpacked;
  std::string text;
};
Result Unpack(std::string_view file, const BodyBounds& bounds = kBounds) {
  Result result;
  result.unpacked = UnpackGzipFile(file, bounds, &result.text);
  return result;
}

TEST(GzipFile, IsToldByItsFirstBytes) {
  EXPECT_TRUE(IsGzipFile(Gzip("text")));
  EXPECT_FALSE(IsGzipFile("<urlset>"));
  EXPECT_FALSE(IsGzipFile("\x1f\x8b"));
  EXPECT_FALSE(IsGzipFile(""));
}

TEST(GzipFile, OfAnySizeIsUnpackedWhole) {
  for (const int lines : {1, 1000, 100'000}) {
    const std::string text = Lines(lines);
    const Result result = Unpack(Gzip(text));
    EXPECT_EQ(result.unpacked, Unpacked::kWhole);
    EXPECT_TRUE(result.text == text);
  }
}

TEST(GzipFile, OfSeveralMembersIsOneText) {
  const Result result = Unpack(Gzip("http://a.test/\n") + Gzip("http://b.test/\n"));
  EXPECT_EQ(result.unpacked, Unpacked::kWhole);
  EXPECT_EQ(result.text, "http://a.test/\nhttp://b.test/\n");
}

TEST(GzipFile, ThatIsCutOffOrBrokenGivesWhatCameBefore) {
  const std::string text = Lines(50'000);
  const std::string file = Gzip(text);
  const Result cut = Unpack(std::string_view(file).substr(0, file.size() / 2));
  EXPECT_EQ(cut.unpacked, Unpacked::kPart);
  EXPECT_GT(cut.text.size(), text.size() / 4);
  EXPECT_TRUE(text.starts_with(cut.text));

  std::string broken = file;
  broken[broken.size() / 2] = static_cast<char>(~broken[broken.size() / 2]);
  const Result half = Unpack(broken);
  EXPECT_EQ(half.unpacked, Unpacked::kPart);
  EXPECT_GT(half.text.size(), text.size() / 4);
}

TEST(GzipFile, LargerThanTheBoundIsCutThere) {
  const Result result = Unpack(Gzip(Lines(50'000)), {.max_bytes = 10'000, .max_compression = 250});
  EXPECT_EQ(result.unpacked, Unpacked::kPart);
  EXPECT_TRUE(result.text == Lines(50'000).substr(0, 10'000));
}

TEST(GzipFile, ThatIsABombGivesNothing) {
  // Of spaces: zeros would be no text.
  const Result result = Unpack(Gzip(std::string(size_t{4} << 20, ' ')),
                               {.max_bytes = 8 << 20, .max_compression = 50});
  EXPECT_EQ(result.unpacked, Unpacked::kNothing);
  EXPECT_EQ(result.text.size(), 0u);
}

TEST(GzipFile, OfSomethingElseThanTextIsNotUnpackedFurther) {
  const std::string bomb = synthetic::GzipBomb(uint64_t{64} << 20);
  const Result result = Unpack(bomb);
  EXPECT_EQ(result.unpacked, Unpacked::kNothing);
  EXPECT_LT(result.text.capacity(), size_t{32} << 20);
}

TEST(GzipFile, OfGarbageGivesNothing) {
  std::string broken = Gzip(Lines(10));
  synthetic::BreakGzip(&broken);
  EXPECT_EQ(Unpack(broken).unpacked, Unpacked::kNothing);
  EXPECT_EQ(Unpack("\x1f\x8b\x08").unpacked, Unpacked::kNothing);
  EXPECT_EQ(Unpack(std::string("\x1f\x8b\x08") + std::string(1000, 'x')).unpacked,
            Unpacked::kNothing);
}

}  // namespace
}  // namespace orbweaver
