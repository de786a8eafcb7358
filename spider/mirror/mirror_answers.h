// The answers that the spiders of a mirror have had.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"

namespace orbweaver {

struct MirrorAnswer {
  bool is_redirect = false;
  bool is_cut = false;  // there was more of it than was read, and no other answer is whole
  int64_t at_us = 0;
  uint64_t bytes = 0;
  std::string content_type;  // of a file
  std::string location;      // of a redirect, as the server spelled it
};

// The newest answer of each URL. Not thread-safe.
class MirrorAnswers {
 public:
  // A page that was a file of another type once, or a file and is a redirect now.
  struct Former {
    std::string url;
    std::string content_type;
  };

  // Reads the files that MirrorWriter has written in `folder`, those that are being written too.
  // Fatal when one cannot be read.
  absl::Status Read(const std::string& folder);

  const absl::flat_hash_map<std::string, MirrorAnswer>& newest() const { return newest_; }
  const std::vector<Former>& former() const { return former_; }

 private:
  absl::Status ReadFile(const std::string& path);
  void Take(std::string_view line);

  absl::flat_hash_map<std::string, MirrorAnswer> newest_;
  std::vector<Former> former_;
};

}  // namespace orbweaver
