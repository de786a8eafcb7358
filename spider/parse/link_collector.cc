#include "spider/parse/link_collector.h"

#include <algorithm>
#include <cstring>
#include <functional>

#include "common/model/limits.h"
#include "spider/parse/ascii.h"

namespace orbweaver {
namespace {

// Links that are in the end the same are many on some pages, but not more than this times.
constexpr size_t kRawPerLink = 4;
// Clearing a hash map costs what its capacity is; one larger than this is made anew.
constexpr size_t kKeptCapacity = 4096;

template <typename Map>
void ClearMap(Map* map) {
  if (map->capacity() > kKeptCapacity) {
    *map = Map();
  } else {
    map->clear();
  }
}

}  // namespace

void LinkCollector::Begin(std::string_view document, std::string_view charset, size_t max_links) {
  document_ = document;
  queries_.Begin(charset);
  max_links_ = max_links;
  max_raw_ = max_links * kRawPerLink;
  truncated_ = false;
  rejected_ = 0;
  raw_.clear();
  to_base_ = kNoLink;
  links_.clear();
  groups_of_links_.clear();
  groups_.clear();
  ClearMap(&known_);
  ClearMap(&group_of_domain_);
}

bool LinkCollector::SetBase(std::string_view url) {
  base_ = url;
  return resolver_.SetBase(url) == UrlError::kNone;
}

LinkCollector::LinkIndex LinkCollector::Add(const RawLink& link) {
  const std::string_view href = TrimSpace(link.href);
  if (href.empty() && !link.may_be_empty) return kNoLink;
  const bool to_base = href.empty() || href[0] == '#';
  if (to_base && to_base_ != kNoLink) return AddToBase(link);
  if (raw_.size() == max_raw_) {
    truncated_ = true;
    return kNoLink;
  }
  raw_.push_back(link);
  raw_.back().href = Keep(href);
  raw_.back().anchor = arena_.Copy(link.anchor);
  if (to_base) to_base_ = raw_.size() - 1;
  return raw_.size() - 1;
}

LinkKind LinkCollector::KindOfBoth(LinkKind a, LinkKind b) const {
  const bool any_embedded = a == LinkKind::kEmbed || b == LinkKind::kEmbed;
  return prefer_embedded_ && any_embedded ? LinkKind::kEmbed : std::min(a, b);
}

// A page may have any number of these; together they are one link.
LinkCollector::LinkIndex LinkCollector::AddToBase(const RawLink& link) {
  RawLink& first = raw_[to_base_];
  first.rel &= link.rel;
  first.kind = KindOfBoth(first.kind, link.kind);
  SetAnchor(to_base_, link.anchor);
  return to_base_;
}

std::string_view LinkCollector::Keep(std::string_view href) {
  const std::less_equal<> not_behind;  // which orders pointers into different memory too
  const bool stays = not_behind(document_.data(), href.data()) &&
                     not_behind(href.data() + href.size(), document_.data() + document_.size());
  return stays ? href : arena_.Copy(href);
}

void LinkCollector::SetAnchor(LinkIndex link, std::string_view anchor) {
  if (link == kNoLink || (link == to_base_ && !raw_[link].anchor.empty())) return;
  raw_[link].anchor = arena_.Copy(anchor);
}

std::string_view LinkCollector::Resolve(std::string_view href) {
  ResolvedUrl url;
  if (href.empty() || resolver_.Resolve(queries_.Encode(href), &url) != UrlError::kNone) return {};
  return url.url.size() > kMaxUrlBytes ? std::string_view() : arena_.Copy(url.url);
}

void LinkCollector::Take(const RawLink& raw) {
  ResolvedUrl url;
  // The configuration may allow URLs that no message takes.
  if (resolver_.Resolve(queries_.Encode(raw.href), &url) != UrlError::kNone ||
      url.url.size() > kMaxUrlBytes) {
    ++rejected_;
    return;
  }
  const auto [known, is_new] =
      known_.try_emplace(url.fingerprint, static_cast<uint32_t>(links_.size()));
  if (!is_new) {
    Link& link = links_[known->second];
    link.rel &= raw.rel;
    if (link.anchor.empty()) link.anchor = raw.anchor;
    link.kind = KindOfBoth(link.kind, raw.kind);
    return;
  }
  if (links_.size() == max_links_) {
    known_.erase(known);
    truncated_ = true;
    return;
  }
  const std::string_view copy = arena_.Copy(url.url);
  links_.push_back({.url = copy, .anchor = raw.anchor, .rel = raw.rel, .kind = raw.kind});
  // The domain is a part of the URL, so it can point into the copy.
  const std::string_view domain =
      copy.substr(static_cast<size_t>(url.domain.data() - url.url.data()), url.domain.size());
  const auto [group, first] =
      group_of_domain_.try_emplace(domain, static_cast<uint32_t>(groups_.size()));
  if (first) groups_.push_back({domain, url.slot});
  groups_of_links_.push_back(group->second);
}

void LinkCollector::Finish(std::string_view page_url, bool nofollow, ParsedPage* page) {
  known_.reserve(raw_.size());
  for (size_t i = 0; i < raw_.size(); ++i) {
    if (i != to_base_ || base_ != page_url) Take(raw_[i]);
  }
  if (nofollow) {
    for (Link& link : links_) link.rel |= kRelNofollow;
  }
  ResolvedUrl own;
  const bool resolved = resolver_.Resolve(page_url, &own) == UrlError::kNone;
  page->links_truncated = truncated_;
  page->links_rejected = rejected_;
  Group(resolved ? own.domain : std::string_view(), page);
}

// A counting sort: groups one after the other, the order within each kept.
void LinkCollector::Group(std::string_view page_domain, ParsedPage* page) {
  if (links_.empty()) return;
  sizes_.assign(groups_.size(), 0);
  for (const uint32_t group : groups_of_links_) ++sizes_[group];
  auto* const sorted = static_cast<Link*>(arena_.Allocate(links_.size() * sizeof(Link)));
  auto* const domains =
      static_cast<DomainLinks*>(arena_.Allocate(groups_.size() * sizeof(DomainLinks)));
  Link* next = sorted;
  for (size_t i = 0; i < groups_.size(); ++i) {
    new (domains + i) DomainLinks{groups_[i].domain, groups_[i].slot, {next, sizes_[i]}};
    const bool inside = groups_[i].domain == page_domain;
    (inside ? page->links_inside : page->links_outside) += sizes_[i];
    const size_t size = sizes_[i];
    sizes_[i] = static_cast<uint32_t>(next - sorted);  // where its next link goes
    next += size;
  }
  for (size_t i = 0; i < links_.size(); ++i) {
    new (sorted + sizes_[groups_of_links_[i]]++) Link(links_[i]);
  }
  page->domains = {domains, groups_.size()};
}

}  // namespace orbweaver
