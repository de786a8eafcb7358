// CHECK is for invariants of our own, never for bytes from network, log or disk.
#pragma once

namespace orbweaver::internal {
[[noreturn]] void CheckFailed(const char* file, int line, const char* condition);
}

#define CHECK(condition) \
  ((condition) ? (void)0 : ::orbweaver::internal::CheckFailed(__FILE__, __LINE__, #condition))
