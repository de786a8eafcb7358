// The dead letters of a crawl, the newest first, a page at a time.
//
// Place: the console. On the interface Bus; commits nothing.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

#include "common/base/clock.h"
#include "common/base/ids.h"
#include "common/bus/bus.h"

namespace orbweaver {

// Texts come from outside: any bytes, cut where they are long.
struct ListedLetter {
  // Where it stands in the topic dead-letter.
  PartitionId partition;
  Offset offset;
  WallTime time;      // when it was put there
  std::string topic;  // that it was read from
  std::string cause;
  std::string key;
  std::string
      says;  // its kind, its URL, and where it stood: "page_fetched of URL, spider-log/3@42"
};

struct LetterPage {
  std::vector<ListedLetter> letters;
  std::optional<Offset> next;  // `before` of the page behind this one; nothing: there is none
};

inline constexpr size_t kMostListedLetters = 500;

// Those below the offset `before`, at most `limit`, itself at most kMostListedLetters. Notes about
// letters that were put back are passed over; a page of a topic with thousands of them in a row may
// be short, or empty, and have a next one. Errors as LogReader's.
absl::StatusOr<LetterPage> ListDeadLetters(Bus& bus, std::optional<Offset> before, size_t limit,
                                           Duration timeout);

}  // namespace orbweaver
