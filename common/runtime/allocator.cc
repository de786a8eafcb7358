// How jemalloc keeps memory, compiled into every program (cmake/Targets.cmake).
#include "common/runtime/allocator.h"

// Freed pages go back to the system within a second, not ten: a crawl's large buffers come and go
// in seconds, and its peak was a tenth more memory, for the same CPU. The environment variable
// MALLOC_CONF still has the last word.
const char* malloc_conf = "dirty_decay_ms:1000,muzzy_decay_ms:0";
