// A crawl that knows very many domains, without crawling: their records and queues, as the strategy
// and the db worker would have written them.
#pragma once

#include <cstdint>
#include <string>

#include "absl/status/status.h"

#include "common/store/store.h"

namespace orbweaver {

// Domain `i` of PutManyDomains is called so.
std::string ManyDomainsName(uint64_t i);

// Puts `count` domains into the store. Each has a record with twenty link states, and a queue with
// a chunk of ten requests that nobody can read: good for looking, not for crawling. The same for
// the same `count`.
absl::Status PutManyDomains(Store& store, uint64_t count);

}  // namespace orbweaver
