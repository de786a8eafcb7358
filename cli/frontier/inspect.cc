#include "cli/frontier/inspect.h"

#include <memory>
#include <optional>
#include <vector>

#include "absl/strings/escaping.h"
#include "cli/frontier/frontier.h"
#include "cli/frontier/kept_failures.h"

#include "common/base/json.h"
#include "common/base/status.h"
#include "common/base/text.h"
#include "common/metrics/metric_registry.h"
#include "common/protocol/failed_url_rows.h"
#include "common/url/partition.h"
#include "db_worker/pages/page_reader.h"
#include "db_worker/queue/chunk.h"
#include "db_worker/queue/columns.h"
#include "db_worker/queue/pacing.h"
#include "db_worker/report.h"
#include "spider/fetch/failure_cause.h"
#include "strategy_worker/states/packed_state_store.h"

namespace orbweaver {
namespace {

// Of chunks of the queue that are read at once.
constexpr size_t kChunksPerGet = 64;

int64_t UnixMs(WallTime time) { return time.time_since_epoch().count(); }

std::string_view StatusName(LinkStatus status) {
  switch (status) {
    case LinkStatus::kNotCrawled:
      return "not-crawled";
    case LinkStatus::kQueued:
      return "queued";
    case LinkStatus::kCrawled:
      return "crawled";
    case LinkStatus::kError:
      return "error";
    case LinkStatus::kGone:
      return "gone";
  }
  return "unknown";
}

std::string Hex(std::string_view bytes) { return absl::BytesToHexString(ToAbsl(bytes)); }

// The strategy worker's rows of a domain, read as it reads them.
class States {
 public:
  explicit States(Store& store)
      : metrics_(registry_), states_(store, SystemClock(), {}, metrics_) {}

  // Null when the domain is not known.
  absl::StatusOr<DomainStates*> Load(std::string_view domain, int partitions,
                                     std::span<const Fingerprint> urls, bool all) {
    const StateRequest request{.domain = domain,
                               .partition = PartitionOf(SlotOf(domain), partitions),
                               .fingerprints = urls,
                               .all_states = all};
    RETURN_IF_ERROR(states_.Load({&request, 1}, kLookTimeout).status());
    DomainStates* const found = states_.Find(domain);
    const bool is_known = found != nullptr && found->record().applied != Watermark();
    return is_known ? found : nullptr;
  }

 private:
  MetricRegistry registry_;
  StateMetrics metrics_;
  PackedStateStore states_;
};

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

// Writes where `url` waits in `chunk`; false when it does not.
bool WriteQueued(const ChunkName& name, const Chunk& chunk, const Watermark& applied,
                 const Fingerprint& url, JsonWriter& json) {
  for (uint32_t place = name.first_place; place < chunk.size(); ++place) {
    if (!chunk.Waits(place, applied) || EncodedFingerprint(chunk[place]) != url) continue;
    json.BeginObject();
    if (name.band < kBands) {
      json.Key("band").Value(name.band);
    } else {
      json.Key("delayed_until_ms").Value(UnixMs(name.due));
    }
    json.Key("chunk").Value(name.number).Key("place").Value(place);
    Arena arena;
    ScheduledRequest request;
    if (DecodeRequest(chunk[place], &arena, &request).ok()) {
      json.Key("score").Value(static_cast<double>(request.score));
      json.Key("depth").Value(request.depth).Key("attempt").Value(request.attempt);
      json.Key("not_before_ms").Value(UnixMs(request.not_before));
    }
    json.EndObject();
    return true;
  }
  return false;
}

// The URL's entry, or null. Reads the domain's chunks, in the order in which they leave.
absl::Status WriteQueueEntry(Store& store, const ResolvedUrl& url, JsonWriter& json) {
  ASSIGN_OR_RETURN(const std::optional<Head> head, ReadHead(store, url.domain));
  const std::vector<ChunkName> names =
      head.has_value() ? ChunksOf(*head) : std::vector<ChunkName>();
  const std::string row = DomainRow(url.domain);
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
      if (WriteQueued(names[i], chunk, head->applied, url.fingerprint, json)) {
        return absl::OkStatus();
      }
    }
  }
  json.Null();
  return absl::OkStatus();
}

void WriteLink(const LinkState& state, JsonWriter& json) {
  json.BeginObject().Key("status").Value(StatusName(state.status));
  json.Key("depth").Value(state.depth).Key("fetches").Value(state.fetches);
  json.Key("errors").Value(state.errors).Key("http_status").Value(state.http_status);
  json.Key("fetched_at_ms").Value(UnixMs(state.fetched_at));
  json.Key("due_at_ms").Value(UnixMs(state.due_at)).Key("etag").Value(state.etag);
  json.Key("last_modified").Value(state.last_modified).Key("strategy_data");
  json.Value(
      Hex({state.data.data() == nullptr ? "" : reinterpret_cast<const char*>(state.data.data()),
           state.data.size()}));
  json.EndObject();
}

// Why it failed: the last time, of one that waits to be tried again; null of what has not failed.
absl::Status WriteFailure(Store& store, const ResolvedUrl& url, const LinkState& state,
                          JsonWriter& json) {
  const bool is_failed = state.status == LinkStatus::kError || state.status == LinkStatus::kGone;
  const bool is_retried = state.status == LinkStatus::kQueued && state.errors > 0;
  std::string kept;
  if (is_failed || is_retried) {
    ASSIGN_OR_RETURN(kept, FindFailure(store, url.domain, url.fingerprint,
                                       is_failed ? kFailedUrlColumn : kLastFailureColumn));
  }
  if (kept.empty()) {
    json.Null();
    return absl::OkStatus();
  }
  Arena arena;
  SpiderLogEntry entry;
  RETURN_IF_ERROR(Decode(kept, &arena, &entry));
  const auto* const failed = std::get_if<FetchFailed>(&entry.event);
  if (failed == nullptr) {
    json.Null();
    return absl::OkStatus();
  }
  json.BeginObject().Key("cause").Value(FailureCauseName(failed->cause));
  json.Key("message").Value(failed->message).Key("status").Value(failed->status);
  json.Key("attempt").Value(failed->request.attempt);
  json.Key("failed_at_ms").Value(UnixMs(failed->failed_at)).EndObject();
  return absl::OkStatus();
}

absl::Status WritePage(Store& store, const ResolvedUrl& url, JsonWriter& json) {
  ASSIGN_OR_RETURN(const std::unique_ptr<FoundPage> found,
                   FindPage(store, url.domain, url.fingerprint, false, kLookTimeout));
  if (found == nullptr) {
    json.Null();
    return absl::OkStatus();
  }
  const PageFetched& page = found->page.page;
  json.BeginObject().Key("status").Value(page.status).Key("final_url").Value(page.final_url);
  json.Key("fetched_at_ms").Value(UnixMs(page.fetched_at));
  json.Key("content_hash").Value(page.content_hash.ToHex());
  json.Key("content_type").Value(page.content_type).Key("title").Value(page.title);
  json.Key("body_bytes").Value(page.body_bytes).EndObject();
  return absl::OkStatus();
}

void WriteRecord(const DomainRecord& record, JsonWriter& json) {
  json.BeginObject().Key("known_urls").Value(record.known_urls);
  json.Key("assets").Value(record.assets).Key("sitemaps").Value(record.sitemaps);
  json.Key("fetched").Value(record.fetched).Key("scheduled").Value(record.scheduled);
  json.Key("failed").Value(record.failed).Key("crawl_delay_ms");
  if (record.crawl_delay.has_value()) {
    json.Value(record.crawl_delay->count());
  } else {
    json.Null();
  }
  json.Key("robots_status").Value(record.robots_status);
  json.Key("robots_at_ms").Value(UnixMs(record.robots_at));
  json.Key("applied_offset").Value(record.applied.offset.value());
  json.Key("outbox").Value(record.outbox.size()).Key("shards").Value(record.manifest.size());
  json.Key("seed_places").Value(record.seed_places);
  json.Key("strategy").Value(record.strategy_name);
  json.Key("strategy_data").Value(Hex(record.strategy_data)).EndObject();
}

void WriteHead(const DomainReport& report, WallTime now, JsonWriter& json) {
  json.BeginObject().Key("waiting_by_band").BeginArray();
  for (const uint64_t waiting : report.waiting) json.Value(waiting);
  json.EndArray().Key("delayed").Value(report.delayed);
  json.Key("next_delayed_ms").Value(UnixMs(report.next_delayed));
  json.Key("delay_ms").Value(report.delay.count());
  json.Key("blocked").Value(report.blocked_until > now);
  json.Key("blocked_until_ms").Value(UnixMs(report.blocked_until));
  json.Key("paced_until_ms").Value(UnixMs(report.paced_until));
  json.Key("back_offs").Value(report.back_offs);
  json.Key("waiting_since_ms").Value(UnixMs(report.waiting_since)).EndObject();
}

void WritePlace(std::string_view domain, int partitions, JsonWriter& json) {
  const Slot slot = SlotOf(domain);
  json.Key("domain").Value(domain).Key("slot").Value(slot.value());
  json.Key("partition").Value(PartitionOf(slot, partitions).value());
}

}  // namespace

absl::StatusOr<std::string> InspectUrl(Store& store, const ResolvedUrl& url, int partitions) {
  std::string text;
  JsonWriter json(&text);
  json.BeginObject().Key("url").Value(url.url);
  WritePlace(url.domain, partitions, json);
  json.Key("fingerprint").Value(url.fingerprint.ToHex()).Key("link");
  States states(store);
  ASSIGN_OR_RETURN(DomainStates* const domain,
                   states.Load(url.domain, partitions, {&url.fingerprint, 1}, false));
  LinkState state;
  bool is_known = false;
  if (domain != nullptr) domain->Find({&url.fingerprint, 1}, {&state, 1}, {&is_known, 1});
  if (is_known) {
    WriteLink(state, json);
  } else {
    json.Null();
  }
  json.Key("failure");
  RETURN_IF_ERROR(WriteFailure(store, url, is_known ? state : LinkState(), json));
  json.Key("queued");
  RETURN_IF_ERROR(WriteQueueEntry(store, url, json));
  json.Key("page");
  RETURN_IF_ERROR(WritePage(store, url, json));
  json.EndObject();
  return text;
}

absl::StatusOr<std::string> InspectDomain(Store& store, std::string_view domain, int partitions,
                                          const FeedOptions& feed) {
  std::string text;
  JsonWriter json(&text);
  json.BeginObject();
  WritePlace(domain, partitions, json);
  States states(store);
  ASSIGN_OR_RETURN(DomainStates* const known, states.Load(domain, partitions, {}, false));
  json.Key("record");
  if (known != nullptr) {
    WriteRecord(known->record(), json);
  } else {
    json.Null();
  }
  json.Key("queue");
  ASSIGN_OR_RETURN(const std::optional<Head> head, ReadHead(store, domain));
  if (head.has_value()) {
    WriteHead(ReportOf(PartitionOf(SlotOf(domain), partitions), domain, *head, feed),
              SystemClock().Wall(), json);
  } else {
    json.Null();
  }
  json.EndObject();
  return text;
}

}  // namespace orbweaver
