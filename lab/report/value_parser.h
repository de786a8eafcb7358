// Reads the text of a ValueExpression.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

#include "lab/report/value_expression.h"

namespace orbweaver::lab {

// By recursive descent, a method for each strength of binding. Place: in ValueExpression::Parse,
// used once.
class ValueParser {
 public:
  explicit ValueParser(std::string_view text) : text_(text) {}

  absl::StatusOr<ValueExpression> Parse();

 private:
  using Operation = ValueExpression::Operation;
  using Node = ValueExpression::Node;

  enum class Kind : uint8_t { kCondition, kNumber, kText };
  // A node, its kind, and where its text begins.
  struct Term {
    uint32_t node = 0;
    Kind kind = Kind::kNumber;
    size_t begin = 0;
  };
  using TermOr = absl::StatusOr<Term>;

  TermOr Or();
  TermOr And();
  TermOr Not();
  TermOr Comparison();
  TermOr Sum();
  TermOr Product();
  TermOr Sign();
  TermOr Primary();
  TermOr Number();
  TermOr Text();
  TermOr Word();
  TermOr Joined(TermOr (ValueParser::*operand)(), std::string_view word, Operation operation);

  void SkipSpace();
  bool Take(std::string_view symbol);
  bool TakeWord(std::string_view word);
  std::optional<Operation> TakeComparison();
  std::string_view PeekWord() const;
  Term Add(Node node, Kind kind, size_t begin);
  absl::Status NoText(const Term& term) const;
  // `why` and a copy of the text with a caret below the place.
  absl::Status Error(size_t place, std::string_view why) const;

  static constexpr size_t kMaxBytes = 4096;
  static constexpr int kMaxDepth = 100;

  const std::string_view text_;
  size_t at_ = 0;
  int depth_ = 0;
  ValueExpression made_;
};

}  // namespace orbweaver::lab
