#include "cli/check/url_list.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <span>
#include <sys/stat.h>
#include <tuple>
#include <unistd.h>

#include "absl/container/flat_hash_set.h"
#include "cli/check/file_lines.h"
#include "cli/check/url_column.h"
#include "cli/seed_writer.h"

#include "common/base/status.h"
#include "common/url/fingerprint.h"
#include "spider/fetch/fetch_url.h"

namespace orbweaver {
namespace {

constexpr size_t kDigestBytes = size_t{1} << 20;
constexpr uint64_t kMostBytes = uint64_t{1} << 40;
constexpr uint32_t kMostHosts = 1 << 24;

uint32_t Hash(std::string_view text) { return static_cast<uint32_t>(FingerprintOf(text).low); }

// `urls` have the hash of their domain in `group` and that of their host in `attempts`.
void GroupByDomain(ListedUrls* listed) {
  std::vector<ListedUrl>& urls = listed->urls;
  std::ranges::sort(urls, {}, [](const ListedUrl& url) {
    return std::tuple(url.group, static_cast<uint32_t>(url.attempts), url.line);
  });
  for (uint32_t begin = 0, end = 0; begin < urls.size(); begin = end) {
    uint32_t rank = 0;
    uint32_t host = 0;
    for (end = begin; end < urls.size() && urls[end].group == urls[begin].group; ++end) {
      const auto of = static_cast<uint32_t>(urls[end].attempts);
      rank = end > begin && of == host ? std::min(rank + 1, kMostHosts - 1) : 0;
      host = of;
      urls[end].attempts = rank;
    }
    std::ranges::sort(std::span(urls).subspan(begin, end - begin), {}, [](const ListedUrl& url) {
      return std::tuple(static_cast<uint32_t>(url.attempts), url.line);
    });
    listed->groups.push_back({.begin = begin, .end = end});
  }
  std::ranges::sort(listed->groups, {}, [](const ListedUrls::Group& group) {
    return std::tuple(~(group.end - group.begin), group.begin);
  });
  for (uint32_t number = 0; number < listed->groups.size(); ++number) {
    const ListedUrls::Group& group = listed->groups[number];
    for (ListedUrl& url : std::span(urls).subspan(group.begin, group.end - group.begin)) {
      url.attempts = 0;
      url.group = number;
    }
  }
}

}  // namespace

absl::StatusOr<std::unique_ptr<UrlList>> UrlList::Open(const std::string& path, size_t column) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return FatalError("read {}: {}", path, std::strerror(errno));
  std::unique_ptr<UrlList> list = Of(fd, path, column);
  struct stat info{};
  if (fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)) {
    return FatalError("read {}: it is no regular file. Give a file, or - for standard input", path);
  }
  return list;
}

std::unique_ptr<UrlList> UrlList::Of(int fd, std::string name, size_t column) {
  return std::unique_ptr<UrlList>(new UrlList(fd, std::move(name), column));
}

UrlList::~UrlList() { close(fd_); }

absl::StatusOr<std::string> UrlList::Digest() {
  std::vector<char> buffer(kDigestBytes);
  Fingerprint digest;
  for (uint64_t at = 0;;) {
    // Whole pieces, so that the digest does not depend on how reading went.
    size_t size = 0;
    while (size < buffer.size()) {
      const ssize_t count = ReadAt(fd_, std::span(buffer).subspan(size), at + size);
      if (count < 0) return FatalError("read {}: {}", name_, std::strerror(errno));
      if (count == 0) break;
      size += static_cast<size_t>(count);
    }
    if (size == 0) return digest.ToHex();
    const std::array<char, 16> before = digest.ToBytes();
    std::string piece(before.data(), before.size());
    piece.append(buffer.data(), size);
    digest = FingerprintOf(piece);
    at += size;
  }
}

absl::Status UrlList::Read(UrlResolver& resolver, const IsDone& is_done, const Refuse& refuse,
                           ListedUrls* urls, ListCounts* counts) {
  struct stat info{};
  if (fstat(fd_, &info) == 0 && static_cast<uint64_t>(info.st_size) >= kMostBytes) {
    return FatalError("read {}: larger than a tebibyte. Split it", name_);
  }
  absl::flat_hash_set<uint64_t> seen;
  const auto take = [&](const FileLine& file_line) {
    counts->lines = file_line.number;
    const std::string_view column = UrlColumn(file_line.text, column_);
    if (column.empty() || file_line.number > UINT32_MAX) return;
    const auto line = static_cast<uint32_t>(file_line.number);
    ListedUrl url{.offset = file_line.begin, .line = line};
    ResolvedUrl resolved;
    const UrlError error = ResolveSeed(column, resolver, &resolved);
    if (!seen.insert(error == UrlError::kNone ? resolved.fingerprint.low
                                              : FingerprintOf(column).low)
             .second) {
      ++counts->duplicates;
      return;
    }
    ++counts->urls;
    if (error == UrlError::kNone) {
      url.group = Hash(resolved.domain);
      const std::optional<FetchUrl> parts = SplitFetchUrl(resolved.url);
      url.attempts = parts ? Hash(parts->authority) % kMostHosts : 0;
    } else {
      refuse(line, column, error);
    }
    if (is_done(line)) {
      ++counts->done;
    } else {
      urls->urls.push_back(url);
    }
  };
  if (!ForEachLine(fd_, take)) return FatalError("read {}: {}", name_, std::strerror(errno));
  if (counts->lines > UINT32_MAX) return FatalError("read {}: too many lines. Split it", name_);
  GroupByDomain(urls);
  return absl::OkStatus();
}

std::string_view UrlList::TextOf(const ListedUrl& url) {
  for (size_t size = 512;; size = kMaxFileLineBytes) {
    line_.resize(size);
    const ssize_t count = ReadAt(fd_, line_, url.offset);
    if (count <= 0) return {};
    const std::string_view text = std::string_view(line_).substr(0, static_cast<size_t>(count));
    const size_t end = text.find('\n');
    if (end != std::string_view::npos || size == kMaxFileLineBytes || text.size() < size) {
      return UrlColumn(text.substr(0, end), column_);
    }
  }
}

}  // namespace orbweaver
