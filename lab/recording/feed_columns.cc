#include "lab/recording/feed_columns.h"

#include <variant>

#include "common/base/status.h"

namespace orbweaver::lab {
namespace {

using parquet::Field;
using parquet::Type;

std::vector<Field> Fields() {
  std::vector<Field> fields = {{std::string(kDomainColumn), Type::kString},
                               {"epoch", Type::kInt64}};
  for (Field& field : RequestColumns::Fields()) fields.push_back(std::move(field));
  fields.push_back({"delay_ms", Type::kInt64});
  fields.push_back({"owner", Type::kString});
  return fields;
}

}  // namespace

FeedColumns::FeedColumns()
    : TopicColumns(Fields()),
      request_(row_),
      domain_(row_.Column(kDomainColumn)),
      epoch_(row_.Column("epoch")),
      delay_(row_.Column("delay_ms")),
      owner_(row_.Column("owner")) {}

absl::Status FeedColumns::Decode(const Message& message, Arena* arena, RowWriter* row) {
  SpiderFeedEntry entry;
  RETURN_IF_ERROR(orbweaver::Decode(message.value, arena, &entry));
  if (const auto* marker = std::get_if<Marker>(&entry.entry)) {
    row->Set(event_, std::string_view("marker"));
    row->SetSaid(owner_, marker->owner);
    return absl::OkStatus();
  }
  const auto& request = std::get<Request>(entry.entry);
  row->Set(event_, std::string_view("request"));
  row->Set(domain_, request.domain);
  row->Set(epoch_, entry.epoch.value());
  row->Set(delay_, static_cast<int64_t>(request.delay.count()));
  request_.Set(request, row);
  return absl::OkStatus();
}

}  // namespace orbweaver::lab
