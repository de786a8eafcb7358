// Scores of URLs from a file of the user's: how much each page is worth to him.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"

#include "common/base/ids.h"
#include "common/url/canonical.h"

namespace orbweaver::lab {

// A Parquet file (its name ends in .parquet) with the columns `url` and `score`, or lines
// `url,score`: the score stands behind the last comma, quotes around the URL are taken away, and a
// first line of which the score is no number is a heading. URLs are canonicalised; of a URL that
// comes twice the last score counts.
//
// Memory: 24 bytes a URL. Thread-safe once read.
class ScoreFile {
 public:
  // Fatal or poison, naming the file and the line: it cannot be read, a score is no number or below
  // 0, or no line has a URL.
  static absl::StatusOr<ScoreFile> Read(const std::filesystem::path& path,
                                        const UrlOptions& options);

  // 0: the file does not have it.
  double ScoreOf(std::string_view canonical_url) const;
  size_t size() const { return scores_.size(); }
  double largest() const { return largest_; }
  uint64_t no_urls() const { return no_urls_; }  // entries whose URL is none, left out

 private:
  absl::Status ReadLines(const std::filesystem::path& path, UrlCanonicalizer& canonicalizer);
  absl::Status ReadParquet(const std::filesystem::path& path, UrlCanonicalizer& canonicalizer);
  absl::Status Add(std::string_view url, double score, UrlCanonicalizer& canonicalizer);

  absl::flat_hash_map<Fingerprint, float> scores_;
  double largest_ = 0;
  uint64_t no_urls_ = 0;
};

}  // namespace orbweaver::lab
