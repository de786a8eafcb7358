#include "tests/bench/store_rows.h"

#include "fmt/format.h"

#include "common/base/big_endian.h"
#include "common/base/ids.h"

namespace orbweaver {

std::string BenchRow(uint64_t i) {
  Random random(i);
  std::string row;
  AppendBigEndian(static_cast<uint16_t>(random.Below(kSlots)), &row);
  row += fmt::format("com.domain-{:x}", random() & 0xffffffffff);
  row.append(3, '\0');
  return row;
}

std::string BenchValue(Random& random, size_t bytes) {
  std::string value;
  while (value.size() < bytes) {
    AppendBigEndian(random(), &value);
    value.append("\x01\x20\0\0\0\0", 6);
  }
  value.resize(bytes);
  return value;
}

}  // namespace orbweaver
