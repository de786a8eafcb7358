#include "common/url/suffix_table.h"

#include <algorithm>
#include <cstdio>
#include <libpsl.h>

#include "fmt/format.h"

#include "common/url/whatwg_parser.h"

namespace orbweaver {
namespace {

using PslPtr = std::unique_ptr<psl_ctx_t, decltype(&psl_free)>;

PslPtr LoadPsl(std::string_view list) {
  PslPtr psl(nullptr, &psl_free);
  // Opened for reading only, so the text is not written to.
  FILE* file = fmemopen(const_cast<char*>(list.data()), list.size(), "r");
  if (file == nullptr) return psl;
  psl.reset(psl_load_fp(file));
  std::fclose(file);
  return psl;
}

// The name that a line's rule is about, without what marks wildcards and exceptions; empty when
// there is none.
std::string_view NameOfRule(std::string_view line) {
  constexpr std::string_view kSpace = " \t\r";
  line.remove_prefix(std::min(line.find_first_not_of(kSpace), line.size()));
  line = line.substr(0, line.find_first_of(kSpace));
  if (line.starts_with("//")) return {};
  if (line.starts_with('!')) line.remove_prefix(1);
  if (line.starts_with("*.")) line.remove_prefix(2);
  return line;
}

// As it stands in a canonical host; empty when no host can end so.
std::string InPunycode(std::string_view name, WhatwgParser& parser) {
  const auto is_ascii = [](char c) { return static_cast<unsigned char>(c) < 0x80; };
  if (std::all_of(name.begin(), name.end(), is_ascii)) return std::string(name);
  UrlParts parts;
  const UrlError error = parser.Parse(fmt::format("http://{}/", name), &parts);
  return error == UrlError::kNone ? std::string(parts.host) : "";
}

}  // namespace

std::unique_ptr<const SuffixTable> SuffixTable::Make(std::string_view list, bool private_section) {
  const PslPtr psl = LoadPsl(list);
  if (psl == nullptr || psl_suffix_count(psl.get()) <= 0) return nullptr;
  const int sections = private_section ? PSL_TYPE_ANY : PSL_TYPE_ICANN;
  const auto is_suffix = [&](const std::string& name) {
    return psl_is_public_suffix2(psl.get(), name.c_str(), sections) != 0;
  };

  std::unique_ptr<SuffixTable> table(new SuffixTable);
  WhatwgParser parser;
  while (!list.empty()) {
    const size_t end = std::min(list.find('\n'), list.size());
    std::string name = InPunycode(NameOfRule(list.substr(0, end)), parser);
    list.remove_prefix(std::min(end + 1, list.size()));
    // With the names above it: who looks up goes down from the top.
    while (!name.empty() && table->Find(name) == nullptr) {
      const std::string& key = table->names_.emplace_back(std::move(name));
      // An underscore is in no rule.
      table->answers_.emplace(key, Answers{is_suffix(key), is_suffix("_." + key)});
      name = key.substr(std::min(key.find('.'), key.size() - 1) + 1);
    }
  }
  return table;
}

}  // namespace orbweaver
