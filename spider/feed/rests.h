// The rests of a partition's domains, for the next spider that reads the partition.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "absl/container/btree_set.h"
#include "absl/container/node_hash_map.h"

#include "common/base/clock.h"

namespace orbweaver {

// Place: FeedReader, one a partition. Travels in the commit's metadata, behind the epoch: for each
// domain a time in seconds since 1970, rounded up, and its name, with a space before each. Not
// thread-safe.
class CommittedRests {
 public:
  CommittedRests() = default;
  // From a commit's metadata; what cannot be read is left out.
  explicit CommittedRests(std::string_view metadata);

  // False when it is no later end than the known one, or no domain.
  bool Add(std::string_view domain, WallTime until);

  // May be in the past. nullopt: it has not asked.
  std::optional<WallTime> Until(std::string_view domain) const;

  // For the next commit, at most `max_bytes`: where not all fit, those that end last. Forgets what
  // is over at `now`. Its cost is what fits and what is forgotten, however many there are.
  std::string TakeMetadata(WallTime now, size_t max_bytes);

  size_t size() const { return until_.size(); }

 private:
  // Later than what is known.
  void Set(std::string_view domain, WallTime until);

  absl::node_hash_map<std::string, WallTime> until_;
  absl::btree_set<std::pair<WallTime, std::string_view>> by_end_;  // the names are until_'s
};

}  // namespace orbweaver
