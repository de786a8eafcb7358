// Which domains give how many requests to a batch.
//
// Pure: looks at a partition's index alone, not at chunks. docs/queue.md explains the order to
// users.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "common/base/clock.h"
#include "db_worker/options.h"
#include "db_worker/queue/domain_index.h"
#include "db_worker/queue/head.h"

namespace orbweaver {

struct ChosenDomain {
  DomainId id = kNoDomain;
  Head head;
  uint32_t allowed = 0;  // at most so many in this batch
  uint32_t total = 0;
  std::array<uint32_t, kBands> take{};  // of each band
};

// Up to `size` requests, appended to *chosen, each domain once. Best band first; within a band in
// turn. A domain gives its share, size / min_domains, and more only when all have given theirs and
// there is room. The domains leave the index's ready lists: each must be Put again.
void ChooseBatch(const DbWorkerOptions& options, DomainIndex& index, uint32_t size, WallTime now,
                 std::vector<ChosenDomain>* chosen);

}  // namespace orbweaver
