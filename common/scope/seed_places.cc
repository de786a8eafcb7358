#include "common/scope/seed_places.h"

#include <algorithm>
#include <iterator>
#include <vector>

namespace orbweaver {
namespace {

constexpr std::string_view kWww = "www.";

// Appends what stands before the path of a place; returns where the URL's path begins.
size_t AppendHost(std::string_view url, std::string_view domain, std::string* key) {
  const size_t scheme = std::min(url.find("://"), url.size());
  const size_t begin = std::min(scheme + 3, url.size());
  const size_t path = std::min(url.find('/', begin), url.size());
  std::string_view host = url.substr(begin, path - begin);
  std::string_view port;
  const size_t colon = host.rfind(':');
  if (colon != std::string_view::npos && host.find(']', colon) == std::string_view::npos) {
    port = host.substr(colon);
    host = host.substr(0, colon);
  }
  if (host.ends_with('.')) host.remove_suffix(1);
  if (host.size() > domain.size()) {
    host.remove_suffix(domain.size());
    if (host.starts_with(kWww)) host.remove_prefix(kWww.size());
    key->append(host);
  }
  key->append(port);
  return path;
}

std::string_view PathOf(std::string_view url, size_t begin) {
  return url.substr(begin, std::min(url.find('?', begin), url.size()) - begin);
}

std::string PlaceOf(std::string_view url, std::string_view domain) {
  std::string place;
  const std::string_view path = PathOf(url, AppendHost(url, domain, &place));
  const size_t slash = path.rfind('/') + 1;
  place.append(path.substr(0, slash));
  const std::string_view last = path.substr(slash);
  if (!last.empty() && last.find('.') == std::string_view::npos) place.append(last).append("/");
  if (!place.ends_with('/')) place.append("/");
  return place;
}

// The first of `places`, which must not be empty.
std::string_view TakeLine(std::string_view* places) {
  const size_t end = std::min(places->find('\n'), places->size());
  const std::string_view line = places->substr(0, end);
  places->remove_prefix(std::min(end + 1, places->size()));
  return line;
}

}  // namespace

bool AddSeedPlace(std::string_view url, std::string_view domain, std::string* places, bool* full) {
  const std::string place = PlaceOf(url, domain);
  std::vector<std::string_view> lines;
  for (std::string_view rest = *places; !rest.empty();) {
    const std::string_view line = TakeLine(&rest);
    if (place.starts_with(line)) return false;
    if (!line.starts_with(place)) lines.push_back(line);
  }
  lines.insert(std::ranges::upper_bound(lines, place), place);
  std::string joined;
  for (const std::string_view line : lines) {
    if (!joined.empty()) joined.push_back('\n');
    joined.append(line);
  }
  if (joined.size() > kMaxSeedPlaceBytes) {
    *full = true;
    return false;
  }
  *places = std::move(joined);
  return true;
}

bool AreSeedPlaces(std::string_view places) {
  if (places.size() > kMaxSeedPlaceBytes || places.ends_with('\n')) return false;
  std::string_view before;
  while (!places.empty()) {
    const std::string_view line = TakeLine(&places);
    if (!line.ends_with('/')) return false;
    if (!before.empty() && (line <= before || line.starts_with(before))) return false;
    before = line;
  }
  return true;
}

std::string SeedHostOf(std::string_view url, std::string_view domain) {
  std::string host;
  AppendHost(url, domain, &host);
  return host;
}

void SeedPlaceFinder::Begin(std::string_view domain, std::string_view places) {
  domain_ = domain;
  places_ = places;
  is_split_ = false;
}

// Most domains are never asked about.
void SeedPlaceFinder::Split() {
  if (is_split_) return;
  is_split_ = true;
  lines_.clear();
  for (std::string_view rest = places_; !rest.empty();) lines_.push_back(TakeLine(&rest));
}

bool SeedPlaceFinder::HasHost(std::string_view url) {
  Split();
  key_.clear();
  AppendHost(url, domain_, &key_);
  key_.push_back('/');
  const auto found = std::ranges::lower_bound(lines_, std::string_view(key_));
  return found != lines_.end() && found->starts_with(key_);
}

bool SeedPlaceFinder::HasPlace(std::string_view url) {
  Split();
  key_.clear();
  const size_t path = AppendHost(url, domain_, &key_);
  key_.append(PathOf(url, path));
  key_.push_back('/');  // so that /docs lies at the place /docs/
  // Every key that sorts between a place and a URL below it lies below that place too, and no place
  // lies below another.
  const auto next = std::ranges::upper_bound(lines_, std::string_view(key_));
  return next != lines_.begin() && std::string_view(key_).starts_with(*std::prev(next));
}

}  // namespace orbweaver
