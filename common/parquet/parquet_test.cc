// Files as a whole, written and read. judges_test.py has what others' readers say of them.
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "common/base/status.h"
#include "common/parquet/json_rows.h"
#include "tests/support/expect_ok.h"

namespace orbweaver::parquet {
namespace {

Schema MakeSchema() {
  auto schema = Schema::Make({{"id", Type::kInt64, /*optional=*/false},
                              {"name", Type::kString},
                              ListOf("tags", {.type = Type::kString})});
  CHECK_OK(schema.status());
  return *std::move(schema);
}

class ParquetTest : public ::testing::Test {
 protected:
  std::unique_ptr<ParquetWriter> Writer(ParquetWriterOptions options = {}) {
    return std::make_unique<ParquetWriter>(schema_, std::move(options),
                                           [this](std::string_view bytes) {
                                             file_ += bytes;
                                             return sink_status_;
                                           });
  }
  std::unique_ptr<ParquetReader> Reader() const {
    auto reader = ParquetReader::Open(std::make_unique<MemorySource>(file_));
    CHECK_OK(reader.status());
    return *std::move(reader);
  }
  std::vector<std::string> Rows() const {
    const auto reader = Reader();
    JsonRowReader rows(reader.get());
    std::vector<std::string> all;
    for (std::string row;;) {
      const auto more = rows.Next(&row);
      EXPECT_OK(more);
      if (!more.ok() || !*more) return all;
      all.push_back(row);
    }
  }

  const Schema schema_ = MakeSchema();
  std::string file_;
  absl::Status sink_status_;
};

TEST_F(ParquetTest, ARowThatIsRefusedLeavesNothing) {
  const auto writer = Writer();
  JsonRowWriter rows(schema_, writer.get());
  ASSERT_OK(rows.Add(R"({"id":1,"name":"a","tags":["x",null]})"));
  for (const std::string_view bad :
       {R"({"id":2,"name":"b","tags":["y","z",7]})", R"({"name":"b"})", R"({"id":null})",
        R"({"id":9223372036854775808})", R"({"id":2,"id":3})", R"({"id":2,"other":3})",
        R"({"id":2} x)", R"({"id":2,)", "[]", ""}) {
    EXPECT_TRUE(IsPoison(rows.Add(bad))) << bad;
  }
  ASSERT_OK(rows.Add(R"({"tags":[],"id":3})"));
  ASSERT_OK(writer->Finish());
  EXPECT_EQ(Rows(), (std::vector<std::string>{R"({"id":1,"name":"a","tags":["x",null]})",
                                              R"({"id":3,"name":null,"tags":[]})"}));
}

TEST_F(ParquetTest, ARowGroupIsBoundedByItsBytes) {
  constexpr size_t kBytes = 10'000;
  const auto writer = Writer({.row_group_bytes = kBytes});
  JsonRowWriter rows(schema_, writer.get());
  for (int i = 0; i < 1'000; ++i) {
    ASSERT_OK(
        rows.Add("{\"id\":" + std::to_string(i) + ",\"name\":\"" + std::string(100, 'x') + "\"}"));
    // One more than it may have, and what of it is written already.
    EXPECT_LT(writer->column(schema_.leaf(0)).bytes() + writer->column(schema_.leaf(1)).bytes(),
              kBytes);
  }
  ASSERT_OK(writer->Finish());
  const auto reader = Reader();
  EXPECT_GT(reader->meta().groups.size(), 10u);
  for (const RowGroupMeta& group : reader->meta().groups) EXPECT_LT(group.bytes, 2 * kBytes);
  EXPECT_EQ(Rows().size(), 1'000u);
}

TEST_F(ParquetTest, ADictionaryIsThereWhereItPays) {
  const auto write = [this](size_t dictionary_bytes, int names) {
    file_.clear();
    const auto writer = Writer({.dictionary_bytes = dictionary_bytes});
    JsonRowWriter rows(schema_, writer.get());
    for (int i = 0; i < 1'000; ++i) {
      EXPECT_OK(
          rows.Add("{\"id\":1,\"name\":\"a longer name " + std::to_string(i % names) + "\"}"));
    }
    EXPECT_OK(writer->Finish());
    EXPECT_EQ(Rows().size(), 1'000u);
    return Reader()->meta().groups[0].chunks[1].dictionary_page_offset.has_value();
  };
  EXPECT_TRUE(write(10'000, 10));
  EXPECT_FALSE(write(100, 10));           // too large for it
  EXPECT_FALSE(write(1'000'000, 1'000));  // each comes once
}

TEST_F(ParquetTest, BoundsOfLongTextsAreLeftOut) {
  const auto writer = Writer();
  JsonRowWriter rows(schema_, writer.get());
  ASSERT_OK(rows.Add("{\"id\":-5,\"name\":\"" + std::string(300, 'x') + "\"}"));
  ASSERT_OK(rows.Add(R"({"id":7,"name":"a"})"));
  ASSERT_OK(rows.Add(R"({"id":7})"));
  ASSERT_OK(writer->Finish());
  const auto reader = Reader();
  const ChunkStatistics& name = reader->meta().groups[0].chunks[1].statistics;
  EXPECT_EQ(name.min, "a");
  EXPECT_EQ(name.max, std::nullopt);
  EXPECT_EQ(name.nulls, 1);
}

TEST_F(ParquetTest, WhatTheSinkSaysIsTold) {
  const auto writer = Writer({.row_group_bytes = 1});
  JsonRowWriter rows(schema_, writer.get());
  sink_status_ = FatalError("no room");
  EXPECT_TRUE(IsFatal(rows.Add(R"({"id":1})")));
}

TEST_F(ParquetTest, AFileThatIsCutOffOrDamagedIsRefused) {
  const auto writer = Writer({.row_group_bytes = 300});
  JsonRowWriter rows(schema_, writer.get());
  for (int i = 0; i < 30; ++i)
    ASSERT_OK(rows.Add("{\"id\":" + std::to_string(i) + ",\"tags\":[\"t\"]}"));
  ASSERT_OK(writer->Finish());
  const std::vector<std::string> good = Rows();
  const std::string whole = file_;
  for (size_t size = 0; size < whole.size(); ++size) {
    EXPECT_FALSE(
        ParquetReader::Open(std::make_unique<MemorySource>(std::string_view(whole).substr(0, size)))
            .ok());
  }
  // A byte of a page is noticed by its checksum.
  const ChunkMeta chunk = Reader()->meta().groups[0].chunks[0];
  size_t refused = 0;
  for (int64_t at = chunk.data_page_offset; at < chunk.data_page_offset + chunk.compressed_bytes;
       ++at) {
    file_ = whole;
    file_[static_cast<size_t>(at)] ^= 1;
    const auto reader = Reader();
    JsonRowReader damaged(reader.get());
    std::vector<std::string> read;
    for (std::string row;;) {
      const auto more = damaged.Next(&row);
      if (!more.ok()) {
        EXPECT_TRUE(IsPoison(more.status())) << more.status();
        ++refused;
      }
      if (!more.ok() || !*more) break;
      read.push_back(row);
    }
    EXPECT_TRUE(std::equal(read.begin(), read.end(), good.begin())) << at;
  }
  EXPECT_GT(refused, static_cast<size_t>(chunk.compressed_bytes) / 2);
}

}  // namespace
}  // namespace orbweaver::parquet
