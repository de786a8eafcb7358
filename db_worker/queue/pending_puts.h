// Changes of domains on their way into the store.
//
// Place: filled by whoever changes domains, written before anything else happens. Not thread-safe.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "absl/status/status.h"

#include "common/base/clock.h"
#include "common/model/arena.h"
#include "common/store/store.h"
#include "db_worker/parts.h"
#include "db_worker/queue/domain_edit.h"

namespace orbweaver {

class PendingPuts {
 public:
  // The head as the partition's index has it, and `cells`, for one put, which claims the domain.
  // Copies; chunks are shared.
  // More cells than fit into one come in puts before it: nothing names them until the head does,
  // and requests that a chunk has no more are only taken out once more by a message's replay.
  void Add(Partition& partition, DomainId domain, Version version,
           std::span<const DomainEdit::NewCell> cells);

  // Makes some calls to the store, until the group is due. Forgets puts that are durable. On an
  // error, or when time was short, the rest is kept: call it again until it is empty.
  absl::Status Write(const WorkerParts& parts);

  bool empty() const { return puts_.empty(); }
  size_t size() const { return puts_.size(); }

 private:
  // Views point into arena_.
  struct Put {
    std::string_view row;
    std::string_view head;  // empty: in a later put of the row
    Version version;
    size_t first_cell;  // in cells_
    size_t end_cell;
  };

  // The first `count` of puts_; what of them is not durable stays.
  absl::Status WriteFirst(size_t count, Store& store, Duration timeout);

  std::vector<Put> puts_;
  std::vector<DomainEdit::NewCell> cells_;
  Arena arena_;
};

}  // namespace orbweaver
