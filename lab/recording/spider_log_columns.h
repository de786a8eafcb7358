// The columns of the spider log.
#pragma once

#include <string>

#include "common/model/spider_log.h"
#include "common/url/domain.h"
#include "lab/recording/request_columns.h"
#include "lab/recording/topic_columns.h"

namespace orbweaver::lab {

class SpiderLogColumns : public TopicColumns {
 public:
  // `suffixes` must outlive it.
  explicit SpiderLogColumns(const PublicSuffixes& suffixes);

 protected:
  absl::Status Decode(const Message& message, Arena* arena, RowWriter* row) override;

 private:
  void Set(const Seeds& seeds, RowWriter* row);
  void Set(const PageFetched& page, RowWriter* row);
  void Set(const LinksFound& found, RowWriter* row);
  void Set(const FetchFailed& failed, RowWriter* row);
  void Set(const Deferred& deferred, RowWriter* row);
  void Set(const HostFacts& facts, RowWriter* row);
  void Set(const DomainOrder& order, RowWriter* row);
  void Set(const UrlOrder& order, RowWriter* row);
  std::string_view DomainOf(std::string_view url);

  const PublicSuffixes& suffixes_;
  // Of the page whose links came last: they come one behind the other, a message for each domain.
  std::string host_;
  std::string domain_of_host_;

  const RequestColumns request_;
  const parquet::Node& time_;
  const parquet::Node& domain_;
  const parquet::Node& fetch_time_;
  const parquet::Node& fetch_status_;
  const parquet::Node& fetch_redirect_;
  const parquet::Node& content_digest_;
  const parquet::Node& content_mime_type_;
  const parquet::Node& content_charset_;
  const parquet::Node& content_languages_;
  const parquet::Node& content_truncated_;
  const parquet::Node& title_;
  const parquet::Node& canonical_url_;
  const parquet::Node& robots_directives_;
  const parquet::Node& not_modified_;
  const parquet::Node& first_byte_ms_;
  const parquet::Node& total_ms_;
  const parquet::Node& received_bytes_;
  const parquet::Node& body_bytes_;
  const parquet::Node& text_bytes_;
  const parquet::Node& links_inside_;
  const parquet::Node& links_outside_;
  const parquet::Node& links_truncated_;
  const parquet::Node& remote_address_;
  const parquet::Node& cause_;
  const parquet::Node& message_;
  const parquet::Node& retry_after_ms_;
  const parquet::Node& not_before_;
  const parquet::Node& link_count_;
  const ElementField target_;
  const ElementField anchor_;
  const ElementField rel_;
  const ElementField kind_;
  const ElementField seed_;
  const parquet::Node& host_name_;
  const parquet::Node& robots_;
  const parquet::Node& robots_status_;
  const parquet::Node& dns_;
  const parquet::Node& crawl_delay_ms_;
  const ElementField sitemap_;
  const parquet::Node& blocked_until_;
  const parquet::Node& purge_;
  const parquet::Node& forget_;
  const parquet::Node& fetch_again_;
};

}  // namespace orbweaver::lab
