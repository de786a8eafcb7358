#include "lab/report/inversions.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

namespace orbweaver::lab {
namespace {

// The URLs of each domain that were found and not fetched, the most valuable on top.
class WaitingUrls {
 public:
  explicit WaitingUrls(const PageTable& pages)
      : pages_(pages), heaps_(pages.domains().size()), state_(pages.known()) {}

  void Find(uint32_t url) {
    if (state_[url] != State::kNew || pages_.WorthOf(url) <= 0) return;
    state_[url] = State::kWaiting;
    auto& heap = heaps_[pages_.DomainOf(url)];
    heap.push_back(url);
    std::ranges::push_heap(heap, {}, worth_);
  }

  // False: it was fetched before.
  bool Fetch(uint32_t url) {
    if (state_[url] == State::kFetched) return false;
    state_[url] = State::kFetched;
    return true;
  }

  double MostWaiting(uint32_t domain) {
    auto& heap = heaps_[domain];
    while (!heap.empty() && state_[heap.front()] == State::kFetched) {
      std::ranges::pop_heap(heap, {}, worth_);
      heap.pop_back();
    }
    return heap.empty() ? 0 : pages_.WorthOf(heap.front());
  }

 private:
  enum class State : uint8_t { kNew, kWaiting, kFetched };

  struct Worth {
    const PageTable& pages;
    double operator()(uint32_t url) const { return pages.WorthOf(url); }
  };

  const PageTable& pages_;
  const Worth worth_{pages_};
  std::vector<std::vector<uint32_t>> heaps_;
  std::vector<State> state_;
};

}  // namespace

Inversions CountInversions(const PageTable& pages, const CrawlFetches& crawl) {
  Inversions result;
  WaitingUrls waiting(pages);
  std::vector<size_t> by_beginning(crawl.fetches.size());
  std::iota(by_beginning.begin(), by_beginning.end(), size_t{0});
  std::ranges::sort(by_beginning, {},
                    [&](size_t i) { return std::pair(crawl.fetches[i].began_ms, i); });
  size_t ended = 0;
  for (const size_t i : by_beginning) {
    const CrawlFetch& fetch = crawl.fetches[i];
    for (; ended < crawl.fetches.size() && crawl.fetches[ended].at_ms <= fetch.began_ms; ++ended) {
      const CrawlFetch& before = crawl.fetches[ended];
      if (!before.is_page || before.url >= pages.known()) continue;
      for (const uint32_t target : pages.links().LinksOf(before.url)) {
        if (target < pages.known()) waiting.Find(target);
      }
    }
    if (fetch.url >= pages.known() || !waiting.Fetch(fetch.url)) continue;
    ++result.fetches;
    if (waiting.MostWaiting(fetch.domain) > pages.WorthOf(fetch.url)) ++result.inverted;
  }
  return result;
}

}  // namespace orbweaver::lab
