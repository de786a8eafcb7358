// From a message of the spider log to an event that can be processed: checked, decoded, with
// canonical URLs and their fingerprints.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"

#include "common/base/ids.h"
#include "common/bus/message.h"
#include "common/model/arena.h"
#include "common/scope/scope_options.h"
#include "common/url/canonical.h"
#include "common/url/domain_cache.h"
#include "strategy_worker/core/core_metrics.h"
#include "strategy_worker/core/source_event.h"

namespace orbweaver {

// Place: the core's edge towards the bus. Not thread-safe; kept for long: it owns buffers and
// caches.
class EventReader {
 public:
  // `suffixes` and `metrics` must outlive it. `partitions`: of the spider log. Unless the scope is
  // everything, what a seed redirects to is a seed.
  EventReader(const UrlOptions& urls, const PublicSuffixes& suffixes, int partitions,
              ScopeKind scope, CoreMetrics& metrics);

  // Replaces *event. An entry that cannot be processed becomes a poison event. A link that is no
  // URL, is not of the event's domain, or is a duplicate is left out and counted. `message`, and
  // the bytes that it points to, must live as long as the event.
  void Read(const Message& message, SourceEvent* event);

  // A URL that a strategy asks for: false when it is none, or not of `domain`. The canonical URL
  // lives until Reset.
  bool Resolve(std::string_view url, std::string_view domain, std::string_view* canonical,
               Fingerprint* fingerprint);

  // Ends all events.
  void Reset() { arena_.Reset(); }

 private:
  enum class Fate { kTaken, kInvalid, kForeign };

  absl::Status ReadEntry(const Message& message, SourceEvent* event);
  absl::Status CheckDomain(const Message& message, std::string_view domain);
  // The target of `found` as a seed where that is the redirect of one; else nullopt.
  std::optional<Seeds> RedirectOfSeed(const LinksFound& found);
  // Of a page, a failure, a Deferred or a UrlOrder: its one URL. `of` says in an error whose it is.
  absl::Status TakeUrl(std::string_view of, std::string_view url, SourceEvent* event);
  void TakeSeeds(const Seeds& seeds, SourceEvent* event);
  void TakeLinks(const LinksFound& found, SourceEvent* event);

  void MakeRoom(size_t links, SourceEvent* event);
  // Of the URLs that follow.
  void BeginDomain(std::string_view domain);
  // Canonicalises into *canonical, which is `url` itself where nothing changes.
  Fate Canonicalize(std::string_view url, std::string_view domain, std::string_view* canonical);
  // Adds a link to *event, unless it is to be left out; null then.
  orbweaver_link* Take(std::string_view url, SourceEvent* event);
  bool IsNew(const Fingerprint& fingerprint);

  const int partitions_;
  const ScopeKind scope_;
  CoreMetrics& metrics_;
  UrlCanonicalizer canonicalizer_;
  DomainCache domains_;
  Arena arena_;

  // Scheme, host and port of the last canonical URL of domain_of_origin_; empty: there was none.
  // Most links of a page have it, and are canonical as they were sent: one scan of the rest shows
  // it, at a tenth of what canonicalising again costs.
  std::string origin_;
  std::string domain_of_origin_;

  // The URLs of the event at hand: open addressing, and no clearing between events.
  struct Seen {
    uint64_t fingerprint = 0;
    uint64_t event = 0;
  };
  std::vector<Seen> seen_;
  uint64_t event_number_ = 0;
};

}  // namespace orbweaver
