// Words for a process that dies of a signal: a strategy is somebody's library, and its author needs
// to know which event it died of.
#pragma once

namespace orbweaver {

// From now on a line on standard error names the strategy and the event that it was in when the
// process dies of SIGSEGV, SIGBUS, SIGILL, SIGFPE or SIGABRT (an exception that nobody catches, or
// a broken invariant), or when a strategy calls exit(). Death itself is not changed: the signal's
// own handler, a core dump, exit code 128 + signal; after exit() the code is 1. The event under way
// is not lost: it is a crash like any other. Idempotent; thread-safe.
void ReportCrashes();

}  // namespace orbweaver
