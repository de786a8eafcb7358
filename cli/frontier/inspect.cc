#include "cli/frontier/inspect.h"

#include "absl/strings/escaping.h"

#include "common/base/json.h"
#include "common/base/text.h"
#include "common/base/unix_ms.h"
#include "spider/fetch/failure_cause.h"

namespace orbweaver {
namespace {

std::string Hex(std::string_view bytes) { return absl::BytesToHexString(ToAbsl(bytes)); }

void WriteLink(const LinkState& state, JsonWriter& json) {
  json.BeginObject().Key("status").Value(LinkStatusName(state.status));
  json.Key("depth").Value(state.depth).Key("fetches").Value(state.fetches);
  json.Key("errors").Value(state.errors).Key("http_status").Value(state.http_status);
  json.Key("fetched_at_ms").Value(UnixMs(state.fetched_at));
  json.Key("due_at_ms").Value(UnixMs(state.due_at)).Key("etag").Value(state.etag);
  json.Key("last_modified").Value(state.last_modified).Key("strategy_data");
  json.Value(Hex({reinterpret_cast<const char*>(state.data.data()), state.data.size()}));
  json.EndObject();
}

void WriteFailure(const LastFailure& failure, JsonWriter& json) {
  json.BeginObject().Key("cause").Value(FailureCauseName(failure.cause));
  json.Key("message").Value(failure.message).Key("status").Value(failure.status);
  json.Key("attempt").Value(failure.attempt);
  json.Key("failed_at_ms").Value(UnixMs(failure.failed_at)).EndObject();
}

void WriteQueued(const QueuedRequest& request, JsonWriter& json) {
  json.BeginObject();
  if (request.band.has_value()) {
    json.Key("band").Value(*request.band).Key("before").Value(request.before);
  } else {
    json.Key("delayed_until_ms").Value(UnixMs(request.delayed_until));
  }
  json.Key("chunk").Value(request.chunk).Key("place").Value(request.place);
  json.Key("score").Value(static_cast<double>(request.score));
  json.Key("depth").Value(request.depth).Key("attempt").Value(request.attempt);
  json.Key("not_before_ms").Value(UnixMs(request.not_before)).EndObject();
}

void WritePage(const PageFacts& page, JsonWriter& json) {
  json.BeginObject().Key("status").Value(page.status).Key("final_url").Value(page.final_url);
  json.Key("fetched_at_ms").Value(UnixMs(page.fetched_at));
  json.Key("content_hash").Value(page.content_hash.ToHex());
  json.Key("content_type").Value(page.content_type).Key("title").Value(page.title);
  json.Key("body_bytes").Value(page.body_bytes).EndObject();
}

void WriteUrls(const UrlCounts& counts, JsonWriter& json) {
  const auto of = [&counts](LinkStatus status) {
    return counts.by_status[static_cast<size_t>(status)];
  };
  json.BeginObject().Key("not_crawled").Value(of(LinkStatus::kNotCrawled));
  json.Key("queued").Value(of(LinkStatus::kQueued)).Key("crawled").Value(of(LinkStatus::kCrawled));
  json.Key("error").Value(of(LinkStatus::kError)).Key("gone").Value(of(LinkStatus::kGone));
  json.Key("counted").Value(counts.counted).EndObject();
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

void WriteQueue(const DomainReport& report, WallTime now, JsonWriter& json) {
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

void WriteRobots(const RobotsFile& file, JsonWriter& json) {
  json.BeginObject().Key("host").Value(file.host);
  json.Key("fetched_at_ms").Value(UnixMs(file.fetched_at));
  json.Key("outcome").Value(RobotsOutcomeName(file.outcome)).Key("status").Value(file.status);
  json.Key("crawl_delay_ms");
  if (file.crawl_delay.has_value()) {
    json.Value(file.crawl_delay->count());
  } else {
    json.Null();
  }
  json.Key("sitemaps").BeginArray();
  for (const std::string& sitemap : file.sitemaps) json.Value(sitemap);
  json.EndArray().Key("text");
  if (file.text.has_value()) {
    json.Value(*file.text);
  } else {
    json.Null();
  }
  json.Key("text_is_cut").Value(file.text.has_value() && file.text->size() < file.bytes);
  json.Key("bytes").Value(file.bytes).EndObject();
}

void WriteDomain(const DomainFacts& domain, JsonWriter& json) {
  json.Key("domain").Value(domain.domain).Key("slot").Value(domain.slot.value());
  json.Key("partition").Value(domain.partition.value());
}

// `write(part)`, or null.
template <typename Part, typename Write>
void WriteOrNull(const std::optional<Part>& part, JsonWriter& json, Write write) {
  if (part.has_value()) {
    write(*part);
  } else {
    json.Null();
  }
}

}  // namespace

std::string_view LinkStatusName(LinkStatus status) {
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

void WriteOutcome(const Outcome& outcome, JsonWriter& json) {
  json.BeginObject().Key("url").Value(outcome.url).Key("time_ms").Value(UnixMs(outcome.time));
  json.Key("status");
  if (outcome.status != 0) {
    json.Value(outcome.status);
  } else {
    json.Null();
  }
  json.Key("cause");
  if (outcome.cause.has_value()) {
    json.Value(FailureCauseName(*outcome.cause));
  } else {
    json.Null();
  }
  json.Key("latency_ms").Value(outcome.latency.count());
  json.Key("bytes").Value(outcome.bytes).EndObject();
}

std::string UrlJson(const UrlFacts& facts) {
  std::string text;
  JsonWriter json(&text);
  json.BeginObject().Key("url").Value(facts.url);
  WriteDomain(facts.domain, json);
  json.Key("fingerprint").Value(facts.fingerprint.ToHex()).Key("link");
  WriteOrNull(facts.link, json, [&](const LinkState& link) { WriteLink(link, json); });
  json.Key("failure");
  WriteOrNull(facts.failure, json, [&](const LastFailure& failed) { WriteFailure(failed, json); });
  json.Key("queued");
  WriteOrNull(facts.queued, json, [&](const QueuedRequest& queued) { WriteQueued(queued, json); });
  json.Key("page");
  WriteOrNull(facts.page, json, [&](const PageFacts& page) { WritePage(page, json); });
  json.EndObject();
  return text;
}

std::string DomainJson(const DomainFacts& facts, WallTime now, const DomainOutcomes* outcomes) {
  std::string text;
  JsonWriter json(&text);
  json.BeginObject();
  WriteDomain(facts, json);
  json.Key("record");
  WriteOrNull(facts.record, json, [&](const DomainRecord& record) { WriteRecord(record, json); });
  json.Key("urls");
  WriteOrNull(facts.urls, json, [&](const UrlCounts& urls) { WriteUrls(urls, json); });
  json.Key("robots").BeginObject().Key("files").BeginArray();
  for (const RobotsFile& file : facts.robots.files) WriteRobots(file, json);
  json.EndArray().Key("has_more").Value(facts.robots.has_more).EndObject();
  json.Key("queue");
  WriteOrNull(facts.queue, json, [&](const DomainReport& queue) { WriteQueue(queue, now, json); });
  if (outcomes != nullptr) {
    json.Key("outcomes").BeginArray();
    for (const Outcome& outcome : outcomes->outcomes) WriteOutcome(outcome, json);
    json.EndArray().Key("outcomes_read_back_to_ms").Value(UnixMs(outcomes->read_back_to));
  }
  json.EndObject();
  return text;
}

}  // namespace orbweaver
