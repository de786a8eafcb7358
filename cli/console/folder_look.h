// A folder of `orbweaver crawl` that is looked at again and again.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "cli/frontier/frontier.h"
#include "cli/product_options.h"

#include "common/base/clock.h"

namespace orbweaver {

// Place: behind ConsoleSubject::look. A folder is a still picture, and making one may take reading
// hundreds of megabytes of a write-ahead log. So this opens it anew only when a file of it has
// changed since: an order was given, or a crawl has begun there. Not thread-safe.
class FolderLook {
 public:
  // `options` and `clock` must outlive it.
  FolderLook(const ProductOptions& options, std::filesystem::path folder, const Clock& clock)
      : options_(options), folder_(std::move(folder)), clock_(clock) {}

  // Good until the next call. It may be ten seconds older than the folder.
  absl::StatusOr<const Frontier*> Look();

 private:
  const ProductOptions& options_;
  const std::filesystem::path folder_;
  const Clock& clock_;
  std::unique_ptr<Frontier> frontier_;
  std::string files_;  // as they were when it was opened
  SteadyTime looked_;
};

}  // namespace orbweaver
