#include "lab/crawl/recorded_web.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "common/base/status.h"
#include "common/base/text.h"
#include "common/bus/topics.h"
#include "common/url/fingerprint.h"
#include "lab/replay/merged_log.h"
#include "spider/publish/outcome_encoder.h"

namespace orbweaver::lab {
namespace {

constexpr uint64_t kAskEvery = 4096;  // events

std::string_view PathOf(std::string_view url) { return url.substr(OriginOf(url).size()); }
std::string_view HostOf(std::string_view url) { return HostAndPort(OriginOf(url)); }

RecordedVisit VisitOf(const PageFetched& page) {
  return {.took_ms = static_cast<uint32_t>(page.total.count()),
          .depth = page.request.depth,
          .status = static_cast<uint16_t>(page.status),
          .outcome = page.not_modified ? FetchOutcome::kNotModified : FetchOutcome::kPage};
}

RecordedVisit VisitOf(const FetchFailed& failed) {
  return {.took_ms = static_cast<uint32_t>(failed.total.count()),
          .depth = failed.request.depth,
          .status = static_cast<uint16_t>(failed.status),
          .outcome = FetchOutcome::kFailed};
}

}  // namespace

// Reads the log once into the file, then orders what it has read by URL and time.
class RecordedWeb::Builder {
 public:
  explicit Builder(RecordedWeb& web) : web_(web) {}

  absl::Status Add(const Message& message);
  absl::Status Finish();

 private:
  // An entry in the file. Links are told after their page, often in another partition, whose
  // records may be read before: so they are matched by URL and time.
  struct Entry {
    Fingerprint url;
    WallTime time;
    SpillFile::Extent extent;
    bool is_links = false;
  };
  struct Group {  // entries of a URL
    size_t first = 0;
    size_t end = 0;
    uint32_t domain = 0;
  };

  absl::Status Keep(std::string_view value, const SpiderLogEntry& entry, WallTime at);
  absl::Status KeepOutcome(const Request& request, const SpiderLogEntry& entry, WallTime at);
  absl::Status AddUrl(const Group& group);
  absl::Status ReadEntry(const Entry& entry);

  RecordedWeb& web_;
  std::vector<Entry> entries_;
  Arena arena_;
  std::string bytes_;
  SpiderLogEntry decoded_;
  EncodeBuffer buffer_;
};

absl::Status RecordedWeb::Builder::Add(const Message& message) {
  arena_.Reset();
  // As the strategy worker, which keeps such an entry in dead-letter.
  if (!Decode(message.value, &arena_, &decoded_).ok()) {
    ++web_.unreadable_;
    return absl::OkStatus();
  }
  const WallTime at = decoded_.time == WallTime() ? message.time : decoded_.time;
  if (web_.events_++ == 0) web_.begin_ = at;
  web_.begin_ = std::min(web_.begin_, at);
  web_.end_ = std::max(web_.end_, at);
  return Keep(message.value, decoded_, at);
}

absl::Status RecordedWeb::Builder::Keep(std::string_view value, const SpiderLogEntry& entry,
                                        WallTime at) {
  if (const auto* const page = std::get_if<PageFetched>(&entry.event)) {
    web_.hosts_.AddAddress(HostOf(page->request.url), page->remote_address);
    SpiderLogEntry without_body = entry;
    std::get<PageFetched>(without_body.event).body = {};
    return KeepOutcome(page->request, without_body, at);
  }
  if (const auto* const failed = std::get_if<FetchFailed>(&entry.event)) {
    if (failed->cause == FailureCause::kRobots) {
      const std::string_view url =
          failed->final_url.empty() ? failed->request.url : failed->final_url;
      web_.hosts_.AddForbidden(HostOf(url), PathOf(url), failed->message);
      return absl::OkStatus();
    }
    // Says nothing of the URL either, which was not asked.
    if (failed->cause == FailureCause::kRobotsUnreachable) return absl::OkStatus();
    return KeepOutcome(failed->request, entry, at);
  }
  if (const auto* const links = std::get_if<LinksFound>(&entry.event)) {
    web_.links_ += links->links.size();
    ASSIGN_OR_RETURN(const auto extent, web_.file_->Append(value));
    entries_.push_back({FingerprintOf(links->source.url), at, extent, true});
  } else if (const auto* const facts = std::get_if<HostFacts>(&entry.event)) {
    web_.hosts_.AddFacts(*facts, at);
  } else if (std::holds_alternative<Seeds>(entry.event)) {
    web_.seeds_.push_back(
        {.at = at, .domain = std::string(entry.domain), .value = std::string(value)});
  }
  return absl::OkStatus();
}

absl::Status RecordedWeb::Builder::KeepOutcome(const Request& request, const SpiderLogEntry& entry,
                                               WallTime at) {
  ASSIGN_OR_RETURN(const std::string_view value, Encode(entry, &buffer_));
  ASSIGN_OR_RETURN(const auto extent, web_.file_->Append(value));
  entries_.push_back({FingerprintOf(request.url), at, extent, false});
  return absl::OkStatus();
}

absl::Status RecordedWeb::Builder::ReadEntry(const Entry& entry) {
  bytes_.clear();
  arena_.Reset();
  RETURN_IF_ERROR(web_.file_->Read(entry.extent, &bytes_));
  return Decode(bytes_, &arena_, &decoded_);
}

absl::Status RecordedWeb::Builder::Finish() {
  RETURN_IF_ERROR(web_.file_->Flush());
  std::ranges::sort(entries_, [](const Entry& a, const Entry& b) {
    return std::tie(a.url, a.time, a.is_links, a.extent.offset) <
           std::tie(b.url, b.time, b.is_links, b.extent.offset);
  });
  std::vector<Group> groups;
  for (size_t i = 0; i < entries_.size();) {
    Group group{.first = i};
    size_t outcome = entries_.size();
    for (; i < entries_.size() && entries_[i].url == entries_[group.first].url; ++i) {
      if (!entries_[i].is_links) outcome = std::min(outcome, i);
    }
    group.end = i;
    if (outcome == entries_.size()) continue;  // its page was not recorded
    RETURN_IF_ERROR(ReadEntry(entries_[outcome]));
    const auto next = static_cast<uint32_t>(web_.domains_.size());
    const auto [domain, is_new] = web_.by_domain_.emplace(std::string(decoded_.domain), next);
    if (is_new) web_.domains_.emplace_back(decoded_.domain);
    group.domain = domain->second;
    groups.push_back(group);
  }
  std::ranges::sort(groups, [](const Group& a, const Group& b) {
    return std::tie(a.domain, a.first) < std::tie(b.domain, b.first);
  });
  web_.ranges_.resize(web_.domains_.size());
  web_.by_fingerprint_.reserve(groups.size());
  for (const Group& group : groups) RETURN_IF_ERROR(AddUrl(group));
  web_.first_entry_.push_back(static_cast<uint32_t>(web_.entries_.size()));
  for (const Url& url : web_.urls_) {
    const std::string_view text = std::string_view(web_.texts_).substr(url.text, url.text_size);
    const auto visits = std::span(web_.visits_).subspan(url.first_visit, url.visits);
    const bool was_fetched =
        std::ranges::any_of(visits, [](const RecordedVisit& visit) { return visit.status != 0; });
    if (was_fetched) web_.hosts_.Allow(HostOf(text), PathOf(text));
  }
  return absl::OkStatus();
}

absl::Status RecordedWeb::Builder::AddUrl(const Group& group) {
  const auto number = static_cast<uint32_t>(web_.urls_.size());
  Url url{.domain = group.domain, .first_visit = static_cast<uint32_t>(web_.visits_.size())};
  std::vector<SpillFile::Extent> early;  // links that a clock put before their page
  for (size_t i = group.first; i < group.end; ++i) {
    const Entry& entry = entries_[i];
    if (entry.is_links) {
      (web_.visits_.size() == url.first_visit ? early : web_.entries_).push_back(entry.extent);
      continue;
    }
    RETURN_IF_ERROR(ReadEntry(entry));
    const auto* const page = std::get_if<PageFetched>(&decoded_.event);
    RecordedVisit visit =
        page != nullptr ? VisitOf(*page) : VisitOf(std::get<FetchFailed>(decoded_.event));
    visit.at = entry.time;
    if (web_.visits_.size() == url.first_visit) {
      const std::string_view text =
          page != nullptr ? page->request.url : std::get<FetchFailed>(decoded_.event).request.url;
      url.text = web_.texts_.size();
      url.text_size = static_cast<uint32_t>(text.size());
      web_.texts_ += text;
    }
    web_.visits_.push_back(visit);
    web_.first_entry_.push_back(static_cast<uint32_t>(web_.entries_.size()));
    web_.entries_.push_back(entry.extent);
    web_.entries_.insert(web_.entries_.end(), early.begin(), early.end());
    early.clear();
  }
  url.visits = static_cast<uint32_t>(web_.visits_.size()) - url.first_visit;
  web_.urls_.push_back(url);
  web_.by_fingerprint_.emplace(entries_[group.first].url, number);
  UrlRange& range = web_.ranges_[group.domain];
  if (range.end == 0) range.first = number;
  range.end = number + 1;
  return absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<RecordedWeb>> RecordedWeb::Read(
    const Recording& recording, const std::filesystem::path& work,
    absl::FunctionRef<bool(uint64_t events)> go_on) {
  std::unique_ptr<RecordedWeb> web(new RecordedWeb);
  ASSIGN_OR_RETURN(web->file_, SpillFile::Create(work));
  Builder builder(*web);
  MergedLog log(recording, kSpiderLogTopic, /*skip_damaged=*/false);
  while (true) {
    ASSIGN_OR_RETURN(const Message* const message, log.Peek());
    if (message == nullptr) break;
    RETURN_IF_ERROR(builder.Add(*message));
    log.Pop();
    if (web->events_ % kAskEvery == 0 && !go_on(web->events_)) {
      return absl::CancelledError("stopped");
    }
  }
  RETURN_IF_ERROR(builder.Finish());
  if (web->urls_.empty()) {
    return FatalError("crawl the recording {}: no page was recorded in it",
                      recording.path().string());
  }
  return web;
}

std::optional<uint32_t> RecordedWeb::Find(std::string_view url) const {
  const auto found = by_fingerprint_.find(FingerprintOf(url));
  if (found == by_fingerprint_.end()) return std::nullopt;
  return found->second;
}

std::string_view RecordedWeb::UrlOf(uint32_t url) const {
  return std::string_view(texts_).substr(urls_[url].text, urls_[url].text_size);
}

std::string_view RecordedWeb::DomainOf(uint32_t url) const { return domains_[urls_[url].domain]; }

std::span<const RecordedVisit> RecordedWeb::VisitsOf(uint32_t url) const {
  return std::span(visits_).subspan(urls_[url].first_visit, urls_[url].visits);
}

RecordedWeb::UrlRange RecordedWeb::UrlsOf(std::string_view domain) const {
  const auto found = by_domain_.find(ToAbsl(domain));
  return found == by_domain_.end() ? UrlRange() : ranges_[found->second];
}

absl::Status RecordedWeb::ReadVisit(uint32_t url, uint32_t visit, RecordedAnswer* answer) const {
  const uint32_t index = urls_[url].first_visit + visit;
  const auto extents = std::span(entries_).subspan(first_entry_[index],
                                                   first_entry_[index + 1] - first_entry_[index]);
  answer->bytes.clear();
  answer->arena.Reset();
  for (const SpillFile::Extent& extent : extents) {
    RETURN_IF_ERROR(file_->Read(extent, &answer->bytes));
  }
  answer->links.resize(extents.size() - 1);
  size_t begin = 0;
  for (size_t i = 0; i < extents.size(); ++i) {
    const auto bytes = std::string_view(answer->bytes).substr(begin, extents[i].size);
    begin += extents[i].size;
    RETURN_IF_ERROR(
        Decode(bytes, &answer->arena, i == 0 ? &answer->outcome : &answer->links[i - 1]));
  }
  return absl::OkStatus();
}

}  // namespace orbweaver::lab
