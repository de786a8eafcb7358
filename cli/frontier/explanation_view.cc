#include "cli/frontier/explanation_view.h"

#include <iterator>
#include <utility>

#include "cli/amounts.h"
#include "cli/frontier/inspect.h"
#include "cli/frontier/message_view.h"
#include "fmt/format.h"

#include "common/base/json.h"
#include "common/base/unix_ms.h"

namespace orbweaver {

namespace {

// The page whose link its last request was scheduled for; empty: not known.
std::string_view LinkedFrom(const UrlFacts& facts) {
  if (facts.queued.has_value()) return facts.queued->referrer;
  if (facts.failure.has_value()) return facts.failure->referrer;
  return facts.page.has_value() ? std::string_view(facts.page->referrer) : std::string_view();
}

}  // namespace

std::string ExplanationText(const UrlFacts& facts, const Explanation& explanation, WallTime now) {
  std::string text = fmt::format("{}\n  {}\n", facts.url, explanation.says);
  const auto add = [&text](std::string_view line) {
    fmt::format_to(std::back_inserter(text), "  {}\n", line);
  };
  for (const std::string& sentence : explanation.more) add(sentence);
  if (const std::string_view referrer = LinkedFrom(facts); !referrer.empty()) {
    add(fmt::format("linked from {}", referrer));
  }
  if (facts.link.has_value()) add(fmt::format("depth {}", facts.link->depth));
  const DomainFacts& domain = facts.domain;
  if (domain.record.has_value()) {
    add(fmt::format("domain {}: {} known, {} fetched, {} failed", domain.domain,
                    Count(domain.record->known_urls, "URL"), Count(domain.record->fetched),
                    Count(domain.record->failed)));
  }
  add(fmt::format("slot {}, partition {}, fingerprint {}, as of {}", domain.slot.value(),
                  domain.partition.value(), facts.fingerprint.ToHex(), TimeText(now)));
  return text;
}

std::string ExplanationJson(const UrlFacts& facts, const Explanation& explanation) {
  std::string text;
  JsonWriter json(&text);
  json.BeginObject().Key("answer").Value(UrlAnswerName(explanation.answer));
  json.Key("says").Value(explanation.says).Key("more").BeginArray();
  for (const std::string& sentence : explanation.more) json.Value(sentence);
  json.EndArray();
  for (const auto& [name, time] :
       {std::pair("soonest_ms", explanation.soonest), std::pair("likely_ms", explanation.likely)}) {
    json.Key(name);
    if (time.has_value()) {
      json.Value(UnixMs(*time));
    } else {
      json.Null();
    }
  }
  json.Key("linked_from");
  if (const std::string_view referrer = LinkedFrom(facts); !referrer.empty()) {
    json.Value(referrer);
  } else {
    json.Null();
  }
  json.Key("facts").Raw(UrlJson(facts)).EndObject();
  return text;
}

}  // namespace orbweaver
