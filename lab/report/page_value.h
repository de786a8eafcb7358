// How much a page is worth to the user of a report.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/statusor.h"

#include "common/url/options.h"
#include "lab/report/score_file.h"
#include "lab/report/value_expression.h"

namespace orbweaver::lab {

// An expression over a page's columns, scores by URL, or neither: then a page with a content that
// no URL before had is worth 1.
//
// Place: made from the command line, asked by RecordedPages. Thread-safe.
class PageValue {
 public:
  PageValue() = default;
  // Errors as ValueExpression::Parse and ScoreFile::Read.
  static absl::StatusOr<PageValue> FromExpression(std::string_view text);
  static absl::StatusOr<PageValue> FromScores(const std::filesystem::path& path,
                                              const UrlOptions& options);

  // Of reports: the expression, or the file's name. Empty: neither.
  const std::string& text() const { return text_; }
  bool is_default() const { return text_.empty(); }
  bool has_scores() const { return scores_.has_value(); }

  double Of(const RecordedPage& page) const;
  // Of a URL whether it was recorded or not; 0 without scores.
  double ScoreOf(std::string_view url) const { return scores_ ? scores_->ScoreOf(url) : 0; }

 private:
  std::string text_;
  std::optional<ValueExpression> expression_;
  std::optional<ScoreFile> scores_;
};

}  // namespace orbweaver::lab
