#include "common/model/spider_log.h"

#include "common/model/message_codec.h"
#include "common/model/request_schema.h"

namespace orbweaver {
namespace wire {

using Url = Text<kMaxUrlBytes>;

template <>
struct Schema<Seed> {
  using Fields = FieldList<Field<1, "url", &Seed::url, Required<Url>>,
                           Field<2, "score", &Seed::score>, Field<3, "meta", &Seed::meta, MetaMap>>;
};

template <>
struct Schema<Seeds> {
  using Fields = FieldList<Field<1, "seeds", &Seeds::seeds, Many<Message<Seed>, kMaxSeeds>>,
                           Field<2, "only_failed", &Seeds::only_failed>>;
};

template <>
struct Schema<Redirect> {
  using Fields =
      FieldList<Field<1, "url", &Redirect::url, Url>, Field<2, "status", &Redirect::status>>;
};

template <>
struct Schema<HttpHeader> {
  using Fields = FieldList<Field<1, "name", &HttpHeader::name, Text<kMaxHeaderNameBytes>>,
                           Field<2, "value", &HttpHeader::value, Bytes<kMaxHeaderValueBytes>>>;
};

template <>
struct Schema<PageFetched> {
  using P = PageFetched;
  using Fields = FieldList<
      Field<1, "request", &P::request, Required<Message<Request>>>,
      Field<2, "final_url", &P::final_url, Url>,
      Field<3, "redirects", &P::redirects, Many<Message<Redirect>, kMaxRedirects>>,
      Field<4, "status", &P::status>,
      Field<5, "headers", &P::headers, Many<Message<HttpHeader>, kMaxHeaders>>,
      Field<6, "fetched_at_ms", &P::fetched_at>, Field<7, "dns_ms", &P::dns>,
      Field<8, "connect_ms", &P::connect>, Field<9, "tls_ms", &P::tls>,
      Field<10, "first_byte_ms", &P::first_byte>, Field<11, "total_ms", &P::total>,
      Field<12, "received_bytes", &P::received_bytes>, Field<13, "body_bytes", &P::body_bytes>,
      Field<14, "content_hash", &P::content_hash>,
      Field<15, "content_type", &P::content_type, Text<kMaxContentTypeBytes>>,
      Field<16, "charset", &P::charset, Text<kMaxCharsetBytes>>,
      Field<17, "title", &P::title, Text<kMaxTitleBytes>>,
      Field<18, "language", &P::language, Text<kMaxLanguageBytes>>,
      Field<19, "robots_directives", &P::robots_directives, Text<kMaxRobotsDirectivesBytes>>,
      Field<20, "canonical_url", &P::canonical_url, Url>,
      Field<21, "etag", &P::etag, Text<kMaxEtagBytes>>,
      Field<22, "last_modified", &P::last_modified, Text<kMaxLastModifiedBytes>>,
      Field<23, "links_inside", &P::links_inside>, Field<24, "links_outside", &P::links_outside>,
      Field<25, "text_bytes", &P::text_bytes>, Field<26, "body_truncated", &P::body_truncated>,
      Field<27, "links_truncated", &P::links_truncated>,
      Field<28, "not_modified", &P::not_modified>,
      Field<29, "remote_address", &P::remote_address, Text<kMaxRemoteAddressBytes>>,
      Field<30, "tls_error", &P::tls_error, Text<kMaxTlsErrorBytes>>,
      // Bounded by the message alone.
      Field<31, "body", &P::body, Bytes<SIZE_MAX>>>;
};

template <>
struct Schema<SourcePage> {
  using Fields =
      FieldList<Field<1, "url", &SourcePage::url, Required<Url>>,
                Field<2, "fingerprint", &SourcePage::fingerprint>,
                Field<3, "depth", &SourcePage::depth>, Field<4, "score", &SourcePage::score>,
                Field<5, "link_count", &SourcePage::link_count>,
                Field<6, "meta", &SourcePage::meta, MetaMap>>;
};

template <>
struct Schema<Link> {
  using Fields = FieldList<Field<1, "url", &Link::url, Required<Url>>,
                           Field<2, "anchor", &Link::anchor, Text<kMaxAnchorBytes>>,
                           Field<3, "rel", &Link::rel>, Field<4, "kind", &Link::kind>>;
};

template <>
struct Schema<LinksFound> {
  using Fields = FieldList<Field<1, "source", &LinksFound::source, Required<Message<SourcePage>>>,
                           Field<2, "links", &LinksFound::links, Many<Message<Link>, kMaxLinks>>>;
};

template <>
struct Schema<FetchFailed> {
  using Fields =
      FieldList<Field<1, "request", &FetchFailed::request, Required<Message<Request>>>,
                Field<2, "cause", &FetchFailed::cause>, Field<3, "status", &FetchFailed::status>,
                Field<4, "final_url", &FetchFailed::final_url, Url>,
                Field<5, "retry_after_ms", &FetchFailed::retry_after>,
                Field<6, "message", &FetchFailed::message, Text<kMaxMessageTextBytes>>,
                Field<7, "failed_at_ms", &FetchFailed::failed_at>,
                Field<8, "total_ms", &FetchFailed::total>>;
};

template <>
struct Schema<Deferred> {
  using Fields = FieldList<Field<1, "request", &Deferred::request, Required<Message<Request>>>,
                           Field<2, "not_before_ms", &Deferred::not_before>,
                           Field<3, "reason", &Deferred::reason>>;
};

template <>
struct Schema<HostFacts> {
  using Fields = FieldList<
      Field<1, "host", &HostFacts::host, Text<kMaxHostBytes>>,
      Field<2, "observed_at_ms", &HostFacts::observed_at>, Field<3, "robots", &HostFacts::robots>,
      Field<4, "robots_status", &HostFacts::robots_status>,
      Field<5, "crawl_delay_ms", &HostFacts::crawl_delay>,
      Field<6, "sitemaps", &HostFacts::sitemaps, Many<Url, kMaxSitemaps>>,
      Field<7, "retry_after_ms", &HostFacts::retry_after>, Field<8, "dns", &HostFacts::dns>,
      Field<9, "robots_txt", &HostFacts::robots_txt, Optional<Bytes<kMaxRobotsTxtBytes>>>,
      Field<10, "robots_txt_bytes", &HostFacts::robots_txt_bytes>>;
};

template <>
struct Schema<DomainOrder> {
  using Fields =
      FieldList<Field<1, "blocked_until_ms", &DomainOrder::blocked_until>,
                Field<2, "purge", &DomainOrder::purge>, Field<3, "forget", &DomainOrder::forget>>;
};

template <>
struct Schema<UrlOrder> {
  using Fields =
      FieldList<Field<1, "url", &UrlOrder::url, Required<Url>>, Field<2, "score", &UrlOrder::score>,
                Field<3, "fetch_again", &UrlOrder::fetch_again>,
                Field<4, "not_before_ms", &UrlOrder::not_before>,
                Field<5, "meta", &UrlOrder::meta, MetaMap>,
                Field<6, "referrer", &UrlOrder::referrer, Url>>;
};

template <>
struct Schema<SpiderLogEntry> {
  static constexpr std::string_view kName = "spider log entry";
  using Fields = FieldList<
      Field<1, "domain", &SpiderLogEntry::domain, Required<Text<kMaxDomainBytes>>>,
      OneOf<&SpiderLogEntry::event, Case<2, "seeds", Seeds>, Case<3, "page_fetched", PageFetched>,
            Case<4, "links_found", LinksFound>, Case<5, "fetch_failed", FetchFailed>,
            Case<6, "deferred", Deferred>, Case<7, "host_facts", HostFacts>,
            Case<8, "domain_order", DomainOrder>, Case<10, "url_order", UrlOrder>>,
      Field<9, "time_ms", &SpiderLogEntry::time>>;
};

}  // namespace wire

absl::Status Decode(std::string_view bytes, Arena* arena, SpiderLogEntry* entry) {
  return wire::DecodeWhole(bytes, arena, entry);
}

absl::StatusOr<std::string_view> Encode(const SpiderLogEntry& entry, EncodeBuffer* buffer) {
  return wire::EncodeWhole(entry, buffer);
}

bool IsLinksFound(std::string_view bytes) {
  constexpr uint32_t kDomain = 1, kLinksFound = 4;
  wire::Fault fault;
  wire::Reader in(bytes, fault);
  uint32_t tag = 0;
  while (!in.AtEnd() && in.ReadTag(&tag)) {
    if (wire::NumberOf(tag) == kLinksFound) return true;
    if (wire::NumberOf(tag) != kDomain || !in.Skip(tag)) return false;
  }
  return false;
}

}  // namespace orbweaver
