#include "spider/publish/line_schemas.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"

#include "common/base/status.h"

namespace orbweaver {
namespace {

using parquet::Field;
using parquet::ListOf;
using parquet::MapOf;
using parquet::Type;

// Behind what all lines begin with. Numbers are int64, so that none can be too large.
parquet::Schema Make(std::string_view when, std::vector<Field> more) {
  std::vector<Field> columns = {{"url", Type::kString, /*optional=*/false},
                                {"final_url", Type::kString},
                                {"domain", Type::kString},
                                {std::string(when), Type::kTimestamp}};
  for (Field& field : more) columns.push_back(std::move(field));
  auto schema = parquet::Schema::Make(std::move(columns));
  CHECK_OK(schema.status());
  return *std::move(schema);
}

parquet::Schema Pages() {
  return Make("fetched_at", {{"kind", Type::kString},
                             {"referrer", Type::kString},
                             {"depth", Type::kInt64},
                             {"status", Type::kInt64},
                             {"content_type", Type::kString},
                             {"charset", Type::kString},
                             {"title", Type::kString},
                             {"language", Type::kString},
                             {"canonical_url", Type::kString},
                             {"robots", Type::kString},
                             {"digest", Type::kString},
                             {"body_bytes", Type::kInt64},
                             {"body_truncated", Type::kBool},
                             {"text_bytes", Type::kInt64},
                             {"links_inside", Type::kInt64},
                             {"links_outside", Type::kInt64},
                             {"first_byte_ms", Type::kInt64},
                             {"total_ms", Type::kInt64},
                             MapOf("headers", {.type = Type::kString}, {.type = Type::kString})});
}

parquet::Schema Links() {
  const Field link{.type = Type::kStruct,
                   .optional = false,
                   .children = {{"url", Type::kString, /*optional=*/false},
                                {"anchor", Type::kString},
                                {"rel", Type::kString},
                                {"kind", Type::kString}}};
  return Make("fetched_at", {{"links_truncated", Type::kBool}, ListOf("links", link)});
}

parquet::Schema Texts() {
  return Make("fetched_at", {{"digest", Type::kString},
                             {"title", Type::kString},
                             {"language", Type::kString},
                             {"text_truncated", Type::kBool},
                             {"text", Type::kString},
                             {"markdown", Type::kString}});
}

parquet::Schema Failures() {
  return Make("failed_at", {{"cause", Type::kString},
                            {"status", Type::kInt64},
                            {"message", Type::kString},
                            {"referrer", Type::kString},
                            {"depth", Type::kInt64},
                            {"attempt", Type::kInt64},
                            {"total_ms", Type::kInt64},
                            {"retry_after_ms", Type::kInt64}});
}

}  // namespace

const parquet::Schema* LineSchema(std::string_view kind) {
  static const auto* const kSchemas = new absl::flat_hash_map<std::string, parquet::Schema>{
      {"failures", Failures()}, {"links", Links()}, {"pages", Pages()}, {"texts", Texts()}};
  const auto found = kSchemas->find(std::string(kind));
  return found == kSchemas->end() ? nullptr : &found->second;
}

}  // namespace orbweaver
