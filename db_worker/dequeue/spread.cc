#include "db_worker/dequeue/spread.h"

#include <algorithm>
#include <numeric>

namespace orbweaver {

std::vector<uint32_t> SpreadDomains(std::span<const uint32_t> counts) {
  std::vector<uint32_t> by_count(counts.size());
  std::iota(by_count.begin(), by_count.end(), 0u);
  std::sort(by_count.begin(), by_count.end(), [&](uint32_t a, uint32_t b) {
    return counts[a] != counts[b] ? counts[a] > counts[b] : a < b;
  });
  const uint64_t rows = counts.empty() ? 0 : counts[by_count.front()];
  std::vector<std::vector<uint32_t>> table(rows);
  const auto shorter = [](const auto& a, const auto& b) { return a.size() < b.size(); };
  for (const uint32_t domain : by_count) {
    const uint64_t count = counts[domain];
    for (uint64_t i = 0; i < count; ++i) {
      const auto first = table.begin() + static_cast<ptrdiff_t>(i * rows / count);
      const auto end = table.begin() + static_cast<ptrdiff_t>((i + 1) * rows / count);
      std::min_element(first, end, shorter)->push_back(domain);
    }
  }
  std::vector<uint32_t> order;
  order.reserve(std::accumulate(counts.begin(), counts.end(), size_t{0}));
  for (const auto& row : table) order.insert(order.end(), row.begin(), row.end());
  return order;
}

}  // namespace orbweaver
