// Names that this machine knows by itself: those of /etc/hosts, and localhost.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "spider/fetch/ip_address.h"

namespace orbweaver {

// Place: in HostResolver, before any name server is asked. Immutable. Takes about as much memory as
// the file twice: some block the names of whole lists of hosts by it.
class HostsFile {
 public:
  // localhost alone.
  HostsFile() = default;

  // `text` as hosts(5) has it. Lines and addresses that make no sense are passed over, as the
  // system does; what is beyond kMaxBytes is not read.
  explicit HostsFile(std::string_view text);

  // A file that is not there has no names. It is read once: a change counts from the next start.
  static HostsFile Read(const std::string& path);

  // All addresses of the name, IPv4 first, as many as kMaxAddresses; empty when it has none here.
  // `localhost` and what ends in `.localhost` are the loopback addresses, whatever the file says
  // (RFC 6761, section 6.3).
  std::vector<IpAddress> Find(std::string_view host) const;

  static constexpr size_t kMaxBytes = size_t{16} << 20;

 private:
  struct Entry {
    size_t begin;  // of the name, in names_
    uint8_t size;
    IpAddress address;
  };
  std::string_view NameOf(const Entry& entry) const {
    return std::string_view(names_).substr(entry.begin, entry.size);
  }

  std::string names_;           // end to end, in lower case
  std::vector<Entry> entries_;  // by name, else in the file's order
};

}  // namespace orbweaver
