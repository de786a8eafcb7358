#include "cli/check/url_queue.h"

#include <algorithm>
#include <utility>

#include "common/base/check.h"

namespace orbweaver {

UrlQueue::UrlQueue(ListedUrls urls, uint32_t per_group)
    : per_group_(per_group), urls_(std::move(urls.urls)), left_(urls_.size()) {
  groups_.reserve(urls.groups.size());
  for (const ListedUrls::Group& group : urls.groups) {
    groups_.push_back(
        {.next = group.begin, .fresh_end = group.end, .end = group.end, .placed = true});
  }
}

ListedUrl UrlQueue::TakeFrom(uint32_t number) {
  Group& group = groups_[number];
  group.placed = false;
  ++group.out;
  ++out_;
  --left_;
  const ListedUrl url = urls_[group.next++];
  Place(number);
  return url;
}

void UrlQueue::Place(uint32_t number) {
  Group& group = groups_[number];
  if (group.placed || group.next == group.end || group.out >= per_group_) return;
  group.placed = true;
  ready_.push_back(number);
}

SteadyTime UrlQueue::ReadyAt(uint32_t number, SteadyTime now) {
  const auto rest = rests_.find(number);
  if (rest == rests_.end()) return SteadyTime::min();
  const Group& group = groups_[number];
  const auto [all, retries] = rest->second;
  if (all <= now && retries <= now) rests_.erase(rest);
  return group.next < group.fresh_end ? all : std::max(all, retries);
}

std::optional<ListedUrl> UrlQueue::Take(SteadyTime now) {
  while (!sleeping_.empty() && sleeping_.top().first <= now) {
    ready_.push_back(sleeping_.top().second);
    sleeping_.pop();
  }
  while (!ready_.empty()) {
    const uint32_t number = ready_.front();
    ready_.pop_front();
    const SteadyTime at = ReadyAt(number, now);
    if (at <= now) return TakeFrom(number);
    sleeping_.emplace(at, number);
  }
  if (begun_ < groups_.size()) return TakeFrom(begun_++);
  return std::nullopt;
}

SteadyTime UrlQueue::NextWakeup() const {
  if (!ready_.empty() || begun_ < groups_.size()) return SteadyTime::min();
  return sleeping_.empty() ? SteadyTime::max() : sleeping_.top().first;
}

void UrlQueue::Return(const ListedUrl& url) {
  Group& group = groups_[url.group];
  CHECK(group.out > 0);
  --group.out;
  --out_;
  ++left_;
  urls_[--group.next] = url;
  if (url.attempts == 0) {
    group.fresh_end = std::max(group.fresh_end, group.next + 1);
  } else if (group.next < group.fresh_end) {
    std::swap(urls_[group.next], urls_[--group.fresh_end]);
  }
}

void UrlQueue::Finish(const ListedUrl& url) {
  Group& group = groups_[url.group];
  CHECK(group.out > 0);
  --group.out;
  --out_;
  Place(url.group);
}

void UrlQueue::PutBack(const ListedUrl& url, SteadyTime not_before) {
  Return(url);
  SteadyTime& rest = rests_[url.group].all;
  rest = std::max(rest, not_before);
  Place(url.group);
}

void UrlQueue::Retry(const ListedUrl& url, SteadyTime not_before) {
  Return(url);
  SteadyTime& rest = rests_[url.group].retries;
  rest = std::max(rest, not_before);
  Place(url.group);
}

}  // namespace orbweaver
