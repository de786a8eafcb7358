#include "spider/publish/warc_record.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "common/base/random.h"
#include "tests/support/expect_ok.h"

namespace orbweaver {
namespace {

std::string Noise(size_t bytes) {
  Random random(bytes);
  std::string noise(bytes, '\0');
  for (char& c : noise) c = static_cast<char>(random.Below(256));
  return noise;
}

std::string Text(size_t bytes) {
  Random random(bytes);
  std::string text;
  while (text.size() < bytes) text += "<p>word " + std::to_string(random.Below(1000)) + "</p>\n";
  text.resize(bytes);
  return text;
}

// zlib reads what other libraries have written.
TEST(WarcEncoderTest, ARecordOfAnyContentIsReadBackAtEveryLevel) {
  std::vector<std::string> payloads = {"", "x", std::string(1'000'000, 'z')};
  for (const size_t bytes : {100, 20'000, 65'536}) {
    payloads.push_back(Text(bytes));
    payloads.push_back(Noise(bytes));
    payloads.push_back(Text(bytes) + Noise(bytes) + Text(bytes));
  }
  for (int level = 1; level <= 9; ++level) {
    WarcEncoder encoder(level);
    for (const std::string& payload : payloads) {
      const std::string_view packed = encoder.Encode({.type = "response",
                                                      .id = "<urn:uuid:1>",
                                                      .headers = {{"WARC-X", "y"}},
                                                      .content_type = "application/http",
                                                      .head = "HTTP/1.1 200 OK\r\n\r\n",
                                                      .payload = payload});
      const auto text = UnpackGzipMember(packed);
      ASSERT_OK(text.status());
      EXPECT_TRUE(text->starts_with("WARC/1.1\r\nWARC-Type: response\r\n")) << level;
      EXPECT_TRUE(text->ends_with("\r\n\r\nHTTP/1.1 200 OK\r\n\r\n" + payload + "\r\n\r\n"))
          << level << " " << payload.size();
    }
  }
}

TEST(WarcEncoderTest, ATextIsSmallerAtAHigherLevelAndNoiseHardlyGrows) {
  const auto size = [](int level, const std::string& payload) {
    return WarcEncoder(level).Encode({.payload = payload}).size();
  };
  const std::string text = Text(100'000), noise = Noise(100'000);
  EXPECT_LT(size(1, text), text.size() / 3);
  EXPECT_LT(size(6, text), size(1, text));
  EXPECT_LE(size(9, text), size(6, text));
  for (const int level : {1, 2, 9}) EXPECT_LT(size(level, noise), noise.size() + 1000) << level;
}

}  // namespace
}  // namespace orbweaver
