#include "common/model/arena.h"

#include <algorithm>
#include <cstdint>

namespace orbweaver {
namespace {
constexpr size_t kAlignment = alignof(std::max_align_t);
// Small, since some arenas are one message's; those that serve many keep what they grew to.
constexpr size_t kFirstBlock = 512;

constexpr size_t RoundUp(size_t bytes) { return (bytes + kAlignment - 1) & ~(kAlignment - 1); }
}  // namespace

void* Arena::Allocate(size_t bytes) {
  // Rounded at the start, not at the end, so that Extend sees where the allocation really ends.
  auto address = reinterpret_cast<uintptr_t>(next_);
  const size_t padding = RoundUp(address) - address;
  if (static_cast<size_t>(end_ - next_) < padding || end_ - next_ - padding < bytes) {
    const size_t size = std::max({RoundUp(bytes), kFirstBlock, HeldBytes()});
    // new char[] is aligned for any type without extended alignment.
    blocks_.push_back({std::unique_ptr<char[]>(new char[size]), size});
    next_ = blocks_.back().bytes.get();
    end_ = next_ + size;
  } else {
    next_ += padding;
  }
  void* const result = next_;
  next_ += bytes;
  return result;
}

std::string_view Arena::Copy(std::string_view bytes) {
  if (bytes.empty()) return {};
  char* const copy = static_cast<char*>(Allocate(bytes.size()));
  std::copy_n(bytes.data(), bytes.size(), copy);
  return {copy, bytes.size()};
}

bool Arena::Extend(const void* end, size_t bytes) {
  if (end != next_ || static_cast<size_t>(end_ - next_) < bytes) return false;
  next_ += bytes;
  return true;
}

void Arena::Reset() {
  if (blocks_.size() > 1) {
    const size_t held = HeldBytes();
    blocks_.clear();
    blocks_.push_back({std::unique_ptr<char[]>(new char[held]), held});
  }
  if (blocks_.empty()) return;
  next_ = blocks_.back().bytes.get();
  end_ = next_ + blocks_.back().size;
}

size_t Arena::HeldBytes() const {
  size_t held = 0;
  for (const Block& block : blocks_) held += block.size;
  return held;
}

}  // namespace orbweaver
