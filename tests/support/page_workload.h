// The spider log of a crawl in full swing, made up by a seed: pages whose links are mostly known.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/model/encode_buffer.h"

namespace orbweaver {

struct PageWorkloadOptions {
  int hosts = 1000;  // each a registered domain of its own
  int known = 100;   // URLs of each that are seeds
  int links = 60;    // of a page, to its own domain
  int fresh = 6;     // of these, never heard of before
  uint64_t seed = 1;
};

// Not thread-safe; the same options give the same entries.
class PageWorkload {
 public:
  struct Entry {
    std::string domain;  // the key
    std::string value;   // an encoded SpiderLogEntry
  };

  explicit PageWorkload(const PageWorkloadOptions& options) : options_(options) {}

  // The seeds of each host: what is known before the first page.
  std::vector<Entry> Seeds();

  // The next page: its PageFetched and its LinksFound. Pages come from the hosts in turn.
  std::vector<Entry> NextPage();

  int pages() const { return pages_; }

  // All URLs that any entry so far has named, each once.
  std::vector<std::string> Urls() const;

 private:
  std::string DomainOf(int host) const;
  std::string UrlOf(int host, int number) const;
  // How many URLs of `host` the first `pages` pages know.
  int KnownUrls(int host, int pages) const;
  template <typename Event>
  Entry Encoded(const std::string& domain, Event event);

  const PageWorkloadOptions options_;
  int pages_ = 0;
  EncodeBuffer buffer_;
};

}  // namespace orbweaver
