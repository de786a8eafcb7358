// The message of a strategy's library, which may hold any bytes and claim any size.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>

#include "common/base/utf8.h"
#include "strategy_worker/sdk/strategy_abi.h"

namespace orbweaver {

// Lent to one call of a function; what it leaves in `error()` besides the size is not believed.
class PluginMessage {
 public:
  PluginMessage() = default;
  PluginMessage(const PluginMessage&) = delete;
  PluginMessage& operator=(const PluginMessage&) = delete;

  orbweaver_error* error() { return &error_; }

  bool empty() const { return error_.size == 0; }
  // As it will stand in headers, logs and JSON.
  std::string text() const {
    std::string text(buffer_, std::min(error_.size, sizeof buffer_));
    if (!IsValidUtf8(text)) {
      std::replace_if(text.begin(), text.end(), [](char c) { return (c & 0x80) != 0; }, '?');
    }
    return text;
  }

 private:
  char buffer_[1024];
  orbweaver_error error_{.message = buffer_, .capacity = sizeof buffer_, .size = 0};
};

}  // namespace orbweaver
