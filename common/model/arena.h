// Memory for what a decoder has to lay out beside the message's own bytes: lists, and little else.
//
// Place: one a batch. The structs of common/model point into it and into the messages; Reset ends
// them all at once. Not thread-safe.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <new>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

namespace orbweaver {

class Arena {
 public:
  // Never null; aligned for any struct of common/model.
  void* Allocate(size_t bytes);

  std::string_view Copy(std::string_view bytes);

  // Grows the allocation that ends at `end` by `bytes` where it stands. False when something was
  // allocated after it, or the block is full.
  bool Extend(const void* end, size_t bytes);

  // Ends everything allocated. The memory is kept, so that steady use allocates nothing: an arena
  // holds as much as its fullest batch took.
  void Reset();

  // Taken from the heap.
  size_t HeldBytes() const;

 private:
  struct Block {
    std::unique_ptr<char[]> bytes;
    size_t size = 0;
  };
  std::vector<Block> blocks_;  // the last one is being filled
  char* next_ = nullptr;
  char* end_ = nullptr;
};

// A list that grows in an arena. Elements are copied as bytes when it has to move.
template <typename T>
class ArenaList {
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);

 public:
  // A new last element, value-initialised. Valid until the next Append.
  T* Append(Arena& arena) {
    if (size_ == capacity_) Grow(arena, 1);
    return new (data_ + size_++) T();
  }

  void Append(Arena& arena, std::span<const T> elements) {
    if (elements.empty()) return;
    if (capacity_ - size_ < elements.size()) Grow(arena, elements.size());
    std::memcpy(data_ + size_, elements.data(), elements.size_bytes());
    size_ += elements.size();
  }

  size_t size() const { return size_; }
  std::span<const T> view() const { return {data_, size_}; }

 private:
  // Doubling: the memory behind a list is a small multiple of what stands in it.
  void Grow(Arena& arena, size_t more) {
    const size_t added = std::max({more, capacity_, size_t{8}});
    if (data_ != nullptr && arena.Extend(data_ + capacity_, added * sizeof(T))) {
      capacity_ += added;
      return;
    }
    T* const moved = static_cast<T*>(arena.Allocate((capacity_ + added) * sizeof(T)));
    if (size_ != 0) std::memcpy(static_cast<void*>(moved), data_, size_ * sizeof(T));
    data_ = moved;
    capacity_ += added;
  }

  T* data_ = nullptr;
  size_t size_ = 0;
  size_t capacity_ = 0;
};

}  // namespace orbweaver
