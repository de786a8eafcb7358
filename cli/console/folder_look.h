// A folder of `orbweaver crawl` that is looked at again and again.
#pragma once

#include <filesystem>
#include <memory>

#include "absl/status/statusor.h"
#include "cli/frontier/frontier.h"
#include "cli/product_options.h"

#include "common/base/clock.h"

namespace orbweaver {

// Place: behind ConsoleSubject::look. A folder is a still picture; this opens it anew when the
// picture is old, since a crawl may have begun there. Not thread-safe.
class FolderLook {
 public:
  // `options` must outlive it.
  FolderLook(const ProductOptions& options, std::filesystem::path folder)
      : options_(options), folder_(std::move(folder)) {}

  // Good until the next call.
  absl::StatusOr<const Frontier*> Look();

 private:
  const ProductOptions& options_;
  const std::filesystem::path folder_;
  std::unique_ptr<Frontier> frontier_;
  SteadyTime opened_;
};

}  // namespace orbweaver
