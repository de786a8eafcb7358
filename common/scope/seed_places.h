// Where the seeds of a registered domain lie: host, port and folder of each.
//
// A place is a canonical URL without scheme, domain, `www.`, default port and query, up to its last
// slash: `/` of https://www.example.com/, `blog.:8080/a/` of http://blog.example.com:8080/a/b.html.
// A last segment without a dot is a folder: /docs allows what is below /docs/. So http and https
// are one place, and so are a host with `www.` and without.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace orbweaver {

// A domain's record keeps so many bytes of places.
inline constexpr size_t kMaxSeedPlaceBytes = 4096;

// Adds the place of `url`, which must be canonical and of the registered domain `domain`, to
// `places`: those of a record, sorted, each on a line, none below another one. Whether they
// changed; where there is no room for it nothing changes, and *full is set.
bool AddSeedPlace(std::string_view url, std::string_view domain, std::string* places, bool* full);

// Whether AddSeedPlace could have made `places`.
bool AreSeedPlaces(std::string_view places);

// The part of a place before its path: "", "blog.", ":8080".
std::string SeedHostOf(std::string_view url, std::string_view domain);

// Answers for the URLs of one domain, one at a time. Keeps its buffers. Not thread-safe.
class SeedPlaceFinder {
 public:
  // `places` must live as long as it is asked.
  void Begin(std::string_view domain, std::string_view places);

  // Whether a seed has the host and port of `url`, which must be canonical and of the domain.
  bool HasHost(std::string_view url);
  // Whether `url` lies at a seed's place or below it.
  bool HasPlace(std::string_view url);

 private:
  void Split();

  std::string_view domain_;
  std::string_view places_;
  bool is_split_ = false;
  std::vector<std::string_view> lines_;
  std::string key_;
};

}  // namespace orbweaver
