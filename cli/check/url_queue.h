// Which URL of the list is begun next.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <queue>
#include <tuple>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "cli/check/url_list.h"

#include "common/base/clock.h"

namespace orbweaver {

// Gives out the URLs of all groups side by side, a few of each at a time, so that no group fills
// the memory of those who wait while others could go on. URLs that were given out may come back: by
// PutBack as if they had not been, by Retry for another attempt behind the first ones of their
// group.
//
// Place: in CheckEngine, between the list and those that are being checked. Memory: the list's, and
// 16 bytes a group, and some for each group that rests. Not thread-safe.
class UrlQueue {
 public:
  // At most `per_group` URLs of a group are out at the same time.
  UrlQueue(ListedUrls urls, uint32_t per_group);

  // nullopt: none at `now`; NextWakeup says when to ask again, unless one of those out ends before.
  std::optional<ListedUrl> Take(SteadyTime now);

  // One that is out is over.
  void Finish(const ListedUrl& url);
  // It was not asked. Its group gives nothing before `not_before`.
  void PutBack(const ListedUrl& url, SteadyTime not_before);
  // Once more, not before `not_before` and behind all that were not tried yet. The caller has
  // counted the attempt.
  void Retry(const ListedUrl& url, SteadyTime not_before);

  // SteadyTime::max(): none waits for its time.
  SteadyTime NextWakeup() const;

  size_t left() const { return left_; }  // that are not out
  size_t out() const { return out_; }

 private:
  struct Group {
    uint32_t next;
    uint32_t fresh_end;  // from here on to the end were tried before
    uint32_t end;
    uint16_t out = 0;
    bool placed = false;  // in ready_ or sleeping_, or not begun
  };
  struct Rest {
    SteadyTime all = SteadyTime::min();
    SteadyTime retries = SteadyTime::min();
  };
  using Sleeper = std::pair<SteadyTime, uint32_t>;

  ListedUrl TakeFrom(uint32_t number);
  // To a place of its group that is free.
  void Return(const ListedUrl& url);
  // Puts the group where Take finds it, if it has something to give.
  void Place(uint32_t number);
  // When the group may give its next URL.
  SteadyTime ReadyAt(uint32_t number, SteadyTime now);

  const uint32_t per_group_;
  std::vector<ListedUrl> urls_;
  std::vector<Group> groups_;
  uint32_t begun_ = 0;  // groups, the largest first
  std::deque<uint32_t> ready_;
  absl::flat_hash_map<uint32_t, Rest> rests_;  // of groups
  std::priority_queue<Sleeper, std::vector<Sleeper>, std::greater<>> sleeping_;
  size_t left_;
  size_t out_ = 0;
};

}  // namespace orbweaver
