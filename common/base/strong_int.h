// An integer with a meaning: a PartitionId does not convert to an Offset, nor either to a plain
// integer by accident.
#pragma once

#include <algorithm>
#include <charconv>
#include <compare>
#include <cstdint>
#include <functional>
#include <utility>

#include "fmt/core.h"

namespace orbweaver {

template <typename Tag, typename Integer>
class StrongInt {
 public:
  using ValueType = Integer;

  constexpr StrongInt() = default;
  constexpr explicit StrongInt(Integer value) : value_(value) {}

  constexpr Integer value() const { return value_; }

  constexpr StrongInt& operator++() {
    ++value_;
    return *this;
  }
  friend constexpr StrongInt operator+(StrongInt a, Integer n) { return StrongInt(a.value_ + n); }
  // A distance is a plain integer.
  friend constexpr Integer operator-(StrongInt a, StrongInt b) { return a.value_ - b.value_; }
  friend constexpr auto operator<=>(StrongInt, StrongInt) = default;

  template <typename H>
  friend H AbslHashValue(H h, StrongInt id) {
    return H::combine(std::move(h), id.value_);
  }

 private:
  Integer value_ = 0;
};

}  // namespace orbweaver

template <typename Tag, typename Integer>
struct std::hash<orbweaver::StrongInt<Tag, Integer>> {
  size_t operator()(orbweaver::StrongInt<Tag, Integer> id) const noexcept {
    return std::hash<Integer>()(id.value());
  }
};

// Printed as its integer, without the heavier fmt/format.h that fmt::formatter<Integer>::format
// needs.
template <typename Tag, typename Integer>
struct fmt::formatter<orbweaver::StrongInt<Tag, Integer>> {
  constexpr auto parse(fmt::format_parse_context& context) { return context.begin(); }
  template <typename Context>
  auto format(orbweaver::StrongInt<Tag, Integer> id, Context& context) const {
    char digits[24];
    const auto end = std::to_chars(digits, digits + sizeof digits, id.value()).ptr;
    return std::copy(static_cast<const char*>(digits), static_cast<const char*>(end),
                     context.out());
  }
};
