// Tells ThreadSanitizer of Abseil's locks. Only in the `tsan` preset.
//
// The distribution's Abseil is compiled without ThreadSanitizer, which therefore sees neither
// absl::Mutex nor absl::CondVar and reports a race for everything that they protect. The linker
// (--wrap, CMakeLists.txt) directs our calls of them to the functions here, which announce the lock
// and pass the call on. ThreadSanitizer ignores everything between pre and post, the evaluation of
// a Condition included.
//
// To wrap a function more: its mangled name here and in CMakeLists.txt.
#include <sanitizer/tsan_interface.h>
#include <type_traits>

#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"

// Declares what the linker resolves to Abseil's function, and defines what it resolves our calls
// to.
#define WRAP(result, name, mangled, ...)                                 \
  result Real##name(__VA_ARGS__) asm("__real__ZN4absl7debian3" mangled); \
  __attribute__((visibility("default"))) result name(__VA_ARGS__) asm(   \
      "__wrap__ZN4absl7debian3" mangled);                                \
  result name(__VA_ARGS__)

namespace orbweaver {
namespace {

// The lock is released and taken again inside a call that waits.
template <typename Call>
auto Waiting(absl::Mutex* mutex, Call call) {
  __tsan_mutex_pre_unlock(mutex, 0);
  __tsan_mutex_post_unlock(mutex, 0);
  __tsan_mutex_pre_lock(mutex, 0);
  if constexpr (std::is_void_v<decltype(call())>) {
    call();
    __tsan_mutex_post_lock(mutex, 0, 0);
  } else {
    const auto result = call();
    __tsan_mutex_post_lock(mutex, 0, 0);
    return result;
  }
}

}  // namespace

WRAP(void, Lock, "5Mutex4LockEv", absl::Mutex* mutex) {
  __tsan_mutex_pre_lock(mutex, 0);
  RealLock(mutex);
  __tsan_mutex_post_lock(mutex, 0, 0);
}

WRAP(void, Unlock, "5Mutex6UnlockEv", absl::Mutex* mutex) {
  __tsan_mutex_pre_unlock(mutex, 0);
  RealUnlock(mutex);
  __tsan_mutex_post_unlock(mutex, 0);
}

WRAP(bool, TryLock, "5Mutex7TryLockEv", absl::Mutex* mutex) {
  __tsan_mutex_pre_lock(mutex, __tsan_mutex_try_lock);
  const bool taken = RealTryLock(mutex);
  __tsan_mutex_post_lock(
      mutex, taken ? __tsan_mutex_try_lock : (__tsan_mutex_try_lock | __tsan_mutex_try_lock_failed),
      0);
  return taken;
}

WRAP(void, ReaderLock, "5Mutex10ReaderLockEv", absl::Mutex* mutex) {
  __tsan_mutex_pre_lock(mutex, __tsan_mutex_read_lock);
  RealReaderLock(mutex);
  __tsan_mutex_post_lock(mutex, __tsan_mutex_read_lock, 0);
}

WRAP(void, ReaderUnlock, "5Mutex12ReaderUnlockEv", absl::Mutex* mutex) {
  __tsan_mutex_pre_unlock(mutex, __tsan_mutex_read_lock);
  RealReaderUnlock(mutex);
  __tsan_mutex_post_unlock(mutex, __tsan_mutex_read_lock);
}

WRAP(void, Await, "5Mutex5AwaitERKNS0_9ConditionE", absl::Mutex* mutex,
     const absl::Condition& condition) {
  Waiting(mutex, [&] { RealAwait(mutex, condition); });
}

WRAP(bool, AwaitWithTimeout, "5Mutex16AwaitWithTimeoutERKNS0_9ConditionENS0_8DurationE",
     absl::Mutex* mutex, const absl::Condition& condition, absl::Duration timeout) {
  return Waiting(mutex, [&] { return RealAwaitWithTimeout(mutex, condition, timeout); });
}

WRAP(bool, AwaitWithDeadline, "5Mutex17AwaitWithDeadlineERKNS0_9ConditionENS0_4TimeE",
     absl::Mutex* mutex, const absl::Condition& condition, absl::Time deadline) {
  return Waiting(mutex, [&] { return RealAwaitWithDeadline(mutex, condition, deadline); });
}

WRAP(void, Wait, "7CondVar4WaitEPNS0_5MutexE", absl::CondVar* changed, absl::Mutex* mutex) {
  Waiting(mutex, [&] { RealWait(changed, mutex); });
}

WRAP(bool, WaitWithTimeout, "7CondVar15WaitWithTimeoutEPNS0_5MutexENS0_8DurationE",
     absl::CondVar* changed, absl::Mutex* mutex, absl::Duration timeout) {
  return Waiting(mutex, [&] { return RealWaitWithTimeout(changed, mutex, timeout); });
}

WRAP(bool, WaitWithDeadline, "7CondVar16WaitWithDeadlineEPNS0_5MutexENS0_4TimeE",
     absl::CondVar* changed, absl::Mutex* mutex, absl::Time deadline) {
  return Waiting(mutex, [&] { return RealWaitWithDeadline(changed, mutex, deadline); });
}

WRAP(void, Destroy, "5MutexD1Ev", absl::Mutex* mutex) {
  RealDestroy(mutex);
  __tsan_mutex_destroy(mutex, 0);
}

}  // namespace orbweaver
