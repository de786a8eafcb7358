// Seeds on their way into the spider log: `orbweaver crawl` and `orbweaver seeds add`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"

#include "common/base/clock.h"
#include "common/bus/bus.h"
#include "common/model/encode_buffer.h"
#include "common/url/resolver.h"

namespace orbweaver {

// The URL that a seed names: any bytes; without a scheme it is taken for http, as people write
// addresses: `example.org/docs`, `localhost:8000`.
UrlError ResolveSeed(std::string_view seed, UrlResolver& resolver, ResolvedUrl* url);

// Collects seeds by registered domain, since a message is a domain's, and writes a message when a
// domain has enough of them or memory does. Not thread-safe. A seed may be added again: strategies
// take one that they know for a repetition.
class SeedWriter {
 public:
  // The arguments must outlive the writer. Fatal: the spider log does not exist.
  static absl::StatusOr<std::unique_ptr<SeedWriter>> Create(Bus& bus, const Clock& clock,
                                                            UrlResolver& resolver,
                                                            Duration timeout);
  ~SeedWriter();

  // kNone: it is on its way; otherwise it is left out. Blocks, at most for the timeout that Create
  // got, only while the bus takes no more: then `status` is no longer OK.
  UrlError Add(std::string_view seed);

  // Keeps the URLs that are added from here on as lines of `file`, which must outlive this.
  void RecordTo(std::FILE* file) { record_ = file; }

  // Writes what is left and waits until all is durable. Call it before the end.
  absl::Status Finish();

  // For ever what went wrong first.
  const absl::Status& status() const { return status_; }
  // Of those added, how many are durable.
  uint64_t durable() const { return durable_; }

 private:
  // A domain's seeds until they are written: their URLs, end to end.
  struct Collected {
    std::string urls;
    std::vector<uint32_t> ends;
  };

  SeedWriter(const Clock& clock, UrlResolver& resolver, int partitions, Duration timeout);

  void WriteAll();
  void Write(std::string_view domain, const Collected& seeds);
  absl::Status Send(std::string_view domain, std::string_view value, size_t seeds);

  const Clock& clock_;
  UrlResolver& resolver_;
  const int partitions_;
  const Duration timeout_;
  std::unique_ptr<Producer> producer_;
  EncodeBuffer buffer_;

  absl::flat_hash_map<std::string, Collected> collected_;
  size_t collected_bytes_ = 0;
  std::FILE* record_ = nullptr;
  absl::Status status_;
  uint64_t durable_ = 0;
};

}  // namespace orbweaver
