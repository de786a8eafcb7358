// Tells ThreadSanitizer of the threads and locks of libraries that use C11's <threads.h>, as
// librdkafka does. Only in the `tsan` preset.
//
// ThreadSanitizer follows the pthread functions; glibc's C11 ones are others over the same objects,
// of which it knows nothing, and a thread that they began crashes in its allocator. The definitions
// here replace them in the whole process and call the pthread ones.
#include <cerrno>
#include <cstdint>
#include <memory>
#include <pthread.h>
#include <threads.h>

namespace {

pthread_mutex_t* Pthread(mtx_t* mutex) { return reinterpret_cast<pthread_mutex_t*>(mutex); }
pthread_cond_t* Pthread(cnd_t* changed) { return reinterpret_cast<pthread_cond_t*>(changed); }

int Result(int error) {
  switch (error) {
    case 0:
      return thrd_success;
    case ETIMEDOUT:
      return thrd_timedout;
    case ENOMEM:
      return thrd_nomem;
    default:
      return thrd_error;
  }
}

struct Start {
  thrd_start_t function;
  void* argument;
};

void* Run(void* started) {
  const std::unique_ptr<Start> start(static_cast<Start*>(started));
  return reinterpret_cast<void*>(static_cast<intptr_t>(start->function(start->argument)));
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

int thrd_create(thrd_t* thread, thrd_start_t function, void* argument) {
  auto start = std::make_unique<Start>(Start{function, argument});
  const int error = pthread_create(thread, nullptr, Run, start.get());
  if (error == 0) static_cast<void>(start.release());  // the thread's now
  return Result(error);
}

int thrd_join(thrd_t thread, int* result) {
  void* returned = nullptr;
  const int error = pthread_join(thread, &returned);
  if (result != nullptr) *result = static_cast<int>(reinterpret_cast<intptr_t>(returned));
  return Result(error);
}

int mtx_init(mtx_t* mutex, int type) {
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_settype(
      &attributes, (type & mtx_recursive) != 0 ? PTHREAD_MUTEX_RECURSIVE : PTHREAD_MUTEX_NORMAL);
  const int error = pthread_mutex_init(Pthread(mutex), &attributes);
  pthread_mutexattr_destroy(&attributes);
  return Result(error);
}
void mtx_destroy(mtx_t* mutex) { pthread_mutex_destroy(Pthread(mutex)); }
int mtx_lock(mtx_t* mutex) { return Result(pthread_mutex_lock(Pthread(mutex))); }
int mtx_unlock(mtx_t* mutex) { return Result(pthread_mutex_unlock(Pthread(mutex))); }

int cnd_init(cnd_t* changed) { return Result(pthread_cond_init(Pthread(changed), nullptr)); }
void cnd_destroy(cnd_t* changed) { pthread_cond_destroy(Pthread(changed)); }
int cnd_signal(cnd_t* changed) { return Result(pthread_cond_signal(Pthread(changed))); }
int cnd_broadcast(cnd_t* changed) { return Result(pthread_cond_broadcast(Pthread(changed))); }
int cnd_wait(cnd_t* changed, mtx_t* mutex) {
  return Result(pthread_cond_wait(Pthread(changed), Pthread(mutex)));
}
int cnd_timedwait(cnd_t* changed, mtx_t* mutex, const timespec* until) {
  return Result(pthread_cond_timedwait(Pthread(changed), Pthread(mutex), until));
}

}  // extern "C"
#pragma GCC visibility pop
