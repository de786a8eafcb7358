// How the queue's codecs write numbers; common/model/wire.h reads them.
#pragma once

#include <cstdint>
#include <string>

namespace orbweaver {

inline void AppendVarint(uint64_t value, std::string* out) {
  for (; value >= 0x80; value >>= 7) out->push_back(static_cast<char>(value | 0x80));
  out->push_back(static_cast<char>(value));
}

}  // namespace orbweaver
