#include "spider/fetch/hosts_file.h"

#include <algorithm>
#include <fstream>

#include "absl/strings/ascii.h"

#include "common/base/text.h"
#include "spider/fetch/dns_answer.h"

namespace orbweaver {
namespace {

constexpr size_t kMaxNameBytes = 253;  // RFC 1035

// The next word of the line, which is cut off; empty at its end.
std::string_view TakeWord(std::string_view* line) {
  constexpr std::string_view kBlanks = " \t\r";
  line->remove_prefix(std::min(line->find_first_not_of(kBlanks), line->size()));
  const std::string_view word = line->substr(0, line->find_first_of(kBlanks));
  line->remove_prefix(word.size());
  return word;
}

}  // namespace

HostsFile::HostsFile(std::string_view text) {
  text = text.substr(0, kMaxBytes);
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    line = line.substr(0, line.find('#'));
    const std::optional<IpAddress> address = IpAddress::Parse(TakeWord(&line));
    if (!address) continue;
    for (auto name = TakeWord(&line); !name.empty(); name = TakeWord(&line)) {
      if (name.size() > kMaxNameBytes) continue;
      entries_.push_back(
          {.begin = names_.size(), .size = static_cast<uint8_t>(name.size()), .address = *address});
      for (const char c : name) names_ += absl::ascii_tolower(static_cast<unsigned char>(c));
    }
  }
  std::ranges::sort(entries_, {},
                    [this](const Entry& entry) { return std::pair(NameOf(entry), entry.begin); });
}

HostsFile HostsFile::Read(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  if (path.empty() || !stream) return {};
  std::string text(kMaxBytes, '\0');
  stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  return HostsFile(std::string_view(text).substr(0, static_cast<size_t>(stream.gcount())));
}

std::vector<IpAddress> HostsFile::Find(std::string_view host) const {
  if (host == "localhost" || host.ends_with(".localhost")) {
    return {*IpAddress::Parse("127.0.0.1"), *IpAddress::Parse("::1")};
  }
  std::vector<IpAddress> addresses;
  const auto found = std::ranges::equal_range(entries_, host, {},
                                              [this](const Entry& entry) { return NameOf(entry); });
  for (const bool is_v4 : {true, false}) {
    for (const Entry& entry : found) {
      if (entry.address.is_v4() == is_v4 && addresses.size() < kMaxAddresses) {
        addresses.push_back(entry.address);
      }
    }
  }
  return addresses;
}

}  // namespace orbweaver
