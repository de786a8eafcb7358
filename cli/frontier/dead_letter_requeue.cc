#include "cli/frontier/dead_letter_requeue.h"

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "fmt/format.h"

#include "common/base/status.h"
#include "common/bus/topics.h"
#include "common/config/value_text.h"
#include "common/model/arena.h"
#include "common/model/schema.h"
#include "common/model/spider_log.h"
#include "common/protocol/dead_letters.h"
#include "common/url/partition.h"

namespace orbweaver {
namespace {

constexpr PartitionId kOnlyPartition{0};
constexpr uint64_t kNoteEvery = 1000;
// Origins that are remembered: some megabytes. A worker's crash repeats no more than a batch.
constexpr size_t kMostOrigins = 100'000;

// Stretches of offsets, the ends included, in ascending order.
class Offsets {
 public:
  void Add(int64_t first, int64_t last) {
    if (!stretches_.empty() && first <= stretches_.back().second + 1 &&
        first >= stretches_.back().first) {
      stretches_.back().second = std::max(stretches_.back().second, last);
    } else {
      stretches_.emplace_back(first, last);
    }
  }
  // Notes of several commands need not come in the order of what they name.
  void Sort() { std::ranges::sort(stretches_); }
  bool Contains(int64_t offset) const {
    const auto behind =
        std::ranges::upper_bound(stretches_, offset, {}, &std::pair<int64_t, int64_t>::first);
    return behind != stretches_.begin() && std::prev(behind)->second >= offset;
  }
  bool empty() const { return stretches_.empty(); }
  void clear() { stretches_.clear(); }

  // "3-5,9"
  std::string Text() const {
    std::string text;
    for (const auto& [first, last] : stretches_) {
      text += fmt::format("{}{}", text.empty() ? "" : ",", first);
      if (last != first) text += fmt::format("-{}", last);
    }
    return text;
  }
  // False: `text` is none.
  bool Parse(std::string_view text) {
    while (!text.empty()) {
      const std::string_view part = text.substr(0, text.find(','));
      text.remove_prefix(std::min(part.size() + 1, text.size()));
      const size_t dash = part.find('-');
      int64_t first = 0;
      int64_t last = 0;
      if (!config::ParseNumber(part.substr(0, dash), &first)) return false;
      last = first;
      if (dash != part.npos && !config::ParseNumber(part.substr(dash + 1), &last)) return false;
      stretches_.emplace_back(first, last);
    }
    return true;
  }

 private:
  std::vector<std::pair<int64_t, int64_t>> stretches_;
};

// All that the topic's notes name.
absl::StatusOr<Offsets> PutBackBefore(Bus& bus, Duration timeout) {
  Offsets offsets;
  LogReader reader({.topic = std::string(kDeadLetterTopic)});
  RETURN_IF_ERROR(reader.Read(bus, timeout, [&offsets](const Message& message) {
    const std::string_view note = HeaderOf(message, kDeadLetterPutBackHeader);
    // A note that cannot be read says nothing: its letters are put back once more.
    if (!note.empty()) static_cast<void>(offsets.Parse(note));
    return true;
  }));
  offsets.Sort();
  return offsets;
}

// The headers that the original had stand behind ours.
std::span<const Header> OriginalHeaders(const Message& letter) {
  constexpr size_t kOurs = 4;
  return letter.headers.subspan(std::min(kOurs, letter.headers.size()));
}

class Requeue {
 public:
  // `only_count`: what is taken is counted and not sent.
  static absl::StatusOr<std::unique_ptr<Requeue>> Create(Bus& bus, bool only_count,
                                                         Duration timeout) {
    std::unique_ptr<Requeue> requeue(new Requeue(timeout));
    ASSIGN_OR_RETURN(requeue->partitions_, bus.PartitionCount(kSpiderLogTopic, timeout));
    if (!IsPartitionCount(requeue->partitions_)) {
      return FatalError("topic '{}' has {} partitions. Run `orbweaver init`", kSpiderLogTopic,
                        requeue->partitions_);
    }
    ASSIGN_OR_RETURN(requeue->before_, PutBackBefore(bus, timeout));
    if (only_count) return requeue;
    ASSIGN_OR_RETURN(requeue->producer_, bus.NewProducer({}, [raw = requeue.get()](const Ack& ack) {
      raw->failure_.Update(ack.status);
    }));
    return requeue;
  }

  absl::Status Take(const Message& letter) {
    if (!HeaderOf(letter, kDeadLetterPutBackHeader).empty()) return absl::OkStatus();
    if (HeaderOf(letter, kDeadLetterTopicHeader) != kSpiderLogTopic) {
      ++counts_.others;
      return absl::OkStatus();
    }
    if (before_.Contains(letter.offset.value())) {
      ++counts_.before;
      return absl::OkStatus();
    }
    const auto headers = OriginalHeaders(letter);
    Message original = letter;
    original.headers = headers;
    arena_.Reset();
    SpiderLogEntry entry;
    if (!CheckSchema(HeaderOf(original, kSchemaHeader)).ok() ||
        !Decode(letter.value, &arena_, &entry).ok()) {
      ++counts_.unreadable;
      return absl::OkStatus();
    }
    if (!IsFirstOfOrigin(letter)) return absl::OkStatus();
    if (producer_ == nullptr) {
      ++counts_.put_back;
      return absl::OkStatus();
    }
    RETURN_IF_ERROR(Send({.topic = kSpiderLogTopic,
                          .partition = PartitionOf(SlotOf(entry.domain), partitions_),
                          .key = entry.domain,
                          .value = letter.value,
                          .headers = headers}));
    ++counts_.put_back;
    unnoted_.Add(letter.offset.value(), letter.offset.value());
    return counts_.put_back % kNoteEvery == 0 ? Note() : absl::OkStatus();
  }

  // Makes the entries that were put back since the last note durable, and then the note.
  absl::Status Note() {
    if (unnoted_.empty()) return absl::OkStatus();
    RETURN_IF_ERROR(Flush());
    const std::string offsets = unnoted_.Text();
    const Header headers[] = {{kDeadLetterTopicHeader, kDeadLetterTopic},
                              {kDeadLetterPutBackHeader, offsets}};
    RETURN_IF_ERROR(
        Send({.topic = kDeadLetterTopic, .partition = kOnlyPartition, .headers = headers}));
    RETURN_IF_ERROR(Flush());
    unnoted_.clear();
    return absl::OkStatus();
  }

  const RequeueCounts& counts() const { return counts_; }

 private:
  explicit Requeue(Duration timeout) : timeout_(timeout) {}

  bool IsFirstOfOrigin(const Message& letter) {
    if (origins_.size() >= kMostOrigins) origins_.clear();
    return origins_
        .insert(fmt::format("{} {}", HeaderOf(letter, kDeadLetterPartitionHeader),
                            HeaderOf(letter, kDeadLetterOffsetHeader)))
        .second;
  }

  absl::Status Send(const Record& record) {
    absl::Status sent = producer_->Send(record, 0);
    if (IsRetry(sent)) {
      RETURN_IF_ERROR(Flush());
      sent = producer_->Send(record, 0);
    }
    return sent;
  }
  absl::Status Flush() {
    absl::Status flushed = producer_->Flush(timeout_);
    RETURN_IF_ERROR(failure_);
    return flushed;
  }

  const Duration timeout_;
  int partitions_ = 0;
  Offsets before_;
  std::unique_ptr<Producer> producer_;  // null: only counts
  absl::Status failure_;
  Arena arena_;
  absl::flat_hash_set<std::string> origins_;
  Offsets unnoted_;
  RequeueCounts counts_;
};

absl::StatusOr<RequeueCounts> TakeLetters(Bus& bus, const LogRange& range,
                                          absl::FunctionRef<bool(const Message&)> wanted,
                                          bool only_count, Duration timeout) {
  ASSIGN_OR_RETURN(const auto requeue, Requeue::Create(bus, only_count, timeout));
  absl::Status taken;
  LogReader reader(range);
  const absl::Status read = reader.Read(bus, timeout, [&](const Message& letter) {
    if (wanted(letter)) taken = requeue->Take(letter);
    return taken.ok();
  });
  RETURN_IF_ERROR(read);
  RETURN_IF_ERROR(taken);
  RETURN_IF_ERROR(requeue->Note());
  return requeue->counts();
}

}  // namespace

absl::StatusOr<RequeueCounts> RequeueDeadLetters(Bus& bus, const LogRange& range,
                                                 absl::FunctionRef<bool(const Message&)> wanted,
                                                 Duration timeout) {
  return TakeLetters(bus, range, wanted, /*only_count=*/false, timeout);
}

absl::StatusOr<RequeueCounts> CountDeadLetters(Bus& bus, const LogRange& range,
                                               absl::FunctionRef<bool(const Message&)> wanted,
                                               Duration timeout) {
  return TakeLetters(bus, range, wanted, /*only_count=*/true, timeout);
}

}  // namespace orbweaver
