#include "lab/report/link_graph.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace orbweaver::lab {

void LinkGraph::AddPage(std::span<uint32_t> targets) {
  const uint32_t page = pages();
  std::ranges::sort(targets);
  uint32_t last = page;
  for (const uint32_t target : targets) {
    if (target == page || target == last) continue;
    targets_.push_back(target);
    last = target;
    nodes_ = std::max(nodes_, target + 1);
  }
  ends_.push_back(targets_.size());
  nodes_ = std::max(nodes_, page + 1);
}

std::span<const uint32_t> LinkGraph::LinksOf(uint32_t node) const {
  if (node >= pages()) return {};
  const uint64_t begin = node == 0 ? 0 : ends_[node - 1];
  return std::span(targets_).subspan(begin, ends_[node] - begin);
}

std::vector<uint32_t> LinkGraph::InLinks() const {
  std::vector<uint32_t> in_links(nodes_);
  for (const uint32_t target : targets_) ++in_links[target];
  return in_links;
}

void LinkGraph::ShrinkToFit() {
  ends_.shrink_to_fit();
  targets_.shrink_to_fit();
}

std::vector<float> PageRank(const LinkGraph& graph, const PageRankOptions& options) {
  const uint32_t nodes = graph.nodes();
  if (nodes == 0) return {};
  std::vector<double> rank(nodes, 1.0 / nodes);
  std::vector<double> next(nodes);
  for (int i = 0; i < options.iterations; ++i) {
    std::ranges::fill(next, 0);
    double passed_on = 0;
    for (uint32_t page = 0; page < graph.pages(); ++page) {
      const auto links = graph.LinksOf(page);
      if (links.empty()) continue;
      passed_on += rank[page];
      const double share = options.damping * rank[page] / static_cast<double>(links.size());
      for (const uint32_t target : links) next[target] += share;
    }
    // All ranks are 1 together, so this is the jumps' part and the rank of nodes without links.
    const double everywhere = (1 - options.damping * passed_on) / nodes;
    double moved = 0;
    for (uint32_t node = 0; node < nodes; ++node) {
      next[node] += everywhere;
      moved += std::abs(next[node] - rank[node]);
    }
    rank.swap(next);
    if (moved < options.tolerance) break;
  }
  return {rank.begin(), rank.end()};
}

}  // namespace orbweaver::lab
