// A recording as a web: what each URL that was asked answered, each time.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"

#include "common/base/clock.h"
#include "common/base/ids.h"
#include "common/model/arena.h"
#include "common/model/spider_log.h"
#include "lab/crawl/recorded_hosts.h"
#include "lab/recording/recording.h"
#include "lab/replay/spill_file.h"

namespace orbweaver::lab {

// The outcome of a fetch.
enum class FetchOutcome : uint8_t { kPage, kNotModified, kFailed, kUnknown };

// A fetch of a URL that was recorded.
struct RecordedVisit {
  WallTime at;           // when its outcome was encoded
  uint32_t took_ms = 0;  // of the last request, from its beginning to its last byte
  uint32_t depth = 0;    // of the request
  uint16_t status = 0;   // of HTTP; 0: none came
  FetchOutcome outcome = FetchOutcome::kPage;  // never kUnknown
};

// The entries of one visit, decoded. Kept by its user from one reading to the next: views live
// until the next one.
struct RecordedAnswer {
  SpiderLogEntry outcome;             // PageFetched or FetchFailed
  std::vector<SpiderLogEntry> links;  // each LinksFound

  std::string bytes;
  Arena arena;
};

// URLs that were asked are known and have numbers from 0, those of a registered domain one behind
// the other; a URL that was only linked to, handed back or forbidden by robots.txt is unknown, and
// robots.txt is none.
//
// Place: made once by a command, read by every crawl. Memory: about 100 bytes and the URL's text
// for each that was asked, 8 for each of its entries; the entries are on disk. Thread-safe once
// made.
class RecordedWeb {
 public:
  // Reads the spider log of `recording`. Its pages are laid out in a file without a name in the
  // folder `work`, about as large as the log; empty: TMPDIR, or /tmp. `go_on` is asked now and then
  // with the number of events so far; false: the call ends with a cancelled status. Poison: a file
  // is damaged. Fatal: the disk takes no more, or no page was recorded.
  static absl::StatusOr<std::unique_ptr<RecordedWeb>> Read(
      const Recording& recording, const std::filesystem::path& work,
      absl::FunctionRef<bool(uint64_t events)> go_on);

  // Known URLs.
  uint32_t urls() const { return static_cast<uint32_t>(urls_.size()); }
  // The number of a canonical URL; nullopt: it is unknown.
  std::optional<uint32_t> Find(std::string_view url) const;
  std::string_view UrlOf(uint32_t url) const;
  // Its registered domain.
  std::string_view DomainOf(uint32_t url) const;
  // At least one, in the order of time.
  std::span<const RecordedVisit> VisitsOf(uint32_t url) const;
  // The numbers of a registered domain's URLs: [first, end), empty when none is known.
  struct UrlRange {
    uint32_t first = 0;
    uint32_t end = 0;
  };
  UrlRange UrlsOf(std::string_view domain) const;

  // Reads the entries of a visit, from disk. Fatal when that fails.
  absl::Status ReadVisit(uint32_t url, uint32_t visit, RecordedAnswer* answer) const;

  const RecordedHosts& hosts() const { return hosts_; }
  // Entries of the spider log that are seeds, in their order.
  struct SeedEntry {
    WallTime at;
    std::string domain;
    std::string value;
  };
  const std::vector<SeedEntry>& seeds() const { return seeds_; }
  // The time of the first event and of the last.
  WallTime begin() const { return begin_; }
  WallTime end() const { return end_; }
  uint64_t events() const { return events_; }
  uint64_t links() const { return links_; }
  uint64_t visits() const { return visits_.size(); }
  // Records that are no entries of the spider log, and were left out.
  uint64_t unreadable() const { return unreadable_; }

 private:
  struct Url {
    uint64_t text = 0;  // where it begins in texts_
    uint32_t text_size = 0;
    uint32_t domain = 0;
    uint32_t first_visit = 0;
    uint32_t visits = 0;
  };
  class Builder;

  RecordedWeb() = default;

  std::string texts_;
  std::vector<Url> urls_;
  absl::flat_hash_map<Fingerprint, uint32_t> by_fingerprint_;
  std::vector<std::string> domains_;
  std::vector<UrlRange> ranges_;  // of the domains
  absl::flat_hash_map<std::string, uint32_t> by_domain_;
  std::vector<RecordedVisit> visits_;
  std::vector<uint32_t> first_entry_;  // of each visit, and the end
  std::vector<SpillFile::Extent> entries_;
  std::unique_ptr<SpillFile> file_;
  RecordedHosts hosts_;
  std::vector<SeedEntry> seeds_;
  WallTime begin_;
  WallTime end_;
  uint64_t events_ = 0;
  uint64_t links_ = 0;
  uint64_t unreadable_ = 0;
};

}  // namespace orbweaver::lab
