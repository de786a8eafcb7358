#include "cli/frontier/dead_letter_list.h"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

#include "cli/frontier/log_reader.h"
#include "cli/frontier/message_view.h"
#include "fmt/format.h"

#include "common/base/status.h"
#include "common/bus/topics.h"
#include "common/model/arena.h"
#include "common/protocol/dead_letters.h"

namespace orbweaver {
namespace {

constexpr PartitionId kOnlyPartition{0};
constexpr int64_t kLeastPortion = 20;
// Of one page, notes included.
constexpr int64_t kMostRead = 5000;
constexpr size_t kMaxCauseBytes = 1024;
constexpr size_t kMaxTextBytes = 256;

std::string Cut(std::string_view text, size_t most = kMaxTextBytes) {
  if (text.size() <= most) return std::string(text);
  return std::string(text.substr(0, most)) + "…";
}

// The kind of the message that the letter holds, and its URL.
std::string SaysOf(const Message& letter, Arena* arena) {
  const std::string_view topic = HeaderOf(letter, kDeadLetterTopicHeader);
  arena->Reset();
  const MessageView view = ViewMessage(topic, letter, arena);
  std::string says(view.type);
  if (view.type == "unreadable") {
    says = fmt::format("unreadable message of {} bytes", letter.value.size());
  } else if (!view.urls.empty()) {
    says += fmt::format(" of {}", Cut(view.urls.front()));
  }
  return fmt::format("{}, {}/{}@{}", says, Cut(topic),
                     Cut(HeaderOf(letter, kDeadLetterPartitionHeader)),
                     Cut(HeaderOf(letter, kDeadLetterOffsetHeader)));
}

ListedLetter Listed(const Message& letter, Arena* arena) {
  return {.partition = letter.partition,
          .offset = letter.offset,
          .time = letter.time,
          .topic = Cut(HeaderOf(letter, kDeadLetterTopicHeader)),
          .cause = Cut(HeaderOf(letter, kDeadLetterCauseHeader), kMaxCauseBytes),
          .key = Cut(letter.key),
          .says = SaysOf(letter, arena)};
}

// The letters of [from, to), the oldest first.
absl::StatusOr<std::vector<ListedLetter>> ReadPortion(Bus& bus, Offset from, Offset to,
                                                      Duration timeout) {
  std::vector<ListedLetter> letters;
  Arena arena;
  LogReader reader({.topic = std::string(kDeadLetterTopic),
                    .partition = kOnlyPartition,
                    .from = from.value(),
                    .to = to.value()});
  RETURN_IF_ERROR(reader.Read(bus, timeout, [&](const Message& message) {
    if (HeaderOf(message, kDeadLetterPutBackHeader).empty()) {
      letters.push_back(Listed(message, &arena));
    }
    return true;
  }));
  return letters;
}

}  // namespace

absl::StatusOr<LetterPage> ListDeadLetters(Bus& bus, std::optional<Offset> before, size_t limit,
                                           Duration timeout) {
  limit = std::min(limit, kMostListedLetters);
  ASSIGN_OR_RETURN(const auto bounds,
                   FindBounds(bus, {.topic = std::string(kDeadLetterTopic)}, timeout));
  const auto found = bounds.find(kOnlyPartition);
  if (found == bounds.end()) return LetterPage();
  const Offset start = found->second.start;
  const Offset newest = std::min(found->second.end, before.value_or(found->second.end));
  LetterPage page;
  Offset unread = newest;
  while (unread > start && page.letters.size() < limit && newest - unread < kMostRead) {
    const auto wanted = static_cast<int64_t>(limit - page.letters.size());
    const Offset from = std::max(start, Offset(unread.value() - std::max(wanted, kLeastPortion)));
    ASSIGN_OR_RETURN(auto letters, ReadPortion(bus, from, unread, timeout));
    unread = from;
    for (; !letters.empty() && page.letters.size() < limit; letters.pop_back()) {
      page.letters.push_back(std::move(letters.back()));
    }
    if (!letters.empty()) unread = letters.back().offset + 1;
  }
  if (unread > start) page.next = unread;
  return page;
}

}  // namespace orbweaver
