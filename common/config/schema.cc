#include "common/config/schema.h"

#include <algorithm>
#include <cctype>

#include "fmt/format.h"

#include "common/config/mask.h"

namespace orbweaver::config {
namespace {

bool IsWellFormed(std::string_view name) {
  if (name.find('.') == std::string_view::npos) return false;
  char before = '.';
  for (const char c : name) {
    const bool letter = c >= 'a' && c <= 'z';
    const bool inner = (c >= '0' && c <= '9') || c == '_' || c == '.';
    if (!letter && !inner) return false;
    // A word starts with a letter, and `__` is what separates words in an environment variable.
    if (inner && before == '.') return false;
    if ((c == '_' || c == '.') && before == '_') return false;
    before = c;
  }
  return before != '.' && before != '_';
}

bool IsSectionOf(std::string_view section, std::string_view name) {
  return name.size() > section.size() && name.starts_with(section) && name[section.size()] == '.';
}

std::string ExpectedOne(const ValueType& type) {
  std::string bounds;
  if (!type.min.empty() && !type.max.empty()) {
    bounds = fmt::format(" from {} to {}", type.min, type.max);
  } else if (!type.min.empty()) {
    bounds = fmt::format(" of at least {}", type.min);
  } else if (!type.max.empty()) {
    bounds = fmt::format(" of at most {}", type.max);
  }
  std::string unit;
  if (!type.unit.empty()) {
    unit = type.kind == ValueType::Kind::kDuration ? fmt::format(" in {}", type.unit)
                                                   : fmt::format(" ({})", type.unit);
  }
  switch (type.kind) {
    case ValueType::Kind::kBool:
      return "true or false";
    case ValueType::Kind::kInteger:
      return fmt::format("an integer{}{}", bounds, unit);
    case ValueType::Kind::kNumber:
      return fmt::format("a number{}{}", bounds, unit);
    case ValueType::Kind::kShare:
      return fmt::format("a share{}, such as 5%", bounds);
    case ValueType::Kind::kDuration:
      return fmt::format("a duration{}{}, such as {}", unit, bounds,
                         type.unit == "whole seconds" ? "10s or 2h" : "250ms, 10s or 2h");
    case ValueType::Kind::kBytes:
      return fmt::format("a size{}, such as 64KiB or 256MB", bounds);
    case ValueType::Kind::kText:
      return "text";
    case ValueType::Kind::kChoice:
      return fmt::format("one of {}", fmt::join(type.choices, ", "));
  }
  return {};
}

}  // namespace

bool Option::IsSecret(std::string_view key) const {
  return secret || (shape == Shape::kMap && type.kind == ValueType::Kind::kText &&
                    !MatchesAny(key, shown_keys));
}

std::string Option::Shown(const Entry& entry) const {
  if (!entry.text.empty() && IsSecret(entry.key)) return kMask;
  return type.kind == ValueType::Kind::kText ? WithoutUserinfo(entry.text) : entry.text;
}

std::string Option::SourceOf(std::string_view key) const {
  const auto found = sources.find(key);
  return found == sources.end() ? "default" : found->second;
}

std::string Option::Expected() const {
  switch (shape) {
    case Shape::kOne:
      return ExpectedOne(type);
    case Shape::kList:
      return fmt::format("a list, each {}", ExpectedOne(type));
    case Shape::kMap:
      return fmt::format("keys, each with {}", ExpectedOne(type));
  }
  return {};
}

std::string EnvironmentName(std::string_view name) {
  std::string out = "ORBWEAVER_";
  for (const char c : name) {
    if (c == '.') {
      out += "__";
    } else {
      out += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    }
  }
  return out;
}

void Schema::AddShare(std::string name, double* member, About<double> about) {
  const double min = std::max(about.min, 0.0);
  const double max = std::min(about.max, 1.0);
  Codec<double> codec;
  codec.type.kind = ValueType::Kind::kShare;
  codec.type.min = PrintShare(min);
  codec.type.max = PrintShare(max);
  codec.parse = [min, max](std::string_view text, double* value) {
    double share;
    if (!ParseShare(text, &share) || share < min || share > max) return false;
    *value = share;
    return true;
  };
  codec.print = PrintShare;
  AddOne({.name = std::move(name), .doc = std::move(about.doc)}, member, std::move(codec));
}

void Schema::Add(std::string name, bool* member, About<bool> about) {
  AddOne({.name = std::move(name), .doc = std::move(about.doc)}, member,
         Codec<bool>{.type = {.kind = ValueType::Kind::kBool},
                     .parse = ParseBool,
                     .print = [](const bool& value) { return PrintBool(value); }});
}

void Schema::Add(std::string name, std::string* member, About<std::string> about) {
  AddOne({.name = std::move(name), .doc = std::move(about.doc), .secret = about.secret}, member,
         TextCodec());
}

void Schema::Add(std::string name, std::vector<std::string>* member,
                 About<std::vector<std::string>> about) {
  Option option{.name = std::move(name), .doc = std::move(about.doc)};
  option.shape = Option::Shape::kList;
  option.put = [member](const std::string&, std::string_view text) {
    member->emplace_back(text);
    return true;
  };
  option.clear = [member] { member->clear(); };
  option.get = [member] {
    std::vector<Option::Entry> entries;
    for (const std::string& text : *member) entries.push_back({.key = "", .text = text});
    return entries;
  };
  Insert(std::move(option));
}

Schema::Codec<std::string> Schema::TextCodec() {
  return {.type = {},
          .parse =
              [](std::string_view text, std::string* value) {
                *value = text;
                return true;
              },
          .print = [](const std::string& value) { return value; }};
}

void Schema::Insert(Option option) {
  CHECK(IsWellFormed(option.name));
  CHECK(!option.doc.empty() && option.doc.back() != '.');
  for (const Option& other : options_) {
    CHECK(other.name != option.name);
    CHECK(!IsSectionOf(other.name, option.name) && !IsSectionOf(option.name, other.name));
  }
  option.defaults = option.get();
  const auto place =
      std::upper_bound(options_.begin(), options_.end(), option,
                       [](const Option& a, const Option& b) { return a.name < b.name; });
  options_.insert(place, std::move(option));
}

void Schema::PassOver(std::span<const std::string_view> sections) {
  for (const std::string_view section : sections) passed_over_.emplace_back(section);
}

bool Schema::PassesOver(std::string_view name) const {
  const std::string_view section = name.substr(0, name.find('.'));
  const auto declared = [section](const Option& option) {
    return option.name.size() > section.size() && option.name.starts_with(section) &&
           option.name[section.size()] == '.';
  };
  return std::find(passed_over_.begin(), passed_over_.end(), section) != passed_over_.end() &&
         std::none_of(options_.begin(), options_.end(), declared);
}

void Schema::Renamed(std::string old_name, std::string new_name) {
  renamed_.insert_or_assign(std::move(old_name), std::move(new_name));
}

std::string_view Schema::NewNameOf(std::string_view old_name) const {
  const auto found = renamed_.find(old_name);
  return found == renamed_.end() ? std::string_view() : found->second;
}

bool Schema::HadSection(std::string_view section) const {
  const std::string prefix = std::string(section) + ".";
  const auto first = renamed_.lower_bound(prefix);
  return first != renamed_.end() && first->first.starts_with(prefix);
}

}  // namespace orbweaver::config
