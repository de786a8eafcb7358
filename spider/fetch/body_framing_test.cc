#include "spider/fetch/body_framing.h"

#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace orbweaver {
namespace {

using Event = BodyFraming::Event;

class Collector : public BodySink {
 public:
  std::string text;

 private:
  bool TakePiece(std::string_view piece) override {
    text += piece;
    return true;
  }
};

struct Framed {
  std::string text;
  Event event = Event::kMore;
  bool regular = false;
  std::string left;
};

using Headers = std::vector<std::pair<std::string_view, std::string_view>>;

Framed ReadInPieces(const Headers& pairs, std::string_view bytes, size_t piece) {
  std::vector<HttpHeader> headers;
  for (const auto& [name, value] : pairs) headers.push_back({.name = name, .value = value});
  BodyFraming framing;
  Framed framed;
  if (!framing.Begin(headers)) return {.event = Event::kBroken};
  Collector collector;
  std::string_view now;
  framed.event = framing.Read(&now, collector);
  while (framed.event == Event::kMore && !bytes.empty()) {
    now = bytes.substr(0, piece);
    bytes.remove_prefix(now.size());
    framed.event = framing.Read(&now, collector);
  }
  framed.left = std::string(now) + std::string(bytes);
  if (framed.event == Event::kMore) framed.event = framing.ReadEnd();
  framed.text = collector.text;
  framed.regular = framing.regular();
  return framed;
}

Framed Read(const Headers& headers, std::string_view bytes) {
  Framed whole = ReadInPieces(headers, bytes, SIZE_MAX);
  for (const size_t piece : {1, 2, 3, 5}) {
    const Framed pieces = ReadInPieces(headers, bytes, piece);
    EXPECT_EQ(pieces.text, whole.text) << piece;
    EXPECT_EQ(pieces.event, whole.event) << piece;
    EXPECT_EQ(pieces.regular, whole.regular) << piece;
    EXPECT_EQ(pieces.left, whole.left) << piece;
  }
  return whole;
}

Framed ReadChunks(std::string_view bytes) {
  return Read({{"transfer-encoding", "chunked"}}, bytes);
}

TEST(BodyFramingTest, ChunksOfRegularFormLeaveTheConnectionUsable) {
  for (const char* bytes : {"5\r\nhello\r\n0\r\n\r\nrest",
                            "3;a=b\r\nhel\r\n02\r\nlo\r\n000;x\r\nX: y\r\nZ: \r\n\r\nrest",
                            "5;a=\"\\\"q\"\r\nhello\r\n0\r\n\r\nrest"}) {
    const Framed framed = ReadChunks(bytes);
    EXPECT_EQ(framed.event, Event::kEnd) << bytes;
    EXPECT_EQ(framed.text, "hello") << bytes;
    EXPECT_EQ(framed.left, "rest") << bytes;
    EXPECT_TRUE(framed.regular) << bytes;
  }
}

TEST(BodyFramingTest, ChunksAsBrowsersTakeThemAreReadAndTheirConnectionIsNotUsedAgain) {
  for (const char* bytes :
       {"5 \r\nhello\r\n0\r\n\r\n", "5\t ;a\r\nhello\r\n0  \r\n\r\n", "5\nhello\n0\n\n",
        "5\r\nhello\n0\r\n\r\n", "5\nhello\r\n0\r\n\n", "5\r\nhello\r\n0\r\nX: y\n\r\n"}) {
    const Framed framed = ReadChunks(bytes);
    EXPECT_EQ(framed.event, Event::kEnd) << bytes;
    EXPECT_EQ(framed.text, "hello") << bytes;
    EXPECT_FALSE(framed.regular) << bytes;
  }
}

TEST(BodyFramingTest, TheLastChunkEndsABodyWhoseTrailersAreCutOff) {
  for (const char* bytes : {"5\r\nhello\r\n0\r\n", "5\r\nhello\r\n0\r\nX: y", "5\nhello\n0\n\r"}) {
    EXPECT_EQ(ReadChunks(bytes).event, Event::kEnd) << bytes;
    EXPECT_EQ(ReadChunks(bytes).text, "hello") << bytes;
  }
}

TEST(BodyFramingTest, WhatIsNoChunkIsBroken) {
  for (const char* bytes :
       {"xyz\r\n", "<html>", "\r\n5\r\nhello\r\n0\r\n\r\n", " 5\r\nhello", "5x\r\nhello", "-5\r\n",
        "5\r\nhelloo\r\n0\r\n\r\n", "5\r\nhello\r\r\n0\r\n\r\n", "5\r\nhello0\r\n\r\n",
        "0x5\r\nhello\r\n0\r\n\r\n", "10000000000000000\r\nhello", "beautiful page",
        // Cut off.
        "5", "5\r\n", "5\r\nhell", "5\r\nhello", "5\r\nhello\r\n", "0", "0\r"}) {
    EXPECT_EQ(ReadChunks(bytes).event, Event::kBroken) << bytes;
  }
  EXPECT_EQ(ReadChunks("1;" + std::string(20'000, 'x')).event, Event::kBroken);
  EXPECT_EQ(ReadChunks("0\r\n" + std::string(20'000, 'x')).event, Event::kBroken);
  std::string trailers = "0\r\n";
  for (int i = 0; i < 5'000; ++i) trailers += "X: y\r\n";
  EXPECT_EQ(ReadChunks(trailers + "\r\n").event, Event::kBroken);
}

TEST(BodyFramingTest, TransferEncodingDecidesOverContentLength) {
  constexpr std::string_view kBytes = "5\r\nhello\r\n0\r\n\r\n";
  for (const Headers& headers : std::vector<Headers>{
           {{"content-length", "3"}, {"transfer-encoding", "chunked"}},
           {{"transfer-encoding", "chunked"}, {"content-length", "99"}},
           {{"transfer-encoding", "Chunked"}, {"content-length", "1, 2"}},
           {{"transfer-encoding", "chunked"}, {"transfer-encoding", "chunked"}},
           {{"transfer-encoding", "gzip, chunked"}},
           {{"transfer-encoding", "identity"}, {"transfer-encoding", "chunked"}}}) {
    const Framed framed = Read(headers, kBytes);
    EXPECT_EQ(framed.event, Event::kEnd);
    EXPECT_EQ(framed.text, "hello");
    EXPECT_FALSE(framed.regular);
  }
  // One that is not chunked leaves it to the length, or to the end of the connection.
  EXPECT_EQ(Read({{"transfer-encoding", "identity"}, {"content-length", "5"}}, "hello!").text,
            "hello");
  EXPECT_FALSE(Read({{"transfer-encoding", "identity"}, {"content-length", "5"}}, "hello").regular);
  EXPECT_EQ(Read({{"transfer-encoding", "gzip"}}, "hello").text, "hello");
}

TEST(BodyFramingTest, ALengthThatIsNoNumberCountsAsAbsentAndTwoAreRefused) {
  for (const char* value : {"x", "-1", "+5", "5 6", "5;", "0x5", "99999999999999999999", "5, x"}) {
    const Framed framed = Read({{"content-length", value}}, "hello");
    EXPECT_EQ(framed.event, Event::kEnd) << value;
    EXPECT_EQ(framed.text, "hello") << value;
    EXPECT_FALSE(framed.regular) << value;
  }
  EXPECT_EQ(Read({{"content-length", "5"}}, "hello!").left, "!");
  EXPECT_TRUE(Read({{"content-length", "5"}}, "hello").regular);
  EXPECT_EQ(Read({{"content-length", "5, 5"}}, "hello!").text, "hello");
  EXPECT_FALSE(Read({{"content-length", "5, 5"}}, "hello!").regular);
  EXPECT_EQ(Read({{"content-length", "5"}, {"content-length", "6"}}, "hello!").event,
            Event::kBroken);
  EXPECT_EQ(Read({{"content-length", "5"}}, "hell").event, Event::kBroken);
  EXPECT_EQ(Read({{"content-length", "0"}}, "x").left, "x");
}

}  // namespace
}  // namespace orbweaver
