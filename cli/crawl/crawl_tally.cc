#include "cli/crawl/crawl_tally.h"

#include <algorithm>
#include <variant>

#include "common/base/text.h"
#include "common/model/own_request.h"
#include "spider/fetch/failure_cause.h"
#include "spider/publish/outcome_encoder.h"
#include "strategy_worker/core/event_view.h"

namespace orbweaver {
namespace {

// The host was not reached.
bool IsOfTheWay(FailureCause cause) {
  switch (cause) {
    case FailureCause::kDns:
    case FailureCause::kDnsTemporary:
    case FailureCause::kRefused:
    case FailureCause::kUnreachable:
    case FailureCause::kTimeoutConnect:
    case FailureCause::kTimeoutTls:
    case FailureCause::kTls:
    case FailureCause::kTlsCertificate:
      return true;
    default:
      return false;
  }
}

}  // namespace

void CrawlTally::Add(const SpiderLogEntry& entry) {
  if (const auto* const page = std::get_if<PageFetched>(&entry.event)) {
    received_bytes_ += page->received_bytes;
    if (IsRedirect(page->status)) return AddRedirect(*page);
    const OwnRequest own = OwnRequestOf(page->request.meta);
    const bool is_page = IsPage(own, page->content_type);
    ++(is_page ? pages_ : own.IsAsset() ? assets_ : sitemaps_);
    links_ += page->links_inside + page->links_outside;
    ++by_status_[page->status];
    Domain* const domain = is_page ? FindDomain(entry.domain) : nullptr;
    if (domain != nullptr) ++domain->pages;
    if (!unreachable_.empty()) NoteReached(page->request.url);
  } else if (const auto* const failed = std::get_if<FetchFailed>(&entry.event)) {
    AddFailure(entry, *failed);
  } else if (std::holds_alternative<Deferred>(entry.event)) {
    ++deferred_;
  }
}

void CrawlTally::AddRedirect(const PageFetched& page) {
  ++redirects_;
  ++by_status_[page.status];
  const bool is_of_seed = page.request.depth == 0 && !page.redirects.empty();
  if (is_of_seed && seed_redirects_.size() < kExamples) {
    seed_redirects_.push_back(
        {.from = std::string(page.request.url), .to = std::string(page.redirects.back().url)});
  }
}

void CrawlTally::NoteReached(std::string_view url) {
  std::erase_if(unreachable_, [origin = OriginOf(url)](const Unreachable& host) {
    return host.origin == origin;
  });
}

void CrawlTally::AddFailure(const SpiderLogEntry& entry, const FetchFailed& failed) {
  const bool is_ours = IsOfOurOwn(failed.cause);
  ++(is_ours ? put_by_ : failed_);
  if (IsOfTheWay(failed.cause) && unreachable_.size() < kMostUnreachable) {
    const std::string_view url = failed.final_url.empty() ? failed.request.url : failed.final_url;
    NoteReached(url);
    unreachable_.push_back(
        {.origin = std::string(OriginOf(url)), .message = std::string(failed.message)});
  }
  if (failed.status != 0) ++by_status_[failed.status];
  Failures& failures = by_cause_[failed.cause];
  ++failures.count;
  if (failures.examples.size() < kExamples) {
    failures.examples.push_back(
        {.url = std::string(failed.request.url), .message = std::string(failed.message)});
  }
  Domain* const domain = is_ours ? nullptr : FindDomain(entry.domain);
  if (domain != nullptr) ++domain->failed;
}

CrawlTally::Domain* CrawlTally::FindDomain(std::string_view domain) {
  const auto found = domains_.find(ToAbsl(domain));
  if (found != domains_.end()) return &found->second;
  if (domains_.size() >= kMostDomains) return nullptr;
  return &domains_[std::string(domain)];
}

std::vector<std::pair<std::string, CrawlTally::Domain>> CrawlTally::TopDomains(size_t count) const {
  std::vector<std::pair<std::string, Domain>> top(std::min(count, domains_.size()));
  std::partial_sort_copy(domains_.begin(), domains_.end(), top.begin(), top.end(),
                         [](const auto& a, const auto& b) {
                           if (a.second.pages != b.second.pages) {
                             return a.second.pages > b.second.pages;
                           }
                           return a.first < b.first;
                         });
  return top;
}

}  // namespace orbweaver
