#include "common/url/domain.h"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>

#include "common/base/check.h"
#include "common/base/status.h"
#include "common/url/suffix_table.h"

namespace orbweaver {
namespace {

// Where the last label of `name` begins.
size_t LastLabel(std::string_view name) { return name.rfind('.') + 1; }

}  // namespace

PublicSuffixes::PublicSuffixes(const PublicSuffixOptions& options, std::string text)
    : options_(options), text_(std::move(text)) {}
PublicSuffixes::~PublicSuffixes() = default;

absl::StatusOr<std::unique_ptr<const PublicSuffixes>> PublicSuffixes::Load(
    const PublicSuffixOptions& options) {
  std::string text;
  if (!options.file.empty()) {
    std::ifstream file(options.file, std::ios::binary);
    if (!file) {
      return FatalError("load public suffixes '{}': {}. Name a readable copy of the list.",
                        options.file, std::strerror(errno));
    }
    text.assign(std::istreambuf_iterator<char>(file), {});
  }
  std::unique_ptr<const PublicSuffixes> suffixes(new PublicSuffixes(options, std::move(text)));
  if (!options.file.empty() && suffixes->table() == nullptr) {
    return FatalError(
        "load public suffixes '{}': no suffix in it. Name a copy of "
        "https://publicsuffix.org/list/public_suffix_list.dat.",
        options.file);
  }
  return suffixes;
}

std::string_view PublicSuffixes::list() const {
  return options_.file.empty() ? BuiltInSuffixList() : text_;
}

const SuffixTable* PublicSuffixes::table() const {
  if (!is_read_) {
    std::call_once(read_, [this] {
      table_ = SuffixTable::Make(list(), options_.private_section);
      is_read_ = true;
    });
  }
  return table_.get();
}

std::string_view PublicSuffixes::date() const {
  // It stands in the comment before the first rule: `// VERSION: 2026-10-22_08-36-41_UTC`.
  constexpr std::string_view kVersion = "// VERSION: ";
  constexpr size_t kHeadBytes = 4096;
  constexpr size_t kDateBytes = 10;
  const std::string_view head = list().substr(0, kHeadBytes);
  const size_t at = head.find(kVersion);
  if (at == std::string_view::npos) return "unknown";
  const std::string_view date = head.substr(at + kVersion.size(), kDateBytes);
  const bool is_date =
      date.size() == kDateBytes && date.find_first_not_of("0123456789-") == std::string_view::npos;
  return is_date ? date : "unknown";
}

void PublicSuffixes::WriteStatus(JsonWriter& json) const {
  json.BeginObject().Key("list_date").Value(date());
  if (!options_.file.empty()) json.Key("file").Value(options_.file);
  json.EndObject();
}

std::string_view PublicSuffixes::RegisteredDomain(std::string_view host) const {
  if (host.ends_with('.')) host.remove_suffix(1);
  if (IsIpAddress(host)) return host;
  const SuffixTable* const rules = table();
  CHECK(rules != nullptr);  // the build and Load have seen a rule
  // From the top-level domain, a suffix by itself, down to where the list has no rules any more.
  // The longest suffix counts: `forgot.his.name` and `name` are two, `his.name` is none.
  size_t suffix = LastLabel(host);
  size_t name = suffix;
  for (const auto* parent = rules->Find(host.substr(name)); parent != nullptr && name > 0;) {
    name = LastLabel(host.substr(0, name - 1));
    const auto* answers = rules->Find(host.substr(name));
    if (answers != nullptr ? answers->is_suffix : parent->child_is_suffix) suffix = name;
    parent = answers;
  }
  return suffix == 0 ? host : host.substr(LastLabel(host.substr(0, suffix - 1)));
}

bool PublicSuffixes::KnowsTopLevel(std::string_view label) const {
  const SuffixTable* const rules = table();
  CHECK(rules != nullptr);  // the build and Load have seen a rule
  return rules->Find(label) != nullptr;
}

bool IsIpAddress(std::string_view host) {
  return host.starts_with('[') || host.find_first_not_of("0123456789.") == std::string_view::npos;
}

std::string ReversedDomain(std::string_view domain) {
  std::string reversed;
  reversed.reserve(domain.size());
  AppendReversedDomain(domain, &reversed);
  return reversed;
}

void AppendReversedDomain(std::string_view domain, std::string* out) {
  if (IsIpAddress(domain)) {
    out->append(domain);
    return;
  }
  while (true) {
    const size_t dot = domain.rfind('.');
    out->append(domain, dot == std::string_view::npos ? 0 : dot + 1);
    if (dot == std::string_view::npos) return;
    out->push_back('.');
    domain = domain.substr(0, dot);
  }
}

}  // namespace orbweaver
