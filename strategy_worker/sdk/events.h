// What a strategy's handlers see, and what they decide with.
//
// An event object is a view of the host's own arrays (strategy_abi.h): reading costs nothing, and a
// decision is written where the host reads it. All of it lives until the handler returns.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <initializer_list>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "orbweaver/strategy_abi.h"

namespace orbweaver::sdk {

enum class Status : uint8_t {
  kNotCrawled = ORBWEAVER_NOT_CRAWLED,
  kQueued = ORBWEAVER_QUEUED,
  kCrawled = ORBWEAVER_CRAWLED,
  kError = ORBWEAVER_ERROR,  // failed for now
  kGone = ORBWEAVER_GONE     // failed for good
};

// The numbers of the enums below are those of spider_log.proto.

enum class LinkKind : uint32_t {
  kAnchor = 0,
  kFrame = 1,
  kEmbed = 2,     // images, scripts and the like
  kRedirect = 3,  // to another registered domain
  kRefresh = 4,
  kCanonical = 5,
  kSitemapPage = 6,  // a page that a sitemap names
  kSitemap = 7,      // a sitemap that a sitemap names
  kFeedItem = 8,
  kFeed = 9,
};

enum class Cause : uint32_t {
  kUnspecified = 0,
  kDns = 1,           // the name does not exist
  kDnsTemporary = 2,  // it could not be resolved now
  kRefused = 3,
  kUnreachable = 4,
  kReset = 5,
  kTimeoutConnect = 6,
  kTimeoutTls = 7,
  kTimeoutFirstByte = 8,
  kTimeoutTotal = 9,
  kTooSlow = 10,
  kTls = 11,
  kTlsCertificate = 12,
  kProtocol = 13,
  kEncoding = 14,
  kTooLarge = 15,
  kContentType = 16,
  kRedirect = 17,
  kRobots = 18,             // robots.txt forbids it
  kRobotsUnreachable = 19,  // robots.txt cannot be had, which forbids everything for now
  kPrivateAddress = 20,
  kPort = 21,
  kBadUrl = 22,
  kProxy = 23,
  kHttp4xx = 24,
  kHttp5xx = 25,
  kHttpOther = 26,
};

enum class Robots : uint32_t { kUnspecified = 0, kRules = 1, kAllowAll = 2, kDisallowAll = 3 };
enum class Dns : uint32_t { kUnspecified = 0, kResolved = 1, kNoSuchName = 2, kFailed = 3 };

struct Fingerprint {
  uint64_t high = 0;
  uint64_t low = 0;
};

namespace internal {

inline std::string_view View(orbweaver_text text) { return {text.data, text.size}; }
inline orbweaver_text Text(std::string_view text) { return {text.data(), text.size()}; }

// What a strategy hands to the host and must keep until the next call. One a strategy, reused.
struct Kept {
  std::deque<std::string> texts;  // a deque: its elements stay where they are
  std::deque<std::vector<orbweaver_meta>> metas;
  std::vector<orbweaver_request> requests;
  std::string domain_data;
  std::string warning;

  void Clear() {
    if (!texts.empty()) texts.clear();
    if (!metas.empty()) metas.clear();
    requests.clear();
  }
  orbweaver_text Keep(std::string_view text) { return Text(texts.emplace_back(text)); }
};

}  // namespace internal

// Values that travel with a request and come back with what becomes of it.
using Meta = std::initializer_list<std::pair<std::string_view, std::string_view>>;

// ---- what every event has ----

// The registered domain that the event is of. Counts include the event itself.
class Domain {
 public:
  explicit Domain(const orbweaver_domain* raw) : raw_(raw) {}

  std::string_view name() const { return internal::View(raw_->name_view); }
  uint64_t fetched() const { return raw_->fetched; }
  uint64_t scheduled() const { return raw_->scheduled; }
  uint64_t failed() const { return raw_->failed; }
  uint64_t known_urls() const { return raw_->known_urls; }
  std::optional<int64_t> crawl_delay_ms() const {
    if (raw_->crawl_delay_ms < 0) return std::nullopt;
    return raw_->crawl_delay_ms;
  }

  // What the strategy kept for this domain; empty at first.
  std::string_view data() const { return internal::View(raw_->data_view); }

  // The same as a struct without pointers; a default one when nothing of its size is kept.
  template <typename T>
  T DataAs() const {
    static_assert(std::is_trivially_copyable_v<T>);
    T value{};
    if (raw_->data_view.size == sizeof(T)) std::memcpy(&value, raw_->data_view.data, sizeof(T));
    return value;
  }

 private:
  const orbweaver_domain* raw_;
};

class EventView {
 public:
  explicit EventView(const orbweaver_event* raw) : raw_(raw) {}

  // The only clock there is: Unix time, and the same again when the event is replayed.
  int64_t now_ms() const { return raw_->now_ms; }

  // Of the page, of the failed URL, or of the page that the links stand on.
  uint32_t depth() const { return raw_->depth; }

  // With which the page or the failed URL was scheduled, and how often it had been tried before.
  float score() const { return raw_->score; }
  uint32_t attempt() const { return raw_->attempt; }

  // Of the request that led to this event; empty where it has none of this name.
  std::string_view meta(std::string_view key) const {
    for (size_t i = 0; i < raw_->meta_count; ++i) {
      if (internal::View(raw_->meta_view[i].key) == key)
        return internal::View(raw_->meta_view[i].value);
    }
    return {};
  }

  Domain domain() const { return Domain(raw_->domain_view); }

 protected:
  const orbweaver_event* raw() const { return raw_; }

 private:
  const orbweaver_event* raw_;
};

// A request for a URL that is not among the event's links (Event::Request).
struct RequestOptions {
  uint32_t depth = 0;
  int64_t not_before_ms = 0;   // 0: as soon as possible
  bool even_if_known = false;  // otherwise only when it was never scheduled
};

// An event that can be answered.
class Event : public EventView {
 public:
  Event(const orbweaver_event* raw, orbweaver_output* output, internal::Kept* kept)
      : EventView(raw), output_(output), kept_(kept) {}
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  // Schedules a URL of this domain that is not one of the event's; the host canonicalises it.
  void Request(std::string_view url, float score, RequestOptions options = {}) {
    orbweaver_request request{};
    request.url = kept_->Keep(url);
    request.even_if_known = options.even_if_known ? 1 : 0;
    request.depth = options.depth;
    request.decision.action = ORBWEAVER_SCHEDULE;
    request.decision.score = score;
    request.decision.not_before_ms = options.not_before_ms;
    kept_->requests.push_back(request);
    output_->requests_kept = kept_->requests.data();
    output_->request_count = kept_->requests.size();
    ++scheduled_;
  }

  // Keeps bytes for the domain, at most 64 KB; they come back with each of its events.
  void KeepDomainData(std::string_view data) {
    kept_->domain_data.assign(data);
    output_->domain_data_kept = internal::Text(kept_->domain_data);
    output_->set_domain_data = 1;
  }
  template <typename T>
  void KeepDomainDataAs(const T& value) {
    static_assert(std::is_trivially_copyable_v<T> && !std::is_pointer_v<T>);
    KeepDomainData({reinterpret_cast<const char*>(&value), sizeof(T)});
  }

  // Takes all that is queued of the domain out of the queue.
  void GiveUpDomain() { output_->give_up_domain = 1; }

  // Crawls the domain more slowly for a while, each time twice as long.
  void BackOff() { output_->back_off = 1; }

  // Fetches nothing of the domain before then.
  void BlockUntil(int64_t unix_ms) { output_->blocked_until_ms = unix_ms; }

  // A line for the worker's log, to tell operators what they should change. One an event: the last.
  void Warn(std::string_view text) {
    kept_->warning.assign(text);
    output_->warning_kept = internal::Text(kept_->warning);
  }

  // How many requests this event has scheduled so far, for budgets.
  uint64_t scheduled() const { return scheduled_; }

 private:
  friend class Link;

  orbweaver_output* const output_;
  internal::Kept* const kept_;
  uint64_t scheduled_ = 0;
};

// ---- links ----

class LinkView {
 public:
  explicit LinkView(const orbweaver_link* raw) : raw_(raw) {}

  std::string_view url() const { return internal::View(raw_->url_view); }  // canonical
  std::string_view anchor() const { return internal::View(raw_->anchor_view); }
  Fingerprint fingerprint() const { return {raw_->fingerprint_high, raw_->fingerprint_low}; }
  LinkKind kind() const { return static_cast<LinkKind>(raw_->kind); }
  bool nofollow() const { return (raw_->rel & 1u) != 0; }
  bool ugc() const { return (raw_->rel & 2u) != 0; }
  bool sponsored() const { return (raw_->rel & 4u) != 0; }

  // What whoever added the seed asked for.
  std::optional<float> seed_score() const {
    if (std::isnan(raw_->score)) return std::nullopt;
    return raw_->score;
  }

 private:
  const orbweaver_link* raw_;
};

// A URL, what is known of it, and what is to become of it. Small: pass it by value.
class Link : public LinkView {
 public:
  Link(const orbweaver_link* link, const orbweaver_state* state, orbweaver_decision* decision,
       Event* event)
      : LinkView(link), state_(state), decision_(decision), event_(event) {}

  // False: never heard of, or heard of and left alone.
  bool known() const { return state_->known != 0; }
  // Never scheduled, as far as the states tell.
  bool IsNew() const { return !known() || status() == Status::kNotCrawled; }
  Status status() const { return static_cast<Status>(state_->status); }
  uint32_t depth() const { return state_->depth; }
  uint32_t fetches() const { return state_->fetches; }  // successful ones
  uint32_t errors() const { return state_->errors; }    // since the last success
  uint32_t http_status() const { return state_->http_status; }
  int64_t fetched_at_ms() const { return state_->fetched_at_ms; }
  int64_t due_at_ms() const { return state_->due_at_ms; }
  uint64_t content_hash() const { return state_->content_hash; }
  bool has_validators() const { return state_->has_validators != 0; }

  // The strategy's eight bytes of this URL, zero at first, as any small struct without pointers.
  template <typename T>
  T DataAs() const {
    static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= sizeof(state_->data));
    T value;
    std::memcpy(&value, state_->data, sizeof(T));
    return value;
  }

  // The score: 1 is best, 0 worst. Of several calls the last counts.
  void Schedule(float score, int64_t not_before_ms = 0) {
    CountSchedule();
    decision_->action = ORBWEAVER_SCHEDULE;
    decision_->score = score;
    decision_->not_before_ms = not_before_ms;
  }
  // As Schedule; but where it waits in the queue already, that request is moved up to `score`.
  void Raise(float score) {
    if (!known() || status() != Status::kQueued) CountSchedule();
    decision_->action = ORBWEAVER_RAISE;
    decision_->score = score;
  }
  // Takes it out of the queue, if it still waits there.
  void Drop() { decision_->action = ORBWEAVER_DROP; }

  // Of the request: how often it was tried before. A failure's is counted by the host.
  void SetAttempt(uint32_t attempt) { decision_->attempt = attempt; }
  // At most 16, keys of 64 bytes, values of 512. Not called: the seed's, or those of the request
  // that led to this page or failure.
  void SetMeta(Meta entries) {
    std::vector<orbweaver_meta>& meta = event_->kept_->metas.emplace_back();
    meta.reserve(entries.size());
    for (const auto& [key, value] : entries) {
      meta.push_back({event_->kept_->Keep(key), event_->kept_->Keep(value)});
    }
    decision_->meta_kept = meta.data();
    decision_->meta_count = meta.size();
  }

  // Kept with the URL, whether it is scheduled or not.
  void SetStatus(Status status) {
    decision_->set_status = 1;
    decision_->status = static_cast<uint8_t>(status);
  }
  template <typename T>
  void SetData(const T& value) {
    static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= sizeof(decision_->data));
    decision_->set_data = 1;
    std::memset(decision_->data, 0, sizeof(decision_->data));
    std::memcpy(decision_->data, &value, sizeof(T));
  }
  void SetDue(int64_t unix_ms) {
    decision_->set_due = 1;
    decision_->due_at_ms = unix_ms;
  }

 private:
  void CountSchedule() {
    if (decision_->action != ORBWEAVER_SCHEDULE && decision_->action != ORBWEAVER_RAISE) {
      ++event_->scheduled_;
    }
  }

  const orbweaver_state* state_;
  orbweaver_decision* decision_;
  Event* event_;
};

// An event with links: `for (Link link : links)`.
class LinkEvent : public Event {
 public:
  LinkEvent(const orbweaver_event* raw, const orbweaver_link* links, const orbweaver_state* states,
            size_t count, orbweaver_decision* decisions, orbweaver_output* output,
            internal::Kept* kept)
      : Event(raw, output, kept),
        links_(links),
        states_(states),
        count_(count),
        decisions_(decisions) {}

  class Iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = Link;
    using difference_type = std::ptrdiff_t;
    using pointer = void;
    using reference = Link;

    Iterator(LinkEvent* event, size_t i) : event_(event), i_(i) {}
    Link operator*() const { return (*event_)[i_]; }
    Iterator& operator++() {
      ++i_;
      return *this;
    }
    Iterator operator++(int) {
      const Iterator before = *this;
      ++i_;
      return before;
    }
    bool operator==(const Iterator& other) const { return i_ == other.i_; }
    bool operator!=(const Iterator& other) const { return i_ != other.i_; }

   private:
    LinkEvent* event_;
    size_t i_;
  };

  size_t size() const { return count_; }
  Link operator[](size_t i) { return {links_ + i, states_ + i, decisions_ + i, this}; }
  Iterator begin() { return {this, 0}; }
  Iterator end() { return {this, count_}; }

 private:
  const orbweaver_link* const links_;
  const orbweaver_state* const states_;
  const size_t count_;
  orbweaver_decision* const decisions_;
};

class Seeds : public LinkEvent {
 public:
  using LinkEvent::LinkEvent;
};

// Links to this domain from one page, of this domain or another.
class Links : public LinkEvent {
 public:
  using LinkEvent::LinkEvent;

  std::string_view source_url() const { return internal::View(raw()->source_view->url_view); }
  // With which the page was scheduled that they stand on.
  float source_score() const { return raw()->source_view->score; }
  // All links of that page, to all domains.
  uint32_t source_link_count() const { return raw()->source_view->link_count; }
  bool same_domain() const { return raw()->source_view->same_domain != 0; }
};

// Links and seeds before any state is loaded: what is dropped here costs no read.
class LinkFilter : public EventView {
 public:
  LinkFilter(const orbweaver_event* raw, const orbweaver_link* links, size_t count, uint8_t* keep)
      : EventView(raw), links_(links), count_(count), keep_(keep) {}

  size_t size() const { return count_; }
  LinkView operator[](size_t i) const { return LinkView(links_ + i); }
  void Drop(size_t i) { keep_[i] = 0; }
  void DropAll() { std::fill_n(keep_, count_, uint8_t{0}); }

  bool is_seeds() const { return raw()->kind == ORBWEAVER_SEEDS; }
  // Of the links themselves.
  uint32_t link_depth() const { return is_seeds() ? 0 : depth() + 1; }
  // Whether the page that they stand on is of this domain; not of seeds.
  bool same_domain() const { return raw()->source_view && raw()->source_view->same_domain; }

 private:
  const orbweaver_link* const links_;
  const size_t count_;
  uint8_t* const keep_;
};

// ---- pages, failures, hosts ----

// A page was fetched. Its status becomes CRAWLED unless the handler says otherwise.
class Page : public LinkEvent {
 public:
  using LinkEvent::LinkEvent;

  // The page's own URL: its state, with this fetch counted, and what is to become of it.
  Link link() { return (*this)[0]; }

  // Empty where the content came from the URL itself.
  std::string_view final_url() const { return internal::View(page().final_url_view); }
  std::string_view content_type() const { return internal::View(page().content_type_view); }
  std::string_view title() const { return internal::View(page().title_view); }
  std::string_view language() const { return internal::View(page().language_view); }
  std::string_view robots_directives() const {
    return internal::View(page().robots_directives_view);
  }
  std::string_view canonical_url() const { return internal::View(page().canonical_url_view); }
  // Empty unless spiders are configured to log bodies, and this one fits into a message.
  std::string_view body() const { return internal::View(page().body_view); }
  uint64_t body_bytes() const { return page().body_bytes; }
  uint64_t text_bytes() const { return page().text_bytes; }
  uint64_t content_hash() const { return page().content_hash; }
  uint32_t http_status() const { return page().http_status; }
  uint32_t links_inside() const { return page().links_inside; }
  uint32_t links_outside() const { return page().links_outside; }
  bool not_modified() const { return page().not_modified != 0; }  // 304
  // Its content differs from that of the last fetch; true for a first one.
  bool changed() const { return page().changed != 0; }

 private:
  const orbweaver_page& page() const { return *raw()->page_view; }
};

// A URL could not be fetched. Its status becomes ERROR when the cause is transient, else GONE.
class Failure : public LinkEvent {
 public:
  using LinkEvent::LinkEvent;

  Link link() { return (*this)[0]; }

  Cause cause() const { return static_cast<Cause>(raw()->failure_view->cause); }
  uint32_t http_status() const { return raw()->failure_view->http_status; }
  // What the server asked for in Retry-After.
  std::optional<int64_t> retry_after_ms() const {
    if (raw()->failure_view->retry_after_ms < 0) return std::nullopt;
    return raw()->failure_view->retry_after_ms;
  }
  // A later try may succeed.
  bool transient() const { return raw()->failure_view->transient != 0; }
};

// A spider asked for a host's robots.txt, which it does before the host's first page.
class Host : public Event {
 public:
  using Event::Event;

  std::string_view name() const { return internal::View(raw()->host_view->host_view); }
  size_t sitemap_count() const { return raw()->host_view->sitemap_count; }
  std::string_view sitemap(size_t i) const {
    return internal::View(raw()->host_view->sitemaps_view[i]);
  }
  std::optional<int64_t> crawl_delay_ms() const {
    if (raw()->host_view->crawl_delay_ms < 0) return std::nullopt;
    return raw()->host_view->crawl_delay_ms;
  }
  Robots robots() const { return static_cast<Robots>(raw()->host_view->robots); }
  uint32_t robots_status() const { return raw()->host_view->robots_status; }
  Dns dns() const { return static_cast<Dns>(raw()->host_view->dns); }
};

}  // namespace orbweaver::sdk
