// The columns of the spider feed.
#pragma once

#include "lab/recording/request_columns.h"
#include "lab/recording/topic_columns.h"

namespace orbweaver::lab {

class FeedColumns : public TopicColumns {
 public:
  FeedColumns();

 protected:
  absl::Status Decode(const Message& message, Arena* arena, RowWriter* row) override;

 private:
  const RequestColumns request_;
  const parquet::Node& domain_;
  const parquet::Node& epoch_;
  const parquet::Node& delay_;
  const parquet::Node& owner_;
};

}  // namespace orbweaver::lab
