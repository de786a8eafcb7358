#include "lab/replay/request_comparison.h"

#include <algorithm>
#include <tuple>
#include <utility>
#include <variant>

#include "absl/hash/hash.h"

#include "common/base/check.h"
#include "common/base/random.h"
#include "common/base/status.h"
#include "common/model/exploration.h"
#include "common/model/score_band.h"
#include "common/url/fingerprint.h"

namespace orbweaver::lab {
namespace {

constexpr uint8_t kUpdate = 3;

uint64_t Mixed(uint64_t a, uint64_t b) { return Random(a ^ Random(b)())(); }

uint64_t TextHash(std::string_view text) { return FingerprintOf(text).low; }

uint32_t RestOf(const ScheduledRequest& request) {
  uint64_t hash = Mixed(request.depth, request.attempt);
  for (const Meta& meta : request.meta) {
    if (IsOfExploration(meta)) continue;
    hash = Mixed(hash, Mixed(TextHash(meta.key), TextHash(meta.value)));
  }
  return static_cast<uint32_t>(hash);
}

uint32_t RestOf(const DomainUpdate& update) {
  const int64_t delay = update.crawl_delay.has_value() ? update.crawl_delay->count() : -1;
  const int64_t until =
      update.blocked_until.has_value() ? update.blocked_until->time_since_epoch().count() : -1;
  return static_cast<uint32_t>(
      Mixed(Mixed(static_cast<uint64_t>(delay), static_cast<uint64_t>(until)),
            (update.back_off ? 2u : 0u) + (update.purge ? 1u : 0u)));
}

}  // namespace

absl::Status RequestComparison::Add(Side side, const Decision& decision) {
  const DecisionKey& key = decision.key;
  const auto event = events_.Find(key.partition, key.event);
  if (!event.has_value()) return absl::OkStatus();
  tally_.CountRequests(tally_.DomainNumber(decision.domain), side, decision.requests);
  if (side == Side::kFirst) {
    Offset& to = first_to_.try_emplace(key.partition, key.event).first->second;
    to = std::max(to, key.event);
  }
  const auto [open, is_new] = open_.try_emplace(key);
  if (is_new) {
    open->second = {.side = side, .entry = decision.entry, .round = round_};
    return absl::OkStatus();
  }
  const Open other = std::move(open->second);
  open_.erase(open);
  if (other.entry == decision.entry) {
    result_.equal += decision.requests;
    return absl::OkStatus();
  }
  RETURN_IF_ERROR(TakeApart(*event, other.side, other.entry));
  RETURN_IF_ERROR(TakeApart(*event, side, decision.entry));
  return PairOfOneEvent();
}

absl::Status RequestComparison::EndRound() {
  ++round_;
  for (auto open = open_.begin(); open != open_.end();) {
    if (open->second.round + 1 >= round_) {
      ++open;
      continue;
    }
    const auto event = events_.Find(open->first.partition, open->first.event);
    RETURN_IF_ERROR(TakeApart(*event, open->second.side, open->second.entry));
    RETURN_IF_ERROR(PairOfOneEvent());
    open = open_.erase(open);
  }
  return absl::OkStatus();
}

absl::Status RequestComparison::TakeApart(uint32_t event, Side side, std::string_view entry) {
  ScoringLogEntry decoded;
  RETURN_IF_ERROR(Decode(entry, &arena_, &decoded));
  const auto* const schedule = std::get_if<ScheduleRequests>(&decoded.entry);
  if (schedule == nullptr) return PoisonError("a decision is no schedule");
  const uint32_t domain = tally_.DomainNumber(schedule->domain);
  const auto add = [&](Item item, std::string_view text) {
    item.key = Mixed(TextHash(text), item.action);
    item.text.offset = texts_.size();
    item.event = event;
    item.domain = domain;
    item.side = side;
    scratch_.push_back(item);
    texts_.push_back(arena_.Copy(text));
  };
  for (const ScheduledRequest& request : schedule->requests) {
    Item item;
    item.not_before = request.not_before;
    item.rest = RestOf(request);
    // Which requests were drawn by lot is no decision of a strategy.
    item.score = OwnScore(request.score, request.meta);
    item.action = static_cast<uint8_t>(request.action);
    add(item, request.url);
  }
  if (schedule->domain_update.has_value()) {
    Item item;
    item.rest = RestOf(*schedule->domain_update);
    item.action = kUpdate;
    add(item, schedule->domain);
  }
  return absl::OkStatus();
}

absl::Status RequestComparison::PairOfOneEvent() {
  const auto text = [this](const Item& item) { return std::string(texts_[item.text.offset]); };
  RETURN_IF_ERROR(
      PairUp(&scratch_, /*across_events=*/false, text, [&](const Item& item) -> absl::Status {
        Item& kept = items_.emplace_back(item);
        const std::string_view url = texts_[item.text.offset];
        if (item.action != kUpdate) kept.pattern = tally_.PatternNumber(url);
        if (spill_ == nullptr) {
          ASSIGN_OR_RETURN(spill_, SpillFile::Create({}));
        }
        ASSIGN_OR_RETURN(kept.text, spill_->Append(url));
        return absl::OkStatus();
      }));
  scratch_.clear();
  texts_.clear();
  arena_.Reset();
  return absl::OkStatus();
}

absl::Status RequestComparison::PairUp(std::vector<Item>* items, bool across_events, ReadText text,
                                       absl::FunctionRef<absl::Status(const Item&)> left) {
  std::ranges::sort(*items, {}, [](const Item& item) {
    return std::tuple(item.key, item.event, item.side, item.text.offset);
  });
  std::vector<const Item*> rest[2];
  const auto end = items->end();
  for (auto first = items->begin(); first != end;) {
    const auto end_of_key =
        std::find_if(first, end, [&](const Item& i) { return i.key != first->key; });
    rest[0].clear();
    rest[1].clear();
    while (first != end_of_key) {
      const auto second = std::find_if(first, end_of_key, [&](const Item& item) {
        return item.event != first->event || item.side == Side::kSecond;
      });
      const auto end_of_event = std::find_if(
          second, end_of_key, [&](const Item& item) { return item.event != first->event; });
      const auto pairs = std::min(second - first, end_of_event - second);
      for (ptrdiff_t i = 0; i < pairs; ++i) RETURN_IF_ERROR(Compare(first[i], second[i], text));
      for (auto item = first + pairs; item != second; ++item) rest[0].push_back(&*item);
      for (auto item = second + pairs; item != end_of_event; ++item) rest[1].push_back(&*item);
      first = end_of_event;
    }
    const bool pairs_rest = across_events && !rest[0].empty() && rest[0][0]->action != kUpdate;
    const size_t pairs = pairs_rest ? std::min(rest[0].size(), rest[1].size()) : 0;
    for (size_t i = 0; i < pairs; ++i) RETURN_IF_ERROR(Compare(*rest[0][i], *rest[1][i], text));
    for (const auto& side : rest) {
      for (size_t i = pairs; i < side.size(); ++i) RETURN_IF_ERROR(left(*side[i]));
    }
  }
  return absl::OkStatus();
}

WallTime RequestComparison::DueTime(const Item& item) const {
  return std::max(item.not_before, events_.at(item.event).time);
}

absl::Status RequestComparison::Compare(const Item& first, const Item& second, ReadText text) {
  if (first.action == kUpdate) {
    if (first.rest == second.rest) return absl::OkStatus();
    return Report(DifferenceKind::kOtherUpdate, &first, &second, text);
  }
  const bool other_band = BandOf(first.score) != BandOf(second.score);
  const bool other_time = DueTime(first) != DueTime(second);
  const bool other_rest = first.event == second.event && first.rest != second.rest;
  if (other_band) RETURN_IF_ERROR(Report(DifferenceKind::kOtherBand, &first, &second, text));
  if (other_time) RETURN_IF_ERROR(Report(DifferenceKind::kOtherTime, &first, &second, text));
  if (other_rest) RETURN_IF_ERROR(Report(DifferenceKind::kOtherRest, &first, &second, text));
  if (other_band || other_time || other_rest) return absl::OkStatus();
  ++result_.equal;
  if (first.score != second.score) ++result_.other_score;
  return absl::OkStatus();
}

absl::Status RequestComparison::Report(DifferenceKind kind, const Item* first, const Item* second,
                                       ReadText text) {
  const Item& one = first != nullptr ? *first : *second;
  const auto side = [](const Item* item) {
    return item == nullptr
               ? std::nullopt
               : std::optional(RequestSide{
                     .event = item->event, .score = item->score, .not_before = item->not_before});
  };
  DifferenceExample example{.kind = kind,
                            .action = one.action == kUpdate
                                          ? ScheduleAction::kAdd
                                          : static_cast<ScheduleAction>(one.action),
                            .url = {},
                            .first = side(first),
                            .second = side(second)};
  const uint64_t rank = Mixed(one.key, one.event);
  uint32_t pattern = one.pattern;
  const bool needs_pattern = pattern == DifferenceTally::kNone && one.action != kUpdate;
  if (needs_pattern || tally_.WantsUrl(example, rank)) {
    ASSIGN_OR_RETURN(example.url, text(one));
    if (needs_pattern) pattern = tally_.PatternNumber(example.url);
  }
  tally_.Add(example, rank, one.domain, pattern);
  return absl::OkStatus();
}

absl::StatusOr<ComparisonResult> RequestComparison::Finish(bool first_may_end_early) {
  RETURN_IF_ERROR(EndRound());
  RETURN_IF_ERROR(EndRound());
  CHECK(open_.empty());
  if (spill_ != nullptr) RETURN_IF_ERROR(spill_->Flush());
  const auto text = [this](const Item& item) -> absl::StatusOr<std::string> {
    std::string url;
    RETURN_IF_ERROR(spill_->Read(item.text, &url));
    return url;
  };
  RETURN_IF_ERROR(
      PairUp(&items_, /*across_events=*/true, text, [&](const Item& item) -> absl::Status {
        const EventIndex::Event& event = events_.at(item.event);
        const bool is_first = item.side == Side::kFirst;
        if (first_may_end_early && !is_first) {
          const auto to = first_to_.find(event.partition);
          if (to == first_to_.end() || event.offset > to->second) {
            ++result_.behind_the_end;
            return absl::OkStatus();
          }
        }
        const Item* const first = is_first ? &item : nullptr;
        const Item* const second = is_first ? nullptr : &item;
        if (item.action == kUpdate)
          return Report(DifferenceKind::kOtherUpdate, first, second, text);
        ++result_.only[static_cast<size_t>(item.side)][item.action];
        return Report(is_first ? DifferenceKind::kOnlyFirst : DifferenceKind::kOnlySecond, first,
                      second, text);
      }));
  items_.clear();
  tally_.MoveTo(&result_);
  return std::move(result_);
}

}  // namespace orbweaver::lab
