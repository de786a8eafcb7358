#include "cli/console/content_encoding.h"

#include "cli/console/gunzipped.h"
#include <gtest/gtest.h>

namespace orbweaver {
namespace {

TEST(ContentEncoding, GzipIsTakenByThoseWhoSaySo) {
  for (const char* const taken :
       {"gzip", "gzip, deflate, br, zstd", "br;q=1.0, gzip;q=0.8, *;q=0.1", "identity , GZip", "*",
        "x-gzip", "gzip;q=0.001"}) {
    EXPECT_TRUE(AcceptsGzip(taken)) << taken;
  }
  for (const char* const refused : {"", "identity", "br", "gzip;q=0", "gzip; q=0.000", "*;q=0",
                                    "gzip;q=0, *", "gzipped", ",,;,", "identity;gzip"}) {
    EXPECT_FALSE(AcceptsGzip(refused)) << refused;
  }
}

TEST(ContentEncoding, CompressedTextComesBackWhole) {
  std::string text;
  for (int i = 0; i < 10'000; ++i) text += "domain" + std::to_string(i) + ".test ";
  const std::string compressed = Gzip(text);
  EXPECT_LT(compressed.size(), text.size() / 3);
  EXPECT_EQ(Gunzipped(compressed), text);
  EXPECT_EQ(Gunzipped(Gzip("")), "");
}

}  // namespace
}  // namespace orbweaver
