// The orders that a crawl was given, by whom and from where, a line each: `orders.jsonl` in the
// folder of a crawl on this machine, and one such file for clusters.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "cli/console_options.h"

#include "common/base/clock.h"
#include "common/runtime/form.h"

namespace orbweaver {

struct JournaledOrder {
  WallTime time;
  std::string_view action;      // "block", "pause", "add-seeds"
  std::string_view parameters;  // as a form; a long one is kept in part
  std::string_view by;          // "admin", "login link", or the user of a command
  std::string_view from;        // an IP address; empty: a command on this machine
  bool is_done = false;
  std::string_view answer;  // what was said to whoever gave it
};

// Where orders to the crawl in `folder`, or to a cluster, are kept.
std::filesystem::path JournalFile(const ConsoleOptions& options,
                                  const std::optional<std::filesystem::path>& folder);

// Appends a line to the file, which only its user may read; of a file for clusters the folders are
// made. It may be read and written by several at once. Fatal when it cannot be written; the order
// is done all the same.
absl::Status Journal(const std::filesystem::path& file, const JournaledOrder& order);

// One that was read.
struct KeptOrder {
  int64_t time_ms = 0;
  std::string action;
  FormParams parameters;
  std::string by;
  std::string from;
  bool is_done = false;
  std::string answer;
};

// The last `limit`, the newest first: of the file's last megabyte. Lines that are none are passed
// over; empty when there is no file. Fatal when it cannot be read.
absl::StatusOr<std::vector<KeptOrder>> ReadJournal(const std::filesystem::path& file, size_t limit);

// Of a command at this machine that told the crawl in `folder`, or a cluster, something: says on
// standard error when it cannot be kept.
void KeepOrderOfCommand(const ConsoleOptions& options,
                        const std::optional<std::filesystem::path>& folder, std::string_view action,
                        const FormParams& parameters, const absl::StatusOr<std::string>& answer);

// "user root": who runs this command.
std::string UserOfProcess();

}  // namespace orbweaver
