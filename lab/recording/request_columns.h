// The columns of a request, which stands in most messages.
#pragma once

#include <span>
#include <vector>

#include "common/model/spider_feed.h"
#include "common/parquet/schema.h"
#include "lab/recording/row_writer.h"

namespace orbweaver::lab {

// Place: in the columns of topics that have requests. Not thread-safe.
class RequestColumns {
 public:
  static std::vector<parquet::Field> Fields();
  // `row` has the fields among its columns.
  explicit RequestColumns(const RowWriter& row);

  void Set(const Request& request, RowWriter* row) const;
  // The same of a page whose links are told; `domain` is its registered domain.
  void SetUrl(std::string_view url, std::string_view domain, RowWriter* row) const;
  void SetRank(uint32_t depth, float score, RowWriter* row) const;
  void SetScore(float score, RowWriter* row) const;
  void SetMeta(std::span<const Meta> meta, RowWriter* row) const;

 private:
  const parquet::Node& url_;
  const parquet::Node& host_;
  const parquet::Node& domain_;
  const parquet::Node& depth_;
  const parquet::Node& score_;
  const parquet::Node& attempt_;
  const parquet::Node& referrer_;
  const parquet::Node& band_;
  const parquet::Node& seq_;
  const parquet::Node& index_;
  const ElementField meta_key_;
  const ElementField meta_value_;
};

// The host of a canonical URL.
std::string_view HostOfUrl(std::string_view url);

}  // namespace orbweaver::lab
