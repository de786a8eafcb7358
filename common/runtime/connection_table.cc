#include "common/runtime/connection_table.h"

#include <algorithm>
#include <utility>

namespace orbweaver {

std::optional<ConnectionTable::Handle> ConnectionTable::Add(std::string address,
                                                            std::function<void()> close) {
  const auto same = std::count_if(open_.begin(), open_.end(), [&address](const Connection& other) {
    return other.address == address;
  });
  if (static_cast<size_t>(same) >= most_per_address_ && !CloseLongestWaiting(&address)) {
    return std::nullopt;
  }
  if (open_.size() >= most_ && !CloseLongestWaiting(nullptr)) return std::nullopt;
  return open_.insert(open_.end(), {.address = std::move(address), .close = std::move(close)});
}

void ConnectionTable::Remove(Handle handle) {
  // Of whichever list has it: erasing through the other one would spoil both sizes.
  for (std::list<Connection>* const list : {&open_, &closed_}) {
    for (auto it = list->begin(); it != list->end(); ++it) {
      if (it != handle) continue;
      list->erase(it);
      return;
    }
  }
}

void ConnectionTable::BeginWait(Handle handle) {
  handle->in_hand = false;
  const bool is_open = std::any_of(open_.begin(), open_.end(), [&handle](const Connection& other) {
    return &other == &*handle;
  });
  if (is_open) open_.splice(open_.end(), open_, handle);
}

bool ConnectionTable::CloseLongestWaiting(const std::string* address) {
  const auto found = std::find_if(open_.begin(), open_.end(), [address](const Connection& other) {
    return !other.in_hand && (address == nullptr || other.address == *address);
  });
  if (found == open_.end()) return false;
  closed_.splice(closed_.end(), open_, found);
  found->close();
  return true;
}

}  // namespace orbweaver
