#include "common/url/domain.h"

#include <algorithm>
#include <cstring>
#include <libpsl.h>

#include "common/base/status.h"

namespace orbweaver {
namespace {

// Longer hosts are refused by UrlCanonicalizer.
constexpr size_t kMaxHostBytes = 254;

}  // namespace

struct PublicSuffixes::List {
  const psl_ctx_t* list = nullptr;
  psl_ctx_t* owned = nullptr;  // the built-in one is static
  int sections = 0;

  ~List() { psl_free(owned); }
};

PublicSuffixes::PublicSuffixes(std::unique_ptr<List> list) : list_(std::move(list)) {}
PublicSuffixes::~PublicSuffixes() = default;

absl::StatusOr<std::unique_ptr<const PublicSuffixes>> PublicSuffixes::Load(
    const PublicSuffixOptions& options) {
  auto list = std::make_unique<List>();
  list->sections = options.private_section ? PSL_TYPE_ANY : PSL_TYPE_ICANN;
  if (options.file.empty()) {
    list->list = psl_builtin();
    if (list->list == nullptr) {
      return FatalError(
          "load public suffixes: this libpsl has no list built in. Name a file instead.");
    }
  } else {
    errno = 0;
    list->list = list->owned = psl_load_file(options.file.c_str());
    if (list->list == nullptr) {
      return FatalError("load public suffixes '{}': {}. Name a readable copy of the list.",
                        options.file, errno != 0 ? std::strerror(errno) : "not a suffix list");
    }
    if (psl_suffix_count(list->list) <= 0) {
      return FatalError(
          "load public suffixes '{}': no suffix in it. Name a copy of "
          "https://publicsuffix.org/list/public_suffix_list.dat.",
          options.file);
    }
  }
  return std::unique_ptr<const PublicSuffixes>(new PublicSuffixes(std::move(list)));
}

std::string_view PublicSuffixes::RegisteredDomain(std::string_view host) const {
  if (host.ends_with('.')) host.remove_suffix(1);
  if (host.size() > kMaxHostBytes || IsIpAddress(host)) return host;
  char text[kMaxHostBytes + 1];  // libpsl wants an end to it
  host.copy(text, host.size());
  text[host.size()] = '\0';

  // The list's own algorithm: the longest rule wins, so the first suffix from the left ends it.
  size_t domain = 0;
  for (size_t name = 0; !psl_is_public_suffix2(list_->list, text + name, list_->sections);) {
    domain = name;
    name = host.find('.', name) + 1;
    if (name == 0) break;
  }
  return host.substr(domain);
}

bool IsIpAddress(std::string_view host) {
  return host.starts_with('[') || host.find_first_not_of("0123456789.") == std::string_view::npos;
}

std::string ReversedDomain(std::string_view domain) {
  if (IsIpAddress(domain)) return std::string(domain);
  std::string reversed;
  reversed.reserve(domain.size());
  while (true) {
    const size_t dot = domain.rfind('.');
    reversed.append(domain, dot == std::string_view::npos ? 0 : dot + 1);
    if (dot == std::string_view::npos) return reversed;
    reversed.push_back('.');
    domain = domain.substr(0, dot);
  }
}

}  // namespace orbweaver
