#include "cli/crawl/crawl_run.h"

#include <chrono>
#include <utility>

namespace orbweaver {
namespace {

double Seconds(Duration duration) { return std::chrono::duration<double>(duration).count(); }

void WriteLook(const CrawlSnapshot& look, JsonWriter& json) {
  json.BeginObject().Key("state").Value(look.state).Key("elapsed_s").Value(Seconds(look.elapsed));
  json.Key("pages").Value(look.pages).Key("pages_per_s").Value(look.pages_per_s);
  json.Key("bytes").Value(look.bytes).Key("bytes_per_s").Value(look.bytes_per_s);
  json.Key("failed").Value(look.failed).Key("put_by").Value(look.put_by);
  json.Key("fetching").Value(look.fetching);
  json.Key("paused_partitions").Value(look.paused_partitions);
  json.Key("no_way_out").Value(look.no_way_out).Key("errors").BeginArray();
  for (const auto& [cause, count] : look.errors) {
    json.BeginObject().Key("cause").Value(cause).Key("count").Value(count).EndObject();
  }
  json.EndArray().Key("unreachable").BeginArray();
  for (const auto& [origin, why] : look.unreachable) {
    json.BeginObject().Key("origin").Value(origin).Key("why").Value(why).EndObject();
  }
  json.EndArray().Key("slowest").BeginArray();
  for (const auto& [domain, took] : look.slowest) {
    json.BeginObject().Key("domain").Value(domain).Key("took_s").Value(Seconds(took)).EndObject();
  }
  json.EndArray().EndObject();
}

}  // namespace

void CrawlRun::Set(CrawlSnapshot look) {
  absl::MutexLock lock(&mutex_);
  look_ = std::move(look);
}

void CrawlRun::Write(JsonWriter& json) const {
  absl::MutexLock lock(&mutex_);
  if (look_.has_value()) {
    WriteLook(*look_, json);
  } else {
    json.Null();
  }
}

}  // namespace orbweaver
