// Answers of PublicSuffixes, kept: the links of a page go to few hosts.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "common/base/ids.h"
#include "common/url/domain.h"

namespace orbweaver {

// Place: in UrlResolver, one a thread. Not thread-safe.
// A host has one place, where the last host to hash there stands: 16384 places of a cache line
// each, 1 MiB in all.
class DomainCache {
 public:
  struct Answer {
    std::string_view domain;  // part of the host that was asked for
    Slot slot;
  };

  // `suffixes` must outlive this.
  explicit DomainCache(const PublicSuffixes& suffixes);

  // `host` must be canonical.
  Answer Find(std::string_view host);

 private:
  // A host too long for its place is looked up each time.
  struct alignas(64) Entry {
    uint8_t host_size = 0;  // 0: free
    uint8_t domain_start = 0;
    uint8_t domain_size = 0;
    char host[58];
    Slot slot;
  };
  static_assert(sizeof(Entry) == 64);

  const PublicSuffixes& suffixes_;
  std::vector<Entry> entries_;
};

}  // namespace orbweaver
