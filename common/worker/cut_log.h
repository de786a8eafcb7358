// Where a log was cut under its reader: retention has deleted what was to be read next.
#pragma once

#include <map>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

#include "common/base/clock.h"
#include "common/base/ids.h"
#include "common/bus/offset_reader.h"

namespace orbweaver {

struct CutLog {
  PartitionId partition;
  Offset next;   // was to be read next
  Offset start;  // what the log begins with now; a commit of it goes on there

  uint64_t lost() const { return static_cast<uint64_t>(start - next); }
};

// For a consumer whose Poll was OutOfRange: which of the partitions, with what was to be read next
// of each, were cut. Fatal when a log ends below that: the topic was made anew.
absl::StatusOr<std::vector<CutLog>> FindCuts(OffsetReader& offsets, std::string_view topic,
                                             const std::map<PartitionId, Offset>& next,
                                             Duration timeout);

}  // namespace orbweaver
