// Tests of what survives kill -9: work in a child process that is killed in the middle of it.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace orbweaver {

// Told by the work how many of its steps are acknowledged so far.
using Acked = std::function<void(uint64_t)>;

// Runs `work` in a child process, kills it with -9 once it has reported `kill_at` acknowledged
// steps, and returns the last count that it reported before it was dead. The work must be able to
// go on far beyond `kill_at`: when it ends unkilled, the test fails.
//
// The child is this test program again, started for the running test alone (a fork without exec
// would inherit a RocksDB without its threads), and ends inside its own call of this function. So
// a test's set-up runs in both: what it creates must be named through SharedWithChild.
uint64_t RunInKilledChild(const std::function<void(const Acked&)>& work, uint64_t kill_at);

// True in the child, before and during its work.
bool IsKilledChild();

// `value` in the test itself; what the test itself said under that key in its child. For the names
// of folders, rows and topics.
std::string SharedWithChild(const std::string& key, const std::string& value);

}  // namespace orbweaver
