#include "common/config/nearest.h"

#include <algorithm>
#include <numeric>

namespace orbweaver::config {
namespace {

// Letters to insert, delete, replace, or swap with their neighbour (optimal string alignment).
size_t EditDistance(std::string_view a, std::string_view b) {
  std::vector<size_t> before_last(b.size() + 1);
  std::vector<size_t> last(b.size() + 1);
  std::vector<size_t> row(b.size() + 1);
  std::iota(last.begin(), last.end(), size_t{0});
  for (size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], before_last[j - 2] + 1);
      }
    }
    std::swap(before_last, last);
    std::swap(last, row);
  }
  return last[b.size()];
}

std::string_view LastWord(std::string_view name) { return name.substr(name.rfind('.') + 1); }

}  // namespace

std::string Nearest(std::string_view name, const std::vector<std::string>& known) {
  constexpr size_t kMaxBytes = 256;  // the comparison takes the product of the lengths
  if (name.size() > kMaxBytes) return {};
  std::string_view nearest;
  size_t fewest = 0;
  for (const std::string& candidate : known) {
    const size_t most = std::max<size_t>(2, candidate.size() / 4);
    if (std::max(name.size(), candidate.size()) - std::min(name.size(), candidate.size()) > most) {
      continue;
    }
    const size_t distance = EditDistance(name, candidate);
    if (distance <= most && (nearest.empty() || distance < fewest)) {
      nearest = candidate;
      fewest = distance;
    }
  }
  if (!nearest.empty()) return std::string(nearest);

  const auto ends_alike = [word = LastWord(name)](const std::string& candidate) {
    return LastWord(candidate) == word;
  };
  const auto first = std::find_if(known.begin(), known.end(), ends_alike);
  if (first == known.end() || std::any_of(first + 1, known.end(), ends_alike)) return {};
  return *first;
}

}  // namespace orbweaver::config
