// From links as they stand in a document to the lists of LinksFound.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"

#include "common/base/ids.h"
#include "common/model/arena.h"
#include "common/url/resolver.h"
#include "spider/parse/page.h"
#include "spider/parse/query_encoder.h"

namespace orbweaver {

// A link as the document has it.
struct RawLink {
  std::string_view href;  // any bytes
  std::string_view anchor;
  uint32_t rel = 0;
  LinkKind kind = LinkKind::kAnchor;
  bool may_be_empty = false;  // leads to the base when it is
};

// Gathers a document's links, then resolves them all: <base> may stand behind the first of them.
//
// Place: in PageParser. Not thread-safe; keeps its memory, so one serves a thread for long.
class LinkCollector {
 public:
  // Both must outlive this; the resolver's base is set anew for each document.
  LinkCollector(UrlResolver* resolver, Arena* arena, bool prefer_embedded = false)
      : resolver_(*resolver), arena_(*arena), prefer_embedded_(prefer_embedded) {}

  // The index of a link, to say more about it.
  using LinkIndex = size_t;
  static constexpr LinkIndex kNoLink = static_cast<size_t>(-1);

  // Forgets the last document. `max_links` to different URLs will be taken. `document` stays until
  // Finish; `charset` is what it was in before it became UTF-8, and what its links' queries are in.
  void Begin(std::string_view document, std::string_view charset, size_t max_links);

  // Sets the base of relative links: the document's URL, then its first <base> if it has one. False
  // when it is no URL.
  bool SetBase(std::string_view url);

  // `href`, unless it stands in the document, and `anchor` are copied. Empty links that may not be
  // so are passed over: kNoLink. Those that may, and fragments, share one: they lead to
  // the base, which is a link where a <base> makes it another page.
  LinkIndex Add(const RawLink& link);
  // The anchor of a link, once it is known; of links to the base the first that is not empty.
  void SetAnchor(LinkIndex link, std::string_view anchor);

  // Resolves all and writes domains and counts into `page`, whose URL is `page_url`. With
  // `nofollow` each link gets that bit. Of links to one URL the first keeps its place; its anchor
  // is the first that is not empty, its kind the one that leads most to a page (or kEmbed, if
  // that is preferred), and bits of rel hold when all have them.
  void Finish(std::string_view page_url, bool nofollow, ParsedPage* page);

  // The canonical form of `href`, in the arena; empty when it is empty or no URL to crawl.
  std::string_view Resolve(std::string_view href);

 private:
  struct Target {
    std::string_view domain;
    Slot slot;
  };

  // Of two links to one URL.
  LinkKind KindOfBoth(LinkKind a, LinkKind b) const;
  LinkIndex AddToBase(const RawLink& link);
  std::string_view Keep(std::string_view href);
  void Take(const RawLink& raw);
  void Group(std::string_view page_domain, ParsedPage* page);

  UrlResolver& resolver_;
  Arena& arena_;
  const bool prefer_embedded_;

  QueryEncoder queries_;

  // Of one document. The hash maps are rebuilt when a large one has made them large.
  std::string_view document_;
  size_t max_links_ = 0;
  size_t max_raw_ = 0;
  bool truncated_ = false;
  uint32_t rejected_ = 0;
  std::string_view base_;
  std::vector<RawLink> raw_;
  LinkIndex to_base_ = kNoLink;
  std::vector<Link> links_;
  std::vector<uint32_t> groups_of_links_;
  std::vector<Target> groups_;
  std::vector<uint32_t> sizes_;
  absl::flat_hash_map<Fingerprint, uint32_t> known_;
  absl::flat_hash_map<std::string_view, uint32_t> group_of_domain_;
};

}  // namespace orbweaver
