#include "lab/report/value_parser.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "fmt/format.h"

#include "common/base/status.h"
#include "common/config/nearest.h"

namespace orbweaver::lab {
namespace {

bool IsWordByte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}
bool IsDigit(char c) { return c >= '0' && c <= '9'; }

std::vector<std::string> ColumnNames() {
  std::vector<std::string> names;
  for (const PageColumn& column : PageColumns()) names.emplace_back(column.name);
  return names;
}

}  // namespace

absl::StatusOr<ValueExpression> ValueParser::Parse() {
  if (text_.size() > kMaxBytes) {
    return FatalError("the expression has {} bytes, and at most {} are read", text_.size(),
                      kMaxBytes);
  }
  made_.text_ = text_;
  ASSIGN_OR_RETURN(const Term whole, Or());
  SkipSpace();
  if (at_ < text_.size()) return Error(at_, "an operator or the end is expected here");
  RETURN_IF_ERROR(NoText(whole));
  made_.root_ = whole.node;
  made_.is_condition_ = whole.kind == Kind::kCondition;
  return std::move(made_);
}

ValueParser::TermOr ValueParser::Joined(TermOr (ValueParser::*operand)(), std::string_view word,
                                        Operation operation) {
  ASSIGN_OR_RETURN(Term left, (this->*operand)());
  while (TakeWord(word)) {
    ASSIGN_OR_RETURN(const Term right, (this->*operand)());
    RETURN_IF_ERROR(NoText(left));
    RETURN_IF_ERROR(NoText(right));
    left = Add({.operation = operation, .left = left.node, .right = right.node}, Kind::kCondition,
               left.begin);
  }
  return left;
}

ValueParser::TermOr ValueParser::Or() { return Joined(&ValueParser::And, "or", Operation::kOr); }
ValueParser::TermOr ValueParser::And() { return Joined(&ValueParser::Not, "and", Operation::kAnd); }

ValueParser::TermOr ValueParser::Not() {
  SkipSpace();
  const size_t begin = at_;
  if (!TakeWord("not")) return Comparison();
  if (++depth_ > kMaxDepth) return Error(begin, "too deeply nested");
  ASSIGN_OR_RETURN(const Term operand, Not());
  --depth_;
  RETURN_IF_ERROR(NoText(operand));
  return Add({.operation = Operation::kNot, .left = operand.node}, Kind::kCondition, begin);
}

ValueParser::TermOr ValueParser::Comparison() {
  ASSIGN_OR_RETURN(const Term left, Sum());
  SkipSpace();
  const size_t place = at_;
  const auto operation = TakeComparison();
  if (!operation.has_value()) return left;
  ASSIGN_OR_RETURN(const Term right, Sum());
  const bool left_is_text = left.kind == Kind::kText;
  const bool right_is_text = right.kind == Kind::kText;
  if (*operation == Operation::kLike && (!left_is_text || !right_is_text)) {
    return Error(place, "`like` needs a text on both sides");
  }
  if (left_is_text != right_is_text) {
    return Error(place,
                 fmt::format("a {} cannot be compared with a {}", left_is_text ? "text" : "number",
                             right_is_text ? "text" : "number"));
  }
  const Term term = Add({.operation = *operation,
                         .compares_texts = left_is_text,
                         .left = left.node,
                         .right = right.node},
                        Kind::kCondition, left.begin);
  SkipSpace();
  const size_t next = at_;
  if (TakeComparison().has_value()) {
    return Error(next, "comparisons are joined by `and`: 1 < depth and depth < 5");
  }
  return term;
}

ValueParser::TermOr ValueParser::Sum() {
  ASSIGN_OR_RETURN(Term left, Product());
  while (true) {
    const bool adds = Take("+");
    if (!adds && !Take("-")) return left;
    ASSIGN_OR_RETURN(const Term right, Product());
    RETURN_IF_ERROR(NoText(left));
    RETURN_IF_ERROR(NoText(right));
    left = Add({.operation = adds ? Operation::kAdd : Operation::kSubtract,
                .left = left.node,
                .right = right.node},
               Kind::kNumber, left.begin);
  }
}

ValueParser::TermOr ValueParser::Product() {
  ASSIGN_OR_RETURN(Term left, Sign());
  while (true) {
    const bool multiplies = Take("*");
    if (!multiplies && !Take("/")) return left;
    ASSIGN_OR_RETURN(const Term right, Sign());
    RETURN_IF_ERROR(NoText(left));
    RETURN_IF_ERROR(NoText(right));
    left = Add({.operation = multiplies ? Operation::kMultiply : Operation::kDivide,
                .left = left.node,
                .right = right.node},
               Kind::kNumber, left.begin);
  }
}

ValueParser::TermOr ValueParser::Sign() {
  SkipSpace();
  const size_t begin = at_;
  if (!Take("-")) return Primary();
  if (++depth_ > kMaxDepth) return Error(begin, "too deeply nested");
  ASSIGN_OR_RETURN(const Term operand, Sign());
  --depth_;
  RETURN_IF_ERROR(NoText(operand));
  return Add({.operation = Operation::kNegate, .left = operand.node}, Kind::kNumber, begin);
}

ValueParser::TermOr ValueParser::Primary() {
  SkipSpace();
  const size_t begin = at_;
  if (at_ == text_.size()) return Error(at_, "a column, a number or a text is expected here");
  if (Take("(")) {
    if (++depth_ > kMaxDepth) return Error(begin, "too deeply nested");
    ASSIGN_OR_RETURN(const Term inner, Or());
    --depth_;
    if (!Take(")")) return Error(at_, "`)` is missing here");
    return inner;
  }
  const char c = text_[at_];
  if (c == '"' || c == '\'') return Text();
  if (IsDigit(c) || c == '.') return Number();
  if (IsWordByte(c)) return Word();
  return Error(at_, "a column, a number or a text is expected here");
}

ValueParser::TermOr ValueParser::Number() {
  const size_t begin = at_;
  double number = 0;
  const auto [end, error] =
      std::from_chars(text_.data() + at_, text_.data() + text_.size(), number);
  at_ = static_cast<size_t>(end - text_.data());
  if (error != std::errc() || (at_ < text_.size() && IsWordByte(text_[at_]))) {
    return Error(begin, "this is not a number");
  }
  return Add({.operation = Operation::kNumber, .number = number}, Kind::kNumber, begin);
}

ValueParser::TermOr ValueParser::Text() {
  const size_t begin = at_;
  const size_t end = text_.find(text_[at_], at_ + 1);
  if (end == text_.npos) return Error(begin, "this text has no closing quote");
  at_ = end + 1;
  return Add({.operation = Operation::kText,
              .text = std::string(text_.substr(begin + 1, end - begin - 1))},
             Kind::kText, begin);
}

ValueParser::TermOr ValueParser::Word() {
  const size_t begin = at_;
  const std::string word(PeekWord());
  if (word == "and" || word == "or" || word == "not" || word == "like") {
    return Error(begin, "a column, a number or a text is expected here");
  }
  at_ += word.size();
  if (word == "true" || word == "false") {
    return Add({.operation = Operation::kNumber, .number = word == "true" ? 1.0 : 0.0},
               Kind::kCondition, begin);
  }
  const PageColumn* const column = FindPageColumn(word);
  if (column == nullptr) {
    const std::string nearest = config::Nearest(word, ColumnNames());
    return Error(begin, fmt::format("there is no column '{}'{}", word,
                                    nearest.empty() ? ". A text stands in quotes"
                                                    : ". Did you mean " + nearest + "?"));
  }
  const bool is_text = column->text != nullptr;
  return Add(
      {.operation = is_text ? Operation::kTextColumn : Operation::kNumberColumn, .column = column},
      is_text ? Kind::kText : Kind::kNumber, begin);
}

void ValueParser::SkipSpace() {
  while (at_ < text_.size() && std::string_view(" \t\r\n").find(text_[at_]) != std::string::npos) {
    ++at_;
  }
}

bool ValueParser::Take(std::string_view symbol) {
  SkipSpace();
  if (!text_.substr(at_).starts_with(symbol)) return false;
  at_ += symbol.size();
  return true;
}

std::string_view ValueParser::PeekWord() const {
  const auto* const begin = text_.begin() + at_;
  const auto* const end = std::find_if_not(begin, text_.end(), IsWordByte);
  return {begin, end};
}

bool ValueParser::TakeWord(std::string_view word) {
  SkipSpace();
  if (PeekWord() != word) return false;
  at_ += word.size();
  return true;
}

std::optional<ValueExpression::Operation> ValueParser::TakeComparison() {
  constexpr std::pair<std::string_view, Operation> kSymbols[] = {
      {"==", Operation::kEqual},          {"=", Operation::kEqual},
      {"!=", Operation::kNotEqual},       {"<>", Operation::kNotEqual},
      {"<=", Operation::kLessOrEqual},    {"<", Operation::kLess},
      {">=", Operation::kGreaterOrEqual}, {">", Operation::kGreater}};
  for (const auto& [symbol, operation] : kSymbols) {
    if (Take(symbol)) return operation;
  }
  if (TakeWord("like")) return Operation::kLike;
  return std::nullopt;
}

ValueParser::Term ValueParser::Add(Node node, Kind kind, size_t begin) {
  made_.nodes_.push_back(std::move(node));
  return {.node = static_cast<uint32_t>(made_.nodes_.size() - 1), .kind = kind, .begin = begin};
}

absl::Status ValueParser::NoText(const Term& term) const {
  if (term.kind != Kind::kText) return absl::OkStatus();
  return Error(term.begin, "a text is compared with another: language = \"de\"");
}

absl::Status ValueParser::Error(size_t place, std::string_view why) const {
  // The caret stands below its place, so one line is shown, and as far as a terminal is wide.
  constexpr size_t kAround = 60;
  const size_t first = place > kAround ? place - kAround : 0;
  std::string shown(text_.substr(first, 2 * kAround));
  for (char& c : shown) {
    if (static_cast<unsigned char>(c) < ' ') c = ' ';
  }
  const auto columns = std::ranges::count_if(std::string_view(shown).substr(0, place - first),
                                             [](char c) { return (c & 0xc0) != 0x80; });
  return FatalError("{}\n  {}\n  {:>{}}", why, shown, '^', columns + 1);
}

}  // namespace orbweaver::lab
