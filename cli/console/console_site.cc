#include "cli/console/console_site.h"

#include <string>
#include <string_view>

#include "cli/console/assets.h"
#include "cli/console/content_encoding.h"
#include "fmt/format.h"

namespace orbweaver {
namespace {

// Nothing is loaded from elsewhere, nothing of the page stands within it, and no other page frames
// it.
constexpr char kPolicy[] =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

// Smaller answers fit one packet as they are. A session's secrets stand in such small ones only, so
// that nothing is compressed together with them.
constexpr size_t kLargeAnswer = 4096;

AdminResponse Served(const Asset& asset, bool as_gzip) {
  AdminResponse response;
  response.content_type = asset.content_type;
  response.body = as_gzip ? asset.gzipped : asset.content;
  if (as_gzip) response.headers.emplace_back("Content-Encoding", "gzip");
  response.headers.emplace_back("Vary", "Accept-Encoding");
  response.headers.emplace_back("Content-Security-Policy", kPolicy);
  response.headers.emplace_back("X-Content-Type-Options", "nosniff");
  response.headers.emplace_back("Referrer-Policy", "no-referrer");
  return response;
}

// The page's frame, which names the files of this program; asked for again at each visit.
AdminResponse Index(const AdminRequest& request) {
  const std::string tag = fmt::format("W/\"{}\"", AssetsHash());
  AdminResponse response = Served(*FindAsset("index.html"), AcceptsGzip(request.accept_encoding));
  response.headers.emplace_back("Cache-Control", "no-cache");
  response.headers.emplace_back("ETag", tag);
  if (request.if_none_match.find(tag) != std::string_view::npos) {
    response.status = 304;
    response.body.clear();
  }
  return response;
}

// The asset of a path /HASH/NAME; null for others.
const Asset* AssetAt(std::string_view path) {
  const std::string_view hash = AssetsHash();
  if (path.size() < hash.size() + 2 || path.substr(1, hash.size()) != hash) return nullptr;
  if (path[hash.size() + 1] != '/') return nullptr;
  return FindAsset(path.substr(hash.size() + 2));
}

AdminResponse Compressed(AdminResponse response, const AdminRequest& request) {
  if (response.body.size() < kLargeAnswer || !AcceptsGzip(request.accept_encoding)) return response;
  response.body = Gzip(response.body);
  response.headers.emplace_back("Content-Encoding", "gzip");
  response.headers.emplace_back("Vary", "Accept-Encoding");
  return response;
}

}  // namespace

AdminResponse ConsoleSite::Handle(const AdminRequest& request) const {
  if (request.path().starts_with(kApiPath)) return Compressed(api_.Handle(request), request);
  const std::string_view path = request.path();
  if (!request.is_read()) return admin_.Handle(request);
  if (path == "/" || path == "/index.html") return Index(request);
  const Asset* const asset = AssetAt(path);
  if (asset == nullptr) return admin_.Handle(request);
  AdminResponse response = Served(*asset, AcceptsGzip(request.accept_encoding));
  response.headers.emplace_back("Cache-Control", "max-age=31536000, immutable");
  return response;
}

}  // namespace orbweaver
