// The template half of schema.h, which includes it.
#pragma once

#include <memory>

#include "common/base/check.h"
#include "common/config/schema.h"

namespace orbweaver::config {

template <typename T>
void Schema::AddOne(Option option, T* member, Codec<T> codec) {
  option.shape = Option::Shape::kOne;
  option.type = std::move(codec.type);
  option.put = [member, parse = std::move(codec.parse)](const std::string&, std::string_view text) {
    return parse(text, member);
  };
  option.clear = [] {};
  option.get = [member, print = std::move(codec.print)] {
    return std::vector<Option::Entry>{{.key = "", .text = print(*member)}};
  };
  Insert(std::move(option));
}

template <typename T, typename Less>
void Schema::AddMap(Option option, std::map<std::string, T, Less>* member, Codec<T> codec) {
  option.shape = Option::Shape::kMap;
  option.type = std::move(codec.type);
  option.put = [member, parse = std::move(codec.parse)](const std::string& key,
                                                        std::string_view text) {
    T value{};
    if (!parse(text, &value)) return false;
    member->insert_or_assign(key, std::move(value));
    return true;
  };
  option.clear = [member] { member->clear(); };
  option.get = [member, print = std::move(codec.print)] {
    std::vector<Option::Entry> entries;
    for (const auto& [key, value] : *member) entries.push_back({.key = key, .text = print(value)});
    return entries;
  };
  Insert(std::move(option));
}

template <Number T>
void Schema::Add(std::string name, T* member, std::type_identity_t<About<T>> about) {
  using Wide = std::conditional_t<std::floating_point<T>, double,
                                  std::conditional_t<std::signed_integral<T>, int64_t, uint64_t>>;
  using Limits = std::numeric_limits<T>;
  Codec<T> codec;
  codec.type.kind = std::floating_point<T> ? ValueType::Kind::kNumber : ValueType::Kind::kInteger;
  codec.type.unit = std::move(about.unit);
  if (about.min > Limits::lowest() || std::unsigned_integral<T>) {
    codec.type.min = PrintNumber(static_cast<Wide>(about.min));
  }
  if (about.max < Limits::max()) codec.type.max = PrintNumber(static_cast<Wide>(about.max));
  codec.parse = [min = about.min, max = about.max](std::string_view text, T* value) {
    Wide wide;
    if (!ParseNumber(text, &wide) || wide < min || wide > max) return false;
    *value = static_cast<T>(wide);
    return true;
  };
  codec.print = [](const T& value) { return PrintNumber(static_cast<Wide>(value)); };
  AddOne({.name = std::move(name), .doc = std::move(about.doc)}, member, std::move(codec));
}

template <typename Rep, typename Period>
void Schema::Add(std::string name, std::chrono::duration<Rep, Period>* member,
                 std::type_identity_t<About<std::chrono::duration<Rep, Period>>> about) {
  using D = std::chrono::duration<Rep, Period>;
  using std::chrono::nanoseconds;
  static_assert(std::same_as<Rep, int64_t> && D(1) <= std::chrono::seconds(1));
  Codec<D> codec;
  codec.type.kind = ValueType::Kind::kDuration;
  if (about.min > D::zero()) codec.type.min = PrintDuration(about.min);
  if (about.max < About<D>{}.max) codec.type.max = PrintDuration(about.max);
  if (D(1) == std::chrono::seconds(1)) codec.type.unit = "whole seconds";
  if (D(1) == std::chrono::milliseconds(1)) codec.type.unit = "whole milliseconds";
  codec.parse = [min = about.min, max = about.max](std::string_view text, D* value) {
    nanoseconds exact;
    if (!ParseDuration(text, &exact)) return false;
    const D parsed = std::chrono::duration_cast<D>(exact);
    if (parsed != exact || parsed < min || parsed > max) return false;
    *value = parsed;
    return true;
  };
  codec.print = [](const D& value) { return PrintDuration(value); };
  AddOne({.name = std::move(name), .doc = std::move(about.doc)}, member, std::move(codec));
}

template <typename Less>
void Schema::Add(std::string name, std::map<std::string, std::string, Less>* member,
                 std::type_identity_t<About<std::map<std::string, std::string, Less>>> about) {
  AddMap({.name = std::move(name),
          .doc = std::move(about.doc),
          .shown_keys = std::move(about.shown_keys)},
         member, TextCodec());
}

template <std::integral T>
void Schema::AddBytes(std::string name, T* member, std::type_identity_t<About<T>> about) {
  const auto min = static_cast<uint64_t>(std::max(about.min, T{0}));
  const auto max = static_cast<uint64_t>(about.max);
  Codec<T> codec;
  codec.type.kind = ValueType::Kind::kBytes;
  if (min > 0) codec.type.min = PrintBytes(min);
  if (about.max < std::numeric_limits<T>::max()) codec.type.max = PrintBytes(max);
  codec.parse = [min, max](std::string_view text, T* value) {
    uint64_t bytes;
    if (!ParseBytes(text, &bytes) || bytes < min || bytes > max) return false;
    *value = static_cast<T>(bytes);
    return true;
  };
  codec.print = [](const T& value) { return PrintBytes(static_cast<uint64_t>(value)); };
  AddOne({.name = std::move(name), .doc = std::move(about.doc)}, member, std::move(codec));
}

template <typename T>
Schema::Codec<T> Schema::ChoiceCodec(Choices<T> choices) {
  Codec<T> codec;
  codec.type.kind = ValueType::Kind::kChoice;
  for (const auto& [name, value] : choices) codec.type.choices.push_back(name);
  const auto shared = std::make_shared<const Choices<T>>(std::move(choices));
  codec.parse = [shared](std::string_view text, T* value) {
    for (const auto& [name, choice] : *shared) {
      if (name == text) {
        *value = choice;
        return true;
      }
    }
    return false;
  };
  codec.print = [shared](const T& value) -> std::string {
    for (const auto& [name, choice] : *shared) {
      if (choice == value) return name;
    }
    CHECK(!"the value has a name among the choices");
    return {};
  };
  return codec;
}

template <typename T>
void Schema::AddChoice(std::string name, T* member, std::type_identity_t<Choices<T>> choices,
                       About<bool> about) {
  AddOne({.name = std::move(name), .doc = std::move(about.doc)}, member,
         ChoiceCodec(std::move(choices)));
}

template <typename T, typename Less>
void Schema::AddChoice(std::string name, std::map<std::string, T, Less>* member,
                       std::type_identity_t<Choices<T>> choices, About<bool> about) {
  AddMap({.name = std::move(name), .doc = std::move(about.doc)}, member,
         ChoiceCodec(std::move(choices)));
}

}  // namespace orbweaver::config
