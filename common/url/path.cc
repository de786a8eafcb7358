#include "common/url/path.h"

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
  Segments segments;
  size_t count = 0;
  path.remove_prefix(1);
  while (!path.empty()) {
    const size_t length = path.find('/');
    const std::string_view segment = path.substr(0, length);
    if (++count > options.max_segments) return UrlError::kTooManySegments;
    if (!segment.empty()) segments.push_back(segment);
    if (length == std::string_view::npos) break;
    path.remove_prefix(length + 1);
  }
  if (options.max_segment_repeats > 0 && Repeats(segments, options.max_segment_repeats)) {
    return UrlError::kRepeatedSegments;
  }
  return UrlError::kNone;
}

}  // namespace orbweaver
