// Parameters of a strategy: members that declare themselves.
//
//   orbweaver::sdk::Integer max_depth_{this, "max_depth", 2, 0, 100, "Links followed from a seed"};
//
// The host reads what a user configured below `strategy.params`, holds it against type and bounds,
// and sets the members after the strategy was made and before Start is called; from then on they
// are constant. `orbweaver strategy describe` shows the declarations.
#pragma once

#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <locale>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "orbweaver/strategy_abi.h"

namespace orbweaver::sdk {

class Parameter;

// The owner of parameters: a strategy, by inheritance. `this` is the first argument of each.
class ParameterOwner {
 public:
  ParameterOwner() = default;
  ParameterOwner(const ParameterOwner&) = delete;
  ParameterOwner& operator=(const ParameterOwner&) = delete;

  const std::vector<Parameter*>& parameters() const { return parameters_; }
  uint64_t needs() const { return needs_; }

 protected:
  ~ParameterOwner() = default;

 private:
  friend class Parameter;
  friend class NeedsBody;
  std::vector<Parameter*> parameters_;  // in the order of declaration
  uint64_t needs_ = 0;
};

// A member that declares that the strategy works on the bodies of pages: the host then says when
// spiders do not log them.
//
//   orbweaver::sdk::NeedsBody body_{this};
class NeedsBody {
 public:
  explicit NeedsBody(ParameterOwner* owner) { owner->needs_ |= ORBWEAVER_NEEDS_BODY; }
};

// The common part; strategies use the types below, or derive one that parses something else from
// a text. Texts that are handed to the constructor are literals: they are not copied.
class Parameter {
 public:
  Parameter(const Parameter&) = delete;
  Parameter& operator=(const Parameter&) = delete;

  // Takes the value; throws std::invalid_argument with the reason when `text` is none.
  virtual void Parse(std::string_view text) = 0;

  orbweaver_parameter declaration() const {
    return {name_, type_, default_value_.c_str(), doc_, min_, max_};
  }
  std::string_view name() const { return name_; }

 protected:
  Parameter(ParameterOwner* owner, const char* name, const char* type, std::string default_value,
            const char* doc, double min = 1, double max = 0)
      : name_(name),
        type_(type),
        doc_(doc),
        min_(min),
        max_(max),
        default_value_(std::move(default_value)) {
    owner->parameters_.push_back(this);
  }
  ~Parameter() = default;

 private:
  const char* const name_;
  const char* const type_;
  const char* const doc_;
  const double min_;
  const double max_;
  const std::string default_value_;
};

class Integer final : public Parameter {
 public:
  Integer(ParameterOwner* owner, const char* name, int64_t value, int64_t min, int64_t max,
          const char* doc)
      : Parameter(owner, name, "integer", std::to_string(value), doc, static_cast<double>(min),
                  static_cast<double>(max)),
        value_(value) {}

  void Parse(std::string_view text) override {
    int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size()) {
      throw std::invalid_argument("not an integer");
    }
    value_ = value;
  }

  operator int64_t() const { return value_; }  // NOLINT(google-explicit-constructor): reads as one
  int64_t value() const { return value_; }

 private:
  int64_t value_;
};

class Number final : public Parameter {
 public:
  Number(ParameterOwner* owner, const char* name, double value, double min, double max,
         const char* doc)
      : Parameter(owner, name, "number", Print(value), doc, min, max), value_(value) {}

  void Parse(std::string_view text) override { value_ = ParseNumber(text); }

  operator double() const { return value_; }  // NOLINT(google-explicit-constructor): reads as one
  double value() const { return value_; }

  // Whatever the process's locale; throws std::invalid_argument.
  static double ParseNumber(std::string_view text) {
    std::istringstream in{std::string(text)};
    in.imbue(std::locale::classic());
    double value = 0;
    if (!(in >> value) || in.peek() != std::istringstream::traits_type::eof()) {
      throw std::invalid_argument("not a number");
    }
    return value;
  }

 private:
  static std::string Print(double value) {
    std::ostringstream out;
    out.imbue(std::locale::classic());
    out << value;
    return out.str();
  }

  double value_;
};

class Flag final : public Parameter {
 public:
  Flag(ParameterOwner* owner, const char* name, bool value, const char* doc)
      : Parameter(owner, name, "bool", value ? "true" : "false", doc), value_(value) {}

  void Parse(std::string_view text) override {
    if (text != "true" && text != "false") throw std::invalid_argument("neither true nor false");
    value_ = text == "true";
  }

  operator bool() const { return value_; }  // NOLINT(google-explicit-constructor): reads as one

 private:
  bool value_;
};

class String final : public Parameter {
 public:
  String(ParameterOwner* owner, const char* name, const char* value, const char* doc)
      : Parameter(owner, name, "text", value, doc), value_(value) {}

  void Parse(std::string_view text) override { value_ = text; }

  const std::string& value() const { return value_; }

 private:
  std::string value_;
};

// The elements of a list: what stands between commas, without spaces around it; empty ones left
// out.
inline std::vector<std::string> SplitList(std::string_view text) {
  std::vector<std::string> elements;
  while (!text.empty()) {
    const size_t comma = text.find(',');
    std::string_view element = text.substr(0, comma);
    text = comma == std::string_view::npos ? std::string_view() : text.substr(comma + 1);
    const size_t first = element.find_first_not_of(" \t\n");
    if (first == std::string_view::npos) continue;
    element = element.substr(first, element.find_last_not_of(" \t\n") + 1 - first);
    elements.emplace_back(element);
  }
  return elements;
}

class List final : public Parameter {
 public:
  List(ParameterOwner* owner, const char* name, const char* value, const char* doc)
      : Parameter(owner, name, "list", value, doc), values_(SplitList(value)) {}

  void Parse(std::string_view text) override { values_ = SplitList(text); }

  const std::vector<std::string>& values() const { return values_; }

 private:
  std::vector<std::string> values_;
};

}  // namespace orbweaver::sdk
