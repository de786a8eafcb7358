#include "cli/frontier/message_view.h"

#include <optional>
#include <type_traits>
#include <variant>

#include "absl/strings/escaping.h"
#include "fmt/chrono.h"
#include "fmt/format.h"

#include "common/base/json.h"
#include "common/base/status.h"
#include "common/base/text.h"
#include "common/base/unix_ms.h"
#include "common/bus/topics.h"
#include "common/model/schema.h"
#include "common/model/scoring_log.h"
#include "common/model/spider_feed.h"
#include "common/model/spider_log.h"
#include "common/model/stats.h"
#include "common/protocol/dead_letters.h"
#include "spider/fetch/failure_cause.h"

namespace orbweaver {
namespace {

// Writes what messages are made of; keeps the URLs by the way.
class Writer {
 public:
  explicit Writer(MessageView* view) : view_(view), json_(&view->detail) { json_.BeginObject(); }

  void Type(std::string_view type) { view_->type = type; }
  template <typename T>
  void Add(std::string_view key, const T& value) {
    json_.Key(key).Value(value);
  }
  void Url(std::string_view key, std::string_view url) {
    if (url.empty()) return;
    view_->urls.push_back(url);
    json_.Key(key).Value(url);
  }
  void Text(std::string_view key, std::string_view text) {
    if (!text.empty()) json_.Key(key).Value(text);
  }
  void Time(std::string_view key, WallTime time) {
    if (time != WallTime()) json_.Key(key).Value(UnixMs(time));
  }
  void End() { json_.EndObject(); }
  JsonWriter& json() { return json_; }

  void Meta(std::span<const orbweaver::Meta> meta) {
    if (meta.empty()) return;
    json_.Key("meta").BeginObject();
    for (const auto& [key, value] : meta) json_.Key(key).Value(value);
    json_.EndObject();
  }

  void Add(const Request& request) {
    Url("url", request.url);
    Add("depth", request.depth);
    Add("score", static_cast<double>(request.score));
    Add("attempt", request.attempt);
    Add("band", request.band);
    Add("seq", request.seq);
    Add("index", request.index);
    Text("referrer", request.referrer);
    Meta(request.meta);
  }
  void Add(const Marker& marker) {
    Type("marker");
    Text("owner", marker.owner);
    Time("written_at_ms", marker.written_at);
  }

  void Add(const Seeds& seeds) {
    Type("seeds");
    json_.Key("seeds").BeginArray();
    for (const Seed& seed : seeds.seeds) {
      view_->urls.push_back(seed.url);
      json_.Value(seed.url);
    }
    json_.EndArray();
  }
  void Add(const PageFetched& page) {
    Type("page_fetched");
    Add(page.request);
    Add("status", page.status);
    if (page.final_url != page.request.url) Url("final_url", page.final_url);
    Time("fetched_at_ms", page.fetched_at);
    Add("total_ms", page.total.count());
    Add("received_bytes", page.received_bytes);
    Add("body_bytes", page.body_bytes);
    Text("content_type", page.content_type);
    Text("title", page.title);
    Text("robots_directives", page.robots_directives);
    Text("canonical_url", page.canonical_url);
    Add("links_inside", page.links_inside);
    Add("links_outside", page.links_outside);
    if (page.not_modified) Add("not_modified", true);
  }
  void Add(const LinksFound& found) {
    Type("links_found");
    Url("source", found.source.url);
    Add("depth", found.source.depth);
    json_.Key("links").BeginArray();
    for (const Link& link : found.links) {
      view_->urls.push_back(link.url);
      json_.Value(link.url);
    }
    json_.EndArray();
  }
  void Add(const FetchFailed& failed) {
    Type("fetch_failed");
    Add(failed.request);
    Add("cause", FailureCauseName(failed.cause));
    Add("status", failed.status);
    Text("message", failed.message);
    if (failed.retry_after) Add("retry_after_ms", failed.retry_after->count());
    Time("failed_at_ms", failed.failed_at);
    Add("total_ms", failed.total.count());
  }
  void Add(const Deferred& deferred) {
    Type("deferred");
    Add(deferred.request);
    Time("not_before_ms", deferred.not_before);
    Add("reason", static_cast<int32_t>(deferred.reason));
  }
  void Add(const HostFacts& facts) {
    Type("host_facts");
    Text("host", facts.host);
    Add("robots", static_cast<int32_t>(facts.robots));
    Add("robots_status", facts.robots_status);
    if (facts.crawl_delay) Add("crawl_delay_ms", facts.crawl_delay->count());
    if (facts.retry_after) Add("retry_after_ms", facts.retry_after->count());
    Add("dns", static_cast<int32_t>(facts.dns));
    json_.Key("sitemaps").BeginArray();
    for (const std::string_view sitemap : facts.sitemaps) json_.Value(sitemap);
    json_.EndArray();
    if (facts.robots_txt) Add("robots_txt_bytes", facts.robots_txt_bytes);
    Time("observed_at_ms", facts.observed_at);
  }
  void Add(const DomainOrder& order) {
    Type("domain_order");
    // 0, too, says something: the end of a block.
    if (order.blocked_until) Add("blocked_until_ms", UnixMs(*order.blocked_until));
    Add("purge", order.purge);
  }
  void Add(const UrlOrder& order) {
    Type("url_order");
    Url("url", order.url);
    Add("fetch_again", order.fetch_again);
    Add("score", static_cast<double>(order.score));
    Time("not_before_ms", order.not_before);
    Text("referrer", order.referrer);
    Meta(order.meta);
  }
  void Add(const ScheduleRequests& schedule) {
    Type("schedule");
    Add("source_offset", schedule.source_offset.value());
    Add("part", schedule.part);
    if (schedule.domain_update.has_value()) {
      const DomainUpdate& update = *schedule.domain_update;
      json_.Key("domain_update").BeginObject();
      if (update.crawl_delay) Add("crawl_delay_ms", update.crawl_delay->count());
      if (update.blocked_until) Add("blocked_until_ms", UnixMs(*update.blocked_until));
      Add("back_off", update.back_off);
      Add("purge", update.purge);
      json_.EndObject();
    }
    json_.Key("requests").BeginArray();
    for (const ScheduledRequest& request : schedule.requests) {
      json_.BeginObject();
      Url("url", request.url);
      Add("depth", request.depth);
      Add("score", static_cast<double>(request.score));
      Add("attempt", request.attempt);
      Time("not_before_ms", request.not_before);
      Add("action", static_cast<int32_t>(request.action));
      Text("referrer", request.referrer);
      json_.EndObject();
    }
    json_.EndArray();
  }
  void Add(const WorkerStats& stats) {
    Type("worker_stats");
    Text("worker_id", stats.worker_id);
    Text("role", stats.role);
    Text("version", stats.version);
    Time("started_at_ms", stats.started_at);
    Time("reported_at_ms", stats.reported_at);
    json_.Key("counters").BeginObject();
    for (const CounterValue& counter : stats.counters) Add(counter.key, counter.value);
    json_.EndObject().Key("gauges").BeginObject();
    for (const GaugeValue& gauge : stats.gauges) Add(gauge.key, gauge.value);
    json_.EndObject();
  }

 private:
  MessageView* const view_;
  JsonWriter json_;
};

void WriteDeadLetter(const Message& message, Writer& writer) {
  if (const auto put_back = HeaderOf(message, kDeadLetterPutBackHeader); !put_back.empty()) {
    writer.Type("put_back");
    writer.Add("offsets", put_back);
    return;
  }
  writer.Type("dead_letter");
  writer.Add("from_topic", HeaderOf(message, kDeadLetterTopicHeader));
  writer.Add("from_partition", HeaderOf(message, kDeadLetterPartitionHeader));
  writer.Add("from_offset", HeaderOf(message, kDeadLetterOffsetHeader));
  writer.Add("cause", HeaderOf(message, kDeadLetterCauseHeader));
  writer.Text("cut_from_bytes", HeaderOf(message, kDeadLetterCutHeader));
  writer.Add("value_bytes", message.value.size());
}

template <typename Entry>
absl::Status WriteEntry(const Message& message, Arena* arena, Writer& writer) {
  RETURN_IF_ERROR(CheckSchema(HeaderOf(message, kSchemaHeader)));
  Entry entry;
  RETURN_IF_ERROR(Decode(message.value, arena, &entry));
  if constexpr (std::is_same_v<Entry, SpiderLogEntry>) {
    std::visit([&writer](const auto& event) { writer.Add(event); }, entry.event);
    writer.Time("time_ms", entry.time);
  } else if constexpr (std::is_same_v<Entry, WorkerStats>) {
    writer.Add(entry);
  } else {
    writer.Type("request");
    writer.Add("epoch", entry.epoch.value());
    std::visit([&writer](const auto& what) { writer.Add(what); }, entry.entry);
  }
  return absl::OkStatus();
}

absl::Status Write(std::string_view topic, const Message& message, Arena* arena, Writer& writer) {
  if (topic == kSpiderLogTopic) return WriteEntry<SpiderLogEntry>(message, arena, writer);
  if (topic == kScoringLogTopic) return WriteEntry<ScoringLogEntry>(message, arena, writer);
  if (topic == kSpiderFeedTopic) return WriteEntry<SpiderFeedEntry>(message, arena, writer);
  if (topic == kStatsTopic) return WriteEntry<WorkerStats>(message, arena, writer);
  if (topic != kDeadLetterTopic) return PoisonError("a topic of others");
  WriteDeadLetter(message, writer);
  return absl::OkStatus();
}

std::string Base64(std::string_view bytes) { return absl::Base64Escape(ToAbsl(bytes)); }

}  // namespace

MessageView ViewMessage(std::string_view topic, const Message& message, Arena* arena) {
  MessageView view;
  Writer writer(&view);
  const absl::Status written = Write(topic, message, arena, writer);
  if (!written.ok()) {
    writer.Type("unreadable");
    writer.Add("why", MessageOf(written));
    writer.Add("value_bytes", message.value.size());
  }
  writer.End();
  return view;
}

std::string TimeText(WallTime time) {
  const auto ms = time.time_since_epoch().count();
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:03}Z",
                     fmt::gmtime(static_cast<std::time_t>(ms / 1000)), ms % 1000);
}

std::string MessageLine(std::string_view topic, const Message& message, const MessageView& view) {
  // Any bytes may be a key: as JSON they are one line, and valid.
  std::string key;
  AppendJsonString(message.key, &key);
  return fmt::format("{}/{}@{} {} {} {} {}", topic, message.partition, message.offset,
                     TimeText(message.time), std::string_view(key).substr(1, key.size() - 2),
                     view.type, view.detail);
}

std::string MessageJson(std::string_view topic, const Message& message, const MessageView& view) {
  std::string text;
  JsonWriter json(&text);
  json.BeginObject().Key("topic").Value(topic).Key("partition").Value(message.partition.value());
  json.Key("offset").Value(message.offset.value()).Key("time_ms").Value(UnixMs(message.time));
  json.Key("key").Value(message.key).Key("type").Value(view.type);
  json.Key("detail").Raw(view.detail).EndObject();
  return text;
}

std::string MessageRecord(std::string_view topic, const Message& message) {
  std::string text;
  JsonWriter json(&text);
  json.BeginObject().Key("topic").Value(topic).Key("partition").Value(message.partition.value());
  json.Key("offset").Value(message.offset.value()).Key("time_ms").Value(UnixMs(message.time));
  json.Key("key").Value(Base64(message.key)).Key("value").Value(Base64(message.value));
  json.Key("headers").BeginArray();
  for (const Header& header : message.headers) {
    json.BeginArray().Value(header.name).Value(Base64(header.value)).EndArray();
  }
  json.EndArray().EndObject();
  return text;
}

}  // namespace orbweaver
