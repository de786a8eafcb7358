#include "tests/support/synthetic_web/visit_recorder.h"

#include <cerrno>
#include <cstring>

#include "fmt/format.h"

#include "common/base/check.h"
#include "common/base/status.h"

namespace orbweaver::synthetic {
namespace {

constexpr size_t kLogBufferBytes = 1 << 20;

}  // namespace

absl::StatusOr<std::unique_ptr<VisitRecorder>> VisitRecorder::Create(const Web& web,
                                                                     const JudgeOptions& judge,
                                                                     const std::string& log_file) {
  std::FILE* log = nullptr;
  if (!log_file.empty()) {
    log = std::fopen(log_file.c_str(), "we");
    if (log == nullptr) return FatalError("write log '{}': {}.", log_file, std::strerror(errno));
    std::setvbuf(log, nullptr, _IOFBF, kLogBufferBytes);
  }
  return std::unique_ptr<VisitRecorder>(new VisitRecorder(web, judge, log));
}

VisitRecorder::VisitRecorder(const Web& web, const JudgeOptions& judge, std::FILE* log)
    : web_(web), ledger_(web.options()), judge_(judge), log_(log) {}

VisitRecorder::~VisitRecorder() {
  if (log_ != nullptr) std::fclose(log_);
}

std::string_view VisitRecorder::Note(const Place& place) const {
  if (IsRobotsText(place.kind)) return "robots";
  return place.kind == Place::Kind::kNoHost || web_.IsAllowed(place) ? "-" : "forbidden";
}

VisitRecorder::Begun VisitRecorder::Arrived(const Place& place, std::string_view host,
                                            std::string_view target, uint64_t connection,
                                            SteadyTime at) {
  const absl::MutexLock lock(&mutex_);
  Begun begun{.id = next_id_++, .attempt = ledger_.Count(place), .version = version_};
  Open open{.place = place, .arrival = at, .connection = connection};
  url_.clear();
  if (place.kind == Place::Kind::kNoHost || place.kind == Place::Kind::kUnknown) {
    url_.append("http://").append(host).append(target);
  } else {
    web_.paths().AppendUrl(place, &url_);
  }
  if (place.kind != Place::Kind::kNoHost) {
    if (const auto found = host_versions_.find(place.host); found != host_versions_.end()) {
      begun.version = found->second;
    }
    const HostTraits& traits = web_.hosts().TraitsOf(place.host);
    domain_.clear();
    host_.clear();
    address_.clear();
    web_.hosts().AppendDomain(place.host, &domain_);
    web_.hosts().AppendName(place.host, &host_);
    web_.hosts().AppendAddress(place.host, &address_);
    Visit visit{.domain = domain_, .host = host_, .address = address_, .url = url_};
    visit.robots_txt = IsRobotsText(place.kind);
    visit.forbidden = !web_.IsAllowed(place);
    if (traits.robots == RobotsKind::kCrawlDelay) visit.crawl_delay = web_.options().crawl_delay;
    open.judged = judge_.Arrived(visit, at);
  }
  if (log_ != nullptr) open.url = url_;
  open_.emplace(begun.id, std::move(open));
  return begun;
}

void VisitRecorder::Ended(uint64_t id, int status, std::optional<std::chrono::seconds> retry_after,
                          SteadyTime at) {
  const absl::MutexLock lock(&mutex_);
  const auto found = open_.find(id);
  CHECK(found != open_.end());
  if (found->second.judged != 0) judge_.Ended(found->second.judged, at, retry_after);
  if (log_ != nullptr) WriteLine(found->second, status, at);
  open_.erase(found);
}

void VisitRecorder::WriteLine(const Open& open, int status, SteadyTime at) {
  domain_ = host_ = address_ = "-";
  if (open.place.kind != Place::Kind::kNoHost) {
    domain_.clear();
    host_.clear();
    address_.clear();
    web_.hosts().AppendDomain(open.place.host, &domain_);
    web_.hosts().AppendName(open.place.host, &host_);
    web_.hosts().AppendAddress(open.place.host, &address_);
  }
  fmt::print(log_, "{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\n", open.arrival.time_since_epoch().count(),
             at.time_since_epoch().count(), status, open.connection, address_, domain_, host_,
             Note(open.place), open.url);
}

void VisitRecorder::SetVersion(uint32_t version) {
  const absl::MutexLock lock(&mutex_);
  version_ = version;
  host_versions_.clear();
}

void VisitRecorder::SetVersion(uint32_t host, uint32_t version) {
  const absl::MutexLock lock(&mutex_);
  host_versions_[host] = version;
}

void VisitRecorder::ClientDied(SteadyTime told_since) {
  const absl::MutexLock lock(&mutex_);
  judge_.ClientDied(told_since);
}

Verdict VisitRecorder::verdict() const {
  const absl::MutexLock lock(&mutex_);
  return judge_.verdict();
}

std::optional<Duration> VisitRecorder::LeastDomainInterval(std::string_view domain) const {
  const absl::MutexLock lock(&mutex_);
  return judge_.LeastDomainInterval(domain);
}

uint32_t VisitRecorder::RequestsOf(const Place& place) const {
  const absl::MutexLock lock(&mutex_);
  return ledger_.RequestsOf(place);
}

Comparison VisitRecorder::CompareWith(const Reachable& reachable) const {
  const absl::MutexLock lock(&mutex_);
  return Compare(reachable, ledger_);
}

void VisitRecorder::Flush() {
  const absl::MutexLock lock(&mutex_);
  if (log_ != nullptr) std::fflush(log_);
}

}  // namespace orbweaver::synthetic
