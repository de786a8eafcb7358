#include "cli/orders/order_desk.h"

#include "cli/amounts.h"
#include "cli/frontier/dead_letter_requeue.h"
#include "cli/frontier/frontier.h"
#include "cli/order_writer.h"
#include "cli/orders/url_plan.h"
#include "cli/requeue_writer.h"
#include "fmt/format.h"

#include "common/base/status.h"
#include "common/bus/topics.h"

namespace orbweaver {
namespace {

constexpr Duration kTimeout = std::chrono::seconds(20);

}  // namespace

bool OrderDesk::Takes(OrderAction action) const {
  switch (action) {
    case OrderAction::kPause:
    case OrderAction::kResume:
      return subject_.ask_owner != nullptr;
    case OrderAction::kDrain:
      return subject_.drain != nullptr;
    case OrderAction::kAddSeeds:
      return subject_.add_seeds != nullptr;
    case OrderAction::kBlock:
    case OrderAction::kUnblock:
    case OrderAction::kPurge:
    case OrderAction::kForget:
    case OrderAction::kRaise:
    case OrderAction::kReschedule:
    case OrderAction::kRequeueFailed:
    case OrderAction::kRequeueDeadLetters:
      return true;
  }
  return false;
}

absl::StatusOr<Order> OrderDesk::Read(std::string_view name, const FormParams& params) const {
  ASSIGN_OR_RETURN(Order order,
                   ReadOrder(name, params, options_.spider.url, suffixes_, clock_.Wall()));
  if (!Takes(order.action)) return absl::NotFoundError("this crawl takes no such order now");
  return order;
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

absl::StatusOr<std::string> OrderDesk::AskOwners(const Order& order) const {
  const std::string action(OrderName(order.action));
  if (order.partition.has_value()) return subject_.ask_owner(action, *order.partition);
  ASSIGN_OR_RETURN(const OpenCrawl crawl, subject_.look());
  ASSIGN_OR_RETURN(const int partitions, crawl.bus->PartitionCount(kSpiderFeedTopic, kLookTimeout));
  for (int i = 0; i < partitions; ++i) {
    RETURN_IF_ERROR(Annotate(
        subject_.ask_owner(action, i).status(),
        fmt::format("{} of {} partitions are {}d; partition {}", i, partitions, action, i)));
  }
  return fmt::format(
      "{} {}d",
      partitions == 1 ? "1 partition is" : fmt::format("all {} partitions are", partitions),
      action);
}

absl::StatusOr<std::string> OrderDesk::ChangeDomain(const Order& order) const {
  ASSIGN_OR_RETURN(const OpenCrawl crawl, subject_.open());
  ASSIGN_OR_RETURN(const GivenOrder given, GiveOrder(*crawl.bus, *crawl.store, clock_, order.domain,
                                                     order.change, kTimeout));
  std::string says = OrderText(order.domain, order.change) + subject_.holds_once;
  if (given.forgotten > 0) {
    says += fmt::format("\nforgot by name {} of it that had failed", Count(given.forgotten, "URL"));
  }
  return says;
}

absl::StatusOr<std::string> OrderDesk::ChangeUrl(const Order& order) const {
  ASSIGN_OR_RETURN(const OpenCrawl crawl, subject_.open());
  ASSIGN_OR_RETURN(const UrlPlan plan, PlanUrlOrder(*crawl.bus, *crawl.store, order.url, options_,
                                                    suffixes_, subject_.has_scope, clock_.Wall()));
  RETURN_IF_ERROR(WritePlan(*crawl.bus, clock_, plan, kTimeout).status());
  return fmt::format("order written: {}{}", plan.done, subject_.holds_once);
}

absl::StatusOr<std::string> OrderDesk::AddSeeds(const Order& order) const {
  ASSIGN_OR_RETURN(const OpenCrawl crawl, subject_.open());
  ASSIGN_OR_RETURN(const uint64_t added, subject_.add_seeds(*crawl.bus, order.urls));
  return fmt::format("{} added", Count(added, "seed"));
}

absl::StatusOr<std::string> OrderDesk::Requeue(const Order& order) const {
  ASSIGN_OR_RETURN(const OpenCrawl crawl, subject_.open());
  ASSIGN_OR_RETURN(const uint64_t written,
                   RequeueFailures(*crawl.store, *crawl.bus, clock_, order.failures, kTimeout));
  return fmt::format("{} will be tried again{}", Count(written, "failed URL"), subject_.holds_once);
}

absl::StatusOr<std::string> OrderDesk::PutLettersBack(const Order& order,
                                                      OrderEffect* effect) const {
  ASSIGN_OR_RETURN(const OpenCrawl crawl, subject_.open());
  ASSIGN_OR_RETURN(
      const RequeueCounts counts,
      RequeueDeadLetters(*crawl.bus, order.letters, [](const Message&) { return true; }, kTimeout));
  effect->touches[0].second = counts.put_back;
  return fmt::format("{} put back into the spider log", Count(counts.put_back, "event"));
}

absl::StatusOr<std::string> OrderDesk::Carry(const Order& order, OrderEffect* effect) const {
  switch (order.action) {
    case OrderAction::kBlock:
    case OrderAction::kUnblock:
    case OrderAction::kPurge:
    case OrderAction::kForget:
      return ChangeDomain(order);
    case OrderAction::kRaise:
    case OrderAction::kReschedule:
      return ChangeUrl(order);
    case OrderAction::kAddSeeds:
      return AddSeeds(order);
    case OrderAction::kPause:
    case OrderAction::kResume:
      return AskOwners(order);
    case OrderAction::kRequeueFailed:
      return Requeue(order);
    case OrderAction::kRequeueDeadLetters:
      return PutLettersBack(order, effect);
    case OrderAction::kDrain:
      return subject_.drain(order.worker);
  }
  return FatalError("order {}: nothing is known of it", static_cast<int>(order.action));
}

}  // namespace orbweaver
