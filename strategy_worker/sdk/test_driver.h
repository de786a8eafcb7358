// A crawl in memory, for testing a strategy: no worker, no store, no network.
//
//   TestDriver crawl(orbweaver_strategy_v1(), {{"max_depth", "1"}});
//   crawl.Seeds({"https://example.com/"});
//   const std::vector<std::string> order = crawl.Run({
//       {"https://example.com/", {"https://example.com/a", "https://example.com/b"}},
//       {"https://example.com/a", {}}});
//
// Decisions are applied by the strategy worker's own rule (decision_effect.h): counts, states, what
// waits in the queue. A URL is QUEUED until its outcome, also when its request was handed out.
// Simpler than in a worker are only: a registered domain is the last two labels of the host, URLs
// must be canonical as given, and the queue hands out the best score first over all domains.
//
// Longer than other files: it stands for a whole worker, and a test needs one #include.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "orbweaver/decision_effect.h"
#include "orbweaver/strategy.h"
#include "orbweaver/urls.h"

namespace orbweaver::sdk {

// The links of each page, by the page's URL. A URL that is missing answers 404.
using TestWeb = std::map<std::string, std::vector<std::string>>;

struct TestLink {
  TestLink(const char* url) : url(url) {}             // NOLINT(google-explicit-constructor)
  TestLink(std::string url) : url(std::move(url)) {}  // NOLINT(google-explicit-constructor)
  TestLink(std::string url, LinkKind kind) : url(std::move(url)), kind(kind) {}
  TestLink(std::string url, std::string anchor) : url(std::move(url)), anchor(std::move(anchor)) {}

  std::string url;
  std::string anchor;
  LinkKind kind = LinkKind::kAnchor;
  float score = std::numeric_limits<float>::quiet_NaN();  // of a seed
};

struct TestPage {
  std::string title;
  std::string body;
  std::string language;
  std::string content_type = "text/html";
  uint64_t content_hash = 1;
  bool not_modified = false;
  std::optional<uint64_t> body_bytes;  // absent: the size of `body`
};

struct TestFailure {
  Cause cause = Cause::kTimeoutTotal;
  bool transient = true;
  uint32_t http_status = 0;
  int64_t retry_after_ms = -1;
};

struct TestHost {
  std::vector<std::string> sitemaps;
  Robots robots = Robots::kRules;
  Dns dns = Dns::kResolved;
};

// A request that waits in the queue.
struct TestRequest {
  std::string url;
  float score = 0;
  int64_t not_before_ms = 0;
  uint32_t depth = 0;
  uint32_t attempt = 0;
  uint64_t order = 0;
};

struct TestDomain {
  uint64_t fetched = 0;
  uint64_t scheduled = 0;
  uint64_t failed = 0;
  uint64_t known_urls = 0;
  std::string data;
  std::string data_of;  // the strategy's name
  uint32_t data_version = 0;
  bool given_up = false;
  bool backed_off = false;
  int64_t blocked_until_ms = 0;
};

// Every event throws std::runtime_error when the strategy fails; none of its decisions count then.
// Not thread-safe.
class TestDriver {
 public:
  using Params = std::map<std::string, std::string>;

  // `strategy`: orbweaver_strategy_v1() of the strategy under test. Unknown parameters throw.
  explicit TestDriver(const orbweaver_strategy* strategy, const Params& params = {},
                      uint64_t seed = 1) {
    Swap(strategy, params, seed);
  }
  ~TestDriver() { Destroy(); }
  TestDriver(const TestDriver&) = delete;
  TestDriver& operator=(const TestDriver&) = delete;

  // As a worker that is stopped and started with this strategy: states, counts and domain bytes
  // stay, everything in the strategy's members is gone.
  void Swap(const orbweaver_strategy* strategy, const Params& params = {}, uint64_t seed = 1) {
    std::vector<std::string> values;
    size_t used = 0;
    for (size_t i = 0; i < strategy->parameter_count; ++i) {
      const auto found = params.find(strategy->parameters[i].name);
      used += found == params.end() ? 0 : 1;
      values.push_back(found == params.end() ? strategy->parameters[i].default_value
                                             : found->second);
    }
    if (used != params.size()) throw std::runtime_error("a parameter that is not declared");
    std::vector<orbweaver_setting> settings;
    for (size_t i = 0; i < values.size(); ++i) {
      settings.push_back({internal::Text(strategy->parameters[i].name), internal::Text(values[i])});
    }
    void* self = nullptr;
    Check([&](orbweaver_error* error) {
      return strategy->create(settings.data(), settings.size(), seed, &self, error);
    });
    Destroy();
    strategy_ = strategy;
    self_ = self;
  }

  // ---- events ----

  // All of one domain.
  void Seeds(const std::vector<TestLink>& seeds) {
    orbweaver_event event = MakeEvent(ORBWEAVER_SEEDS);
    HandleLinks(&event, DomainOf(seeds.at(0).url), seeds, 0);
  }

  // The page was fetched, as `page` says. Its request is the one that was handed out last.
  void Page(const std::string& url, const TestPage& page = {}) {
    orbweaver_state& state = states_[url];
    orbweaver_page raw{};
    raw.content_type_view = internal::Text(page.content_type);
    raw.title_view = internal::Text(page.title);
    raw.body_view = internal::Text(page.body);
    raw.language_view = internal::Text(page.language);
    raw.body_bytes = page.body_bytes.value_or(page.body.size());
    raw.http_status = page.not_modified ? 304 : 200;
    raw.not_modified = page.not_modified ? 1 : 0;
    raw.content_hash = page.not_modified ? state.content_hash : page.content_hash;
    raw.changed =
        !page.not_modified && (state.fetches == 0 || state.content_hash != page.content_hash);
    orbweaver_event event = MakeEvent(ORBWEAVER_PAGE);
    event.page_view = &raw;
    TestDomain& domain = domains_[DomainOf(url)];
    ++domain.fetched;
    Know(url, &state);
    state.status = ORBWEAVER_CRAWLED;
    ++state.fetches;
    state.errors = 0;
    state.fetched_at_ms = now_ms_;
    state.content_hash = raw.content_hash;
    state.http_status = static_cast<uint16_t>(raw.http_status);
    HandleOutcome(&event, url, 0);
  }

  // Links from one page, split by domain as spiders do it.
  void Links(const std::string& source, const std::vector<TestLink>& links) {
    std::map<std::string, std::vector<TestLink>> by_domain;
    for (const TestLink& link : links) by_domain[DomainOf(link.url)].push_back(link);
    for (const auto& [domain, of_domain] : by_domain) {
      const TestRequest request = RequestOf(source);
      orbweaver_source raw{};
      raw.url_view = internal::Text(source);
      raw.score = request.score;
      raw.link_count = static_cast<uint32_t>(links.size());
      raw.same_domain = DomainOf(source) == domain ? 1 : 0;
      orbweaver_event event = MakeEvent(ORBWEAVER_LINKS);
      event.depth = request.depth;
      event.source_view = &raw;
      HandleLinks(&event, domain, of_domain, request.depth + 1);
    }
  }

  void Fail(const std::string& url, const TestFailure& failure = {}) {
    orbweaver_failure raw{};
    raw.cause = static_cast<uint32_t>(failure.cause);
    raw.http_status = failure.http_status;
    raw.retry_after_ms = failure.retry_after_ms;
    raw.transient = failure.transient ? 1 : 0;
    orbweaver_event event = MakeEvent(ORBWEAVER_FAILURE);
    event.failure_view = &raw;
    ++domains_[DomainOf(url)].failed;
    orbweaver_state& state = states_[url];
    if (IsRepeatedFailure(state, RequestOf(url).attempt)) return;
    Know(url, &state);
    state.status = failure.transient ? ORBWEAVER_ERROR : ORBWEAVER_GONE;
    ++state.errors;
    state.http_status = static_cast<uint16_t>(failure.http_status);
    HandleOutcome(&event, url, RequestOf(url).attempt + 1);
  }

  void Host(const std::string& name, const TestHost& host = {}) {
    std::vector<orbweaver_text> sitemaps;
    for (const std::string& sitemap : host.sitemaps) sitemaps.push_back(internal::Text(sitemap));
    orbweaver_host raw{};
    raw.host_view = internal::Text(name);
    raw.sitemaps_view = sitemaps.data();
    raw.sitemap_count = sitemaps.size();
    raw.crawl_delay_ms = -1;
    raw.robots = static_cast<uint32_t>(host.robots);
    raw.dns = static_cast<uint32_t>(host.dns);
    orbweaver_event event = MakeEvent(ORBWEAVER_HOST);
    event.host_view = &raw;
    Handle(&event, DomainOf("https://" + name + "/"), {}, 0, {});
  }

  // Fetches what waits, best first, until nothing does or `most` were fetched. Returns their URLs
  // in order, failures included.
  std::vector<std::string> Run(const TestWeb& web, size_t most = 1000) {
    std::vector<std::string> fetched;
    while (fetched.size() < most) {
      const std::optional<TestRequest> request = Next();
      if (!request) break;
      fetched.push_back(request->url);
      const auto page = web.find(request->url);
      if (page == web.end()) {
        Fail(request->url, {Cause::kHttp4xx, false, 404, -1});
        continue;
      }
      Page(request->url);
      if (page->second.empty()) continue;
      Links(request->url, {page->second.begin(), page->second.end()});
    }
    return fetched;
  }

  // ---- what there is now ----

  // Takes the best request out of the queue that may be fetched now: by score, then by age.
  std::optional<TestRequest> Next() {
    auto best = queue_.end();
    for (auto request = queue_.begin(); request != queue_.end(); ++request) {
      if (request->not_before_ms > now_ms_) continue;
      if (best == queue_.end() || request->score > best->score ||
          (request->score == best->score && request->order < best->order)) {
        best = request;
      }
    }
    if (best == queue_.end()) return std::nullopt;
    TestRequest request = *best;
    queue_.erase(best);
    in_flight_[request.url] = request;
    return request;
  }

  const std::vector<TestRequest>& queue() const { return queue_; }
  // The request of `url` that waits, or null.
  const TestRequest* Waiting(std::string_view url) const {
    const auto found =
        std::find_if(queue_.begin(), queue_.end(),
                     [url](const TestRequest& request) { return request.url == url; });
    return found == queue_.end() ? nullptr : &*found;
  }
  // Null where nothing is kept.
  const orbweaver_state* State(const std::string& url) const {
    const auto found = states_.find(url);
    return found == states_.end() || !found->second.known ? nullptr : &found->second;
  }
  template <typename T>
  T DataOf(const std::string& url) const {
    T value{};
    if (State(url)) std::memcpy(&value, State(url)->data, sizeof(T));
    return value;
  }
  const TestDomain& Domain(const std::string& name) { return domains_[name]; }
  // The strategy's latest warning.
  const std::string& warning() const { return warning_; }
  // Links for which states were read, after Filter: what filtering saves.
  uint64_t states_read() const { return states_read_; }
  bool Finished() {
    uint8_t finished = 0;
    if (strategy_->finished) {
      Check([&](orbweaver_error* error) { return strategy_->finished(self_, &finished, error); });
    }
    return finished != 0;
  }

  void SetTime(int64_t now_ms) { now_ms_ = now_ms; }
  int64_t now_ms() const { return now_ms_; }

  static std::string DomainOf(std::string_view url) {
    const std::string host = HostOf(url);
    const size_t last = host.rfind('.');
    const size_t before =
        last == std::string::npos || last == 0 ? std::string::npos : host.rfind('.', last - 1);
    return before == std::string::npos ? host : host.substr(before + 1);
  }

 private:
  template <typename Function>
  static void Check(Function function) {
    std::array<char, 1024> message{};
    orbweaver_error error{message.data(), message.size(), 0};
    if (function(&error) != 0) {
      throw std::runtime_error(std::string(message.data(), std::min(error.size, message.size())));
    }
  }

  void Destroy() {
    if (strategy_) strategy_->destroy(self_);
  }

  orbweaver_event MakeEvent(uint32_t kind) const {
    orbweaver_event event{};
    event.struct_size = sizeof(event);
    event.kind = kind;
    event.now_ms = now_ms_;
    return event;
  }

  TestRequest RequestOf(const std::string& url) const {
    const auto found = in_flight_.find(url);
    return found == in_flight_.end() ? TestRequest{} : found->second;
  }

  void Know(const std::string& url, orbweaver_state* state) {
    if (!state->known) ++domains_[DomainOf(url)].known_urls;
    state->known = 1;
  }

  static orbweaver_link RawLink(const TestLink& link) {
    orbweaver_link raw{};
    raw.url_view = internal::Text(link.url);
    raw.anchor_view = internal::Text(link.anchor);
    uint64_t hash = 0xcbf29ce484222325u;  // FNV-1a
    for (const char c : link.url) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
    raw.fingerprint_low = hash;
    raw.fingerprint_high = ~hash;
    raw.kind = static_cast<uint32_t>(link.kind);
    raw.score = link.score;
    return raw;
  }

  // Asks the filter, then the strategy about what is left.
  void HandleLinks(orbweaver_event* event, const std::string& domain,
                   const std::vector<TestLink>& links, uint32_t depth) {
    std::vector<orbweaver_link> raw;
    for (const TestLink& link : links) raw.push_back(RawLink(link));
    std::vector<uint8_t> keep(links.size(), 1);
    const orbweaver_domain shown = Show(domain);
    event->domain_view = &shown;
    if (strategy_->filter) {
      Check([&](orbweaver_error* error) {
        return strategy_->filter(self_, event, raw.data(), raw.size(), keep.data(), error);
      });
    }
    std::vector<TestLink> kept;
    for (size_t i = 0; i < links.size(); ++i) {
      if (keep[i]) kept.push_back(links[i]);
    }
    if (kept.empty()) return;
    states_read_ += kept.size();
    Handle(event, domain, kept, depth, std::vector<orbweaver_decision>(kept.size()));
  }

  // `attempt`: what the decision starts with.
  void HandleOutcome(orbweaver_event* event, const std::string& url, uint32_t attempt) {
    const TestRequest request = RequestOf(url);
    event->depth = request.depth;
    event->score = request.score;
    event->attempt = request.attempt;
    std::vector<orbweaver_decision> decisions(1);
    decisions[0].attempt = attempt;
    Handle(event, DomainOf(url), {TestLink(url)}, request.depth, std::move(decisions));
  }

  orbweaver_domain Show(const std::string& name) {
    TestDomain& domain = domains_[name];
    if (!domain.data_of.empty() &&
        (domain.data_of != strategy_->name || domain.data_version != strategy_->version)) {
      orbweaver_text adopted{};
      if (strategy_->adopt) {
        Check([&](orbweaver_error* error) {
          return strategy_->adopt(self_, internal::Text(domain.data_of), domain.data_version,
                                  internal::Text(domain.data), &adopted, error);
        });
      }
      domain.data = internal::View(adopted);
      domain.data_of = strategy_->name;
      domain.data_version = strategy_->version;
    }
    orbweaver_domain raw{};
    raw.name_view = internal::Text(domains_.find(name)->first);
    raw.fetched = domain.fetched;
    raw.scheduled = domain.scheduled;
    raw.failed = domain.failed;
    raw.known_urls = domain.known_urls;
    raw.crawl_delay_ms = -1;
    raw.data_view = internal::Text(domain.data);
    return raw;
  }

  void Handle(orbweaver_event* event, const std::string& domain_name,
              const std::vector<TestLink>& links, uint32_t depth,
              std::vector<orbweaver_decision> decisions) {
    const orbweaver_domain shown = Show(domain_name);
    event->domain_view = &shown;
    std::vector<orbweaver_link> raw;
    std::vector<orbweaver_state> states;
    for (const TestLink& link : links) {
      raw.push_back(RawLink(link));
      const orbweaver_state& state = states_[link.url];
      states.push_back(event->kind == ORBWEAVER_SEEDS ? ShownAsSeed(state) : state);
    }
    orbweaver_output output{};
    output.struct_size = sizeof(output);
    Check([&](orbweaver_error* error) {
      return strategy_->on_event(self_, event, raw.data(), states.data(), raw.size(),
                                 decisions.data(), &output, error);
    });
    TestDomain& domain = domains_[domain_name];
    if (output.give_up_domain) {
      domain.given_up = true;
      for (auto& [url, state] : states_) {
        if (DomainOf(url) != domain_name || state.status != ORBWEAVER_QUEUED) continue;
        state.status = state.fetches == 0 ? ORBWEAVER_NOT_CRAWLED : ORBWEAVER_CRAWLED;
      }
      queue_.erase(std::remove_if(queue_.begin(), queue_.end(),
                                  [&](const TestRequest& request) {
                                    return DomainOf(request.url) == domain_name;
                                  }),
                   queue_.end());
    }
    domain.backed_off = domain.backed_off || output.back_off;
    domain.blocked_until_ms = std::max(domain.blocked_until_ms, output.blocked_until_ms);
    if (output.set_domain_data) {
      domain.data = internal::View(output.domain_data_kept);
      domain.data_of = strategy_->name;
      domain.data_version = strategy_->version;
    }
    if (output.warning_kept.size > 0) warning_ = internal::View(output.warning_kept);
    std::set<std::string> requested;  // an event asks once for a URL
    for (size_t i = 0; i < links.size(); ++i) {
      if (Apply(links[i].url, depth, decisions[i])) requested.insert(links[i].url);
    }
    for (size_t i = 0; i < output.request_count; ++i) {
      const orbweaver_request& request = output.requests_kept[i];
      const std::string url(internal::View(request.url));
      if (DomainOf(url) != domain_name) {
        throw std::runtime_error(url + " is not of the event's domain " + domain_name);
      }
      const orbweaver_state& state = states_[url];
      const bool is_new = !state.known || state.status == ORBWEAVER_NOT_CRAWLED;
      if ((!is_new && !request.even_if_known) || requested.count(url) != 0) continue;
      if (Apply(url, request.depth, request.decision)) requested.insert(url);
    }
  }

  // Whether it said anything to the queue.
  bool Apply(const std::string& url, uint32_t depth, const orbweaver_decision& decision) {
    orbweaver_state& state = states_[url];
    const DecisionEffect effect = EffectOf(state, decision);
    if (!effect.is_kept) return false;
    if ((effect.queue == QueueChange::kAdd || effect.queue == QueueChange::kRaise) &&
        !std::isfinite(decision.score)) {
      throw std::runtime_error("a score that is not finite");
    }
    if (!state.known) state.depth = depth;
    Know(url, &state);
    if (effect.is_scheduled) ++domains_[DomainOf(url)].scheduled;
    ChangeQueue(effect.queue, {url, decision.score, decision.not_before_ms, state.depth,
                               effect.attempt, next_order_});
    state.status = effect.status;
    state.errors = effect.errors;
    if (decision.set_data) std::memcpy(state.data, decision.data, sizeof(state.data));
    if (decision.set_due) state.due_at_ms = decision.due_at_ms;
    return effect.queue != QueueChange::kNone;
  }

  // As a db worker does it.
  void ChangeQueue(QueueChange change, TestRequest request) {
    const auto is_same = [&](const TestRequest& other) { return other.url == request.url; };
    if (change == QueueChange::kRaise) {
      const auto is_as_good = [&](const TestRequest& other) {
        return is_same(other) && other.not_before_ms <= now_ms_ && other.score >= request.score;
      };
      // It has left the queue, waits in as good a place, or is not to be fetched now either.
      if (std::none_of(queue_.begin(), queue_.end(), is_same) ||
          std::any_of(queue_.begin(), queue_.end(), is_as_good) ||
          request.not_before_ms > now_ms_) {
        return;
      }
    }
    if (change == QueueChange::kRaise || change == QueueChange::kDelete) {
      queue_.erase(std::remove_if(queue_.begin(), queue_.end(), is_same), queue_.end());
    }
    if (change == QueueChange::kRaise || change == QueueChange::kAdd) {
      ++next_order_;
      queue_.push_back(std::move(request));
    }
  }

  const orbweaver_strategy* strategy_ = nullptr;
  void* self_ = nullptr;
  int64_t now_ms_ = 1'700'000'000'000;
  std::map<std::string, orbweaver_state> states_;
  std::map<std::string, TestDomain> domains_;
  std::vector<TestRequest> queue_;
  std::map<std::string, TestRequest> in_flight_;
  std::string warning_;
  uint64_t states_read_ = 0;
  uint64_t next_order_ = 0;
};

}  // namespace orbweaver::sdk
