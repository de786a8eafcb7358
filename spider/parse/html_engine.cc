#include "spider/parse/html_engine.h"

#include "absl/container/flat_hash_map.h"

namespace orbweaver {

HtmlTag HtmlTagOf(std::string_view name) {
  static const absl::flat_hash_map<std::string_view, HtmlTag> kTags = {
      {"a", HtmlTag::kA},
      {"area", HtmlTag::kArea},
      {"audio", HtmlTag::kAudio},
      {"base", HtmlTag::kBase},
      {"embed", HtmlTag::kEmbed},
      {"frame", HtmlTag::kFrame},
      {"html", HtmlTag::kHtml},
      {"iframe", HtmlTag::kIframe},
      {"image", HtmlTag::kImg},  // as the standard has it
      {"img", HtmlTag::kImg},
      {"link", HtmlTag::kLink},
      {"meta", HtmlTag::kMeta},
      {"noembed", HtmlTag::kNoembed},
      {"noframes", HtmlTag::kNoframes},
      {"object", HtmlTag::kObject},
      {"script", HtmlTag::kScript},
      {"source", HtmlTag::kSource},
      {"style", HtmlTag::kStyle},
      {"title", HtmlTag::kTitle},
      {"track", HtmlTag::kTrack},
      {"video", HtmlTag::kVideo},
      {"address", HtmlTag::kBlock},
      {"article", HtmlTag::kBlock},
      {"aside", HtmlTag::kBlock},
      {"blockquote", HtmlTag::kBlock},
      {"body", HtmlTag::kBlock},
      {"br", HtmlTag::kBlock},
      {"button", HtmlTag::kBlock},
      {"caption", HtmlTag::kBlock},
      {"center", HtmlTag::kBlock},
      {"dd", HtmlTag::kBlock},
      {"details", HtmlTag::kBlock},
      {"dialog", HtmlTag::kBlock},
      {"dir", HtmlTag::kBlock},
      {"div", HtmlTag::kBlock},
      {"dl", HtmlTag::kBlock},
      {"dt", HtmlTag::kBlock},
      {"fieldset", HtmlTag::kBlock},
      {"figcaption", HtmlTag::kBlock},
      {"figure", HtmlTag::kBlock},
      {"footer", HtmlTag::kBlock},
      {"form", HtmlTag::kBlock},
      {"h1", HtmlTag::kBlock},
      {"h2", HtmlTag::kBlock},
      {"h3", HtmlTag::kBlock},
      {"h4", HtmlTag::kBlock},
      {"h5", HtmlTag::kBlock},
      {"h6", HtmlTag::kBlock},
      {"header", HtmlTag::kBlock},
      {"hgroup", HtmlTag::kBlock},
      {"hr", HtmlTag::kBlock},
      {"input", HtmlTag::kBlock},
      {"legend", HtmlTag::kBlock},
      {"li", HtmlTag::kBlock},
      {"listing", HtmlTag::kBlock},
      {"main", HtmlTag::kBlock},
      {"menu", HtmlTag::kBlock},
      {"nav", HtmlTag::kBlock},
      {"ol", HtmlTag::kBlock},
      {"optgroup", HtmlTag::kBlock},
      {"option", HtmlTag::kBlock},
      {"p", HtmlTag::kBlock},
      {"plaintext", HtmlTag::kBlock},
      {"pre", HtmlTag::kBlock},
      {"search", HtmlTag::kBlock},
      {"section", HtmlTag::kBlock},
      {"select", HtmlTag::kBlock},
      {"summary", HtmlTag::kBlock},
      {"table", HtmlTag::kBlock},
      {"tbody", HtmlTag::kBlock},
      {"td", HtmlTag::kBlock},
      {"textarea", HtmlTag::kBlock},
      {"tfoot", HtmlTag::kBlock},
      {"th", HtmlTag::kBlock},
      {"thead", HtmlTag::kBlock},
      {"tr", HtmlTag::kBlock},
      {"ul", HtmlTag::kBlock},
      {"xmp", HtmlTag::kBlock},
  };
  const auto found = kTags.find(name);
  return found == kTags.end() ? HtmlTag::kOther : found->second;
}

HtmlAttribute HtmlAttributeOf(std::string_view name) {
  switch (name.size()) {
    case 3:
      if (name == "src") return HtmlAttribute::kSrc;
      if (name == "rel") return HtmlAttribute::kRel;
      if (name == "alt") return HtmlAttribute::kAlt;
      break;
    case 4:
      if (name == "href") return HtmlAttribute::kHref;
      if (name == "name") return HtmlAttribute::kName;
      if (name == "type") return HtmlAttribute::kType;
      if (name == "lang") return HtmlAttribute::kLang;
      if (name == "data") return HtmlAttribute::kData;
      break;
    case 6:
      if (name == "srcset") return HtmlAttribute::kSrcset;
      if (name == "poster") return HtmlAttribute::kPoster;
      break;
    case 7:
      if (name == "content") return HtmlAttribute::kContent;
      break;
    case 10:
      if (name == "http-equiv") return HtmlAttribute::kHttpEquiv;
      break;
    case 11:
      if (name == "imagesrcset") return HtmlAttribute::kImagesrcset;
      break;
    default:
      break;
  }
  return HtmlAttribute::kNone;
}

std::unique_ptr<HtmlEngine> MakeHtmlEngine(HtmlEngineKind kind) {
  return kind == HtmlEngineKind::kGumbo ? MakeGumboEngine() : MakeLexborEngine();
}

}  // namespace orbweaver
