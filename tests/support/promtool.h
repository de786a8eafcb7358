// What Prometheus' own linter says of a text of metrics.
#pragma once

#include <array>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace orbweaver {

// Empty when `promtool check metrics` is content; else what it printed. Fails the test when
// promtool (Debian package `prometheus`) cannot be run.
inline std::string PromtoolComplaints(std::string_view metrics) {
  const std::string path = ::testing::TempDir() + "/metrics-XXXXXX";
  std::string file = path;
  const int fd = mkstemp(file.data());
  if (fd < 0) {
    ADD_FAILURE() << "no temporary file " << path;
    return "not run";
  }
  FILE* const out = fdopen(fd, "w");
  std::fwrite(metrics.data(), 1, metrics.size(), out);
  std::fclose(out);

  FILE* const promtool = popen(("promtool check metrics < " + file + " 2>&1").c_str(), "r");
  std::string said;
  std::array<char, 4096> buffer;
  for (size_t n; (n = std::fread(buffer.data(), 1, buffer.size(), promtool)) > 0;) {
    said.append(buffer.data(), n);
  }
  const int status = pclose(promtool);
  std::remove(file.c_str());
  if (status != 0 && said.empty()) said = "promtool failed without a word";
  return said;
}

}  // namespace orbweaver
