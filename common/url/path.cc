#include "common/url/path.h"

#include <algorithm>
#include <cstdint>

#include "absl/container/inlined_vector.h"

namespace orbweaver {
namespace {

// Up to the next of `ends`, which stays.
std::string_view TakeUntil(std::string_view ends, std::string_view* text) {
  const std::string_view taken = text->substr(0, text->find_first_of(ends));
  text->remove_prefix(taken.size());
  return taken;
}

using Segments = absl::InlinedVector<std::string_view, 32>;

// Without the empty ones.
Segments SegmentsOf(std::string_view path) {
  Segments segments;
  while (!path.empty()) {
    path.remove_prefix(1);
    const std::string_view segment = TakeUntil("/", &path);
    if (!segment.empty()) segments.push_back(segment);
  }
  return segments;
}

// Whether a run of segments stands more than `most` times in a row.
bool Repeats(const Segments& segments, size_t most) {
  for (size_t period = 1; period * (most + 1) <= segments.size(); ++period) {
    size_t equal = 0;  // so many segments in a row are those one period before
    for (size_t i = period; i < segments.size(); ++i) {
      equal = segments[i] == segments[i - period] ? equal + 1 : 0;
      if (equal == period * most) return true;
    }
  }
  return false;
}

}  // namespace

void DropPathParameters(const ParameterNames& names, size_t start, std::string* url) {
  if (url->find(';', start) == std::string::npos) return;
  const std::string path = url->substr(start);
  url->resize(start);
  std::string_view rest = path;
  while (!rest.empty()) {
    url->push_back('/');
    rest.remove_prefix(1);
    const std::string_view name = TakeUntil(";/", &rest);
    url->append(name);
    // Bare of its parameters this would be a dot segment, and mean another path.
    const bool keep_all = name == "." || name == "..";
    while (rest.starts_with(';')) {
      rest.remove_prefix(1);
      const std::string_view parameter = TakeUntil(";/", &rest);
      const size_t equals = parameter.find('=');
      if (!keep_all && equals != std::string_view::npos &&
          names.Contains(parameter.substr(0, equals))) {
        continue;
      }
      url->push_back(';');
      url->append(parameter);
    }
  }
}

void CollapseSlashes(size_t start, std::string* url) {
  size_t end = url->find("//", start);
  if (end == std::string::npos) return;
  for (size_t i = end; i < url->size(); ++i) {
    const bool again = i > start && (*url)[i] == '/' && (*url)[i - 1] == '/';
    if (!again) (*url)[end++] = (*url)[i];
  }
  url->resize(end);
}

UrlError CheckSegments(const UrlOptions& options, std::string_view path) {
  size_t count = 0;
  // Only segments of one size can be equal, and most paths have none: one bit a size.
  uint64_t sizes = 0;
  bool may_repeat = false;
  for (size_t start = 1; start < path.size();) {
    const size_t end = std::min(path.find('/', start), path.size());
    if (++count > options.max_segments) return UrlError::kTooManySegments;
    const uint64_t size = end == start ? 0 : uint64_t{1} << (end - start) % 64;
    may_repeat |= (sizes & size) != 0;
    sizes |= size;
    start = end + 1;
  }
  if (!may_repeat || options.max_segment_repeats == 0) return UrlError::kNone;
  return Repeats(SegmentsOf(path), options.max_segment_repeats) ? UrlError::kRepeatedSegments
                                                                : UrlError::kNone;
}

}  // namespace orbweaver
