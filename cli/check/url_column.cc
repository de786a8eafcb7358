#include "cli/check/url_column.h"

namespace orbweaver {
namespace {

constexpr std::string_view kBlank = " \t\r\n\xef\xbb\xbf";  // also a byte order mark

std::string_view Trim(std::string_view text) {
  const size_t begin = text.find_first_not_of(kBlank);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r\n") + 1 - begin);
}

// The text between the quotes that begin `text`; doubled quotes are no part of any URL.
std::string_view Quoted(std::string_view text) { return text.substr(1, text.find('"', 1) - 1); }

// Cuts the first field of a line of CSV off `*rest`; false when it was the last one.
bool CutField(std::string_view* rest, std::string_view* field) {
  *rest = Trim(*rest);
  size_t from = 0;
  if (rest->starts_with('"')) {
    const size_t end = rest->find('"', 1);
    from = end == std::string_view::npos ? rest->size() : end + 1;
  }
  const size_t comma = rest->find(',', from);
  *field = Trim(rest->substr(0, comma));
  if (field->starts_with('"')) *field = Trim(Quoted(*field));
  *rest = comma == std::string_view::npos ? std::string_view() : rest->substr(comma + 1);
  return comma != std::string_view::npos;
}

}  // namespace

std::string_view UrlColumn(std::string_view line, size_t column) {
  line = Trim(line);
  if (line.empty() || line.starts_with('#')) return {};
  if (column == 0) {
    if (line.starts_with('"')) return Trim(Quoted(line));
    return line.substr(0, line.find_first_of(" \t"));
  }
  std::string_view field;
  for (size_t at = 1; at < column; ++at) {
    if (!CutField(&line, &field)) return {};
  }
  CutField(&line, &field);
  return field;
}

}  // namespace orbweaver
