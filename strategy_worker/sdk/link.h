// A URL of an event: what is known of it, and what is to become of it.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <optional>
#include <string_view>
#include <type_traits>
#include <vector>

#include "orbweaver/event.h"
#include "orbweaver/values.h"

namespace orbweaver::sdk {

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

  // The score that the seed was added with.
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
  uint32_t errors() const { return state_->errors; }    // since the last success or new start
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
  // As Schedule, unless it is QUEUED: then its request is moved up to `score` where it still waits,
  // and is left alone where it is on its way already.
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
  void SetMeta(Meta entries) { SetMeta<Meta>(entries); }
  // Any range of pairs of texts.
  template <typename Entries>
  void SetMeta(const Entries& entries) {
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

}  // namespace orbweaver::sdk
