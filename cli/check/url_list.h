// A file of URLs as a check works it off: domain after domain in any order, line after line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

#include "common/url/resolver.h"

namespace orbweaver {

// One URL that is to be checked, as its place in the file.
struct ListedUrl {
  uint64_t offset : 40 = 0;    // of its line
  uint64_t attempts : 24 = 0;  // before this one
  uint32_t line = 0;           // from 1 on
  uint32_t group = 0;          // of ListedUrls::groups
};

// URLs of one registered domain stand together; of its hosts one URL each, then the next of each.
// Two domains may share a group by accident, which slows them down and does no other harm.
struct ListedUrls {
  struct Group {
    uint32_t begin = 0;
    uint32_t end = 0;
  };
  std::vector<ListedUrl> urls;
  std::vector<Group> groups;  // the largest first
};

// Counts of a file, apart from its URLs.
struct ListCounts {
  uint64_t lines = 0;
  uint64_t urls = 0;        // different ones, those that are refused included
  uint64_t duplicates = 0;  // lines whose URL an earlier line has
  uint64_t done = 0;        // of urls: left out since they are done
};

// Place: between the file and CheckEngine. Reading indexes the file in one pass: 16 bytes a URL
// stay in memory, and 18 more while it reads. Lines are read again by their place when their turn
// comes, so the file must stay. Not thread-safe.
class UrlList {
 public:
  // Says whether a line was done by an earlier run.
  using IsDone = std::function<bool(uint32_t line)>;
  // Told about every line that has no URL but should: the text and why.
  using Refuse = std::function<void(uint32_t line, std::string_view text, UrlError why)>;

  // Fatal: it cannot be opened, or is no regular file.
  static absl::StatusOr<std::unique_ptr<UrlList>> Open(const std::string& path, size_t column);
  // A file that is open already, which is taken over; `name` is for messages.
  static std::unique_ptr<UrlList> Of(int fd, std::string name, size_t column);
  ~UrlList();

  // The digest of all bytes alone: a fast pass. Fatal: it cannot be read.
  absl::StatusOr<std::string> Digest();

  // Fatal: it cannot be read, or has more than four thousand million lines or a tebibyte.
  absl::Status Read(UrlResolver& resolver, const IsDone& is_done, const Refuse& refuse,
                    ListedUrls* urls, ListCounts* counts);

  // The text of a URL; empty when it cannot be read any more. Valid until the next call.
  std::string_view TextOf(const ListedUrl& url);

 private:
  UrlList(int fd, std::string name, size_t column)
      : fd_(fd), name_(std::move(name)), column_(column) {}

  const int fd_;
  const std::string name_;
  const size_t column_;
  std::string line_;
};

}  // namespace orbweaver
