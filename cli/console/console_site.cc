#include "cli/console/console_site.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "absl/hash/hash.h"
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

// A client that has this very answer already is told so instead of being sent it again.
AdminResponse Tagged(AdminResponse response, std::string_view tag, const AdminRequest& request) {
  response.headers.emplace_back("ETag", tag);
  if (request.if_none_match.find(tag) == std::string_view::npos) return response;
  response.status = 304;
  response.body.clear();
  return response;
}

// Nothing of a crawl is kept on a disk; the page remembers the tag of the answer that it shows.
AdminResponse ApiAnswer(AdminResponse response, const AdminRequest& request) {
  response.headers.emplace_back("Cache-Control", "no-store");
  if (response.status != 200) return response;
  const uint64_t hash = absl::HashOf(std::string_view(response.body));  // of this process only
  return Tagged(std::move(response), fmt::format("W/\"{:016x}\"", hash), request);
}

// The page's frame, which names the files of this program; asked for again at each visit.
AdminResponse Index(const AdminRequest& request) {
  AdminResponse response = Served(*FindAsset("index.html"), AcceptsGzip(request.accept_encoding));
  response.headers.emplace_back("Cache-Control", "no-cache");
  return Tagged(std::move(response), fmt::format("W/\"{}\"", AssetsHash()), request);
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
  if (request.path().starts_with(kApiPath)) {
    return Compressed(ApiAnswer(api_.Handle(request), request), request);
  }
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
