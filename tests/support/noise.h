// Bytes that no compression makes fewer.
#pragma once

#include <string>

#include "common/base/random.h"

namespace orbweaver {

inline std::string Noise(size_t bytes) {
  Random random(bytes);
  std::string noise(bytes, '\0');
  for (char& byte : noise) byte = static_cast<char>(random());
  return noise;
}

}  // namespace orbweaver
