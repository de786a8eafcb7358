// The findings of Prometheus' own linter on a text of metrics.
#pragma once

#include <array>
#include <cstdio>
#include <fstream>
#include <string>
#include <string_view>

#include "tests/support/scratch_folder.h"

namespace orbweaver {

// Empty when `promtool check metrics` is content; else what it printed. Fails the test when
// promtool (Debian package `prometheus`) cannot be run.
inline std::string PromtoolComplaints(std::string_view metrics) {
  const ScratchFolder folder;
  const std::string file = folder.path() / "metrics";
  std::ofstream(file) << metrics;

  FILE* const promtool = popen(("promtool check metrics < " + file + " 2>&1").c_str(), "r");
  std::string said;
  std::array<char, 4096> buffer;
  for (size_t n; (n = std::fread(buffer.data(), 1, buffer.size(), promtool)) > 0;) {
    said.append(buffer.data(), n);
  }
  const int status = pclose(promtool);
  if (status != 0 && said.empty()) said = "promtool failed without a word";
  return said;
}

}  // namespace orbweaver
