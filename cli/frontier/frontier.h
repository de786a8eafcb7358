// The data of the read-only commands: the bus and the store of a cluster, or those in the folder of
// `orbweaver crawl`.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "cli/frontier/domain_outcomes.h"
#include "cli/product_options.h"

#include "common/bus/bus.h"
#include "common/bus/kafka/group_members.h"
#include "common/store/rocksdb/database.h"
#include "common/store/store.h"

namespace orbweaver {

// Of the calls to Kafka and HBase that these commands make.
inline constexpr Duration kLookTimeout = std::chrono::seconds(20);

// Place: made by a command's Run or the console, used on one thread. Nothing is ever written to
// what it opens. A folder is seen as it stood at Open: to see it change, open it again.
class Frontier {
 public:
  // With a `folder` that one, whether its crawl runs or not; else the cluster of the options. A
  // cluster's servers are asked by the first call that needs them.
  static absl::StatusOr<std::unique_ptr<Frontier>> Open(
      const ProductOptions& options, const std::optional<std::filesystem::path>& folder);

  // The crawl that runs in this process, as it stands at any moment. Both must outlive it.
  Frontier(Bus& bus, Store& store) : bus_(&bus), store_(&store) {}

  Bus& bus() const { return *bus_; }
  Store& store() const { return *store_; }

  // A domain's last fetches: of a folder as its crawl last kept them (outcomes_file.h), else as the
  // tail of its partition's spider log has them. Errors as ReadDomainOutcomes'.
  absl::StatusOr<DomainOutcomes> LastOutcomes(std::string_view domain, PartitionId partition) const;
  // Of each domain the last failure, as the folder keeps it. Of a cluster nothing is known at once:
  // it would take the tails of all partitions' logs.
  std::vector<std::optional<Outcome>> LastFailures(std::span<const std::string> domains) const;

  // P; fatal when there are no topics.
  absl::StatusOr<int> Partitions() const;

  // The members of `group` that read `topic`; none for a folder, where this cannot be known.
  absl::StatusOr<std::vector<GroupMember>> Members(std::string_view group,
                                                   std::string_view topic) const;

  // Whether Members knows them.
  bool KnowsMembers() const { return kafka_.has_value(); }

  // The hint behind an error of a call to it.
  std::string_view Hint(const absl::Status& status) const;

 private:
  Frontier() = default;

  std::optional<KafkaOptions> kafka_;   // of a cluster
  std::filesystem::path folder_;        // empty: none
  std::unique_ptr<Database> database_;  // of a folder; the two below use it
  std::unique_ptr<Store> own_store_;
  std::unique_ptr<Bus> own_bus_;
  Bus* bus_ = nullptr;
  Store* store_ = nullptr;
};

}  // namespace orbweaver
