#include "cli/console/console_site.h"

#include <string>
#include <string_view>

#include "cli/console/assets.h"

namespace orbweaver {
namespace {

// Nothing is loaded from elsewhere, nothing of the page stands within it, and no other page frames
// it.
constexpr char kPolicy[] =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

AdminResponse Served(const Asset& asset) {
  AdminResponse response;
  response.content_type = asset.content_type;
  response.body = asset.content;
  response.headers.emplace_back("Content-Security-Policy", kPolicy);
  response.headers.emplace_back("X-Content-Type-Options", "nosniff");
  response.headers.emplace_back("Referrer-Policy", "no-referrer");
  return response;
}

}  // namespace

AdminResponse ConsoleSite::Handle(const AdminRequest& request) const {
  if (request.target.starts_with(kApiPath)) return api_.Handle(request);
  const std::string_view path = request.target.substr(0, request.target.find('?'));
  const bool is_read = request.method == "GET" || request.method == "HEAD";
  const Asset* const asset = FindAsset(path == "/" ? "/index.html" : path);
  if (is_read && asset != nullptr) return Served(*asset);
  return admin_.Handle(request);
}

}  // namespace orbweaver
