#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace orbweaver {

// Which media types are read. Immutable.
class ContentTypes {
 public:
  // Patterns as `text/*` or `application/*+xml`, in lower case; `*` stands for any part.
  explicit ContentTypes(std::vector<std::string> patterns) : patterns_(std::move(patterns)) {}

  // `content_type` is a header's value, parameters and all; one that names no type is wanted.
  bool Wants(std::string_view content_type) const;

 private:
  const std::vector<std::string> patterns_;
};

}  // namespace orbweaver
