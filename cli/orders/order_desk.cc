#include "cli/orders/order_desk.h"

#include "cli/amounts.h"
#include "cli/frontier/dead_letter_requeue.h"
#include "cli/frontier/frontier.h"
#include "cli/order_writer.h"
#include "cli/requeue_writer.h"
#include "fmt/format.h"

#include "common/base/status.h"
#include "common/bus/topics.h"

namespace orbweaver {
namespace {

constexpr Duration kTimeout = std::chrono::seconds(20);

}  // namespace

bool OrderDesk::Takes(std::string_view name) const {
  if (name == "pause" || name == "resume") return subject_.ask_owner != nullptr;
  if (name == "drain") return subject_.drain != nullptr;
  if (name == "add-seeds") return subject_.add_seeds != nullptr;
  return true;
}

absl::StatusOr<Order> OrderDesk::Read(std::string_view name, const FormParams& params) const {
  if (!Takes(name)) return absl::NotFoundError("this crawl takes no such order now");
  return ReadOrder(name, params, options_.spider.url, suffixes_, clock_.Wall());
}

absl::StatusOr<OrderEffect> OrderDesk::Preview(const Order& order) const {
  ASSIGN_OR_RETURN(const OpenCrawl crawl, subject_.look());
  return PreviewOrder({.bus = *crawl.bus, .store = *crawl.store, .queue = subject_.queue}, order,
                      options_, suffixes_, subject_.has_scope, clock_.Wall());
}

absl::StatusOr<OrderEffect> OrderDesk::Do(const Order& order) const {
  ASSIGN_OR_RETURN(OrderEffect effect, Preview(order));
  ASSIGN_OR_RETURN(effect.says, Carry(order, &effect));
  return effect;
}

absl::StatusOr<std::string> OrderDesk::AskOwners(const Order& order, Bus& bus) const {
  if (order.partition.has_value()) return subject_.ask_owner(order.name, *order.partition);
  ASSIGN_OR_RETURN(const int partitions, bus.PartitionCount(kSpiderFeedTopic, kLookTimeout));
  for (int i = 0; i < partitions; ++i) {
    RETURN_IF_ERROR(Annotate(
        subject_.ask_owner(order.name, i).status(),
        fmt::format("{} of {} partitions are {}d; partition {}", i, partitions, order.name, i)));
  }
  return fmt::format(
      "{} {}d",
      partitions == 1 ? "1 partition is" : fmt::format("all {} partitions are", partitions),
      order.name);
}

absl::StatusOr<std::string> OrderDesk::Carry(const Order& order, OrderEffect* effect) const {
  if (order.name == "drain") return subject_.drain(order.worker);
  if (order.name == "pause" || order.name == "resume") {
    ASSIGN_OR_RETURN(const OpenCrawl crawl, subject_.look());
    return AskOwners(order, *crawl.bus);
  }
  ASSIGN_OR_RETURN(const OpenCrawl crawl, subject_.open());
  if (order.name == "add-seeds") {
    ASSIGN_OR_RETURN(const uint64_t added, subject_.add_seeds(*crawl.bus, order.urls));
    return fmt::format("{} added", Count(added, "seed"));
  }
  if (order.name == "requeue-failed") {
    ASSIGN_OR_RETURN(const uint64_t written,
                     RequeueFailures(*crawl.store, *crawl.bus, clock_, order.failures, kTimeout));
    return fmt::format("{} will be tried again{}", Count(written, "failed URL"),
                       subject_.holds_once);
  }
  if (order.name == "requeue-dead-letters") {
    ASSIGN_OR_RETURN(const RequeueCounts counts,
                     RequeueDeadLetters(
                         *crawl.bus, order.letters, [](const Message&) { return true; }, kTimeout));
    effect->touches[0].second = counts.put_back;
    return fmt::format("{} put back into the spider log", Count(counts.put_back, "event"));
  }
  ASSIGN_OR_RETURN(const GivenOrder given, GiveOrder(*crawl.bus, *crawl.store, clock_, order.domain,
                                                     order.change, kTimeout));
  std::string says = OrderText(order.domain, order.change) + subject_.holds_once;
  if (given.forgotten > 0) {
    says += fmt::format("\nforgot by name {} of it that had failed", Count(given.forgotten, "URL"));
  }
  return says;
}

}  // namespace orbweaver
