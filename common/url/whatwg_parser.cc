#include "common/url/whatwg_parser.h"

#include <optional>

#include "ada.h"

namespace orbweaver {
namespace {

UrlError Split(const ada::url_aggregator& url, UrlParts* out) {
  UrlParts parts;
  switch (url.type) {
    case ada::scheme::type::HTTP:
      parts.scheme = "http";
      break;
    case ada::scheme::type::HTTPS:
      parts.scheme = "https";
      break;
    default:
      return UrlError::kScheme;
  }
  parts.host = url.get_hostname();
  parts.port = url.get_port();
  parts.path = url.get_pathname();
  parts.query = url.get_search();
  if (!parts.query.empty()) parts.query.remove_prefix(1);
  *out = parts;
  return UrlError::kNone;
}

}  // namespace

struct WhatwgParser::Ada {
  std::optional<ada::url_aggregator> base;
  UrlParts base_parts;
  ada::url_aggregator url;  // what the last Parse gave views into
};

WhatwgParser::WhatwgParser() : ada_(std::make_unique<Ada>()) {}
WhatwgParser::~WhatwgParser() = default;

void WhatwgParser::ClearBase() { ada_->base.reset(); }

const UrlParts* WhatwgParser::base() const { return ada_->base ? &ada_->base_parts : nullptr; }

UrlError WhatwgParser::SetBase(std::string_view url) {
  ada_->base.reset();
  UrlParts parts;
  if (const UrlError error = Parse(url, &parts); error != UrlError::kNone) return error;
  ada_->base = ada_->url;
  // The parts must point into the copy that stays.
  return Split(*ada_->base, &ada_->base_parts);
}

UrlError WhatwgParser::Parse(std::string_view link, UrlParts* out) {
  auto url = ada::parse<ada::url_aggregator>(link, ada_->base ? &*ada_->base : nullptr);
  if (!url) {
    // Told apart only when it failed anyway: would it have been a URL on some page?
    static const auto kSomePage = ada::parse<ada::url_aggregator>("http://page.invalid/");
    const bool relative =
        !ada_->base && ada::parse<ada::url_aggregator>(link, &*kSomePage).has_value();
    return relative ? UrlError::kRelative : UrlError::kParse;
  }
  ada_->url = std::move(*url);
  return Split(ada_->url, out);
}

}  // namespace orbweaver
