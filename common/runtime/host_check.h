// Which names the admin server answers to.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace orbweaver {

// Place: in AdminServer. Immutable, so thread-safe.
//
// A page in a browser may look up a name of its own as 127.0.0.1 (DNS rebinding) and then read what
// the admin server says; but the browser sends that name as Host. Addresses cannot be rebound, nor
// can `localhost`: those are always answered, and else only the names given.
class HostCheck {
 public:
  // `names` in any case, each with or without a port, which does not count: a host, `*.domain` for
  // all names below it, or `*` for any name.
  explicit HostCheck(const std::vector<std::string>& names);

  // `host` is the value of a Host header (RFC 9110, section 7.2): any bytes.
  bool Allows(std::string_view host) const;

 private:
  std::vector<std::string> names_;
};

}  // namespace orbweaver
