// A recorded topic, its partitions merged by the time at which records were written.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

#include "common/bus/message.h"
#include "lab/recording/recording.h"

namespace orbweaver::lab {

// Records of a partition come in their order, whatever their times are. Not thread-safe.
class MergedLog {
 public:
  // `recording` must outlive it.
  MergedLog(const Recording& recording, std::string_view topic, bool skip_damaged);

  // The next record, which stays the next one until Pop; null at the end. Errors as
  // RecordReader::Next.
  absl::StatusOr<const Message*> Peek();
  void Pop();

 private:
  struct Source {
    std::unique_ptr<RecordReader> reader;
    Message next;
    bool has_next = false;
    bool is_at_end = false;
  };

  std::vector<Source> sources_;
  Source* first_ = nullptr;
};

}  // namespace orbweaver::lab
