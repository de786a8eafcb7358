// Structs of the strategy ABI across the minor versions of host and strategy.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "absl/status/status.h"

#include "strategy_worker/sdk/strategy_abi.h"

namespace orbweaver {

// Whether the sizes that a strategy was built with are those of this host or of an earlier minor
// version. Reads no more of `theirs` than its struct_size says. Fatal, with what to do, otherwise.
absl::Status CheckSizes(const orbweaver_strategy& theirs);

// `count` structs of `from_size` bytes each as ones of `to_size`: what is missing is zero, what is
// too much is left out. The ranges do not overlap.
void CopyStructs(const void* from, size_t from_size, void* to, size_t to_size, size_t count);

// The description as this host has it, all zero that the strategy does not say.
orbweaver_strategy AsOurs(const orbweaver_strategy& theirs);

// An array of the host's structs T as a strategy has them, whose T has `their_size` bytes. Nothing
// is copied where the sizes are the same. Not thread-safe; reused from call to call.
template <typename T>
class ArrayOf {
 public:
  explicit ArrayOf(size_t their_size) : their_size_(their_size) {}

  // To hand to the strategy; valid until the next call, and as long as `ours`.
  T* Theirs(std::span<T> ours) { return const_cast<T*>(Theirs(std::span<const T>(ours))); }
  const T* Theirs(std::span<const T> ours) {
    if (their_size_ == sizeof(T)) return ours.data();
    bytes_.resize((ours.size() * their_size_ + sizeof(uint64_t) - 1) / sizeof(uint64_t));
    CopyStructs(ours.data(), sizeof(T), bytes_.data(), their_size_, ours.size());
    return reinterpret_cast<const T*>(bytes_.data());
  }
  // Copies the strategy's changes of the array that Theirs gave it.
  void TakeBack(std::span<T> ours) const {
    if (their_size_ == sizeof(T)) return;
    CopyStructs(bytes_.data(), their_size_, ours.data(), sizeof(T), ours.size());
  }

 private:
  const size_t their_size_;
  std::vector<uint64_t> bytes_;  // aligned for every member
};

// An array of a strategy's structs as the host's; `*copies` holds them where the sizes differ.
template <typename T>
std::span<const T> Ours(const T* theirs, size_t their_size, size_t count, std::vector<T>* copies) {
  if (their_size == sizeof(T)) return {theirs, count};
  copies->resize(count);
  CopyStructs(theirs, their_size, copies->data(), sizeof(T), count);
  return *copies;
}

}  // namespace orbweaver
