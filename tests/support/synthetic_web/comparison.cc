#include "tests/support/synthetic_web/comparison.h"

namespace orbweaver::synthetic {
namespace {

constexpr size_t kExamples = 10;

void Add(const Paths& paths, const Place& place, Comparison::Finding* finding) {
  ++finding->count;
  if (finding->examples.size() < kExamples) finding->examples.push_back(paths.UrlOf(place));
}

}  // namespace

Comparison Compare(const Reachable& reachable, const Ledger& ledger) {
  const Web& web = reachable.web();
  Comparison result;
  reachable.ForEach([&](const Place& place, Outcome outcome) {
    if (!ReachesServer(outcome)) return;
    const uint32_t needed = web.FailuresBefore(place) + 1;
    const uint32_t requests = ledger.RequestsOf(place);
    if (requests == 0) {
      Add(web.paths(), place, &result.missing);
    } else if (requests < needed) {
      Add(web.paths(), place, &result.unfinished);
    } else {
      ++result.crawled;
      result.repeated += requests - needed;
      if (outcome == Outcome::kPage) result.repeated_pages += requests - needed;
    }
  });
  ledger.ForEach([&](const Place& place, uint32_t) {
    if (IsRobotsText(place.kind)) return;
    if (!web.IsAllowed(place)) {
      Add(web.paths(), place, &result.forbidden);
    } else if (place.kind == Place::Kind::kDay && web.options().calendar_days == 0) {
      return;
    } else if (!reachable.Contains(place)) {
      Add(web.paths(), place, &result.unreachable);
    }
  });
  return result;
}

void WriteJson(const Comparison& comparison, JsonWriter* json) {
  const auto finding = [json](const char* name, const Comparison::Finding& found) {
    json->Key(name).BeginObject().Key("count").Value(found.count).Key("examples").BeginArray();
    for (const std::string& url : found.examples) json->Value(url);
    json->EndArray().EndObject();
  };
  json->BeginObject().Key("equal").Value(comparison.equal());
  json->Key("crawled").Value(comparison.crawled);
  finding("missing", comparison.missing);
  finding("unfinished", comparison.unfinished);
  finding("forbidden", comparison.forbidden);
  finding("unreachable", comparison.unreachable);
  json->Key("repeated").Value(comparison.repeated);
  json->Key("repeated_pages").Value(comparison.repeated_pages).EndObject();
}

}  // namespace orbweaver::synthetic
