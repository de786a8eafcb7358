#include "common/model/split.h"

#include <algorithm>

#include "common/model/limits.h"

namespace orbweaver {
namespace {

// Tags, lengths and numbers of an element, and its own tag and length.
constexpr size_t kOverhead = 96;
constexpr size_t kMetaOverhead = 16;

size_t Bound(std::span<const Meta> meta) {
  size_t bytes = 0;
  for (const Meta& entry : meta) bytes += entry.key.size() + entry.value.size() + kMetaOverhead;
  return bytes;
}

size_t Bound(const Link& link) {
  return link.url.size() + link.anchor.size() + link.unknown.size() + kOverhead;
}
size_t Bound(const Seed& seed) {
  return seed.url.size() + Bound(seed.meta) + seed.unknown.size() + kOverhead;
}
size_t Bound(const ScheduledRequest& request) {
  return request.url.size() + request.etag.size() + request.last_modified.size() +
         request.referrer.size() + Bound(request.meta) + request.unknown.size() + kOverhead;
}

template <typename T>
size_t Prefix(std::span<const T> list, size_t max_count, size_t max_message_bytes) {
  const size_t room = max_message_bytes - std::min(kMaxFrameBytes, max_message_bytes);
  const size_t most = std::min(list.size(), max_count);
  size_t bytes = 0;
  size_t count = 0;
  while (count < most) {
    bytes += Bound(list[count]);
    if (bytes > room && count > 0) break;
    ++count;
  }
  return count;
}

}  // namespace

size_t FittingPrefix(std::span<const Link> links, size_t max_message_bytes) {
  return Prefix(links, kMaxLinks, max_message_bytes);
}
size_t FittingPrefix(std::span<const Seed> seeds, size_t max_message_bytes) {
  return Prefix(seeds, kMaxSeeds, max_message_bytes);
}
size_t FittingPrefix(std::span<const ScheduledRequest> requests, size_t max_message_bytes) {
  return Prefix(requests, kMaxScheduledRequests, max_message_bytes);
}

}  // namespace orbweaver
