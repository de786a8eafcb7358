// Cookies that a browser, curl or wget has written into a file: a login that was made elsewhere.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"

#include "common/base/clock.h"
#include "spider/fetch/fetch_url.h"

namespace orbweaver {

// Place: in RequestHead. Immutable: what answers set is not taken up. Which cookie goes where is
// RFC 6265, section 5.4: host, path, secure, expiry.
class CookieFile {
 public:
  // None.
  CookieFile() = default;

  // Netscape's format, a line a cookie: domain, whether subdomains get it too, path, whether it is
  // for https alone, when it expires (0: never), name, value; tabs between. `#HttpOnly_` may stand
  // before the domain. Fatal, by the number of the line and without its text, for any other line.
  static absl::StatusOr<CookieFile> Parse(std::string_view text);

  // Fatal: the file cannot be read, is larger than kMaxBytes, or Parse refuses it; named in the
  // message as `path`.
  static absl::StatusOr<CookieFile> Read(const std::string& path);

  // `name=value; name=value`, longer paths first; empty when there is none for the URL. At most
  // kMaxSentBytes: servers refuse larger heads.
  std::string For(const FetchUrl& url, WallTime now) const;

  bool empty() const { return by_domain_.empty(); }
  // How many there are, and how many of them have expired at `now`.
  size_t size() const { return size_; }
  size_t Expired(WallTime now) const;

  static constexpr size_t kMaxBytes = size_t{4} << 20;
  static constexpr size_t kMaxSentBytes = size_t{16} << 10;

 private:
  struct Cookie {
    std::string path;
    std::string pair;  // name=value
    WallTime expires;
    size_t place = 0;  // in the file
    bool subdomains = false;
    bool secure = false;
  };

  // False: it is none.
  bool AddLine(std::string_view line);
  void Collect(std::string_view domain, bool is_host, const FetchUrl& url, WallTime now,
               std::vector<const Cookie*>* out) const;

  absl::flat_hash_map<std::string, std::vector<Cookie>> by_domain_;
  size_t size_ = 0;
};

}  // namespace orbweaver
