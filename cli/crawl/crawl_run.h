// The progress of a crawl, for those who look at it from another thread.
#pragma once

#include <optional>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "cli/crawl/crawl_view.h"

#include "common/base/json.h"

namespace orbweaver {

// Place: between the crawl's main thread, which looks at the crawl anyway, and the console.
// Thread-safe.
class CrawlRun {
 public:
  void Set(CrawlSnapshot look) ABSL_LOCKS_EXCLUDED(mutex_);

  // An object, as cli/console/openapi.json describes a Run; null before the first look.
  void Write(JsonWriter& json) const ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  mutable absl::Mutex mutex_;
  std::optional<CrawlSnapshot> look_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace orbweaver
