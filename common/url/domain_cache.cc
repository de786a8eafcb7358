#include "common/url/domain_cache.h"

#include <cstring>
#include <xxhash.h>

#include "common/url/partition.h"

namespace orbweaver {
namespace {
constexpr size_t kEntries = 16384;
}

DomainCache::DomainCache(const PublicSuffixes& suffixes)
    : suffixes_(suffixes), entries_(kEntries) {}

DomainCache::Answer DomainCache::Find(std::string_view host) {
  Entry& entry = entries_[XXH3_64bits(host.data(), host.size()) % kEntries];
  if (host == std::string_view(entry.host, entry.host_size)) {
    return {host.substr(entry.domain_start, entry.domain_size), entry.slot};
  }
  const std::string_view domain = suffixes_.RegisteredDomain(host);
  const Slot slot = SlotOf(domain);
  if (host.size() <= sizeof entry.host) {
    std::memcpy(entry.host, host.data(), host.size());
    entry.host_size = static_cast<uint8_t>(host.size());
    entry.domain_start = static_cast<uint8_t>(domain.data() - host.data());
    entry.domain_size = static_cast<uint8_t>(domain.size());
    entry.slot = slot;
  }
  return {domain, slot};
}

}  // namespace orbweaver
