#include "tests/sim/whole/sim_server.h"

#include <algorithm>
#include <set>
#include <utility>

#include "fmt/format.h"

#include "common/base/check.h"
#include "common/base/status.h"

namespace orbweaver::sim {
namespace {

using std::chrono::milliseconds;
using synthetic::Delivery;
using synthetic::Place;
using synthetic::RobotsKind;

std::unique_ptr<const synthetic::Web> MakeWeb(const synthetic::WebOptions& options) {
  auto web = synthetic::Web::Create(options);
  CHECK_OK(web.status());
  return *std::move(web);
}

// Its robots.txt can be another one without anything else being allowed.
bool MayAskForDelay(RobotsKind kind) {
  return kind == RobotsKind::kMissing || kind == RobotsKind::kEmpty;
}

// Between an answer and the commit that knows of it: the spider's next step, and a bus that may be
// away.
constexpr Duration kNotCommitted = std::chrono::seconds(2);

}  // namespace

SimServer::SimServer(const Shape& shape, const ManualClock& clock)
    : shape_(shape),
      clock_(clock),
      web_(MakeWeb(shape.web)),
      seeds_(web_->Seeds(shape.seeds)),
      random_(shape.web.seed),
      ledger_(shape.web),
      judge_({.domain_delay = shape.politeness.delay}) {}

std::string SimServer::DomainOf(std::string_view url) const {
  const std::optional<Place> place = web_->paths().FindUrl(url);
  CHECK(place.has_value());
  std::string domain;
  web_->hosts().AppendDomain(place->host, &domain);
  return domain;
}

std::vector<std::string> SimServer::Domains() const {
  std::set<std::string> domains;
  for (uint32_t host = 0; host < web_->hosts().count(); ++host) {
    std::string domain;
    web_->hosts().AppendDomain(host, &domain);
    domains.insert(std::move(domain));
  }
  return {domains.begin(), domains.end()};
}

void SimServer::EndDue(SteadyTime now) {
  while (!open_.empty() && open_.begin()->first <= now) {
    const auto node = open_.extract(open_.begin());
    judge_.Ended(node.mapped().visit, node.key(), node.mapped().retry_after);
  }
}

void SimServer::SpiderLost() {
  EndDue(clock_.Now());
  judge_.ClientDied(clock_.Now() - kNotCommitted);
}

void SimServer::Disconnect(int client) {
  const SteadyTime now = clock_.Now();
  EndDue(now);
  for (auto open = open_.begin(); open != open_.end();) {
    if (open->second.client != client) {
      ++open;
      continue;
    }
    judge_.Ended(open->second.visit, now, std::nullopt);
    open = open_.erase(open);
  }
}

std::string SimServer::ChangeRobots(Random& random) {
  const auto host = static_cast<uint32_t>(random.Below(web_->hosts().count()));
  Robots& robots = robots_[host];
  std::string name;
  web_->hosts().AppendName(host, &name);
  if (MayAskForDelay(web_->hosts().TraitsOf(host).robots) && random.Chance(0.6)) {
    robots.crawl_delay = milliseconds(random.Below(4) * 1500);
    return fmt::format("{} asks for a delay of {} ms", name, robots.crawl_delay->count());
  }
  robots.failures_left = 1;
  return fmt::format("{} answers 503 once", name);
}

bool SimServer::AnswerRobots(uint32_t host, synthetic::Answer* answer) {
  const auto found = robots_.find(host);
  if (found == robots_.end()) return false;
  // A host that is not there has no robots.txt, changed or not.
  if (web_->hosts().TraitsOf(host).fault == synthetic::Fault::kNoSuchHost) return false;
  Robots& robots = found->second;
  if (robots.failures_left > 0) {
    --robots.failures_left;
    *answer = {};
    answer->status = 503;
    answer->content_type = "text/plain";
    return true;
  }
  if (!robots.crawl_delay) return false;
  *answer = {};
  answer->content_type = "text/plain";
  answer->body = fmt::format("User-agent: *\nCrawl-delay: {}\nDisallow:\n",
                             static_cast<double>(robots.crawl_delay->count()) / 1000);
  if (web_->hosts().TraitsOf(host).sitemaps != synthetic::SitemapKind::kNone) {
    const Place sitemap{.host = host, .number = 0, .kind = Place::Kind::kSitemap};
    answer->body += fmt::format("Sitemap: {}\n", web_->paths().UrlOf(sitemap));
  }
  return true;
}

milliseconds SimServer::CrawlDelayOf(uint32_t host) const {
  const auto found = robots_.find(host);
  if (found != robots_.end() && found->second.crawl_delay) return *found->second.crawl_delay;
  return web_->hosts().TraitsOf(host).robots == RobotsKind::kCrawlDelay ? shape_.web.crawl_delay
                                                                        : milliseconds(0);
}

SimulatedAnswer SimServer::Begin(int client, FetchId, std::string_view url) {
  const SteadyTime now = clock_.Now();
  EndDue(now);
  ++visits_;
  Duration takes = milliseconds(1) + Duration(static_cast<int64_t>(random_.Below(
                                         static_cast<uint64_t>(shape_.slowest_answer.count()))));
  const std::optional<Place> place = web_->paths().FindUrl(url);
  if (!place) return {.failure = FailureCause::kDns, .takes = takes};
  const uint32_t attempt = ledger_.Count(*place);
  const bool is_robots = IsRobotsText(place->kind);
  if (!is_robots) ++page_visits_[std::string(url)];
  if (place->kind != Place::Kind::kRobots || !AnswerRobots(place->host, &answer_)) {
    web_->Get({.place = *place, .attempt = attempt}, &answer_);
  }
  if (answer_.delivery == Delivery::kNoSuchHost) {
    return {.failure = FailureCause::kDns, .takes = takes};
  }
  if (answer_.delivery == Delivery::kHang) takes = shape_.fetch_timeout;
  takes = std::min(takes + answer_.first_byte_after, shape_.fetch_timeout);

  std::string domain, host, address;
  web_->hosts().AppendDomain(place->host, &domain);
  web_->hosts().AppendName(place->host, &host);
  web_->hosts().AppendAddress(place->host, &address);
  synthetic::Visit visit{.domain = domain, .host = host, .address = address, .url = url};
  visit.robots_txt = is_robots;
  visit.forbidden = !web_->IsAllowed(*place);
  if (is_robots) {
    if (answer_.status == 200) told_[{client, place->host}] = CrawlDelayOf(place->host);
  } else if (const auto told = told_.find({client, place->host}); told != told_.end()) {
    visit.crawl_delay = told->second;
  }
  open_.emplace(now + takes, Open{.client = client,
                                  .visit = judge_.Arrived(visit, now),
                                  .retry_after = answer_.retry_after});
  return Translate(answer_, takes);
}

SimulatedAnswer SimServer::Translate(const synthetic::Answer& answer, Duration takes) const {
  SimulatedAnswer result{.takes = takes};
  switch (answer.delivery) {
    case Delivery::kWhole:
    case Delivery::kDrip:
      break;
    case Delivery::kHang:
    case Delivery::kEndlessDrip:
      result.failure = FailureCause::kTimeoutTotal;
      return result;
    case Delivery::kCutShort:
    case Delivery::kReset:
    case Delivery::kResetInBody:
      result.failure = FailureCause::kReset;
      return result;
    case Delivery::kNoSuchHost:
      result.failure = FailureCause::kDns;
      return result;
  }
  result.status = static_cast<uint32_t>(answer.status);
  result.content_type = answer.content_type;
  result.location = answer.location;
  result.body = answer.body;
  if (answer.retry_after) result.retry_after = *answer.retry_after;
  return result;
}

}  // namespace orbweaver::sim
