#include "lab/report/recorded_pages.h"

#include <algorithm>
#include <chrono>
#include <span>
#include <tuple>
#include <variant>

#include "common/base/status.h"
#include "common/model/exploration.h"
#include "common/url/fingerprint.h"

namespace orbweaver::lab {
namespace {

// 1: the strategy chose the URL itself.
double ProbabilityOf(std::span<const Meta> meta) {
  constexpr double kLeast = 1e-6;
  const auto exploration = ExplorationOf(meta);
  return exploration.has_value() ? std::max(exploration->probability, kLeast) : 1;
}

bool CountsInGraph(const Link& link) {
  return link.kind != LinkKind::kEmbed &&
         (link.rel & (kRelNofollow | kRelUgc | kRelSponsored)) == 0;
}

std::string_view EndingOf(CrawlEnd end) {
  switch (end) {
    case CrawlEnd::kNothingLeft:
      return "nothing left to fetch";
    case CrawlEnd::kBudget:
      return "budget spent";
    case CrawlEnd::kTime:
      return "time over";
    default:
      return "stopped before its end";
  }
}

}  // namespace

absl::StatusOr<std::unique_ptr<RecordedPages>> RecordedPages::Read(
    const RecordedWeb& web, const PageValue& value,
    absl::FunctionRef<bool(uint64_t fetches)> go_on) {
  std::unique_ptr<RecordedPages> pages(new RecordedPages(web, value));
  RecordedAnswer answer;
  std::vector<VisitFacts> visits;
  uint64_t fetches = 0;
  double largest = 0;
  for (uint32_t url = 0; url < web.urls(); ++url) {
    if (url % 256 == 0 && !go_on(fetches)) return absl::CancelledError("stopped");
    visits.clear();
    pages->targets_.clear();
    pages->probability_ = 1;
    RETURN_IF_ERROR(pages->ReadUrl(url, &answer, &visits));
    fetches += visits.size();
    for (const VisitFacts& visit : visits) largest = std::max<double>(largest, visit.value);
    const auto recorded = web.VisitsOf(url);
    pages->table_.AddUrl(pages->table_.Domain(web.DomainOf(url)), recorded[0].depth,
                         pages->probability_, visits);
    pages->table_.links().AddPage(pages->targets_);
  }
  pages->contents_ = {};
  pages->table_.set_largest_value(value.is_default() ? 1 : largest);
  if (value.has_scores()) pages->table_.set_has_scores();
  pages->table_.Finish(!value.is_default());
  return pages;
}

absl::Status RecordedPages::ReadUrl(uint32_t url, RecordedAnswer* answer,
                                    std::vector<VisitFacts>* visits) {
  const auto recorded = web_.VisitsOf(url);
  for (uint32_t visit = 0; visit < recorded.size(); ++visit) {
    RETURN_IF_ERROR(web_.ReadVisit(url, visit, answer));
    VisitFacts facts{.at_ms = (recorded[visit].at - web_.begin()).count()};
    std::span<const Meta> meta;
    if (const auto* const page = std::get_if<PageFetched>(&answer->outcome.event)) {
      meta = page->request.meta;
      if (page->not_modified && !visits->empty()) {
        facts.content = visits->back().content;
        facts.value = visits->back().value;
      } else {
        facts.content = ContentOf(page->content_hash);
        facts.value =
            static_cast<float>(value_.Of({.page = *page, .domain = answer->outcome.domain}));
        targets_.clear();
        for (const SpiderLogEntry& entry : answer->links) {
          for (const Link& link : std::get<LinksFound>(entry.event).links) {
            if (CountsInGraph(link)) targets_.push_back(NodeOf(link.url));
          }
        }
      }
    } else if (const auto* const failed = std::get_if<FetchFailed>(&answer->outcome.event)) {
      meta = failed->request.meta;
    }
    if (visit == 0) probability_ = ProbabilityOf(meta);
    visits->push_back(facts);
  }
  return absl::OkStatus();
}

uint32_t RecordedPages::NodeOf(std::string_view url) {
  if (const auto known = web_.Find(url)) return *known;
  const auto next = static_cast<uint32_t>(web_.urls() + linked_.size());
  return linked_.try_emplace(FingerprintOf(url).low, next).first->second;
}

uint32_t RecordedPages::ContentOf(const Fingerprint& content) {
  return contents_.try_emplace(content, static_cast<uint32_t>(contents_.size() + 1)).first->second;
}

CrawlFetches RecordedPages::FetchesOf(const CrawlTrace& trace) {
  CrawlFetches crawl{.name = trace.strategy,
                     .ending = std::string(EndingOf(trace.end)),
                     .fetches = {},
                     .urls = static_cast<uint32_t>(web_.urls() + trace.unknown.size()),
                     .took = trace.took,
                     .idle = trace.idle};
  crawl.fetches.reserve(trace.fetches.size());
  // Of this crawl's unknown URLs.
  struct Unknown {
    uint32_t node = kNoUrl;
    uint32_t domain = 0;
    float score = 0;
  };
  std::vector<Unknown> unknown;
  for (const UnknownUrl& url : trace.unknown) {
    const auto linked = linked_.find(FingerprintOf(url.url).low);
    unknown.push_back({.node = linked == linked_.end() ? kNoUrl : linked->second,
                       .domain = table_.Domain(url.domain),
                       .score = static_cast<float>(value_.ScoreOf(url.url))});
  }
  for (const TracedFetch& fetch : trace.fetches) {
    const auto began_ms = std::chrono::floor<std::chrono::milliseconds>(fetch.at).count();
    CrawlFetch to{.began_ms = began_ms,
                  .at_ms = began_ms + fetch.took_ms,
                  .url = fetch.url,
                  .node = fetch.url,
                  .visit = fetch.visit,
                  .depth = fetch.depth,
                  .is_page = fetch.outcome == FetchOutcome::kPage ||
                             fetch.outcome == FetchOutcome::kNotModified};
    if (fetch.url < web_.urls()) {
      to.domain = table_.DomainOf(fetch.url);
    } else {
      const Unknown& of = unknown[fetch.url - web_.urls()];
      to.node = of.node;
      to.domain = of.domain;
      to.score = of.score;
    }
    crawl.fetches.push_back(to);
  }
  std::ranges::sort(crawl.fetches, {}, [](const CrawlFetch& fetch) {
    return std::tuple(fetch.at_ms, fetch.began_ms, fetch.url, fetch.visit);
  });
  return crawl;
}

}  // namespace orbweaver::lab
