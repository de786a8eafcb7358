#include "lab/recording/scoring_columns.h"

#include <variant>

#include "common/base/status.h"

namespace orbweaver::lab {
namespace {

using parquet::Field;
using parquet::Type;

constexpr char kRequests[] = "requests";

std::vector<Field> Fields() {
  const Field request{.type = Type::kStruct,
                      .optional = false,
                      .children = {{"url", Type::kString, /*optional=*/false},
                                   {"depth", Type::kInt32, /*optional=*/false},
                                   {"score", Type::kFloat, /*optional=*/false},
                                   {"not_before", Type::kTimestamp},
                                   {"attempt", Type::kInt32, /*optional=*/false},
                                   {"action", Type::kString, /*optional=*/false},
                                   {"referrer", Type::kString}}};
  return {{std::string(kDomainColumn), Type::kString},
          {"epoch", Type::kInt64},
          {"source_topic_epoch", Type::kInt64},
          {"source_offset", Type::kInt64},
          {"part", Type::kInt32},
          {"crawl_delay_ms", Type::kInt64},
          {"blocked_until", Type::kTimestamp},
          {"back_off", Type::kBool},
          {"purge", Type::kBool},
          {"owner", Type::kString},
          parquet::ListOf(kRequests, request)};
}

std::string_view ActionName(ScheduleAction action) {
  switch (action) {
    case ScheduleAction::kAdd:
      return "add";
    case ScheduleAction::kRaise:
      return "raise";
    case ScheduleAction::kDelete:
      return "delete";
  }
  return "other";
}

}  // namespace

ScoringColumns::ScoringColumns()
    : TopicColumns(Fields()),
      domain_(row_.Column(kDomainColumn)),
      epoch_(row_.Column("epoch")),
      source_topic_epoch_(row_.Column("source_topic_epoch")),
      source_offset_(row_.Column("source_offset")),
      part_(row_.Column("part")),
      crawl_delay_(row_.Column("crawl_delay_ms")),
      blocked_until_(row_.Column("blocked_until")),
      back_off_(row_.Column("back_off")),
      purge_(row_.Column("purge")),
      owner_(row_.Column("owner")),
      url_(row_.Field(kRequests, "url")),
      depth_(row_.Field(kRequests, "depth")),
      score_(row_.Field(kRequests, "score")),
      not_before_(row_.Field(kRequests, "not_before")),
      attempt_(row_.Field(kRequests, "attempt")),
      action_(row_.Field(kRequests, "action")),
      referrer_(row_.Field(kRequests, "referrer")) {}

absl::Status ScoringColumns::Decode(const Message& message, Arena* arena, RowWriter* row) {
  ScoringLogEntry entry;
  RETURN_IF_ERROR(orbweaver::Decode(message.value, arena, &entry));
  if (const auto* marker = std::get_if<Marker>(&entry.entry)) {
    row->Set(event_, std::string_view("marker"));
    row->SetSaid(owner_, marker->owner);
    return absl::OkStatus();
  }
  const auto& schedule = std::get<ScheduleRequests>(entry.entry);
  row->Set(event_, std::string_view("schedule"));
  row->Set(domain_, schedule.domain);
  row->Set(epoch_, entry.epoch.value());
  row->Set(source_topic_epoch_, static_cast<int64_t>(schedule.source_topic_epoch));
  row->Set(source_offset_, schedule.source_offset.value());
  row->Set(part_, static_cast<int64_t>(schedule.part));
  if (schedule.domain_update) Set(*schedule.domain_update, row);
  for (size_t i = 0; i < schedule.requests.size(); ++i) Set(schedule.requests[i], i, row);
  return absl::OkStatus();
}

void ScoringColumns::Set(const DomainUpdate& update, RowWriter* row) const {
  if (update.crawl_delay) {
    row->Set(crawl_delay_, static_cast<int64_t>(update.crawl_delay->count()));
  }
  if (update.blocked_until) row->Set(blocked_until_, *update.blocked_until);
  row->Set(back_off_, update.back_off);
  row->Set(purge_, update.purge);
}

void ScoringColumns::Set(const ScheduledRequest& request, size_t index, RowWriter* row) const {
  row->SetElement(url_, index, request.url);
  row->SetElement(depth_, index, static_cast<int64_t>(request.depth));
  row->SetElement(score_, index, request.score);
  if (request.not_before == WallTime()) {
    row->SetNoElement(not_before_, index);
  } else {
    row->SetElement(not_before_, index,
                    static_cast<int64_t>(request.not_before.time_since_epoch().count()));
  }
  row->SetElement(attempt_, index, static_cast<int64_t>(request.attempt));
  row->SetElement(action_, index, ActionName(request.action));
  if (request.referrer.empty()) {
    row->SetNoElement(referrer_, index);
  } else {
    row->SetElement(referrer_, index, request.referrer);
  }
}

}  // namespace orbweaver::lab
