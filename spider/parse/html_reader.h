// Reads an HTML page's facts for a crawler from its tags and text.
#pragma once

#include <string>
#include <string_view>

#include "common/model/limits.h"
#include "spider/parse/html_engine.h"
#include "spider/parse/link_collector.h"
#include "spider/parse/robots_directives.h"
#include "spider/parse/text_buffer.h"

namespace orbweaver {

// Place: in PageParser, between the engine and the collector. Begin, the engine's calls, Finish.
// Not thread-safe; keeps its memory.
class HtmlReader : public HtmlSink {
 public:
  // All must outlive this. With `embedded` also what the page embeds is a link.
  HtmlReader(bool embedded, LinkCollector* links, RobotsDirectives* robots)
      : embedded_(embedded), links_(*links), robots_(*robots) {}

  // Forgets the last document.
  void Begin();

  void OnStart(HtmlTag tag, const HtmlAttributes& attributes) override;
  void OnEnd(HtmlTag tag) override;
  void OnText(std::string_view text) override;
  void OnStyle(std::string_view style) override;
  void OnReopen() override;

  // Of the document read; valid until Begin. A text is empty when there was none.
  std::string_view title() const { return title_.view(); }
  std::string_view language() const { return language_; }
  // <meta http-equiv=content-language>, which is less sure.
  std::string_view meta_language() const { return meta_language_; }
  // As they stand in the page: the first <base href>, and <link rel=canonical>.
  std::string_view base() const { return base_; }
  std::string_view canonical() const { return canonical_; }
  // The charset of the first <meta> that declares one; a WHATWG name.
  std::string_view charset() const { return charset_; }
  uint64_t text_bytes() const { return text_.bytes(); }

 private:
  void OnAnchor(const HtmlAttributes& attributes);
  void OnArea(const HtmlAttributes& attributes);
  void OnLink(const HtmlAttributes& attributes);
  void OnMeta(const HtmlAttributes& attributes);
  void OnEmbedding(HtmlTag tag, const HtmlAttributes& attributes);
  void Embed(std::string_view href);
  void EmbedSrcset(std::string_view srcset);
  void EmbedUrlsOf(std::string_view css);
  void EndAnchor();
  // True when `tag` stands in a template, or begins one.
  bool IsInTemplate(HtmlTag tag, const HtmlAttributes& attributes);
  // Text on both sides belongs to different words.
  void Break();

  const bool embedded_;
  LinkCollector& links_;
  RobotsDirectives& robots_;

  std::string language_;
  std::string meta_language_;
  std::string base_;
  std::string canonical_;
  std::string_view charset_;
  TextBuffer title_{kMaxTitleBytes};
  TextCounter text_;
  bool in_title_ = false;
  bool had_title_ = false;
  // The <a> that was begun last.
  bool in_anchor_ = false;
  LinkCollector::LinkIndex anchor_link_ = LinkCollector::kNoLink;
  TextBuffer anchor_{kMaxAnchorBytes};
  // <template>s around what is read that are no part of the page: the outermost and those in it.
  size_t templates_ = 0;
  // The text of the <style> that is open, or of the last one.
  std::string style_;
  // The element whose content is no text to read, or kOther.
  HtmlTag hidden_ = HtmlTag::kOther;
};

}  // namespace orbweaver
