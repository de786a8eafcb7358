#include "db_worker/queue/chunk.h"

#include <gtest/gtest.h>

#include "common/base/status.h"
#include "db_worker/queue/chunk_cache.h"

namespace orbweaver {
namespace {

std::string Encoded(const ScheduledRequest& request) {
  std::string bytes;
  EncodeRequest(request, &bytes);
  return bytes;
}

Watermark At(int64_t offset) { return {.topic_epoch = 1, .offset = Offset(offset)}; }

TEST(Chunk, KeepsEveryFieldOfARequest) {
  const Meta meta[] = {{"a", "1"}, {"b", std::string_view("\0\xff", 2)}};
  const ScheduledRequest request{
      .url = "http://example.com/x",
      .fingerprint = {1, 2},
      .depth = 300,
      .score = 0.25F,
      .not_before = WallTime(std::chrono::milliseconds(1'700'000'000'123)),
      .attempt = 2,
      .etag = "\"e\"",
      .last_modified = "Mon, 01 Jan 2024 00:00:00 GMT",
      .meta = meta,
      .referrer = "http://example.com/list"};
  const std::string bytes = Encoded(request);
  Arena arena;
  ScheduledRequest decoded;
  ASSERT_TRUE(DecodeRequest(bytes, &arena, &decoded).ok());
  EXPECT_EQ(decoded.url, request.url);
  EXPECT_EQ(decoded.fingerprint, request.fingerprint);
  EXPECT_EQ(EncodedFingerprint(bytes), request.fingerprint);
  EXPECT_EQ(decoded.depth, request.depth);
  EXPECT_EQ(decoded.score, request.score);
  EXPECT_EQ(decoded.not_before, request.not_before);
  EXPECT_EQ(decoded.attempt, request.attempt);
  EXPECT_EQ(decoded.etag, request.etag);
  EXPECT_EQ(decoded.last_modified, request.last_modified);
  ASSERT_EQ(decoded.meta.size(), 2u);
  EXPECT_EQ(decoded.meta[1].key, "b");
  EXPECT_EQ(decoded.meta[1].value, meta[1].value);
  EXPECT_EQ(decoded.referrer, request.referrer);
  for (size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_TRUE(IsPoison(DecodeRequest(std::string_view(bytes).substr(0, size), &arena, &decoded)));
  }
}

TEST(Chunk, FindsARequestByItsPlaceAndKeepsThePlacesOfThoseTakenOut) {
  ChunkWriter writer;
  writer.Add(Encoded({.url = "http://a.com/"}));
  writer.Add(Encoded({.url = "http://a.com/1"}));
  writer.Add(Encoded({.url = "http://a.com/2"}));
  const Chunk whole = writer.Finish();
  EXPECT_EQ(writer.size(), 0u);
  const auto chunk = Chunk::Parse(whole.WithTakenOut({{1, At(7)}, {2, At(9)}}).bytes());
  ASSERT_TRUE(chunk.ok());
  ASSERT_EQ(chunk->size(), 3u);
  EXPECT_EQ((*chunk)[0], Encoded({.url = "http://a.com/"}));
  EXPECT_EQ((*chunk)[2], Encoded({.url = "http://a.com/2"}));
  EXPECT_EQ(chunk->WithTakenOut({}).bytes(), whole.bytes());
}

TEST(Chunk, ARequestIsTakenOutOnlyForThoseWhoHaveAppliedTheMessageThatTookIt) {
  ChunkWriter writer;
  for (const char* const url : {"http://a.com/", "http://a.com/1", "http://a.com/2"}) {
    writer.Add(Encoded({.url = url}));
  }
  const auto chunk = Chunk::Parse(writer.Finish().WithTakenOut({{1, At(7)}, {2, At(9)}}).bytes());
  ASSERT_TRUE(chunk.ok());
  const auto waiting = [&](const Watermark& applied) {
    std::string places;
    for (uint32_t i = 0; i < 3; ++i) places += chunk->Waits(i, applied) ? 'x' : '-';
    return places;
  };
  EXPECT_EQ(waiting({}), "xxx");
  EXPECT_EQ(waiting(At(6)), "xxx");
  EXPECT_EQ(waiting(At(7)), "x-x");
  EXPECT_EQ(waiting(At(9)), "x--");
  EXPECT_EQ(waiting({.topic_epoch = 2, .offset = Offset(0)}), "x--");
}

TEST(Chunk, HoldsSoManyRequestsAndBytesAndNoMore) {
  ChunkWriter writer;
  for (uint32_t i = 0; i < kMaxChunkRequests; ++i) {
    ASSERT_TRUE(writer.Fits(1));
    writer.Add("x");
  }
  EXPECT_FALSE(writer.Fits(0));
  EXPECT_TRUE(Chunk::Parse(writer.Finish().bytes()).ok());
  const std::string large(12'000, 'x');
  int count = 0;
  for (; writer.Fits(large.size()); ++count) writer.Add(large);
  EXPECT_EQ(count, 5);
  EXPECT_TRUE(Chunk::Parse(writer.Finish().bytes()).ok());
}

TEST(Chunk, RefusesWhatIsNone) {
  ChunkWriter writer;
  writer.Add("abc");
  writer.Add("de");
  const std::string bytes = writer.Finish().bytes();
  for (size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_TRUE(IsPoison(Chunk::Parse(bytes.substr(0, size)).status()));
  }
  EXPECT_TRUE(IsPoison(Chunk::Parse(bytes + "x").status()));
  const std::string taken_out =
      Chunk::Parse(bytes)->WithTakenOut({{0, At(300)}, {1, At(5)}}).bytes();
  for (size_t size = 0; size < taken_out.size(); ++size) {
    EXPECT_TRUE(IsPoison(Chunk::Parse(taken_out.substr(0, size)).status())) << size;
  }
  EXPECT_TRUE(IsPoison(Chunk::Parse(taken_out + "x").status()));
  std::string of_no_place = taken_out;
  of_no_place[bytes.size() + 1] = 2;
  EXPECT_TRUE(IsPoison(Chunk::Parse(of_no_place).status()));
  std::string newer = bytes;
  newer[0] = 3;
  EXPECT_NE(Chunk::Parse(newer).status().message().find("newer version"), std::string::npos);
  std::string descending = bytes;
  descending[2] = 4;  // the first ends after the second begins to be less
  descending[4] = 3;
  EXPECT_TRUE(IsPoison(Chunk::Parse(descending).status()));
  EXPECT_TRUE(IsPoison(Chunk::Parse(std::string("\1\0", 2)).status()));
}

std::shared_ptr<const Chunk> ChunkOf(size_t bytes) {
  ChunkWriter writer;
  writer.Add(std::string(bytes, 'x'));
  return std::make_shared<const Chunk>(writer.Finish());
}

TEST(ChunkCache, StaysBelowItsBytesAndForgetsWhatWasUsedLongestAgo) {
  ChunkCache cache(5000);
  for (uint64_t i = 0; i < 4; ++i) cache.Insert({.chunk = i}, ChunkOf(1000));
  EXPECT_NE(cache.Find({.chunk = 0}), nullptr);
  cache.Insert({.chunk = 4}, ChunkOf(1000));
  EXPECT_LE(cache.bytes(), 5000u);
  EXPECT_NE(cache.Find({.chunk = 0}), nullptr);
  EXPECT_EQ(cache.Find({.chunk = 1}), nullptr);
  EXPECT_EQ(cache.Find({.chunk = 0, .owner = 1}), nullptr);
  cache.Insert({.chunk = 5}, ChunkOf(10'000));
  EXPECT_EQ(cache.bytes(), 0u);
}

}  // namespace
}  // namespace orbweaver
