#include "lab/report/score_file.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <optional>
#include <string>
#include <utility>

#include "common/base/status.h"
#include "common/parquet/byte_source.h"
#include "common/parquet/parquet_reader.h"
#include "common/url/fingerprint.h"

namespace orbweaver::lab {
namespace {

using parquet::Cell;
using parquet::Node;
using parquet::Type;

std::string_view Trimmed(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \t\r");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

std::optional<double> NumberOf(std::string_view text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::string_view Unquoted(std::string_view text) {
  if (text.size() < 2 || text.front() != '"' || text.back() != '"') return text;
  return text.substr(1, text.size() - 2);
}

bool IsNumber(Type type) {
  return type == Type::kDouble || type == Type::kFloat || type == Type::kInt32 ||
         type == Type::kInt64 || type == Type::kBool;
}

absl::StatusOr<const Node*> FindColumn(const parquet::Schema& schema, std::string_view name,
                                       bool (*fits)(Type)) {
  size_t next = 0;
  const int index = schema.Child(schema.root(), name, &next);
  if (index < 0 || !fits(schema.node(index).type)) {
    return PoisonError("it has no column '{}' of the right type: `url` is a text, `score` a number",
                       name);
  }
  return &schema.node(index);
}

}  // namespace

absl::StatusOr<ScoreFile> ScoreFile::Read(const std::filesystem::path& path,
                                          const UrlOptions& options) {
  ScoreFile file;
  UrlCanonicalizer canonicalizer(options);
  const absl::Status status = path.extension() == ".parquet" ? file.ReadParquet(path, canonicalizer)
                                                             : file.ReadLines(path, canonicalizer);
  if (!status.ok()) return Annotate(status, path.string());
  if (file.scores_.empty()) {
    return PoisonError("{}: it has no URL with a score. A line reads URL,SCORE", path.string());
  }
  return file;
}

absl::Status ScoreFile::ReadLines(const std::filesystem::path& path,
                                  UrlCanonicalizer& canonicalizer) {
  std::ifstream in(path);
  if (!in) return FatalError("it cannot be opened");
  std::string line;
  for (uint64_t number = 1; std::getline(in, line); ++number) {
    const std::string_view text = Trimmed(line);
    if (text.empty()) continue;
    const size_t comma = text.rfind(',');
    const auto score =
        comma == text.npos ? std::nullopt : NumberOf(Trimmed(text.substr(comma + 1)));
    if (!score.has_value()) {
      if (number == 1 && comma != text.npos) continue;
      return PoisonError("line {}: a line reads URL,SCORE, and this one has no number", number);
    }
    const absl::Status status =
        Add(Unquoted(Trimmed(text.substr(0, comma))), *score, canonicalizer);
    if (!status.ok()) return Annotate(status, "line " + std::to_string(number));
  }
  return in.bad() ? FatalError("it cannot be read") : absl::OkStatus();
}

absl::Status ScoreFile::ReadParquet(const std::filesystem::path& path,
                                    UrlCanonicalizer& canonicalizer) {
  ASSIGN_OR_RETURN(auto source, parquet::FileSource::Open(path.string()));
  ASSIGN_OR_RETURN(const auto reader, parquet::ParquetReader::Open(std::move(source)));
  const auto is_text = [](Type type) { return type == Type::kString || type == Type::kBinary; };
  ASSIGN_OR_RETURN(const Node* const url_leaf, FindColumn(reader->schema(), "url", is_text));
  ASSIGN_OR_RETURN(const Node* const score_leaf, FindColumn(reader->schema(), "score", IsNumber));
  const bool is_real = score_leaf->type == Type::kDouble || score_leaf->type == Type::kFloat;
  for (size_t group = 0; group < reader->meta().groups.size(); ++group) {
    const auto urls = reader->Column(group, *url_leaf);
    const auto scores = reader->Column(group, *score_leaf);
    for (int64_t row = 0; row < reader->meta().groups[group].rows; ++row) {
      ASSIGN_OR_RETURN(const Cell* const url, urls->Peek());
      ASSIGN_OR_RETURN(const Cell* const score, scores->Peek());
      if (url == nullptr || score == nullptr) return PoisonError("its columns end too early");
      if (url->definition == url_leaf->definition && score->definition == score_leaf->definition) {
        RETURN_IF_ERROR(Add(url->bytes, is_real ? score->real : static_cast<double>(score->integer),
                            canonicalizer));
      }
      urls->Pop();
      scores->Pop();
    }
  }
  return absl::OkStatus();
}

absl::Status ScoreFile::Add(std::string_view url, double score, UrlCanonicalizer& canonicalizer) {
  if (!std::isfinite(score) || score < 0) {
    return PoisonError("the score {} is below 0 or no finite number", score);
  }
  if (canonicalizer.Canonicalize(url) != UrlError::kNone) {
    ++no_urls_;
    return absl::OkStatus();
  }
  scores_[FingerprintOf(canonicalizer.url())] = static_cast<float>(score);
  largest_ = std::max(largest_, score);
  return absl::OkStatus();
}

double ScoreFile::ScoreOf(std::string_view canonical_url) const {
  const auto found = scores_.find(FingerprintOf(canonical_url));
  return found == scores_.end() ? 0 : found->second;
}

}  // namespace orbweaver::lab
