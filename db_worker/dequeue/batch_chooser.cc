#include "db_worker/dequeue/batch_chooser.h"

#include <algorithm>

#include "db_worker/queue/pacing.h"

namespace orbweaver {
namespace {

// The number of requests that a band can give. At least one while it has chunks: a chunk must be
// read to see which of its requests were taken out.
uint32_t Available(const ChosenDomain& domain, int band) {
  const Band& queued = domain.head.bands[band];
  if (queued.empty()) return 0;
  const uint64_t waiting = std::max<uint64_t>(queued.waiting, 1);
  return static_cast<uint32_t>(
      std::min<uint64_t>(waiting - std::min<uint64_t>(waiting, domain.take[band]), UINT32_MAX));
}

class Choice {
 public:
  Choice(uint32_t size, uint32_t share, std::vector<ChosenDomain>* chosen)
      : left_(size), share_(share), chosen_(*chosen), first_(chosen->size()) {}

  bool full() const { return left_ == 0; }

  // The bands from best to worst; ready domains join at their best one.
  void FirstRound(const DbWorkerOptions& options, DomainIndex& index, WallTime now) {
    for (int band = 0; band < kBands; ++band) {
      // Those of better bands, whose turn was earlier.
      const size_t from_better_bands = chosen_.size();
      for (DomainId id = index.FirstReady(band); id != kNoDomain && !full();) {
        const DomainId next = index.NextReady(id);
        ChosenDomain& domain = chosen_.emplace_back();
        domain.id = id;
        index.Read(id, &domain.head);
        domain.allowed = AllowedInBatch(domain.head, options, now);
        index.TakeFromReady(id);
        Take(domain, band);
        id = next;
      }
      for (size_t i = first_; i < from_better_bands && !full(); ++i) Take(chosen_[i], band);
    }
  }

  // With a share twice as large. False when no domain could give more.
  bool NextRound() {
    share_ = share_ > UINT32_MAX / 2 ? UINT32_MAX : share_ * 2;
    const uint32_t left_before = left_;
    for (int band = 0; band < kBands; ++band) {
      for (size_t i = first_; i < chosen_.size() && !full(); ++i) Take(chosen_[i], band);
    }
    return left_ < left_before;
  }

 private:
  void Take(ChosenDomain& domain, int band) {
    const uint32_t limit = std::min(domain.allowed, share_);
    if (domain.total >= limit) return;
    const uint32_t count = std::min({left_, limit - domain.total, Available(domain, band)});
    domain.take[band] += count;
    domain.total += count;
    left_ -= count;
  }

  uint32_t left_;
  uint32_t share_;
  std::vector<ChosenDomain>& chosen_;
  const size_t first_;
};

}  // namespace

void ChooseBatch(const DbWorkerOptions& options, DomainIndex& index, uint32_t size, WallTime now,
                 std::vector<ChosenDomain>* chosen) {
  Choice choice(size, std::max<uint32_t>(1, size / options.feed.min_domains), chosen);
  choice.FirstRound(options, index, now);
  while (!choice.full() && choice.NextRound()) continue;
}

}  // namespace orbweaver
