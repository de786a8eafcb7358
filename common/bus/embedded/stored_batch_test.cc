#include "common/bus/embedded/stored_batch.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "common/base/random.h"

namespace orbweaver {
namespace {

const WallTime kNoon{std::chrono::hours(12)};

std::string Packed(const StoredBatchBuilder& builder) {
  std::string packed;
  PackBatch({.count = builder.count(),
             .base_time = builder.base_time(),
             .newest_time = builder.newest_time(),
             .log_bytes = 77},
            builder.body(), &packed);
  return packed;
}

std::string Stored(const StoredBatchBuilder& builder) {
  std::string stored;
  EXPECT_TRUE(UnpackBatch(Packed(builder), &stored));
  return stored;
}

std::string ThreeMessages() {
  StoredBatchBuilder builder;
  const Header headers[] = {{"schema", "orbweaver.v1"}, {"empty", ""}};
  builder.Add({"t", PartitionId(0), "key", "value", headers}, kNoon);
  builder.Add({"t", PartitionId(0), "", "", {}}, kNoon - std::chrono::seconds(5));
  builder.Add({"t", PartitionId(0), std::string_view("\0\xff", 2), std::string(300, 'x'), {}},
              kNoon + std::chrono::seconds(5));
  return Stored(builder);
}

// Reads all that can be read; for the sanitizers to see no byte beyond the end touched.
void ReadThrough(std::string_view stored) {
  const std::vector<char> exact(stored.begin(), stored.end());
  StoredBatchCursor reader, skipper;
  HeaderArena headers;
  Message message{};
  if (!reader.Open({exact.data(), exact.size()})) return;
  ASSERT_TRUE(skipper.Open({exact.data(), exact.size()}));
  while (reader.Next(&headers, &message)) reader.NextBytes();
  while (skipper.Skip()) {
  }
}

TEST(StoredBatchTest, MessagesComeBackWithKeysValuesHeadersAndTimes) {
  const std::string stored = ThreeMessages();
  StoredBatchCursor cursor;
  HeaderArena headers;
  ASSERT_TRUE(cursor.Open(stored));
  EXPECT_EQ(cursor.head().count, 3u);
  EXPECT_EQ(cursor.head().log_bytes, 77u);
  EXPECT_EQ(cursor.head().newest_time, kNoon + std::chrono::seconds(5));
  EXPECT_EQ(cursor.NextBytes(), 8u);
  Message message{};
  ASSERT_TRUE(cursor.Next(&headers, &message));
  EXPECT_EQ(message.key, "key");
  EXPECT_EQ(message.value, "value");
  EXPECT_EQ(message.time, kNoon);
  ASSERT_EQ(message.headers.size(), 2u);
  EXPECT_EQ(message.headers[0].name, "schema");
  EXPECT_EQ(message.headers[0].value, "orbweaver.v1");
  EXPECT_EQ(message.headers[1].name, "empty");
  ASSERT_TRUE(cursor.Next(&headers, &message));
  EXPECT_EQ(message.key, "");
  EXPECT_TRUE(message.headers.empty());
  // The wall clock went back.
  EXPECT_EQ(message.time, kNoon - std::chrono::seconds(5));
  ASSERT_TRUE(cursor.Next(&headers, &message));
  EXPECT_EQ(message.value.size(), 300u);
  EXPECT_TRUE(cursor.done());
  EXPECT_FALSE(cursor.Next(&headers, &message));
}

TEST(StoredBatchTest, MessagesThatRepeatArePackedAndTheirHeadIsReadAsItStands) {
  StoredBatchBuilder builder;
  const std::string value = "https://www.example.org/";
  for (int i = 0; i < 100; ++i) builder.Add({"t", PartitionId(0), "key", value, {}}, kNoon);
  const std::string packed = Packed(builder);
  EXPECT_LT(packed.size(), builder.body().size() / 4);
  StoredBatchHead head;
  ASSERT_TRUE(head.Decode(packed));
  EXPECT_EQ(head.count, 100u);
  EXPECT_EQ(head.log_bytes, 77u);
  const std::string stored = Stored(builder);
  EXPECT_EQ(stored.substr(StoredBatchHead::kBytes), builder.body());
  StoredBatchCursor cursor;
  ASSERT_TRUE(cursor.Open(stored));
  EXPECT_EQ(cursor.head().count, 100u);
  while (cursor.Skip()) {
  }
  EXPECT_TRUE(cursor.done());
}

TEST(StoredBatchTest, APackedBatchThatIsCutOrDamagedIsToldOrReadWithoutHarm) {
  StoredBatchBuilder builder;
  for (int i = 0; i < 20; ++i) builder.Add({"t", PartitionId(0), "key", "a long value", {}}, kNoon);
  const std::string good = Packed(builder);
  ASSERT_LT(good.size(), builder.body().size());
  std::string stored;
  for (size_t size = 0; size < good.size(); ++size) {
    EXPECT_FALSE(UnpackBatch(std::string_view(good).substr(0, size), &stored)) << size;
  }
  Random random(1);
  for (int i = 0; i < 5'000; ++i) {
    std::string bad = good;
    for (uint64_t flips = 1 + random.Below(4); flips > 0; --flips) {
      bad[random.Below(bad.size())] = static_cast<char>(random());
    }
    if (UnpackBatch(bad, &stored)) ReadThrough(stored);
  }
}

TEST(StoredBatchTest, SkippingLandsWhereReadingDoes) {
  const std::string stored = ThreeMessages();
  StoredBatchCursor cursor;
  HeaderArena headers;
  Message message{};
  ASSERT_TRUE(cursor.Open(stored));
  ASSERT_TRUE(cursor.Skip());
  ASSERT_TRUE(cursor.Skip());
  ASSERT_TRUE(cursor.Next(&headers, &message));
  EXPECT_EQ(message.value, std::string(300, 'x'));
}

TEST(StoredBatchTest, ACutValueNeverYieldsAllItsMessages) {
  const std::string stored = ThreeMessages();
  for (size_t size = 0; size < stored.size(); ++size) {
    ReadThrough(std::string_view(stored).substr(0, size));
    StoredBatchCursor cursor;
    if (!cursor.Open(std::string_view(stored).substr(0, size))) continue;
    while (cursor.Skip()) {
    }
    EXPECT_FALSE(cursor.done()) << size;
  }
}

TEST(StoredBatchTest, GarbageIsReadWithoutHarm) {
  Random random(1);
  const std::string good = ThreeMessages();
  for (int i = 0; i < 20'000; ++i) {
    std::string bad = good;
    for (uint64_t flips = 1 + random.Below(8); flips > 0; --flips) {
      bad[random.Below(bad.size())] = static_cast<char>(random());
    }
    ReadThrough(bad);
  }
}

}  // namespace
}  // namespace orbweaver
