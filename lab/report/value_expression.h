// The value of a page as its user defines it: `status=200 and language="de" and text_bytes>2000`.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

#include "lab/report/page_columns.h"

namespace orbweaver::lab {

// An expression over the columns of a recorded page:
//
//   or, and, not           in this order, the last binds closest
//   = != < <= > >=         of two numbers or two texts
//   like                   a text and a pattern: % stands for any text, _ for one byte
//   + - * /                of numbers
//   (…)  12.5  "text"  'text'  true  false, and names of columns (page_columns.h)
//
// True is 1 and false is 0, so an expression gives a weight as well: `text_bytes/1000`.
//
// Place: made from the command line, asked for each recorded page. Thread-safe once made.
class ValueExpression {
 public:
  // Fatal, with the place of the error marked by a caret below a copy of the text.
  static absl::StatusOr<ValueExpression> Parse(std::string_view text);

  // At least 0 and finite: what is below, or is no number because a column is missing or a divisor
  // is 0, counts as 0. A comparison with a missing number is false. A missing text is empty.
  double Evaluate(const RecordedPage& page) const;

  // Whether all values are 0 or 1.
  bool is_condition() const { return is_condition_; }
  const std::string& text() const { return text_; }

 private:
  friend class ValueParser;

  enum class Operation : uint8_t {
    kNumber,
    kText,
    kNumberColumn,
    kTextColumn,
    kOr,
    kAnd,
    kNot,
    kEqual,
    kNotEqual,
    kLess,
    kLessOrEqual,
    kGreater,
    kGreaterOrEqual,
    kLike,
    kAdd,
    kSubtract,
    kMultiply,
    kDivide,
    kNegate
  };
  struct Node {
    Operation operation = Operation::kNumber;
    bool compares_texts = false;
    uint32_t left = 0;  // operands, as places in nodes_
    uint32_t right = 0;
    double number = 0;
    std::string text;
    const PageColumn* column = nullptr;
  };

  double NumberOf(uint32_t node, const RecordedPage& page) const;
  std::string_view TextOf(uint32_t node, const RecordedPage& page) const;
  bool Compare(const Node& node, const RecordedPage& page) const;

  std::string text_;
  std::vector<Node> nodes_;
  uint32_t root_ = 0;
  bool is_condition_ = false;
};

}  // namespace orbweaver::lab
