#include "spider/mirror/mirror_builder.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <fcntl.h>
#include <filesystem>
#include <memory>
#include <optional>
#include <sys/file.h>
#include <thread>
#include <unistd.h>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "fmt/format.h"

#include "common/base/json.h"
#include "common/base/status.h"
#include "common/url/canonical.h"
#include "spider/publish/disk_error.h"
#include "spider/publish/mirror_path.h"
#include "spider/publish/mirror_writer.h"

namespace orbweaver {
namespace {

constexpr auto kRemove = MirrorFolder::InTheWay::kRemove;
constexpr int kMaxRedirects = 20;
constexpr Duration kLookAgain = std::chrono::milliseconds(50);

std::string OwnPath(std::string_view name) { return fmt::format("{}/{}", kMirrorOwn, name); }

// Of the process that is at it.
class BuildLock {
 public:
  static absl::StatusOr<std::unique_ptr<BuildLock>> Take(const std::string& folder,
                                                         Duration patience) {
    const std::string path = (std::filesystem::path(folder) / OwnPath("lock")).string();
    const int fd = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644);
    if (fd < 0) return DiskError("open", path);
    std::unique_ptr<BuildLock> lock(new BuildLock(fd));
    const SteadyTime deadline = SystemClock().Now() + patience;
    do {
      if (flock(fd, LOCK_EX | LOCK_NB) == 0) return lock;
      if (errno != EWOULDBLOCK) return DiskError("lock", path);
      if (patience > Duration::zero()) std::this_thread::sleep_for(kLookAgain);
    } while (SystemClock().Now() < deadline);
    return FatalError("complete the mirror in {}: another process is at it", folder);
  }
  ~BuildLock() { close(fd_); }
  BuildLock(const BuildLock&) = delete;
  BuildLock& operator=(const BuildLock&) = delete;

 private:
  explicit BuildLock(int fd) : fd_(fd) {}
  const int fd_;
};

class Builder {
 public:
  Builder(const MirrorBuild& build, MirrorFolder& folder)
      : build_(build), folder_(folder), canonical_(build.urls), converter_(build.urls) {}

  absl::StatusOr<MirrorReport> Build() {
    RETURN_IF_ERROR(answers_.Read(build_.folder));
    RETURN_IF_ERROR(ListPages());
    ArrangeMirror(&pages_, [this](const MirrorPage& a, const MirrorPage& b) {
      return a.content_type == b.content_type && HaveOneBody(a.url, b.url);
    });
    report_.files =
        static_cast<uint64_t>(std::ranges::count(pages_, false, &MirrorPage::shares_file));
    for (size_t i = 0; i < pages_.size(); ++i) page_of_.emplace(pages_[i].url, i);
    for (const MirrorPage& page : pages_) RETURN_IF_ERROR(PlacePage(page));
    RETURN_IF_ERROR(RemoveFormer());
    RETURN_IF_ERROR(WriteList());
    RETURN_IF_ERROR(folder_.Sync());
    return report_;
  }

 private:
  absl::Status ListPages() {
    int64_t first_at = INT64_MAX;
    for (const auto& [url, answer] : answers_.newest()) {
      if (answer.is_redirect) AddRedirect(url, answer.location);
      if (answer.is_cut) ++report_.cut;
      if (answer.is_redirect || answer.is_cut) continue;
      const auto size = folder_.SizeOf(MirrorBodyPath(url));
      if (!size.ok() && !absl::IsNotFound(size.status())) return size.status();
      // Not all of it was on the disk when the machine went down.
      if (!size.ok() || *size != answer.bytes) {
        ++report_.lost;
        continue;
      }
      pages_.push_back({.url = url, .content_type = answer.content_type, .path = {}});
      // robots.txt is asked for before any page, and some servers call it HTML.
      if (answer.at_us < first_at && IsHtmlType(answer.content_type) &&
          !url.ends_with("/robots.txt")) {
        first_at = answer.at_us;
        first_ = url;
      }
    }
    // So that files are written in the same order each time.
    std::ranges::sort(pages_, {}, &MirrorPage::url);
    return absl::OkStatus();
  }

  bool HaveOneBody(const std::string& url, const std::string& other) {
    if (answers_.newest().at(url).bytes != answers_.newest().at(other).bytes) return false;
    const auto body = folder_.Read(MirrorBodyPath(url));
    const auto other_body = folder_.Read(MirrorBodyPath(other));
    return body.ok() && other_body.ok() && *body == *other_body;
  }

  void AddRedirect(const std::string& url, const std::string& location) {
    const size_t target = std::min(location.find('#'), location.size());
    if (canonical_.SetBase(url) == UrlError::kNone &&
        canonical_.Canonicalize(std::string_view(location).substr(0, target)) == UrlError::kNone) {
      redirects_.emplace(url, canonical_.url());
    }
  }

  // Where a URL leads within the mirror, through redirects too; empty: nowhere.
  std::string_view FileOf(std::string_view url) const {
    for (int i = 0; i <= kMaxRedirects; ++i) {
      if (const auto page = page_of_.find(url); page != page_of_.end()) {
        return pages_[page->second].path;
      }
      const auto redirect = redirects_.find(url);
      if (redirect == redirects_.end()) break;
      url = redirect->second;
    }
    return {};
  }

  absl::Status PlacePage(const MirrorPage& page) {
    if (page.url == first_) report_.first = page.path;
    // It had a file of its own while its like was not there.
    if (page.shares_file) return folder_.Remove(UniqueMirrorPath(page.path, page.url));
    const std::string body = MirrorBodyPath(page.url);
    if (build_.convert_links && LinkConverter::Converts(page.content_type)) {
      ASSIGN_OR_RETURN(const std::string fetched, folder_.Read(body));
      const auto converted =
          converter_.Convert(page, fetched, [this](std::string_view url) { return FileOf(url); });
      if (!converted) ++report_.not_converted;
      if (converted && *converted != fetched) {
        ++report_.converted;
        const auto there = folder_.Read(page.path);
        if (there.ok() && *there == *converted) return absl::OkStatus();
        return folder_.Write(page.path, *converted, kRemove);
      }
    }
    if (folder_.AreOne(body, page.path)) return absl::OkStatus();
    return folder_.Link(body, page.path, kRemove);
  }

  // Where a page of another type stood, or one that leads elsewhere now; and where that has freed a
  // better path, the one before.
  absl::Status RemoveFormer() {
    if (answers_.former().empty()) return absl::OkStatus();
    absl::flat_hash_set<std::string_view> taken;
    for (const MirrorPage& page : pages_) taken.insert(page.path);
    const auto remove = [&](const std::string& url, const std::string& type) -> absl::Status {
      const std::string wanted = MirrorPathOf(url, type).path;
      for (const std::string& path : {wanted, UniqueMirrorPath(wanted, url)}) {
        if (!taken.contains(path)) RETURN_IF_ERROR(folder_.Remove(path));
      }
      return absl::OkStatus();
    };
    for (const auto& former : answers_.former()) {
      RETURN_IF_ERROR(remove(former.url, former.content_type));
    }
    for (const MirrorPage& page : pages_) RETURN_IF_ERROR(remove(page.url, page.content_type));
    return absl::OkStatus();
  }

  absl::Status WriteList() {
    std::string list;
    for (const MirrorPage& page : pages_) {
      JsonWriter json(&list);
      json.BeginObject().Key("url").Value(page.url).Key("file").Value(page.path);
      json.Key("content_type").Value(page.content_type).EndObject();
      list += '\n';
    }
    std::vector<std::pair<std::string_view, std::string_view>> sorted(redirects_.begin(),
                                                                      redirects_.end());
    std::ranges::sort(sorted);
    for (const auto& [url, target] : sorted) {
      JsonWriter json(&list);
      json.BeginObject().Key("url").Value(url).Key("redirect").Value(target);
      if (const std::string_view file = FileOf(url); !file.empty()) json.Key("file").Value(file);
      json.EndObject();
      list += '\n';
    }
    return folder_.Write(OwnPath("files.jsonl"), list, kRemove);
  }

  const MirrorBuild& build_;
  MirrorFolder& folder_;
  UrlCanonicalizer canonical_;
  LinkConverter converter_;
  MirrorAnswers answers_;
  std::string first_;
  std::vector<MirrorPage> pages_;
  absl::flat_hash_map<std::string_view, size_t> page_of_;
  absl::flat_hash_map<std::string_view, std::string> redirects_;  // to canonical URLs
  MirrorReport report_;
};

}  // namespace

absl::StatusOr<MirrorReport> BuildMirror(const MirrorBuild& build) {
  ASSIGN_OR_RETURN(const auto folder, MirrorFolder::Open(build.folder, "mirror"));
  ASSIGN_OR_RETURN(const auto lock, BuildLock::Take(build.folder, build.patience));
  RemoveTornFiles(build.folder);
  return Builder(build, *folder).Build();
}

bool HasMirror(const std::string& folder) {
  std::error_code error;
  return std::filesystem::is_directory(std::filesystem::path(folder) / kMirrorOwn, error);
}

}  // namespace orbweaver
