// The options that jemalloc reads when it starts, if the program has it.
#pragma once

extern "C" [[gnu::visibility("default")]] const char* malloc_conf;
