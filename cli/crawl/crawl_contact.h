// How the process that crawls a folder is asked: it writes its address and a token into the folder,
// for this user's eyes only.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

#include "common/base/clock.h"
#include "common/runtime/form.h"

namespace orbweaver {

struct CrawlContact {
  std::string address;  // HOST:PORT
  std::string token;    // of its actions
  bool is_tls = false;

  // https://HOST:PORT, or http://….
  std::string Url() const { return (is_tls ? "https://" : "http://") + address; }
};

// Replaces the folder's file (mode 0600), whole or not at all.
absl::Status WriteContact(const std::filesystem::path& folder, const CrawlContact& contact);
void RemoveContact(const std::filesystem::path& folder);

// As the file says, which a crawl that was killed leaves behind; nothing when there is none.
std::optional<CrawlContact> ReadContact(const std::filesystem::path& folder);

// The part of a login link behind the console's address, as ConsoleAccess::LoginLink has it; empty
// when the crawl gives none.
std::string AskLoginLink(const CrawlContact& contact, Duration timeout);

// Has the crawl that runs on `folder` do an action (common/runtime/admin_site.h); the sentence that
// it answers. Tells its refusals as they are: poison when the parameters are wrong. NotFound: no
// crawl answers, or it is an older one that has no such action. Blocks for some multiple of
// `timeout` at most.
absl::StatusOr<std::string> AskCrawl(const std::filesystem::path& folder, std::string_view action,
                                     const FormParams& params, Duration timeout);

// As AskCrawl, for a folder that could not be opened, as `unopened` says: that comes first when
// nobody answers.
absl::StatusOr<std::string> AskCrawlInstead(const absl::Status& unopened,
                                            const std::filesystem::path& folder,
                                            std::string_view action, const FormParams& params,
                                            Duration timeout);

}  // namespace orbweaver
