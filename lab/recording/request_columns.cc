#include "lab/recording/request_columns.h"

namespace orbweaver::lab {

using parquet::Field;
using parquet::Type;

std::string_view HostOfUrl(std::string_view url) {
  const size_t scheme = url.find("://");
  if (scheme == std::string_view::npos) return {};
  url.remove_prefix(scheme + 3);
  url = url.substr(0, url.find_first_of("/?#"));
  // A canonical URL has no user, and an IPv6 address stands in brackets.
  return url.starts_with('[') ? url.substr(0, url.find(']') + 1) : url.substr(0, url.find(':'));
}

std::vector<Field> RequestColumns::Fields() {
  return {{"url", Type::kString},
          {"url_host_name", Type::kString},
          {"url_host_registered_domain", Type::kString},
          {"depth", Type::kInt32},
          {"score", Type::kFloat},
          {"attempt", Type::kInt32},
          {"referrer", Type::kString},
          {"band", Type::kInt32},
          {"seq", Type::kInt64},
          {"index", Type::kInt32},
          parquet::MapOf("meta", {.type = Type::kString}, {.type = Type::kBinary})};
}

RequestColumns::RequestColumns(const RowWriter& row)
    : url_(row.Column("url")),
      host_(row.Column("url_host_name")),
      domain_(row.Column("url_host_registered_domain")),
      depth_(row.Column("depth")),
      score_(row.Column("score")),
      attempt_(row.Column("attempt")),
      referrer_(row.Column("referrer")),
      band_(row.Column("band")),
      seq_(row.Column("seq")),
      index_(row.Column("index")),
      meta_key_(row.Field("meta", "key")),
      meta_value_(row.Field("meta", "value")) {}

void RequestColumns::SetUrl(std::string_view url, std::string_view domain, RowWriter* row) const {
  row->Set(url_, url);
  row->Set(host_, HostOfUrl(url));
  row->Set(domain_, domain);
}

void RequestColumns::SetRank(uint32_t depth, float score, RowWriter* row) const {
  row->Set(depth_, static_cast<int64_t>(depth));
  SetScore(score, row);
}

void RequestColumns::SetScore(float score, RowWriter* row) const { row->Set(score_, score); }

void RequestColumns::SetMeta(std::span<const Meta> meta, RowWriter* row) const {
  for (size_t i = 0; i < meta.size(); ++i) {
    row->SetElement(meta_key_, i, meta[i].key);
    row->SetElement(meta_value_, i, meta[i].value);
  }
}

void RequestColumns::Set(const Request& request, RowWriter* row) const {
  SetUrl(request.url, request.domain, row);
  SetRank(request.depth, request.score, row);
  row->Set(attempt_, static_cast<int64_t>(request.attempt));
  row->SetSaid(referrer_, request.referrer);
  row->Set(band_, static_cast<int64_t>(request.band));
  row->Set(seq_, static_cast<int64_t>(request.seq));
  row->Set(index_, static_cast<int64_t>(request.index));
  SetMeta(request.meta, row);
}

}  // namespace orbweaver::lab
