// The bytes behind the puts of a flush.
#pragma once

#include <cstring>
#include <memory>
#include <span>
#include <string_view>

#include "common/model/arena.h"
#include "common/store/store.h"

namespace orbweaver {

// Not thread-safe. The views that it returns live until Reset, which keeps the memory for the next
// flush.
class FlushBuffer {
 public:
  std::string_view Keep(std::string_view bytes) {
    char* const kept = static_cast<char*>(arena_.Allocate(bytes.size()));
    if (!bytes.empty()) std::memcpy(kept, bytes.data(), bytes.size());
    return {kept, bytes.size()};
  }

  // A put with copies of all that the views point to.
  RowPut Put(std::string_view row, Version version, std::span<const CellPut> cells) {
    auto* const kept = static_cast<CellPut*>(arena_.Allocate(cells.size_bytes()));
    for (size_t i = 0; i < cells.size(); ++i) {
      std::construct_at(&kept[i], CellPut{Keep(cells[i].column), Keep(cells[i].value)});
    }
    return {Keep(row), version, {kept, cells.size()}};
  }

  void Reset() { arena_.Reset(); }

 private:
  Arena arena_;
};

}  // namespace orbweaver
