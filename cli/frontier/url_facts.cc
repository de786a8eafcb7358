#include "cli/frontier/url_facts.h"

#include <cmath>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "cli/frontier/frontier.h"
#include "cli/frontier/kept_failures.h"

#include "common/base/status.h"
#include "common/metrics/metric_registry.h"
#include "common/protocol/failed_url_rows.h"
#include "common/url/partition.h"
#include "db_worker/pages/page_reader.h"
#include "db_worker/queue/chunk.h"
#include "db_worker/queue/columns.h"
#include "strategy_worker/states/packed_state_store.h"

namespace orbweaver {
namespace {

// Of chunks of the queue that are read at once.
constexpr size_t kChunksPerGet = 64;

KeptMeta Kept(std::span<const Meta> meta) {
  KeptMeta kept;
  for (const Meta& entry : meta) kept.emplace_back(entry.key, entry.value);
  return kept;
}

// Reads the link states as the strategy worker does.
absl::Status ReadStates(Store& store, const Fingerprint* url, DomainFacts* domain,
                        std::optional<LinkState>* link) {
  MetricRegistry registry;
  StateMetrics metrics(registry);
  PackedStateStore states(store, SystemClock(), {}, metrics);
  const StateRequest request{.domain = domain->domain,
                             .partition = domain->partition,
                             .fingerprints = {url, url == nullptr ? size_t{0} : size_t{1}},
                             .all_states = false};
  RETURN_IF_ERROR(states.Load({&request, 1}, kLookTimeout).status());
  DomainStates* const found = states.Find(domain->domain);
  const bool is_known = found != nullptr && found->record().applied != Watermark();
  if (!is_known) return absl::OkStatus();
  domain->record = found->record();
  if (url == nullptr) return absl::OkStatus();
  LinkState state;
  bool is_link_known = false;
  found->Find({url, 1}, {&state, 1}, {&is_link_known, 1});
  if (is_link_known) *link = std::move(state);
  return absl::OkStatus();
}

// Of each shard that is counted its lowest key, from the first shard on.
std::vector<Fingerprint> CountedShards(const DomainRecord& record) {
  std::vector<Fingerprint> lowest;
  std::vector<uint8_t> bits;
  if (!ShardBits(record.manifest, &bits)) return lowest;
  double expected = 0;
  for (size_t i = 0; i < bits.size(); ++i) {
    expected += std::ldexp(static_cast<double>(record.known_urls), -bits[i]);
    if (i > 0 && expected > static_cast<double>(kMostCountedUrls)) break;
    lowest.push_back({uint64_t{record.manifest[i].first} << 48, 0});
  }
  return lowest;
}

UrlCounts Scaled(const StatusCounts& counted, uint64_t known) {
  UrlCounts counts{.by_status = counted};
  for (const uint64_t count : counted) counts.counted += count;
  if (counts.counted == 0 || counts.counted >= known) return counts;
  const double factor = static_cast<double>(known) / static_cast<double>(counts.counted);
  for (uint64_t& count : counts.by_status) {
    count = static_cast<uint64_t>(std::llround(static_cast<double>(count) * factor));
  }
  return counts;
}

// The worker may replace the blocks that the record names while they are read; then they are as
// good as not there.
absl::StatusOr<std::optional<UrlCounts>> CountUrls(Store& store, const DomainFacts& domain) {
  const bool is_huge = domain.record->known_urls > kMostCountedUrls;
  const std::vector<Fingerprint> some =
      is_huge ? CountedShards(*domain.record) : std::vector<Fingerprint>();
  MetricRegistry registry;
  StateMetrics metrics(registry);
  PackedStateStore states(store, SystemClock(), {}, metrics);
  const StateRequest request{.domain = domain.domain,
                             .partition = domain.partition,
                             .fingerprints = some,
                             .all_states = some.empty()};
  absl::Status loaded = states.Load({&request, 1}, kLookTimeout).status();
  if (IsRetry(loaded)) return loaded;
  DomainStates* const found = loaded.ok() ? states.Find(domain.domain) : nullptr;
  if (found == nullptr) return std::nullopt;
  return Scaled(found->CountByStatus(), domain.record->known_urls);
}

absl::StatusOr<std::optional<Head>> ReadHead(Store& store, std::string_view domain) {
  const std::string row = DomainRow(domain);
  const RowGet get{.row = row, .columns = {&kHeadColumn, 1}};
  Rows rows;
  RETURN_IF_ERROR(Annotate(store.MultiGet(Table::kQueue, {&get, 1}, kLookTimeout, &rows),
                           "read the head of the queue"));
  const Cell* const cell = rows.Find(0, kHeadColumn);
  if (cell == nullptr) return std::nullopt;
  Head head;
  RETURN_IF_ERROR(DecodeHead(cell->value, &head));
  return head;
}

// One chunk of a domain's queue, by its name.
struct ChunkName {
  int band;  // kBands: delayed
  uint64_t number;
  uint32_t first_place;  // what stands before has left
  WallTime due;          // of a delayed one
  std::string column;
};

// In the order in which they leave.
std::vector<ChunkName> ChunksOf(const Head& head) {
  std::vector<ChunkName> names;
  for (int band = 0; band < kBands; ++band) {
    const Band& of = head.bands[band];
    for (uint64_t chunk = of.first; chunk < of.next; ++chunk) {
      names.push_back({.band = band,
                       .number = chunk,
                       .first_place = chunk == of.first ? of.index : 0,
                       .due = {},
                       .column = BandColumn(head, band, chunk)});
    }
  }
  for (const DelayedBucket& bucket : head.delayed) {
    for (uint32_t chunk = bucket.first; chunk < bucket.next; ++chunk) {
      names.push_back({.band = kBands,
                       .number = chunk,
                       .first_place = 0,
                       .due = OpensAt(bucket.due),
                       .column = DelayedColumn(bucket, chunk)});
    }
  }
  return names;
}

// Where `url` waits in `chunk`; nothing when it does not. Counts what waits before it.
std::optional<QueuedRequest> FindIn(const ChunkName& name, const Chunk& chunk,
                                    const Watermark& applied, const Fingerprint& url,
                                    uint64_t* before) {
  for (uint32_t place = name.first_place; place < chunk.size(); ++place) {
    if (!chunk.Waits(place, applied)) continue;
    if (EncodedFingerprint(chunk[place]) != url) {
      ++*before;
      continue;
    }
    QueuedRequest found{.chunk = name.number, .place = place};
    if (name.band < kBands) {
      found.band = name.band;
      found.before = *before;
    } else {
      found.delayed_until = name.due;
    }
    Arena arena;
    ScheduledRequest request;
    if (DecodeRequest(chunk[place], &arena, &request).ok()) {
      found.score = request.score;
      found.depth = request.depth;
      found.attempt = request.attempt;
      found.not_before = request.not_before;
      found.referrer = request.referrer;
      found.meta = Kept(request.meta);
    }
    return found;
  }
  return std::nullopt;
}

absl::StatusOr<std::optional<QueuedRequest>> FindQueued(Store& store, std::string_view domain,
                                                        const Head& head, const Fingerprint& url) {
  const std::vector<ChunkName> names = ChunksOf(head);
  const std::string row = DomainRow(domain);
  uint64_t before = 0;
  for (size_t begin = 0; begin < names.size(); begin += kChunksPerGet) {
    const size_t end = std::min(names.size(), begin + kChunksPerGet);
    std::vector<std::string_view> columns;
    for (size_t i = begin; i < end; ++i) columns.push_back(names[i].column);
    const RowGet get{.row = row, .columns = columns};
    Rows rows;
    RETURN_IF_ERROR(store.MultiGet(Table::kQueue, {&get, 1}, kLookTimeout, &rows));
    for (size_t i = begin; i < end; ++i) {
      // One that left since the head was read may be gone.
      const Cell* const cell = rows.Find(0, names[i].column);
      if (cell == nullptr) continue;
      ASSIGN_OR_RETURN(const Chunk chunk, Chunk::Parse(std::string(cell->value)));
      auto found = FindIn(names[i], chunk, head.applied, url, &before);
      if (found.has_value()) return found;
    }
  }
  return std::nullopt;
}

// Nothing of what has not failed.
absl::StatusOr<std::optional<LastFailure>> ReadFailure(Store& store, const ResolvedUrl& url,
                                                       const LinkState& state) {
  const bool is_failed = state.status == LinkStatus::kError || state.status == LinkStatus::kGone;
  const bool is_retried = state.status == LinkStatus::kQueued && state.errors > 0;
  if (!is_failed && !is_retried) return std::nullopt;
  ASSIGN_OR_RETURN(const std::string kept,
                   FindFailure(store, url.domain, url.fingerprint,
                               is_failed ? kFailedUrlColumn : kLastFailureColumn));
  if (kept.empty()) return std::nullopt;
  Arena arena;
  SpiderLogEntry entry;
  RETURN_IF_ERROR(Decode(kept, &arena, &entry));
  const auto* const failed = std::get_if<FetchFailed>(&entry.event);
  if (failed == nullptr) return std::nullopt;
  return LastFailure{.cause = failed->cause,
                     .message = std::string(failed->message),
                     .status = failed->status,
                     .attempt = failed->request.attempt,
                     .failed_at = failed->failed_at,
                     .referrer = std::string(failed->request.referrer),
                     .meta = Kept(failed->request.meta)};
}

absl::StatusOr<std::optional<PageFacts>> ReadPage(Store& store, const ResolvedUrl& url) {
  ASSIGN_OR_RETURN(const std::unique_ptr<FoundPage> found,
                   FindPage(store, url.domain, url.fingerprint, false, kLookTimeout));
  if (found == nullptr) return std::nullopt;
  const PageFetched& page = found->page.page;
  return PageFacts{.status = page.status,
                   .final_url = std::string(page.final_url),
                   .fetched_at = page.fetched_at,
                   .content_hash = page.content_hash,
                   .content_type = std::string(page.content_type),
                   .title = std::string(page.title),
                   .body_bytes = page.body_bytes,
                   .referrer = std::string(page.request.referrer),
                   .meta = Kept(page.request.meta)};
}

DomainFacts PlaceOf(std::string_view domain, int partitions) {
  const Slot slot = SlotOf(domain);
  return {.domain = std::string(domain),
          .slot = slot,
          .partition = PartitionOf(slot, partitions),
          .record = {},
          .queue = {},
          .urls = {},
          .robots = {}};
}

}  // namespace

absl::StatusOr<UrlFacts> ReadUrlFacts(Store& store, const ResolvedUrl& url, int partitions,
                                      const PolitenessOptions& politeness) {
  UrlFacts facts{.url = std::string(url.url),
                 .fingerprint = url.fingerprint,
                 .domain = PlaceOf(url.domain, partitions),
                 .link = {},
                 .failure = {},
                 .queued = {},
                 .page = {}};
  RETURN_IF_ERROR(ReadStates(store, &url.fingerprint, &facts.domain, &facts.link));
  if (facts.link.has_value()) {
    ASSIGN_OR_RETURN(facts.failure, ReadFailure(store, url, *facts.link));
  }
  ASSIGN_OR_RETURN(const std::optional<Head> head, ReadHead(store, url.domain));
  if (head.has_value()) {
    facts.domain.queue = ReportOf(facts.domain.partition, url.domain, *head, politeness);
    ASSIGN_OR_RETURN(facts.queued, FindQueued(store, url.domain, *head, url.fingerprint));
  }
  ASSIGN_OR_RETURN(facts.page, ReadPage(store, url));
  return facts;
}

absl::StatusOr<DomainFacts> ReadDomainFacts(Store& store, std::string_view domain, int partitions,
                                            const PolitenessOptions& politeness) {
  DomainFacts facts = PlaceOf(domain, partitions);
  RETURN_IF_ERROR(ReadStates(store, nullptr, &facts, nullptr));
  if (facts.record.has_value()) {
    ASSIGN_OR_RETURN(facts.urls, CountUrls(store, facts));
    ASSIGN_OR_RETURN(facts.robots, ReadRobotsFiles(store, domain, {}));
  }
  ASSIGN_OR_RETURN(const std::optional<Head> head, ReadHead(store, domain));
  if (head.has_value()) facts.queue = ReportOf(facts.partition, domain, *head, politeness);
  return facts;
}

}  // namespace orbweaver
