#include "lab/report/link_graph.h"

#include <numeric>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/random.h"

namespace orbweaver::lab {
namespace {

using testing::ElementsAre;

LinkGraph Graph(std::vector<std::vector<uint32_t>> pages) {
  LinkGraph graph;
  for (std::vector<uint32_t>& targets : pages) graph.AddPage(targets);
  return graph;
}

TEST(LinkGraph, KeepsEachLinkOnceAndNoneToItself) {
  const LinkGraph graph = Graph({{2, 1, 2, 0, 1}, {}, {0, 7}});
  EXPECT_THAT(graph.LinksOf(0), ElementsAre(1, 2));
  EXPECT_THAT(graph.LinksOf(1), ElementsAre());
  EXPECT_THAT(graph.LinksOf(2), ElementsAre(0, 7));
  EXPECT_THAT(graph.LinksOf(7), ElementsAre());
  EXPECT_EQ(8u, graph.nodes());
  EXPECT_EQ(4u, graph.links());
  EXPECT_THAT(graph.InLinks(), ElementsAre(1, 1, 1, 0, 0, 0, 0, 1));
}

// By the definition: a dense matrix, whose columns without links are even.
std::vector<double> DensePageRank(const std::vector<std::vector<double>>& links, double damping) {
  const size_t n = links.size();
  std::vector<double> rank(n, 1.0 / static_cast<double>(n));
  for (int i = 0; i < 500; ++i) {
    std::vector<double> next(n, (1 - damping) / static_cast<double>(n));
    for (size_t from = 0; from < n; ++from) {
      const double out = std::accumulate(links[from].begin(), links[from].end(), 0.0);
      for (size_t to = 0; to < n; ++to) {
        next[to] += damping * rank[from] *
                    (out == 0 ? 1.0 / static_cast<double>(n) : links[from][to] / out);
      }
    }
    rank = next;
  }
  return rank;
}

TEST(PageRank, AgreesWithADenseMatrix) {
  Random random(7);
  for (int round = 0; round < 20; ++round) {
    const auto nodes = static_cast<uint32_t>(2 + random.Below(30));
    const auto pages = static_cast<uint32_t>(1 + random.Below(nodes));
    std::vector<std::vector<double>> dense(nodes, std::vector<double>(nodes));
    LinkGraph graph;
    for (uint32_t page = 0; page < pages; ++page) {
      std::vector<uint32_t> targets;
      for (uint64_t i = random.Below(6); i > 0; --i) {
        targets.push_back(static_cast<uint32_t>(random.Below(nodes)));
        if (targets.back() != page) dense[page][targets.back()] = 1;
      }
      if (page == 0 && targets.empty()) continue;
      graph.AddPage(targets);
    }
    if (graph.nodes() != nodes || graph.pages() != pages) continue;
    const std::vector<float> rank = PageRank(graph);
    const std::vector<double> expected = DensePageRank(dense, 0.85);
    for (uint32_t node = 0; node < nodes; ++node) EXPECT_NEAR(expected[node], rank[node], 1e-7);
    EXPECT_NEAR(1, std::accumulate(rank.begin(), rank.end(), 0.0), 1e-6);
  }
}

// 0 and 1 link to each other and both to 2, which links nowhere. By hand: x for 0 and 1, y for 2,
// 2x + y = 1, x = 0.05 + 0.85 (x/2 + y/3), y = 0.05 + 0.85 (x + y/3).
TEST(PageRank, IsAsCountedByHand) {
  const std::vector<float> rank = PageRank(Graph({{1, 2}, {0, 2}, {}}));
  const double y = (0.05 + 0.85 / 2) / (1 + 0.85 / 2 - 0.85 / 3);
  EXPECT_NEAR((1 - y) / 2, rank[0], 1e-6);
  EXPECT_NEAR(y, rank[2], 1e-6);
}

TEST(PageRank, OfNothingIsNothing) { EXPECT_TRUE(PageRank(LinkGraph()).empty()); }

}  // namespace
}  // namespace orbweaver::lab
