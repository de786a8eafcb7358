// The message of a strategy's library, which may hold any bytes and claim any size.
#pragma once

#include <algorithm>
#include <string>

#include "common/base/utf8.h"
#include "strategy_worker/sdk/strategy_abi.h"

namespace orbweaver {

// The text that a function has left in `error`: it will stand in headers, logs and JSON.
inline std::string PluginMessage(const orbweaver_error& error) {
  std::string text(error.message, std::min(error.size, error.capacity));
  if (!IsValidUtf8(text)) {
    std::replace_if(text.begin(), text.end(), [](char c) { return (c & 0x80) != 0; }, '?');
  }
  return text;
}

}  // namespace orbweaver
