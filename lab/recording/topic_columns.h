// The columns of a recorded topic: those that hold each record as it is, and those that say for
// people what it says. Names are Common Crawl's index's where it has one for the same.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "absl/status/status.h"

#include "common/bus/message.h"
#include "common/model/arena.h"
#include "common/parquet/parquet_writer.h"
#include "common/parquet/schema.h"
#include "common/url/domain.h"
#include "lab/recording/row_writer.h"

namespace orbweaver::lab {

// Of each row, whatever the topic: the record.
inline constexpr std::string_view kPartitionColumn = "log_partition";
inline constexpr std::string_view kOffsetColumn = "log_offset";
inline constexpr std::string_view kTimestampColumn = "log_time";
inline constexpr std::string_view kKeyColumn = "raw_key";
inline constexpr std::string_view kValueColumn = "raw_value";
inline constexpr std::string_view kHeadersColumn = "raw_headers";
// Likewise: what kind of message it is ("page_fetched"); `unreadable` for what is none of its
// topic, and why.
inline constexpr std::string_view kEventColumn = "event";
inline constexpr std::string_view kErrorColumn = "error";
// The registered domain that it is about; of links_found that of the links' targets.
inline constexpr std::string_view kDomainColumn = "domain";

// Place: in the recorder, one for each topic; makes rows of messages. Not thread-safe.
class TopicColumns {
 public:
  // Null for a topic that is not recorded. `suffixes` must outlive it.
  static std::unique_ptr<TopicColumns> Make(std::string_view topic, const PublicSuffixes& suffixes);
  virtual ~TopicColumns() = default;

  const parquet::Schema& schema() const { return schema_; }

  // Adds a row to a file with these columns. Any message is taken. The status is the file's.
  absl::Status Add(const Message& message, parquet::ParquetWriter* writer);

 protected:
  // The decoded columns; the others are added.
  explicit TopicColumns(std::vector<parquet::Field> decoded);

  // Sets the decoded columns of `message`, the event too; poison, and nothing set, when it is none
  // of the topic.
  virtual absl::Status Decode(const Message& message, Arena* arena, RowWriter* row) = 0;

  const parquet::Schema schema_;
  RowWriter row_;
  const parquet::Node& event_;

 private:
  Arena arena_;
  const parquet::Node& error_;
  const parquet::Node& partition_;
  const parquet::Node& offset_;
  const parquet::Node& timestamp_;
  const parquet::Node& key_;
  const parquet::Node& value_;
  const ElementField header_name_;
  const ElementField header_value_;
};

}  // namespace orbweaver::lab
