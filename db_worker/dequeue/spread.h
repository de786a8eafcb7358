// The order of a batch: equal domains as far apart as they can be.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace orbweaver {

// `counts[i]` is how many requests the domain i has. Returns the domains in the order of the batch,
// each as often as it has requests.
//
// As in a table of as many rows as the most frequent domain has requests, written row by row:
// that one stands in each row; another of k requests once in each of k equal parts of the rows,
// where least stands yet. Within a row the frequent ones come first.
std::vector<uint32_t> SpreadDomains(std::span<const uint32_t> counts);

}  // namespace orbweaver
