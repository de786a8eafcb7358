#include "lab/recording/spider_log_columns.h"

#include <variant>

#include "common/base/status.h"
#include "spider/fetch/failure_cause.h"
#include "spider/parse/link_json.h"

namespace orbweaver::lab {
namespace {

using parquet::Field;
using parquet::ListOf;
using parquet::Type;

std::vector<Field> Fields() {
  const Field link{.type = Type::kStruct,
                   .optional = false,
                   .children = {{"target", Type::kString, /*optional=*/false},
                                {"anchor", Type::kString},
                                {"rel", Type::kString},
                                {"kind", Type::kString, /*optional=*/false}}};
  std::vector<Field> fields = {{"time", Type::kTimestamp},
                               {std::string(kDomainColumn), Type::kString}};
  for (Field& field : RequestColumns::Fields()) fields.push_back(std::move(field));
  std::vector<Field> more = {{"fetch_time", Type::kTimestamp},
                             {"fetch_status", Type::kInt32},
                             {"fetch_redirect", Type::kString},
                             {"content_digest", Type::kString},
                             {"content_mime_type", Type::kString},
                             {"content_charset", Type::kString},
                             {"content_languages", Type::kString},
                             {"content_truncated", Type::kString},
                             {"title", Type::kString},
                             {"canonical_url", Type::kString},
                             {"robots_directives", Type::kString},
                             {"not_modified", Type::kBool},
                             {"first_byte_ms", Type::kInt64},
                             {"total_ms", Type::kInt64},
                             {"received_bytes", Type::kInt64},
                             {"body_bytes", Type::kInt64},
                             {"text_bytes", Type::kInt64},
                             {"links_inside", Type::kInt32},
                             {"links_outside", Type::kInt32},
                             {"links_truncated", Type::kBool},
                             {"remote_address", Type::kString},
                             {"cause", Type::kString},
                             {"message", Type::kString},
                             {"retry_after_ms", Type::kInt64},
                             {"not_before", Type::kTimestamp},
                             {"link_count", Type::kInt32},
                             ListOf("links", link),
                             ListOf("seeds", {.type = Type::kString, .optional = false}),
                             {"host", Type::kString},
                             {"robots", Type::kString},
                             {"robots_status", Type::kInt32},
                             {"dns", Type::kString},
                             {"crawl_delay_ms", Type::kInt64},
                             ListOf("sitemaps", {.type = Type::kString, .optional = false}),
                             {"blocked_until", Type::kTimestamp},
                             {"purge", Type::kBool},
                             {"forget", Type::kBool},
                             {"fetch_again", Type::kBool}};
  for (Field& field : more) fields.push_back(std::move(field));
  return fields;
}

std::string_view RobotsName(RobotsOutcome robots) {
  constexpr std::string_view kNames[] = {"", "rules", "allow_all", "disallow_all"};
  const auto index = static_cast<size_t>(robots);
  return index < std::size(kNames) ? kNames[index] : "other";
}

std::string_view DnsName(DnsOutcome dns) {
  constexpr std::string_view kNames[] = {"", "resolved", "no_such_name", "failed"};
  const auto index = static_cast<size_t>(dns);
  return index < std::size(kNames) ? kNames[index] : "other";
}

std::string_view ReasonName(DeferReason reason) {
  constexpr std::string_view kNames[] = {"", "politeness", "back_off", "shutdown"};
  const auto index = static_cast<size_t>(reason);
  return index < std::size(kNames) ? kNames[index] : "other";
}

int64_t Number(auto value) { return static_cast<int64_t>(value); }

}  // namespace

SpiderLogColumns::SpiderLogColumns(const PublicSuffixes& suffixes)
    : TopicColumns(Fields()),
      suffixes_(suffixes),
      request_(row_),
      time_(row_.Column("time")),
      domain_(row_.Column(kDomainColumn)),
      fetch_time_(row_.Column("fetch_time")),
      fetch_status_(row_.Column("fetch_status")),
      fetch_redirect_(row_.Column("fetch_redirect")),
      content_digest_(row_.Column("content_digest")),
      content_mime_type_(row_.Column("content_mime_type")),
      content_charset_(row_.Column("content_charset")),
      content_languages_(row_.Column("content_languages")),
      content_truncated_(row_.Column("content_truncated")),
      title_(row_.Column("title")),
      canonical_url_(row_.Column("canonical_url")),
      robots_directives_(row_.Column("robots_directives")),
      not_modified_(row_.Column("not_modified")),
      first_byte_ms_(row_.Column("first_byte_ms")),
      total_ms_(row_.Column("total_ms")),
      received_bytes_(row_.Column("received_bytes")),
      body_bytes_(row_.Column("body_bytes")),
      text_bytes_(row_.Column("text_bytes")),
      links_inside_(row_.Column("links_inside")),
      links_outside_(row_.Column("links_outside")),
      links_truncated_(row_.Column("links_truncated")),
      remote_address_(row_.Column("remote_address")),
      cause_(row_.Column("cause")),
      message_(row_.Column("message")),
      retry_after_ms_(row_.Column("retry_after_ms")),
      not_before_(row_.Column("not_before")),
      link_count_(row_.Column("link_count")),
      target_(row_.Field("links", "target")),
      anchor_(row_.Field("links", "anchor")),
      rel_(row_.Field("links", "rel")),
      kind_(row_.Field("links", "kind")),
      seed_(row_.Field("seeds", "")),
      host_name_(row_.Column("host")),
      robots_(row_.Column("robots")),
      robots_status_(row_.Column("robots_status")),
      dns_(row_.Column("dns")),
      crawl_delay_ms_(row_.Column("crawl_delay_ms")),
      sitemap_(row_.Field("sitemaps", "")),
      blocked_until_(row_.Column("blocked_until")),
      purge_(row_.Column("purge")),
      forget_(row_.Column("forget")),
      fetch_again_(row_.Column("fetch_again")) {}

absl::Status SpiderLogColumns::Decode(const Message& message, Arena* arena, RowWriter* row) {
  SpiderLogEntry entry;
  RETURN_IF_ERROR(orbweaver::Decode(message.value, arena, &entry));
  // An entry that does not say when it happened happened when it was written.
  row->Set(time_, entry.time != WallTime() ? entry.time : message.time);
  row->Set(domain_, entry.domain);
  std::visit([&](const auto& event) { Set(event, row); }, entry.event);
  return absl::OkStatus();
}

void SpiderLogColumns::Set(const Seeds& seeds, RowWriter* row) {
  row->Set(event_, std::string_view("seeds"));
  for (size_t i = 0; i < seeds.seeds.size(); ++i) row->SetElement(seed_, i, seeds.seeds[i].url);
}

void SpiderLogColumns::Set(const PageFetched& page, RowWriter* row) {
  row->Set(event_, std::string_view("page_fetched"));
  request_.Set(page.request, row);
  row->SetSaid(fetch_time_, page.fetched_at);
  row->Set(fetch_status_, Number(page.status));
  row->SetSaid(fetch_redirect_, page.final_url);
  if (page.content_hash != Fingerprint()) row->Set(content_digest_, page.content_hash.ToHex());
  row->SetSaid(content_mime_type_, page.content_type);
  row->SetSaid(content_charset_, page.charset);
  row->SetSaid(content_languages_, page.language);
  if (page.body_truncated) row->Set(content_truncated_, std::string_view("length"));
  row->SetSaid(title_, page.title);
  row->SetSaid(canonical_url_, page.canonical_url);
  row->SetSaid(robots_directives_, page.robots_directives);
  row->Set(not_modified_, page.not_modified);
  row->Set(first_byte_ms_, Number(page.first_byte.count()));
  row->Set(total_ms_, Number(page.total.count()));
  row->Set(received_bytes_, Number(page.received_bytes));
  row->Set(body_bytes_, Number(page.body_bytes));
  row->Set(text_bytes_, Number(page.text_bytes));
  row->Set(links_inside_, Number(page.links_inside));
  row->Set(links_outside_, Number(page.links_outside));
  row->Set(links_truncated_, page.links_truncated);
  row->SetSaid(remote_address_, page.remote_address);
}

std::string_view SpiderLogColumns::DomainOf(std::string_view url) {
  const std::string_view host = HostOfUrl(url);
  if (host != host_) {
    host_ = host;
    domain_of_host_ = suffixes_.RegisteredDomain(host);
  }
  return domain_of_host_;
}

void SpiderLogColumns::Set(const LinksFound& found, RowWriter* row) {
  row->Set(event_, std::string_view("links_found"));
  const SourcePage& source = found.source;
  request_.SetUrl(source.url, DomainOf(source.url), row);
  request_.SetRank(source.depth, source.score, row);
  request_.SetMeta(source.meta, row);
  row->Set(link_count_, Number(source.link_count));
  for (size_t i = 0; i < found.links.size(); ++i) {
    const Link& link = found.links[i];
    row->SetElement(target_, i, link.url);
    if (link.anchor.empty()) {
      row->SetNoElement(anchor_, i);
    } else {
      row->SetElement(anchor_, i, link.anchor);
    }
    if (link.rel == 0) {
      row->SetNoElement(rel_, i);
    } else {
      row->SetElement(rel_, i, RelNames(link.rel, " "));
    }
    row->SetElement(kind_, i, LinkKindName(link.kind));
  }
}

void SpiderLogColumns::Set(const FetchFailed& failed, RowWriter* row) {
  row->Set(event_, std::string_view("fetch_failed"));
  request_.Set(failed.request, row);
  row->SetSaid(fetch_time_, failed.failed_at);
  if (failed.status != 0) row->Set(fetch_status_, Number(failed.status));
  row->SetSaid(fetch_redirect_, failed.final_url);
  row->Set(cause_, FailureCauseName(failed.cause));
  row->SetSaid(message_, failed.message);
  row->Set(total_ms_, Number(failed.total.count()));
  if (failed.retry_after) row->Set(retry_after_ms_, Number(failed.retry_after->count()));
}

void SpiderLogColumns::Set(const Deferred& deferred, RowWriter* row) {
  row->Set(event_, std::string_view("deferred"));
  request_.Set(deferred.request, row);
  row->SetSaid(cause_, ReasonName(deferred.reason));
  row->SetSaid(not_before_, deferred.not_before);
}

void SpiderLogColumns::Set(const HostFacts& facts, RowWriter* row) {
  row->Set(event_, std::string_view("host_facts"));
  row->SetSaid(host_name_, facts.host);
  row->SetSaid(robots_, RobotsName(facts.robots));
  if (facts.robots_status != 0) row->Set(robots_status_, Number(facts.robots_status));
  row->SetSaid(dns_, DnsName(facts.dns));
  if (facts.crawl_delay) row->Set(crawl_delay_ms_, Number(facts.crawl_delay->count()));
  if (facts.retry_after) row->Set(retry_after_ms_, Number(facts.retry_after->count()));
  for (size_t i = 0; i < facts.sitemaps.size(); ++i) {
    row->SetElement(sitemap_, i, facts.sitemaps[i]);
  }
}

void SpiderLogColumns::Set(const DomainOrder& order, RowWriter* row) {
  row->Set(event_, std::string_view("domain_order"));
  if (order.blocked_until) row->Set(blocked_until_, *order.blocked_until);
  row->Set(purge_, order.purge);
  row->Set(forget_, order.forget);
}

void SpiderLogColumns::Set(const UrlOrder& order, RowWriter* row) {
  row->Set(event_, std::string_view("url_order"));
  request_.SetUrl(order.url, DomainOf(order.url), row);
  request_.SetScore(order.score, row);
  request_.SetMeta(order.meta, row);
  row->SetSaid(not_before_, order.not_before);
  row->Set(fetch_again_, order.fetch_again);
}

}  // namespace orbweaver::lab
