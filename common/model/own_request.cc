#include "common/model/own_request.h"

#include "common/base/check.h"

namespace orbweaver {
namespace {

constexpr std::string_view kAssetKey = "orbweaver.asset";
constexpr std::string_view kSitemapKey = "orbweaver.sitemap";
// The steps, and `i` behind them for what lies inside of the scope.
constexpr std::string_view kInScope = "1i2i3i4i5i";
static_assert(kInScope.size() == 2 * kMaxOwnSteps);

OwnRequest Read(OwnRequest::Kind kind, std::string_view value) {
  const bool is_in_scope = value.size() == 2 && value[1] == 'i';
  const bool is_known = (value.size() == 1 || is_in_scope) && value[0] >= '1' &&
                        value[0] <= '0' + static_cast<char>(kMaxOwnSteps);
  if (!is_known) return {.kind = kind, .steps = kMaxOwnSteps};
  return {.kind = kind,
          .steps = static_cast<uint32_t>(value[0] - '0'),
          .is_in_scope = is_in_scope && kind == OwnRequest::Kind::kAsset};
}

}  // namespace

OwnRequest OwnRequestOf(std::span<const Meta> meta) {
  for (const Meta& entry : meta) {
    if (entry.key == kAssetKey) return Read(OwnRequest::Kind::kAsset, entry.value);
    if (entry.key == kSitemapKey) return Read(OwnRequest::Kind::kSitemap, entry.value);
  }
  return {};
}

bool IsPage(const OwnRequest& request, std::string_view content_type) {
  const bool is_html = content_type == "text/html" || content_type == "application/xhtml+xml";
  return request.kind == OwnRequest::Kind::kNone || (request.is_in_scope && is_html);
}

Meta MetaOf(const OwnRequest& request) {
  CHECK(request.kind != OwnRequest::Kind::kNone && request.steps >= 1 &&
        request.steps <= kMaxOwnSteps);
  return {.key = request.IsAsset() ? kAssetKey : kSitemapKey,
          .value = kInScope.substr(2 * (request.steps - 1), request.is_in_scope ? 2 : 1)};
}

}  // namespace orbweaver
