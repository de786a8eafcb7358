// The command line of `orbweaver check`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/check/check_engine.h"

namespace orbweaver {

struct CheckArguments {
  std::string input;    // "-": standard input
  std::string results;  // "-": standard output
  size_t column = 0;
  bool failures_only = false;
  bool restart = false;
  bool json = false;
  uint64_t max_failures = UINT64_MAX;
  uint64_t certificate_days = 30;
  bool at_once_given = false;
  CheckSettings settings;

  // The options that give results another meaning. A check goes on only with the same.
  std::string Meaning() const;
};

// Takes the options of this command out of `args`; those that are short for a --set become one.
// Leaves --config, --set and unknown arguments. Returns the message of an error, or nothing.
std::optional<std::string> TakeCheckArguments(std::vector<std::string>* args, CheckArguments* into);

}  // namespace orbweaver
