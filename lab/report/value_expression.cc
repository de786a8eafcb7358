#include "lab/report/value_expression.h"

#include <cmath>
#include <limits>
#include <string_view>

#include "common/base/check.h"
#include "lab/report/value_parser.h"

namespace orbweaver::lab {
namespace {

// Linear in the text for a pattern of few %: on a mismatch only the last % takes a byte more.
bool IsLike(std::string_view text, std::string_view pattern) {
  size_t t = 0;
  size_t p = 0;
  size_t after_any = std::string_view::npos;  // behind the last % of the pattern
  size_t resume = 0;                          // of the text
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '%') {
      after_any = ++p;
      resume = t;
    } else if (p < pattern.size() && (pattern[p] == '_' || pattern[p] == text[t])) {
      ++p;
      ++t;
    } else if (after_any != std::string_view::npos) {
      p = after_any;
      t = ++resume;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '%') ++p;
  return p == pattern.size();
}

}  // namespace

absl::StatusOr<ValueExpression> ValueExpression::Parse(std::string_view text) {
  return ValueParser(text).Parse();
}

double ValueExpression::Evaluate(const RecordedPage& page) const {
  const double value = NumberOf(root_, page);
  return std::isfinite(value) && value > 0 ? value : 0;
}

double ValueExpression::NumberOf(uint32_t node, const RecordedPage& page) const {
  const Node& at = nodes_[node];
  const auto left = [&] { return NumberOf(at.left, page); };
  const auto right = [&] { return NumberOf(at.right, page); };
  // A number that is not there is not true.
  const auto is_true = [](double value) { return !std::isnan(value) && value != 0; };
  switch (at.operation) {
    case Operation::kNumber:
      return at.number;
    case Operation::kNumberColumn:
      return at.column->number(page);
    case Operation::kOr:
      return is_true(left()) || is_true(right()) ? 1 : 0;
    case Operation::kAnd:
      return is_true(left()) && is_true(right()) ? 1 : 0;
    case Operation::kNot:
      return is_true(left()) ? 0 : 1;
    case Operation::kAdd:
      return left() + right();
    case Operation::kSubtract:
      return left() - right();
    case Operation::kMultiply:
      return left() * right();
    case Operation::kDivide: {
      const double divisor = right();
      return divisor == 0 ? std::numeric_limits<double>::quiet_NaN() : left() / divisor;
    }
    case Operation::kNegate:
      return -left();
    case Operation::kLike:
      return IsLike(TextOf(at.left, page), TextOf(at.right, page)) ? 1 : 0;
    case Operation::kText:
    case Operation::kTextColumn:
      CHECK(false);  // the parser has refused it
    default:
      return Compare(at, page) ? 1 : 0;
  }
}

std::string_view ValueExpression::TextOf(uint32_t node, const RecordedPage& page) const {
  const Node& at = nodes_[node];
  return at.operation == Operation::kText ? std::string_view(at.text) : at.column->text(page);
}

bool ValueExpression::Compare(const Node& node, const RecordedPage& page) const {
  const auto holds = [&](const auto& left, const auto& right) {
    switch (node.operation) {
      case Operation::kEqual:
        return left == right;
      case Operation::kNotEqual:
        return left != right;
      case Operation::kLess:
        return left < right;
      case Operation::kLessOrEqual:
        return left <= right;
      case Operation::kGreater:
        return left > right;
      default:
        return left >= right;
    }
  };
  if (node.compares_texts) return holds(TextOf(node.left, page), TextOf(node.right, page));
  const double left = NumberOf(node.left, page);
  const double right = NumberOf(node.right, page);
  return !std::isnan(left) && !std::isnan(right) && holds(left, right);
}

}  // namespace orbweaver::lab
