#include "strategy_worker/core/event_reader.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <new>
#include <type_traits>

#include "common/base/status.h"
#include "common/config/excerpt.h"
#include "common/model/limits.h"
#include "common/model/own_request.h"
#include "common/model/schema.h"
#include "common/url/fingerprint.h"
#include "common/url/partition.h"

namespace orbweaver {
namespace {

// More than twice what one event may list, a power of two.
constexpr size_t kSeenPlaces = 2048;
static_assert(kSeenPlaces > 2 * kMaxLinks && kSeenPlaces > 2 * kMaxSeeds);

template <typename T>
T* NewArray(Arena& arena, size_t count) {
  static_assert(std::is_trivially_destructible_v<T>);
  return static_cast<T*>(arena.Allocate(count * sizeof(T)));
}

constexpr std::string_view kSeedRedirectsKey = "orbweaver.redirects";
constexpr char kMaxSeedRedirects = 5;

// Bytes that a canonical host never has. A NUL would end the domain's part of its rows' keys.
bool IsForeignToHosts(char c) { return c <= ' ' || c > '~' || (c >= 'A' && c <= 'Z'); }

}  // namespace

EventReader::EventReader(const UrlOptions& urls, const PublicSuffixes& suffixes, int partitions,
                         ScopeKind scope, CoreMetrics& metrics)
    : partitions_(partitions),
      scope_(scope),
      metrics_(metrics),
      canonicalizer_(urls),
      domains_(suffixes),
      seen_(kSeenPlaces) {}

void EventReader::Read(const Message& message, SourceEvent* event) {
  *event = {.message = &message};
  metrics_.input_bytes.Increment(message.key.size() + message.value.size());
  const absl::Status status = ReadEntry(message, event);
  if (!status.ok()) {
    *event = {.message = &message, .poison = std::string(MessageOf(status))};
  }
  metrics_.events[event->kind]->Increment();
}

absl::Status EventReader::ReadEntry(const Message& message, SourceEvent* event) {
  RETURN_IF_ERROR(CheckSchema(HeaderOf(message, kSchemaHeader)));
  static_assert(std::is_trivially_destructible_v<SpiderLogEntry>);
  auto* const entry = new (arena_.Allocate(sizeof(SpiderLogEntry))) SpiderLogEntry();
  RETURN_IF_ERROR(Decode(message.value, &arena_, entry));
  RETURN_IF_ERROR(CheckDomain(message, entry->domain));
  if (const auto* found = std::get_if<LinksFound>(&entry->event)) {
    if (const auto seeds = RedirectOfSeed(*found)) entry->event = *seeds;
  }
  event->entry = entry;
  event->time = entry->time == WallTime() ? message.time : entry->time;
  ++event_number_;
  BeginDomain(entry->domain);
  if (const auto* seeds = std::get_if<Seeds>(&entry->event)) {
    event->kind = ORBWEAVER_SEEDS;
    TakeSeeds(*seeds, event);
  } else if (const auto* links = std::get_if<LinksFound>(&entry->event)) {
    event->kind = ORBWEAVER_LINKS;
    TakeLinks(*links, event);
  } else if (const auto* page = std::get_if<PageFetched>(&entry->event)) {
    RETURN_IF_ERROR(TakeUrl("request", page->request.url, event));
    event->kind = ORBWEAVER_PAGE;
  } else if (const auto* failed = std::get_if<FetchFailed>(&entry->event)) {
    RETURN_IF_ERROR(TakeUrl("request", failed->request.url, event));
    event->kind = ORBWEAVER_FAILURE;
  } else if (const auto* deferred = std::get_if<Deferred>(&entry->event)) {
    RETURN_IF_ERROR(TakeUrl("request", deferred->request.url, event));
    event->kind = kDeferredEvent;
  } else if (std::holds_alternative<DomainOrder>(entry->event)) {
    event->kind = kOrderEvent;
  } else if (const auto* order = std::get_if<UrlOrder>(&entry->event)) {
    RETURN_IF_ERROR(TakeUrl("order about", order->url, event));
    event->kind = kUrlOrderEvent;
  } else {
    event->kind = ORBWEAVER_HOST;
  }
  metrics_.links.Increment(event->links.size());
  return absl::OkStatus();
}

std::optional<Seeds> EventReader::RedirectOfSeed(const LinksFound& found) {
  const bool is_redirect = found.links.size() == 1 && found.links[0].kind == LinkKind::kRedirect;
  if (scope_ == ScopeKind::kEverything || !is_redirect || found.source.depth != 0 ||
      OwnRequestOf(found.source.meta).kind != OwnRequest::Kind::kNone) {
    return std::nullopt;
  }
  // The request's meta comes back with its outcome and counts how often.
  char count = '0';
  Meta* const meta = NewArray<Meta>(arena_, found.source.meta.size() + 1);
  size_t size = 0;
  for (const Meta& entry : found.source.meta) {
    if (entry.key != kSeedRedirectsKey) {
      meta[size++] = entry;
    } else if (entry.value.size() == 1) {
      count = entry.value[0];
    }
  }
  if (size == kMaxMetaEntries || count < '0' || count >= '0' + kMaxSeedRedirects) {
    return std::nullopt;
  }
  char* const value = NewArray<char>(arena_, 1);
  *value = static_cast<char>(count + 1);
  meta[size++] = {.key = kSeedRedirectsKey, .value = {value, 1}};
  auto* const seed = NewArray<Seed>(arena_, 1);
  *seed = {.url = found.links[0].url, .score = found.source.score, .meta = {meta, size}};
  return Seeds{.seeds = {seed, 1}};
}

absl::Status EventReader::CheckDomain(const Message& message, std::string_view domain) {
  if (message.key != domain) {
    return PoisonError("key '{}': the entry's domain is '{}'", message.key.substr(0, 255), domain);
  }
  if (std::any_of(domain.begin(), domain.end(), IsForeignToHosts)) {
    return PoisonError("domain '{}': not in canonical form", config::Excerpt(domain));
  }
  const DomainCache::Answer answer = domains_.Find(domain);
  if (answer.domain != domain) {
    return PoisonError("domain '{}': the registered domain is '{}'", domain, answer.domain);
  }
  // Two workers would write one row.
  if (const PartitionId right = PartitionOf(answer.slot, partitions_); right != message.partition) {
    return PoisonError(
        "domain '{}': in partition {}, belongs to {} of {}. Produce with the default partitioner "
        "and the domain as key",
        domain, message.partition, right, partitions_);
  }
  return absl::OkStatus();
}

absl::Status EventReader::TakeUrl(std::string_view of, std::string_view url, SourceEvent* event) {
  MakeRoom(1, event);
  if (Take(url, event) == nullptr) {
    return PoisonError("{} '{}': no URL of domain '{}'", of, url, event->entry->domain);
  }
  return absl::OkStatus();
}

void EventReader::TakeSeeds(const Seeds& seeds, SourceEvent* event) {
  MakeRoom(seeds.seeds.size(), event);
  uint32_t* const places = NewArray<uint32_t>(arena_, seeds.seeds.size());
  for (uint32_t i = 0; i < seeds.seeds.size(); ++i) {
    const Seed& seed = seeds.seeds[i];
    orbweaver_link* const link = Take(seed.url, event);
    if (link == nullptr) continue;
    if (seed.score.has_value()) link->score = *seed.score;
    places[event->links.size() - 1] = i;
  }
  event->seeds = {places, event->links.size()};
}

void EventReader::TakeLinks(const LinksFound& found, SourceEvent* event) {
  MakeRoom(found.links.size(), event);
  std::string_view canonical;
  event->is_from_inside =
      Canonicalize(found.source.url, event->entry->domain, &canonical) == Fate::kTaken;
  for (const Link& link : found.links) {
    orbweaver_link* const taken = Take(link.url, event);
    if (taken == nullptr) continue;
    taken->anchor_view = ToText(link.anchor);
    taken->rel = link.rel;
    taken->kind = static_cast<uint32_t>(link.kind);
  }
}

void EventReader::MakeRoom(size_t links, SourceEvent* event) {
  event->links = {NewArray<orbweaver_link>(arena_, links), 0};
  event->fingerprints = {NewArray<Fingerprint>(arena_, links), 0};
}

orbweaver_link* EventReader::Take(std::string_view url, SourceEvent* event) {
  std::string_view canonical;
  switch (Canonicalize(url, event->entry->domain, &canonical)) {
    case Fate::kTaken:
      break;
    case Fate::kInvalid:
      metrics_.links_invalid.Increment();
      return nullptr;
    case Fate::kForeign:
      metrics_.links_foreign.Increment();
      return nullptr;
  }
  const Fingerprint fingerprint = FingerprintOf(canonical);
  if (!IsNew(fingerprint)) {
    metrics_.links_duplicate.Increment();
    return nullptr;
  }
  const size_t place = event->links.size();
  event->links = {event->links.data(), place + 1};
  event->fingerprints = {event->fingerprints.data(), place + 1};
  event->fingerprints[place] = fingerprint;
  event->links[place] = {.url_view = ToText(canonical),
                         .anchor_view = {},
                         .fingerprint_high = fingerprint.high,
                         .fingerprint_low = fingerprint.low,
                         .rel = 0,
                         .kind = 0,
                         .score = std::numeric_limits<float>::quiet_NaN()};
  return &event->links[place];
}

void EventReader::BeginDomain(std::string_view domain) {
  if (domain == domain_of_origin_) return;
  domain_of_origin_ = domain;
  origin_.clear();
}

EventReader::Fate EventReader::Canonicalize(std::string_view url, std::string_view domain,
                                            std::string_view* canonical) {
  *canonical = url;
  if (!origin_.empty() && url.starts_with(origin_) &&
      canonicalizer_.IsCanonical(url, origin_.size())) {
    return Fate::kTaken;
  }
  if (canonicalizer_.Canonicalize(url) != UrlError::kNone) return Fate::kInvalid;
  const std::string_view host = canonicalizer_.host();
  if (host != domain && domains_.Find(host).domain != domain) return Fate::kForeign;
  origin_ = canonicalizer_.origin();
  const std::string_view changed = canonicalizer_.url();
  if (changed == url) return Fate::kTaken;
  char* const copy = NewArray<char>(arena_, changed.size());
  std::memcpy(copy, changed.data(), changed.size());
  *canonical = {copy, changed.size()};
  return Fate::kTaken;
}

bool EventReader::IsNew(const Fingerprint& fingerprint) {
  for (size_t place = fingerprint.low;; ++place) {
    Seen& seen = seen_[place % kSeenPlaces];
    if (seen.event != event_number_) {
      seen = {.fingerprint = fingerprint.low, .event = event_number_};
      return true;
    }
    if (seen.fingerprint == fingerprint.low) return false;
  }
}

bool EventReader::Resolve(std::string_view url, std::string_view domain,
                          std::string_view* canonical, Fingerprint* fingerprint) {
  BeginDomain(domain);
  if (Canonicalize(url, domain, canonical) != Fate::kTaken) return false;
  *fingerprint = FingerprintOf(*canonical);
  if (canonical->data() == url.data()) {
    char* const copy = NewArray<char>(arena_, url.size());
    std::memcpy(copy, url.data(), url.size());
    *canonical = {copy, url.size()};
  }
  return true;
}

}  // namespace orbweaver
