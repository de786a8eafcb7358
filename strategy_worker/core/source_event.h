// A message of the spider log on its way through the core.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "common/base/ids.h"
#include "common/bus/message.h"
#include "common/model/spider_log.h"
#include "strategy_worker/sdk/strategy_abi.h"

namespace orbweaver {

inline std::string_view ToView(orbweaver_text text) { return {text.data, text.size}; }
inline WallTime ToTime(int64_t ms) { return WallTime(std::chrono::milliseconds(ms)); }
inline orbweaver_text ToText(std::string_view text) { return {text.data(), text.size()}; }

// A Deferred and an operator's DomainOrder and UrlOrder, which no strategy sees, beside the kinds
// of orbweaver_event.
inline constexpr uint32_t kDeferredEvent = 6;
inline constexpr uint32_t kOrderEvent = 7;
inline constexpr uint32_t kUrlOrderEvent = 8;
inline constexpr size_t kEventKinds = 9;

// Made by EventReader; everything that it points to lives until the reader's Reset.
struct SourceEvent {
  const Message* message = nullptr;
  // Null when the message cannot be processed at all.
  const SpiderLogEntry* entry = nullptr;
  WallTime time;  // of the entry; of the record where that says none
  // Why the event is to go to the dead-letter topic; empty: it is not.
  std::string poison;
  bool strategy_failed = false;  // `poison` is the strategy's doing

  uint32_t kind = 0;  // ORBWEAVER_SEEDS, …, or one of those above; 0 without an entry
  // As orbweaver_event says for each kind; of a Deferred and a UrlOrder their URL. URLs are
  // canonical, of the entry's domain, and different.
  std::span<orbweaver_link> links;
  std::span<Fingerprint> fingerprints;
  // Of seeds only: which of the entry's each link is.
  std::span<uint32_t> seeds;
  // So many of the last links no strategy is asked about: they are assets and sitemaps that this
  // worker schedules by itself (scope_filter.h).
  size_t own = 0;

  bool is_from_inside = false;  // of links only: the page that has them is of the domain too

  // Set on the way (batch.h, lookup.h).
  uint32_t next_of_domain = 0;  // a later event of the domain, plus 1; 0: none
  bool is_filtered = false;     // the strategy's filter was asked
  bool is_in_row = false;       // a replay: nothing is to be done

  // Keeps those links, or seeds, for which `keep` has a 1 in their place; none without any.
  void Keep(std::span<const uint8_t> keep) {
    size_t kept = 0;
    for (size_t i = 0; i < keep.size(); ++i) {
      if (keep[i] == 0) continue;
      if (kept != i) {
        links[kept] = links[i];
        fingerprints[kept] = fingerprints[i];
        if (!seeds.empty()) seeds[kept] = seeds[i];
      }
      ++kept;
    }
    links = links.first(kept);
    fingerprints = fingerprints.first(kept);
  }

  // Those that the strategy is asked about.
  std::span<orbweaver_link> asked() const { return links.first(links.size() - own); }
  bool IsOwn(size_t link) const { return link >= links.size() - own; }

  // Seeds say where the crawl goes; URLs that are given again because they failed do not.
  bool OpensScope() const {
    const auto* const given = entry == nullptr ? nullptr : std::get_if<Seeds>(&entry->event);
    return given != nullptr && !given->only_failed;
  }
  // It names URLs that people ask for: only patterns of the scope leave them out.
  bool IsAskedFor() const { return kind == ORBWEAVER_SEEDS || kind == kUrlOrderEvent; }
  // It is about the whole domain, and has an effect without any link.
  bool IsOfDomain() const { return kind == ORBWEAVER_HOST || kind == kOrderEvent; }
  bool NeedsStates() const {
    return entry != nullptr && poison.empty() && !is_in_row && !links.empty();
  }
};

}  // namespace orbweaver
