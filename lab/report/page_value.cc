#include "lab/report/page_value.h"

#include "common/base/status.h"

namespace orbweaver::lab {

absl::StatusOr<PageValue> PageValue::FromExpression(std::string_view text) {
  PageValue value;
  ASSIGN_OR_RETURN(value.expression_, ValueExpression::Parse(text));
  value.text_ = text;
  return value;
}

absl::StatusOr<PageValue> PageValue::FromScores(const std::filesystem::path& path,
                                                const UrlOptions& options) {
  PageValue value;
  ASSIGN_OR_RETURN(value.scores_, ScoreFile::Read(path, options));
  value.text_ = path.filename().string();
  return value;
}

double PageValue::Of(const RecordedPage& page) const {
  if (expression_.has_value()) return expression_->Evaluate(page);
  return ScoreOf(page.page.request.url);
}

}  // namespace orbweaver::lab
