// The columns of the scoring log.
#pragma once

#include "common/model/scoring_log.h"
#include "lab/recording/topic_columns.h"

namespace orbweaver::lab {

class ScoringColumns : public TopicColumns {
 public:
  ScoringColumns();

 protected:
  absl::Status Decode(const Message& message, Arena* arena, RowWriter* row) override;

 private:
  void Set(const DomainUpdate& update, RowWriter* row) const;
  void Set(const ScheduledRequest& request, size_t index, RowWriter* row) const;

  const parquet::Node& domain_;
  const parquet::Node& epoch_;
  const parquet::Node& source_topic_epoch_;
  const parquet::Node& source_offset_;
  const parquet::Node& part_;
  const parquet::Node& crawl_delay_;
  const parquet::Node& blocked_until_;
  const parquet::Node& back_off_;
  const parquet::Node& purge_;
  const parquet::Node& owner_;
  const ElementField url_;
  const ElementField depth_;
  const ElementField score_;
  const ElementField not_before_;
  const ElementField attempt_;
  const ElementField action_;
  const ElementField referrer_;
};

}  // namespace orbweaver::lab
