// The orders that a crawl on this machine was given, kept in its folder: `orders.jsonl`, a line
// each.
#pragma once

#include <filesystem>
#include <string_view>

#include "absl/status/status.h"

#include "common/base/clock.h"

namespace orbweaver {

struct JournaledOrder {
  WallTime time;
  std::string_view action;      // "block", "pause", "add-seeds"
  std::string_view parameters;  // as a form; a long one is kept in part
  bool is_done = false;
  std::string_view answer;  // what was said to whoever gave it
};

// Appends a line to the folder's journal, which only its user may read. It may be read and written
// by several at once. Fatal when it cannot be written; the order is done all the same.
absl::Status Journal(const std::filesystem::path& folder, const JournaledOrder& order);

}  // namespace orbweaver
