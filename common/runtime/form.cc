#include "common/runtime/form.h"

#include <algorithm>
#include <utility>

#include "common/base/status.h"

namespace orbweaver {
namespace {

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

absl::StatusOr<std::string> Decode(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '+') {
      out += ' ';
    } else if (text[i] == '%') {
      const int high = i + 2 < text.size() ? HexDigit(text[i + 1]) : -1;
      const int low = i + 2 < text.size() ? HexDigit(text[i + 2]) : -1;
      if (high < 0 || low < 0) {
        return PoisonError("parameters: '%' without two hexadecimal digits. Write '%25' for '%'.");
      }
      out += static_cast<char>(high * 16 + low);
      i += 2;
    } else {
      out += text[i];
    }
  }
  return out;
}

void AppendEncoded(std::string_view text, std::string* out) {
  constexpr char kDigits[] = "0123456789ABCDEF";
  constexpr std::string_view kPlain = "-._/:";
  for (const char c : text) {
    const bool is_alnum =
        (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
    if (is_alnum || kPlain.find(c) != std::string_view::npos) {
      *out += c;
    } else {
      const auto byte = static_cast<unsigned char>(c);
      *out += {'%', kDigits[byte >> 4], kDigits[byte & 15]};
    }
  }
}

}  // namespace

std::string EncodeForm(const FormParams& params) {
  std::string text;
  for (const auto& [name, value] : params) {
    if (!text.empty()) text += '&';
    AppendEncoded(name, &text);
    text += '=';
    AppendEncoded(value, &text);
  }
  return text;
}

absl::StatusOr<FormParams> ParseForm(std::string_view text) {
  FormParams params;
  while (!text.empty()) {
    const std::string_view pair = text.substr(0, text.find('&'));
    text.remove_prefix(std::min(text.size(), pair.size() + 1));
    if (pair.empty()) continue;
    const size_t equals = std::min(pair.find('='), pair.size());
    ASSIGN_OR_RETURN(std::string name, Decode(pair.substr(0, equals)));
    ASSIGN_OR_RETURN(std::string value, Decode(pair.substr(std::min(equals + 1, pair.size()))));
    const auto [at, is_new] = params.emplace(std::move(name), std::move(value));
    if (!is_new) return PoisonError("parameters: '{}' comes twice", at->first);
  }
  return params;
}

}  // namespace orbweaver
