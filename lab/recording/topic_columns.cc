#include "lab/recording/topic_columns.h"

#include <string>
#include <utility>

#include "common/base/status.h"
#include "common/bus/topics.h"
#include "common/model/schema.h"
#include "lab/recording/feed_columns.h"
#include "lab/recording/scoring_columns.h"
#include "lab/recording/spider_log_columns.h"

namespace orbweaver::lab {
namespace {

using parquet::Field;
using parquet::Type;

Field Required(std::string_view name, Type type) {
  return {.name = std::string(name), .type = type, .optional = false};
}

parquet::Schema WithRecord(std::vector<Field> decoded) {
  std::vector<Field> columns = {
      Required(kPartitionColumn, Type::kInt32), Required(kOffsetColumn, Type::kInt64),
      Required(kTimestampColumn, Type::kTimestamp), Required(kEventColumn, Type::kString)};
  for (Field& field : decoded) columns.push_back(std::move(field));
  columns.push_back({.name = std::string(kErrorColumn), .type = Type::kString});
  columns.push_back(Required(kKeyColumn, Type::kBinary));
  columns.push_back(Required(kValueColumn, Type::kBinary));
  const Field header{
      .type = Type::kStruct,
      .optional = false,
      .children = {Required("name", Type::kBinary), Required("value", Type::kBinary)}};
  columns.push_back(parquet::ListOf(std::string(kHeadersColumn), header));
  auto schema = parquet::Schema::Make(std::move(columns));
  CHECK_OK(schema.status());
  return *std::move(schema);
}

}  // namespace

std::unique_ptr<TopicColumns> TopicColumns::Make(std::string_view topic,
                                                 const PublicSuffixes& suffixes) {
  if (topic == kSpiderLogTopic) return std::make_unique<SpiderLogColumns>(suffixes);
  if (topic == kScoringLogTopic) return std::make_unique<ScoringColumns>();
  if (topic == kSpiderFeedTopic) return std::make_unique<FeedColumns>();
  return nullptr;
}

TopicColumns::TopicColumns(std::vector<Field> decoded)
    : schema_(WithRecord(std::move(decoded))),
      row_(schema_),
      event_(row_.Column(kEventColumn)),
      error_(row_.Column(kErrorColumn)),
      partition_(row_.Column(kPartitionColumn)),
      offset_(row_.Column(kOffsetColumn)),
      timestamp_(row_.Column(kTimestampColumn)),
      key_(row_.Column(kKeyColumn)),
      value_(row_.Column(kValueColumn)),
      header_name_(row_.Field(kHeadersColumn, "name")),
      header_value_(row_.Field(kHeadersColumn, "value")) {}

absl::Status TopicColumns::Add(const Message& message, parquet::ParquetWriter* writer) {
  row_.To(writer);
  row_.Set(partition_, static_cast<int64_t>(message.partition.value()));
  row_.Set(offset_, message.offset.value());
  row_.Set(timestamp_, message.time);
  row_.Set(key_, message.key);
  row_.Set(value_, message.value);
  for (size_t i = 0; i < message.headers.size(); ++i) {
    row_.SetElement(header_name_, i, message.headers[i].name);
    row_.SetElement(header_value_, i, message.headers[i].value);
  }
  arena_.Reset();
  absl::Status decoded = CheckSchema(HeaderOf(message, kSchemaHeader));
  if (decoded.ok()) decoded = Decode(message, &arena_, &row_);
  if (!decoded.ok()) {
    row_.Set(event_, std::string_view("unreadable"));
    row_.Set(error_, MessageOf(decoded));
  }
  return row_.End();
}

}  // namespace orbweaver::lab
