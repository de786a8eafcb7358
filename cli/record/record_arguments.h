// The command line of `orbweaver record`.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/frontier/log_reader.h"

#include "common/bus/topics.h"

namespace orbweaver {

struct RecordArguments {
  std::string verb;  // empty: record
  std::filesystem::path recording;
  std::vector<std::string> topics = {std::string(kSpiderLogTopic), std::string(kScoringLogTopic)};
  std::optional<std::filesystem::path> folder;
  LogRange range;
  double sample = 1;
  bool follow = false;
  Duration every = std::chrono::minutes(1);  // following, a file is finished at least so often
  bool skip_damaged = false;
  bool json = false;
};

// Takes what the command knows out of `args`, all but --data. `help` is its help text. Returns what
// is wrong, or nothing.
std::string ParseRecordArguments(std::vector<std::string> args, std::string_view help,
                                 RecordArguments* parsed);

}  // namespace orbweaver
