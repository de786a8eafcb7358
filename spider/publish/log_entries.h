// Entries of the spider log, encoded and one behind the other: what a lane hands to the core, and
// the core to the producer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/ids.h"
#include "common/model/spider_log.h"

namespace orbweaver {

// One block of memory for all entries of a request: a page with links to a dozen domains costs no
// more allocations than one without. Not thread-safe.
class LogEntries {
 public:
  struct Entry {
    Slot slot;
    std::string_view domain;  // the message's key
    std::string_view value;
  };

  void Append(Slot slot, std::string_view domain, std::string_view value);

  bool empty() const { return extents_.empty(); }
  size_t size() const { return extents_.size(); }
  // Views are valid until the next Append.
  Entry operator[](size_t index) const;

  // Of the request; set: the first entry is a FetchFailed.
  std::optional<FailureCause> failure() const { return failure_; }
  void SetFailure(FailureCause cause) { failure_ = cause; }

  // Keys and values together.
  size_t bytes() const { return bytes_.size(); }

  void Clear();

 private:
  struct Extent {
    size_t begin;
    uint32_t domain_size;
    uint32_t value_size;
    Slot slot;
  };

  std::string bytes_;
  std::vector<Extent> extents_;
  std::optional<FailureCause> failure_;
};

}  // namespace orbweaver
