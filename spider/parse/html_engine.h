// Between an HTML engine and what is read from it: the few tags and attributes that matter to a
// crawler, in the order of the document.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string_view>

#include "spider/parse/parse_options.h"

namespace orbweaver {

enum class HtmlTag : uint8_t {
  kOther,  // never reported
  kBlock,  // any tag that sets its text apart from what stands before: p, div, br, td, …
  kA,
  kArea,
  kAudio,
  kBase,
  kEmbed,
  kFrame,
  kHtml,
  kIframe,
  kImg,
  kLink,
  kMeta,
  kNoembed,
  kNoframes,
  kObject,
  kScript,
  kSource,
  kStyle,
  kTemplate,
  kTitle,
  kTrack,
  kVideo,
};
// `name` in lower case.
HtmlTag HtmlTagOf(std::string_view name);

enum class HtmlAttribute : uint8_t {
  kAlt,
  kCharset,
  kContent,
  kData,
  kHref,
  kHttpEquiv,
  kImagesrcset,
  kLang,
  kName,
  kPoster,
  kRel,
  kShadowrootmode,
  kSrc,
  kSrcset,
  kStyle,
  kType,
  kNone,  // any other
};
HtmlAttribute HtmlAttributeOf(std::string_view name);

// The attributes of one tag; of two of a name the first counts.
class HtmlAttributes {
 public:
  void Clear() { present_ = 0; }
  void Set(HtmlAttribute attribute, std::string_view value) {
    const auto bit = 1u << static_cast<unsigned>(attribute);
    if (attribute == HtmlAttribute::kNone || (present_ & bit) != 0) return;
    present_ |= bit;
    values_[static_cast<size_t>(attribute)] = value;
  }
  bool Has(HtmlAttribute attribute) const {
    return (present_ >> static_cast<unsigned>(attribute) & 1) != 0;
  }
  // Empty when it is absent.
  std::string_view Get(HtmlAttribute attribute) const {
    return Has(attribute) ? values_[static_cast<size_t>(attribute)] : std::string_view();
  }

 private:
  uint32_t present_ = 0;
  // Those that are not present are not initialised: most tags have one or two.
  std::array<std::string_view, static_cast<size_t>(HtmlAttribute::kNone)> values_;
};

// Receives a document's parts. Views are valid during the call.
class HtmlSink {
 public:
  virtual ~HtmlSink() = default;

  virtual void OnStart(HtmlTag tag, const HtmlAttributes& attributes) = 0;
  virtual void OnEnd(HtmlTag tag) = 0;
  // Text as it stands between tags, in pieces; that of <script> and the like too.
  virtual void OnText(std::string_view text) = 0;
  // The style attribute of any element, before its OnStart where that is reported. Only of engines
  // that are made to tell.
  virtual void OnStyle(std::string_view /*style*/) {}
  // The last <a> goes on: the standard reopens one that was not closed when its paragraph ended.
  virtual void OnReopen() = 0;
};

// Place: in PageParser; chosen by configuration. Not thread-safe; keeps its memory, so one serves a
// thread for long.
class HtmlEngine {
 public:
  virtual ~HtmlEngine() = default;

  // Hands all of `html`, which is UTF-8, to `sink`. False when a bound of the engine was met: parts
  // of the document were then left out. Time and memory are bounded for every input.
  virtual bool Parse(std::string_view html, HtmlSink& sink) = 0;
};

// In one pass over the tags, with what of the tree's rules bears on links. With `styles` style
// attributes are told too: then the attributes of all tags are looked at.
std::unique_ptr<HtmlEngine> MakeScannerEngine(bool styles = false);
// By Gumbo's tree, as browsers build it: the reference.
std::unique_ptr<HtmlEngine> MakeGumboEngine(bool styles = false);

std::unique_ptr<HtmlEngine> MakeHtmlEngine(HtmlEngineKind kind, bool styles = false);

}  // namespace orbweaver
