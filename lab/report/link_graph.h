// The links between pages, by number.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace orbweaver::lab {

// Compressed rows: 4 bytes a link and 8 a page with links. Place: filled by PageTable, page after
// page, then read by page_rank and by the count of inversions. Not thread-safe while it is filled.
class LinkGraph {
 public:
  // The links of the next page: pages come in the order of their numbers, from 0. Links to itself
  // and repeated ones are dropped. Reorders `targets`.
  void AddPage(std::span<uint32_t> targets);

  // Pages that were added; nodes beyond them are linked to and have no links of their own.
  uint32_t pages() const { return static_cast<uint32_t>(ends_.size()); }
  // All nodes: one more than the largest number.
  uint32_t nodes() const { return nodes_; }
  uint64_t links() const { return targets_.size(); }
  // Ascending. Empty for a node that is no page.
  std::span<const uint32_t> LinksOf(uint32_t node) const;

  // How many pages link to each node.
  std::vector<uint32_t> InLinks() const;

  void ShrinkToFit();

 private:
  std::vector<uint64_t> ends_;  // in targets_, by page
  std::vector<uint32_t> targets_;
  uint32_t nodes_ = 0;
};

struct PageRankOptions {
  double damping = 0.85;
  // Ends when no iteration moves more than this of the whole, or after so many iterations.
  double tolerance = 1e-9;
  int iterations = 200;
};

// The PageRank of each node; the sum is 1. The rank of nodes without links is spread over all, as a
// random surfer goes anywhere from there. Memory: 16 bytes a node while it runs.
std::vector<float> PageRank(const LinkGraph& graph, const PageRankOptions& options = {});

}  // namespace orbweaver::lab
