// All workers and a small web: the scene has only the operator, who gives orders.
#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "fmt/format.h"

#include "common/base/check.h"
#include "common/base/status.h"
#include "common/bus/topics.h"
#include "common/store/memory/memory_store.h"
#include "common/url/partition.h"
#include "db_worker/queue/columns.h"
#include "db_worker/queue/head.h"
#include "tests/sim/whole/audit.h"
#include "tests/sim/whole/feed_audit.h"
#include "tests/sim/whole/scene.h"

namespace orbweaver::sim {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

class WholeScene : public Scene {
 public:
  explicit WholeScene(SimRun& run) : run_(run) { AppendSeeds(); }

  void Act(bool calm) override {
    if (url_order_) OrderUrl();
    if (to_purge_) {
      Order(*to_purge_, {.purge = true});
      run_.purged.insert(*to_purge_);
      AppendSeeds(to_purge_);  // it is to be crawled after all
      to_purge_.reset();
    }
    if (block_) GoOnWithBlock(calm);
  }
  bool HasMore() const override { return block_ || to_purge_ || url_order_; }
  uint64_t Visits() const override { return run_.server.visits(); }
  SimWeb& web() override { return run_.server; }

  std::string Breach() override {
    const int64_t outstanding = MostOutstanding(run_);
    if (outstanding <= run_.shape.db_worker.feed.target_lag) return {};
    return fmt::format("a feed has {} requests that no spider has done", outstanding);
  }

  void Happen(FaultKind kind, Random& random,
              const std::function<void(std::string)>& tell) override {
    const std::vector<std::string> domains = run_.server.Domains();
    switch (kind) {
      case FaultKind::kRobotsChange:
        return tell(run_.server.ChangeRobots(random));
      case FaultKind::kBlock:
        if (block_) return;
        block_.emplace(Block{.domain = domains[random.Below(domains.size())],
                             .lasts = seconds(5 + random.Below(120)),
                             .lifted_after = seconds(1 + random.Below(100))});
        return tell(fmt::format("{} for {} s, lifted after {} s", block_->domain,
                                block_->lasts.count(), block_->lifted_after.count()));
      case FaultKind::kPurge:
        to_purge_ = domains[random.Below(domains.size())];
        return tell(*to_purge_);
      case FaultKind::kUrlOrder: {
        const Shape& shape = run_.shape;
        const synthetic::Place place{
            .host = static_cast<uint32_t>(random.Below(shape.web.hosts)),
            .number = static_cast<uint32_t>(random.Below(shape.web.pages_per_host)),
            .kind = synthetic::Place::Kind::kPage};
        url_order_.emplace(UrlToOrder{.url = run_.server.web().paths().UrlOf(place),
                                      .fetch_again = random.Chance(0.7),
                                      .after = seconds(random.Below(2) * random.Below(120))});
        return tell(fmt::format("{} {} after {} s", url_order_->fetch_again ? "again" : "raise",
                                url_order_->url, url_order_->after.count()));
      }
      default:
        return;
    }
  }

  // The next owner of its domains does not know of its fetches (docs/status.md): they are not held
  // against it.
  void SpiderLeft(int number) override { run_.server.Disconnect(number); }

  std::string Audit() override { return AuditWhole(run_); }

 private:
  struct Block {
    std::string domain;
    seconds lasts;
    seconds lifted_after;
    // Once it was ordered.
    WallTime until{};
    SteadyTime lift_at{};
    // Once it is in the queue's row, the end of the scoring log then: a replaced owner may have put
    // it, so it holds when the group has read up to there.
    std::optional<Offset> in_row_at;
    // Once it holds: its place in SimRun::blocks.
    std::optional<size_t> index;
  };

  struct UrlToOrder {
    std::string url;
    bool fetch_again;
    seconds after;  // none: now
  };

  ManualClock& clock() { return run_.world.clock; }

  // All, or those of a domain.
  void AppendSeeds(const std::optional<std::string>& only = {}) {
    for (const std::string& url : run_.server.Seeds()) {
      const std::string domain = run_.server.DomainOf(url);
      if (only.has_value() && domain != *only) continue;
      const Seed seed{.url = url};
      run_.world.Append({.domain = domain, .event = Seeds{.seeds = {&seed, 1}}});
    }
  }

  void GoOnWithBlock(bool calm) {
    const WallTime now = clock().Wall();
    if (block_->until == WallTime()) {
      block_->until = now + block_->lasts;
      block_->lift_at = clock().Now() + block_->lifted_after;
      Order(block_->domain, {.blocked_until = block_->until});
      return;
    }
    if (!block_->index && Holds()) {
      block_->index = run_.blocks.size();
      run_.blocks.push_back({.domain = block_->domain, .from = now, .until = block_->until});
    }
    if (!calm && clock().Now() < block_->lift_at) return;
    if (block_->index) {
      WallTime& until = run_.blocks[*block_->index].until;
      until = std::min(until, now);
    }
    Order(block_->domain, {.blocked_until = WallTime()});
    block_.reset();
  }

  void OrderUrl() {
    const std::string domain = run_.server.DomainOf(url_order_->url);
    const bool is_now = url_order_->after == seconds(0);
    run_.world.Append(
        {.domain = domain,
         .event =
             UrlOrder{.url = url_order_->url,
                      .score = 1,
                      .fetch_again = url_order_->fetch_again,
                      .not_before = is_now ? WallTime() : clock().Wall() + url_order_->after}});
    if (url_order_->fetch_again) ++run_.ordered[domain];
    url_order_.reset();
  }

  void Order(const std::string& domain, const DomainOrder& order) {
    run_.world.Append({.domain = domain, .event = order});
  }

  bool Holds() {
    const PartitionId partition = run_.world.PartitionOfDomain(block_->domain);
    if (!block_->in_row_at) {
      if (BlockedUntil(block_->domain) < block_->until) return false;
      block_->in_row_at = run_.world.EndOf(kScoringLogTopic, partition);
    }
    const auto offsets = *run_.world.bus.NewOffsetReader();
    const auto committed =
        *offsets->Committed(kDbWorkerGroup, kScoringLogTopic, {&partition, 1}, minutes(1));
    return committed[0].has_value() && committed[0]->offset >= *block_->in_row_at;
  }

  // As the queue's row says.
  WallTime BlockedUntil(const std::string& domain) {
    const std::string row = DomainRow(domain);
    const std::string_view column = kHeadColumn;
    Rows rows;
    run_.world.tables.Get(Table::kQueue, {.row = row, .columns = {&column, 1}}, &rows);
    const Cell* const cell = rows.Find(0, kHeadColumn);
    Head head;
    if (cell != nullptr) CHECK_OK(DecodeHead(cell->value, &head));
    return head.rest.until;
  }

  SimRun& run_;
  std::optional<Block> block_;  // that the operator is to make, or has made
  std::optional<std::string> to_purge_;
  std::optional<UrlToOrder> url_order_;
};

}  // namespace

std::unique_ptr<Scene> NewWholeScene(SimRun& run) { return std::make_unique<WholeScene>(run); }

}  // namespace orbweaver::sim
