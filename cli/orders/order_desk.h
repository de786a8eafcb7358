// Carries orders out, whoever they come from.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "cli/frontier/queue_sample.h"
#include "cli/orders/order.h"
#include "cli/orders/order_effect.h"
#include "cli/product_options.h"

#include "common/base/clock.h"
#include "common/bus/bus.h"
#include "common/store/store.h"
#include "common/url/domain.h"

namespace orbweaver {

// Bus and store, and what they belong to.
struct OpenCrawl {
  Bus* bus = nullptr;
  Store* store = nullptr;
  std::shared_ptr<const void> owner;
};

// The crawl that orders are for. A function that is not set: there is no such order for it.
struct OrderSubject {
  // To read, and to write: good for one order. Of a folder that rests `open` takes its lock.
  std::function<absl::StatusOr<OpenCrawl>()> look;
  std::function<absl::StatusOr<OpenCrawl>()> open;
  // As PreviewOrder has it.
  std::function<QueueSample()> queue;
  bool has_scope = false;
  // When an order written to the log holds: ", once the running crawl has read it".
  std::string holds_once;
  // All of them or none; how many.
  std::function<absl::StatusOr<uint64_t>(Bus&, const std::vector<std::string>&)> add_seeds;
  // `action` is pause or resume; a sentence.
  std::function<absl::StatusOr<std::string>(const std::string& action, int partition)> ask_owner;
  // A sentence.
  std::function<absl::StatusOr<std::string>(const std::string& worker)> drain;
};

// Place: behind the console's API and a running crawl's actions. Used by one thread at a time. A
// call may take as long as bus and store do.
class OrderDesk {
 public:
  // The references must outlive it.
  OrderDesk(const ProductOptions& options, const PublicSuffixes& suffixes, const Clock& clock,
            OrderSubject subject)
      : options_(options), suffixes_(suffixes), clock_(clock), subject_(std::move(subject)) {}

  // Whether its subject can be given orders of this kind.
  bool Takes(OrderAction action) const;

  // NotFound: none of this kind; poison: wrong parameters.
  absl::StatusOr<Order> Read(std::string_view name, const FormParams& params) const;

  // Says what it would touch; nothing is done.
  absl::StatusOr<OrderEffect> Preview(const Order& order) const;

  // Does it. Of an error that is retry nobody knows whether it was done: every order may be given
  // again.
  absl::StatusOr<OrderEffect> Do(const Order& order) const;

 private:
  absl::StatusOr<std::string> Carry(const Order& order, OrderEffect* effect) const;
  absl::StatusOr<std::string> ChangeDomain(const Order& order) const;
  absl::StatusOr<std::string> ChangeUrl(const Order& order) const;
  absl::StatusOr<std::string> AddSeeds(const Order& order) const;
  absl::StatusOr<std::string> AskOwners(const Order& order) const;
  absl::StatusOr<std::string> Requeue(const Order& order) const;
  absl::StatusOr<std::string> PutLettersBack(const Order& order, OrderEffect* effect) const;

  const ProductOptions& options_;
  const PublicSuffixes& suffixes_;
  const Clock& clock_;
  const OrderSubject subject_;
};

}  // namespace orbweaver
