// The members of every event, and the answers that every event allows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "orbweaver/strategy_abi.h"

namespace orbweaver::sdk {

namespace internal {

inline std::string_view View(orbweaver_text text) { return {text.data, text.size}; }
inline orbweaver_text Text(std::string_view text) { return {text.data(), text.size()}; }

// Memory of a strategy that the host reads until the next call. One a strategy, reused.
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

  // The bytes that the strategy keeps for this domain; empty at first.
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

  // Keeps bytes for the domain, at most 64 KB; they come back with each of its events. Those that
  // are kept already cost no write.
  void KeepDomainData(std::string_view data) {
    kept_->domain_data.assign(data);
    output_->domain_data_kept = internal::Text(kept_->domain_data);
    output_->set_domain_data = data == domain().data() ? 0 : 1;
  }
  template <typename T>
  void KeepDomainDataAs(const T& value) {
    static_assert(std::is_trivially_copyable_v<T> && !std::is_pointer_v<T>);
    KeepDomainData({reinterpret_cast<const char*>(&value), sizeof(T)});
  }

  // Empties the domain's queue: each queued URL goes back to the state that it had before, and may
  // be scheduled again. Requests that the event itself makes stay.
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

}  // namespace orbweaver::sdk
