#pragma once

#include <memory>

#include "absl/status/statusor.h"

#include "common/runtime/step_loop.h"
#include "spider/crawl/spider_core.h"

namespace orbweaver {

// Joins the spiders' group: what a process's loop steps until it is closed or fenced, and then
// makes anew. The core outlives it.
absl::StatusOr<std::unique_ptr<Stepped>> JoinSpiders(SpiderCore& core);

}  // namespace orbweaver
