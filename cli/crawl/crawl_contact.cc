#include "cli/crawl/crawl_contact.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <system_error>
#include <unistd.h>

#include "cli/orders/order_journal.h"
#include "fmt/format.h"

#include "common/base/status.h"
#include "common/runtime/admin_client.h"

namespace orbweaver {
namespace {

constexpr char kFile[] = "contact";
constexpr char kNewFile[] = "contact.new";

std::string_view WithoutNewline(std::string_view text) {
  while (text.ends_with('\n')) text.remove_suffix(1);
  return text;
}

}  // namespace

absl::Status WriteContact(const std::filesystem::path& folder, const CrawlContact& contact) {
  const std::filesystem::path file = folder / kNewFile;
  const std::string text =
      fmt::format("{}\n{}\n{}", contact.address, contact.token, contact.is_tls ? "tls\n" : "");
  unlink(file.c_str());  // one that others may read
  const int fd = open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  const bool is_written =
      fd >= 0 && write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  const int error = errno;
  if (fd >= 0) close(fd);
  if (!is_written) return FatalError("write {}: {}", file.string(), std::strerror(error));
  std::error_code unmoved;
  std::filesystem::rename(file, folder / kFile, unmoved);
  if (!unmoved) return absl::OkStatus();
  return FatalError("write {}: {}", (folder / kFile).string(), unmoved.message());
}

void RemoveContact(const std::filesystem::path& folder) {
  std::error_code ignored;
  std::filesystem::remove(folder / kFile, ignored);
}

std::optional<CrawlContact> ReadContact(const std::filesystem::path& folder) {
  std::ifstream stream(folder / kFile);
  CrawlContact contact;
  const bool is_whole = std::getline(stream, contact.address) &&
                        std::getline(stream, contact.token) && !contact.token.empty();
  std::string third;
  contact.is_tls = std::getline(stream, third) && third == "tls";
  return is_whole ? std::optional(contact) : std::nullopt;
}

std::string AskLoginLink(const CrawlContact& contact, Duration timeout) {
  constexpr std::string_view kLink = "#login=";
  const std::string authorization = "Bearer " + contact.token;
  const auto answer = AskAdmin(
      contact.Url(),
      {.method = "POST", .target = "/api/v1/login-codes", .authorization = authorization}, timeout);
  if (!answer.ok() || answer->status != 200) return {};
  const size_t begin = answer->body.find(kLink);
  if (begin == answer->body.npos) return {};
  const size_t end = answer->body.find_first_not_of("0123456789abcdef", begin + kLink.size());
  return answer->body.substr(begin, end - begin);
}

absl::StatusOr<std::string> AskCrawl(const std::filesystem::path& folder, std::string_view action,
                                     const FormParams& params, Duration timeout) {
  const auto contact = ReadContact(folder);
  if (!contact.has_value()) {
    return absl::NotFoundError(
        fmt::format("no crawl of {} says where it can be asked", folder.string()));
  }
  // A request of its own, so that an action is known not to have been done when nobody is there.
  if (const auto alive = AskAdmin(contact->Url(), {.method = "GET", .target = "/healthz"}, timeout);
      !alive.ok()) {
    return absl::NotFoundError(
        fmt::format("no crawl of {} answers: {}", folder.string(), MessageOf(alive.status())));
  }
  const std::string target = fmt::format("/actions/{}", action);
  const std::string authorization = "Bearer " + contact->token;
  FormParams signed_params = params;
  signed_params["by"] = UserOfProcess();
  const std::string form = EncodeForm(signed_params);
  ASSIGN_OR_RETURN(
      const AdminResponse answer,
      AskAdmin(contact->Url(),
               {.method = "POST", .target = target, .authorization = authorization, .body = form},
               timeout));
  const std::string_view says = WithoutNewline(answer.body);
  if (answer.status == 200) return std::string(says);
  if (answer.status == 400) return PoisonError("{}", says);
  if (answer.status == 503) return RetryError("{}", says);
  if (answer.status == 404) return absl::NotFoundError(std::string(says));
  return FatalError("{} of the crawl at {}: {}", action, contact->address, says);
}

absl::StatusOr<std::string> AskCrawlInstead(const absl::Status& unopened,
                                            const std::filesystem::path& folder,
                                            std::string_view action, const FormParams& params,
                                            Duration timeout) {
  auto done = AskCrawl(folder, action, params, timeout);
  if (!absl::IsNotFound(done.status())) return done;
  return FatalError("{}; {}", MessageOf(unopened), MessageOf(done.status()));
}

}  // namespace orbweaver
