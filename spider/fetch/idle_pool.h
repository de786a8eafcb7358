// Connections that wait for the next request of their host.
#pragma once

#include <cstddef>
#include <list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"

#include "common/base/clock.h"

namespace orbweaver {

struct IdlePoolOptions {
  size_t max_idle = 0;
  size_t max_per_key = 0;
  Duration idle_timeout{};
};

// Place: in HttpFetcher. Bounded in all: beyond max_idle those that have waited longest go.
// `Connection` is moved, and destroying it closes it. Not thread-safe.
template <typename Connection>
class IdlePool {
 public:
  explicit IdlePool(const IdlePoolOptions& options) : options_(options) {}

  // `connection` is closed when its key has max_per_key already.
  void Put(std::string_view key, Connection connection, SteadyTime now) {
    if (options_.max_idle == 0) return;
    const auto found = by_key_.find(std::string(key));
    if (found != by_key_.end() && found->second.size() >= options_.max_per_key) return;
    entries_.push_front(
        {.key = std::string(key), .connection = std::move(connection), .since = now});
    by_key_[entries_.front().key].push_back(entries_.begin());
    if (entries_.size() > options_.max_idle) Remove(std::prev(entries_.end()));
  }

  // The one put last of those that `wanted` accepts: the server has closed it least probably.
  template <typename Wanted>
  std::optional<Connection> Take(std::string_view key, const Wanted& wanted) {
    const auto found = by_key_.find(std::string(key));
    if (found == by_key_.end()) return std::nullopt;
    for (size_t i = found->second.size(); i-- > 0;) {
      const auto entry = found->second[i];
      if (!wanted(entry->connection)) continue;
      std::optional<Connection> connection(std::move(entry->connection));
      Remove(entry);
      return connection;
    }
    return std::nullopt;
  }

  // Closes what has waited for idle_timeout.
  void Expire(SteadyTime now) {
    while (!entries_.empty() && now - entries_.back().since >= options_.idle_timeout) {
      Remove(std::prev(entries_.end()));
    }
  }

  size_t size() const { return entries_.size(); }

 private:
  struct Entry {
    std::string key;
    Connection connection;
    SteadyTime since;
  };
  using Entries = std::list<Entry>;

  void Remove(typename Entries::iterator entry) {
    const auto found = by_key_.find(entry->key);
    std::erase(found->second, entry);
    if (found->second.empty()) by_key_.erase(found);
    entries_.erase(entry);
  }

  const IdlePoolOptions options_;
  Entries entries_;  // the one put last first
  absl::flat_hash_map<std::string, std::vector<typename Entries::iterator>> by_key_;
};

}  // namespace orbweaver
