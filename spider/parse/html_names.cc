#include "spider/parse/html_names.h"

#include <array>
#include <iterator>

namespace orbweaver {
namespace {

constexpr HtmlName kUnknown;

constexpr HtmlName kSpelled[] = {
    {.name = "a", .tag = HtmlTag::kA},
    {.name = "address", .tag = HtmlTag::kBlock},
    {.name = "area", .tag = HtmlTag::kArea},
    {.name = "article", .tag = HtmlTag::kBlock},
    {.name = "aside", .tag = HtmlTag::kBlock},
    {.name = "audio", .tag = HtmlTag::kAudio},
    {.name = "b", .ends_foreign = true},
    {.name = "base", .tag = HtmlTag::kBase},
    {.name = "big", .ends_foreign = true},
    {.name = "blockquote", .tag = HtmlTag::kBlock, .ends_foreign = true},
    {.name = "body", .tag = HtmlTag::kBlock, .ends_foreign = true},
    {.name = "br", .tag = HtmlTag::kBlock, .ends_foreign = true},
    {.name = "button", .tag = HtmlTag::kBlock},
    {.name = "caption", .tag = HtmlTag::kBlock, .role = HtmlRole::kCell},
    {.name = "center", .tag = HtmlTag::kBlock, .ends_foreign = true},
    {.name = "code", .ends_foreign = true},
    {.name = "dd", .tag = HtmlTag::kBlock, .ends_foreign = true},
    {.name = "desc", .role = HtmlRole::kIntegrationPoint},
    {.name = "details", .tag = HtmlTag::kBlock},
    {.name = "dialog", .tag = HtmlTag::kBlock},
    {.name = "dir", .tag = HtmlTag::kBlock},
    {.name = "div", .tag = HtmlTag::kBlock, .ends_foreign = true},
    {.name = "dl", .tag = HtmlTag::kBlock, .ends_foreign = true},
    {.name = "dt", .tag = HtmlTag::kBlock, .ends_foreign = true},
    {.name = "em", .ends_foreign = true},
    {.name = "embed", .tag = HtmlTag::kEmbed, .ends_foreign = true},
    {.name = "fieldset", .tag = HtmlTag::kBlock},
    {.name = "figcaption", .tag = HtmlTag::kBlock},
    {.name = "figure", .tag = HtmlTag::kBlock},
    {.name = "footer", .tag = HtmlTag::kBlock},
    {.name = "foreignobject", .role = HtmlRole::kIntegrationPoint},
    {.name = "form", .tag = HtmlTag::kBlock},
    {.name = "frame", .tag = HtmlTag::kFrame},
    {.name = "h1", .tag = HtmlTag::kBlock, .ends_foreign = true},
    {.name = "h2", .tag = HtmlTag::kBlock, .ends_foreign = true},
    {.name = "h3", .tag = HtmlTag::kBlock, .ends_foreign = true},
    {.name = "h4", .tag = HtmlTag::kBlock, .ends_foreign = true},
    {.name = "h5", .tag = HtmlTag::kBlock, .ends_foreign = true},
    {.name = "h6", .tag = HtmlTag::kBlock, .ends_foreign = true},
    {.name = "head", .ends_foreign = true},
    {.name = "header", .tag = HtmlTag::kBlock},
    {.name = "hgroup", .tag = HtmlTag::kBlock},
    {.name = "hr", .tag = HtmlTag::kBlock, .ends_foreign = true},
    {.name = "html", .tag = HtmlTag::kHtml},
    {.name = "i", .ends_foreign = true},
    {.name = "iframe", .tag = HtmlTag::kIframe, .content = HtmlContent::kRaw},
    {.name = "image", .tag = HtmlTag::kImg},
    {.name = "img", .tag = HtmlTag::kImg, .ends_foreign = true},
    {.name = "input", .tag = HtmlTag::kBlock},
    {.name = "legend", .tag = HtmlTag::kBlock},
    {.name = "li", .tag = HtmlTag::kBlock, .ends_foreign = true},
    {.name = "link", .tag = HtmlTag::kLink},
    {.name = "listing", .tag = HtmlTag::kBlock, .ends_foreign = true},
    {.name = "main", .tag = HtmlTag::kBlock},
    {.name = "math", .role = HtmlRole::kForeign},
    {.name = "menu", .tag = HtmlTag::kBlock, .ends_foreign = true},
    {.name = "meta", .tag = HtmlTag::kMeta, .ends_foreign = true},
    {.name = "mi", .role = HtmlRole::kIntegrationPoint},
    {.name = "mn", .role = HtmlRole::kIntegrationPoint},
    {.name = "mo", .role = HtmlRole::kIntegrationPoint},
    {.name = "ms", .role = HtmlRole::kIntegrationPoint},
    {.name = "mtext", .role = HtmlRole::kIntegrationPoint},
    {.name = "nav", .tag = HtmlTag::kBlock},
    {.name = "nobr", .ends_foreign = true},
    {.name = "noembed", .tag = HtmlTag::kNoembed, .content = HtmlContent::kRaw},
    {.name = "noframes", .tag = HtmlTag::kNoframes, .content = HtmlContent::kRaw},
    {.name = "object", .tag = HtmlTag::kObject},
    {.name = "ol", .tag = HtmlTag::kBlock, .ends_foreign = true},
    {.name = "optgroup", .tag = HtmlTag::kBlock},
    {.name = "option", .tag = HtmlTag::kBlock},
    {.name = "p", .tag = HtmlTag::kBlock, .ends_foreign = true},
    {.name = "plaintext", .tag = HtmlTag::kBlock, .content = HtmlContent::kPlaintext},
    {.name = "pre", .tag = HtmlTag::kBlock, .ends_foreign = true},
    {.name = "ruby", .ends_foreign = true},
    {.name = "s", .ends_foreign = true},
    {.name = "script", .tag = HtmlTag::kScript, .content = HtmlContent::kScript},
    {.name = "search", .tag = HtmlTag::kBlock},
    {.name = "section", .tag = HtmlTag::kBlock},
    {.name = "select", .tag = HtmlTag::kBlock},
    {.name = "small", .ends_foreign = true},
    {.name = "source", .tag = HtmlTag::kSource},
    {.name = "span", .ends_foreign = true},
    {.name = "strike", .ends_foreign = true},
    {.name = "strong", .ends_foreign = true},
    {.name = "style", .tag = HtmlTag::kStyle, .content = HtmlContent::kRaw},
    {.name = "sub", .ends_foreign = true},
    {.name = "summary", .tag = HtmlTag::kBlock},
    {.name = "sup", .ends_foreign = true},
    {.name = "svg", .role = HtmlRole::kForeign},
    {.name = "table", .tag = HtmlTag::kBlock, .role = HtmlRole::kTable, .ends_foreign = true},
    {.name = "tbody", .tag = HtmlTag::kBlock},
    {.name = "td", .tag = HtmlTag::kBlock, .role = HtmlRole::kCell},
    {.name = "textarea", .tag = HtmlTag::kBlock, .content = HtmlContent::kText},
    {.name = "template", .tag = HtmlTag::kTemplate},
    {.name = "tfoot", .tag = HtmlTag::kBlock},
    {.name = "th", .tag = HtmlTag::kBlock, .role = HtmlRole::kCell},
    {.name = "thead", .tag = HtmlTag::kBlock},
    {.name = "title",
     .tag = HtmlTag::kTitle,
     .content = HtmlContent::kText,
     .role = HtmlRole::kIntegrationPoint},
    {.name = "tr", .tag = HtmlTag::kBlock, .role = HtmlRole::kCell},
    {.name = "track", .tag = HtmlTag::kTrack},
    {.name = "tt", .ends_foreign = true},
    {.name = "u", .ends_foreign = true},
    {.name = "ul", .tag = HtmlTag::kBlock, .ends_foreign = true},
    {.name = "var", .ends_foreign = true},
    {.name = "video", .tag = HtmlTag::kVideo},
    {.name = "xmp", .tag = HtmlTag::kBlock, .content = HtmlContent::kRaw},
};

static_assert(std::size(kSpelled) < kHtmlNames);

constexpr auto kNames = [] {
  std::array<HtmlName, std::size(kSpelled)> names;
  for (size_t i = 0; i < names.size(); ++i) {
    names[i] = kSpelled[i];
    names[i].number = static_cast<uint8_t>(i + 1);
  }
  return names;
}();

// A hash table with twice to four times the buckets that it needs, made by the compiler.
constexpr unsigned kBucketBits = 9;
constexpr uint8_t kFree = 0xff;
static_assert(std::size(kNames) < kFree);

constexpr size_t BucketOf(uint64_t tail) {
  return tail * 0x9e3779b97f4a7c15u >> (64 - kBucketBits);
}
constexpr size_t NextBucket(size_t bucket) { return (bucket + 1) & ((1u << kBucketBits) - 1); }

struct Bucket {
  uint64_t tail = 0;
  uint8_t index = kFree;
};

constexpr auto kBuckets = [] {
  std::array<Bucket, 1u << kBucketBits> buckets;
  for (size_t i = 0; i < std::size(kNames); ++i) {
    const uint64_t tail = TailOf(kNames[i].name);
    size_t bucket = BucketOf(tail);
    while (buckets[bucket].index != kFree) bucket = NextBucket(bucket);
    buckets[bucket] = {tail, static_cast<uint8_t>(i)};
  }
  return buckets;
}();

// Whether names with the same tail are the same: a tail says all of a short name but its length.
bool IsSame(std::string_view name, std::string_view known) {
  return name.size() == known.size() &&
         (name.size() <= sizeof(uint64_t) || EqualsIgnoreCase(name, known));
}

// In the order of HtmlAttribute.
constexpr std::string_view kAttributeNames[] = {
    "alt",  "charset", "content", "data",           "href", "http-equiv", "imagesrcset", "lang",
    "name", "poster",  "rel",     "shadowrootmode", "src",  "srcset",     "style",       "type"};
static_assert(std::size(kAttributeNames) == static_cast<size_t>(HtmlAttribute::kNone));

HtmlAttribute AttributeOfTail(uint64_t tail) {
  using enum HtmlAttribute;
  switch (tail) {
    case TailOf("alt"):
      return kAlt;
    case TailOf("charset"):
      return kCharset;
    case TailOf("content"):
      return kContent;
    case TailOf("data"):
      return kData;
    case TailOf("href"):
      return kHref;
    case TailOf("http-equiv"):
      return kHttpEquiv;
    case TailOf("imagesrcset"):
      return kImagesrcset;
    case TailOf("lang"):
      return kLang;
    case TailOf("name"):
      return kName;
    case TailOf("poster"):
      return kPoster;
    case TailOf("rel"):
      return kRel;
    case TailOf("shadowrootmode"):
      return kShadowrootmode;
    case TailOf("src"):
      return kSrc;
    case TailOf("srcset"):
      return kSrcset;
    case TailOf("style"):
      return kStyle;
    case TailOf("type"):
      return kType;
    default:
      return kNone;
  }
}

}  // namespace

const HtmlName& FindHtmlName(std::string_view name, uint64_t tail) {
  for (size_t bucket = BucketOf(tail); kBuckets[bucket].index != kFree;
       bucket = NextBucket(bucket)) {
    if (kBuckets[bucket].tail != tail) continue;
    const HtmlName& known = kNames[kBuckets[bucket].index];
    if (IsSame(name, known.name)) return known;
  }
  return kUnknown;
}

HtmlAttribute FindHtmlAttribute(std::string_view name, uint64_t tail) {
  const HtmlAttribute found = AttributeOfTail(tail);
  if (found == HtmlAttribute::kNone) return found;
  return IsSame(name, kAttributeNames[static_cast<size_t>(found)]) ? found : HtmlAttribute::kNone;
}

HtmlTag HtmlTagOf(std::string_view name) { return FindHtmlName(name, TailOf(name)).tag; }

HtmlAttribute HtmlAttributeOf(std::string_view name) {
  return FindHtmlAttribute(name, TailOf(name));
}

}  // namespace orbweaver
