// Any bytes are either refused as poison or decoded into no more bytes than there were.
#include <cstddef>
#include <cstdint>

#include "common/base/check.h"
#include "common/base/status.h"
#include "common/runtime/form.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto params = orbweaver::ParseForm({reinterpret_cast<const char*>(data), size});
  if (!params.ok()) {
    CHECK(orbweaver::IsPoison(params.status()));
    return 0;
  }
  size_t decoded = 0;
  for (const auto& [name, value] : *params) decoded += name.size() + value.size();
  CHECK(decoded <= size);
  return 0;
}
