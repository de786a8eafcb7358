#include "spider/publish/warc_writer.h"

#include <algorithm>
#include <utility>

#include "fmt/format.h"

#include "common/base/status.h"
#include "spider/parse/ascii.h"

namespace orbweaver {
namespace {

constexpr uint32_t kNotModified = 304;
// A file whose index has grown so large is finished, however small it is: the index is in memory.
constexpr size_t kMaxIndexBytes = size_t{16} << 20;
constexpr std::string_view kSameDigest =
    "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest";
constexpr std::string_view kServerSaid =
    "http://netpreserve.org/warc/1.1/revisit/server-not-modified";

bool TellsOfEncoding(std::string_view line) {
  const std::string_view name = TrimSpace(line.substr(0, line.find(':')));
  return EqualsIgnoreCase(name, "content-encoding") ||
         EqualsIgnoreCase(name, "transfer-encoding") || EqualsIgnoreCase(name, "content-length");
}

// In the words of WARC 1.1, section 5.13; empty: the payload is whole.
std::string_view WhyTruncated(const FetchResult& result) {
  if (!result.failure) {
    if (!result.body_truncated) return {};
    return result.ended_early ? "disconnect" : "length";
  }
  switch (*result.failure) {
    case FailureCause::kTooLarge:
      return "length";
    case FailureCause::kTimeoutTotal:
    case FailureCause::kTooSlow:
      return "time";
    case FailureCause::kReset:
    case FailureCause::kProtocol:
      return "disconnect";
    default:
      return "unspecified";
  }
}

}  // namespace

void ArchivedHead(std::string_view response_head, size_t payload_bytes, std::string* out) {
  out->clear();
  std::string_view line = response_head.substr(0, response_head.find('\n'));
  response_head.remove_prefix(std::min(line.size() + 1, response_head.size()));
  line = TrimSpace(line);
  line = TrimSpace(line.substr(std::min(line.find(' '), line.size())));
  const std::string_view status = line.substr(0, line.find(' '));
  const std::string_view reason = TrimSpace(line.substr(status.size()));
  *out += fmt::format("HTTP/1.1 {} {}\r\n", status, reason);
  while (!response_head.empty()) {
    line = response_head.substr(0, response_head.find('\n'));
    response_head.remove_prefix(std::min(line.size() + 1, response_head.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty()) break;
    if (TellsOfEncoding(line)) *out += "X-Crawler-";
    *out += line;
    *out += "\r\n";
  }
  *out += fmt::format("Content-Length: {}\r\n\r\n", payload_bytes);
}

WarcWriter::WarcWriter(const ArchiveOptions& options, std::string_view name_prefix,
                       std::string_view software, const Clock& clock)
    : options_(options),
      software_(software),
      clock_(clock),
      encoder_(options.compression),
      files_(
          {.folder = options.folder,
           .prefix = std::string(name_prefix),
           .suffix = std::string(kWarcSuffix),
           .max_file_bytes = options.max_file_bytes},
          clock, [this](std::string_view name) { return BeginFile(name); },
          [this] { return FinishFile(); }) {}

absl::StatusOr<std::string> WarcWriter::BeginFile(std::string_view name) {
  filename_ = name;
  if (options_.cdxj) {
    const std::string index =
        filename_.substr(0, filename_.size() - kWarcSuffix.size()) + std::string(kIndexSuffix);
    // A crash leaves this for RecoverIndexes.
    auto file = OutputFile::Create(options_.folder, index);
    if (absl::IsAlreadyExists(file.status())) {
      return FatalError("make index {}: it exists, without its WARC file. Remove it", index);
    }
    RETURN_IF_ERROR(file.status());
    index_file_ = *std::move(file);
  }
  std::string fields = fmt::format(
      "software: {}\r\nformat: WARC File Format 1.1\r\nconformsTo: "
      "https://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/\r\n"
      "robots: classic\r\n",
      software_);
  for (const auto& [field, value] : {std::pair("operator", &options_.operator_name),
                                     std::pair("http-header-user-agent", &options_.user_agent),
                                     std::pair("http-header-from", &options_.from)}) {
    if (!value->empty()) fields += fmt::format("{}: {}\r\n", field, *value);
  }
  const std::string id = NewWarcId();
  return std::string(encoder_.Encode({.type = "warcinfo",
                                      .id = id,
                                      .date = clock_.Wall(),
                                      .headers = {{"WARC-Filename", filename_}},
                                      .content_type = "application/warc-fields",
                                      .head = fields,
                                      .payload = {}}));
}

absl::Status WarcWriter::FinishFile() {
  if (index_file_ == nullptr) return absl::OkStatus();
  const std::unique_ptr<OutputFile> file = std::move(index_file_);
  RETURN_IF_ERROR(file->Append(index_.Take()));
  return file->Finish();
}

void WarcWriter::Index(std::string_view url, const FetchResult& result, bool is_revisit,
                       uint64_t offset, uint64_t length) {
  if (index_file_ == nullptr) return;
  index_.Add({.url = url,
              .date = WarcDate(result.started_at),
              .is_revisit = is_revisit,
              .content_type = result.Header("content-type"),
              .status = std::to_string(result.status),
              .digest = result.status == kNotModified ? std::string_view() : digest_,
              .offset = offset,
              .length = length},
             filename_);
}

absl::Status WarcWriter::Write(std::string_view url, const FetchResult& result) {
  const std::string id = NewWarcId();
  const std::string request_id = NewWarcId();
  const std::string date = WarcDate(result.started_at);
  digest_ = WarcDigest(result.body);
  WarcRecord response{.type = "response",
                      .id = id,
                      .date = result.started_at,
                      .headers = {{"WARC-Target-URI", std::string(url)}},
                      .content_type = "application/http;msgtype=response",
                      .head = {},
                      .payload = result.body};
  if (!result.address.empty()) {
    response.headers.emplace_back("WARC-IP-Address", result.address.Text());
  }
  // A 304 has no payload, and that of nothing would name another record.
  if (result.status != kNotModified) response.headers.emplace_back("WARC-Payload-Digest", digest_);
  if (const std::string_view why = WhyTruncated(result); !why.empty()) {
    response.headers.emplace_back("WARC-Truncated", why);
  }

  const Known* known = nullptr;
  if (!result.body.empty()) known = Recall(digest_, url, date, id);
  if (result.status == kNotModified) {
    response.type = "revisit";
    response.headers.emplace_back("WARC-Profile", kServerSaid);
    response.headers.emplace_back("WARC-Refers-To-Target-URI", url);
  } else if (known != nullptr) {
    response.type = "revisit";
    response.payload = {};
    response.headers.emplace_back("WARC-Profile", kSameDigest);
    response.headers.emplace_back("WARC-Refers-To", known->id);
    response.headers.emplace_back("WARC-Refers-To-Target-URI", known->url);
    response.headers.emplace_back("WARC-Refers-To-Date", known->date);
  }
  ArchivedHead(result.response_head, result.body.size(), &head_);
  response.head = head_;
  const bool is_revisit = response.type == "revisit";
  records_ = encoder_.Encode(response);
  const uint64_t response_bytes = records_.size();
  records_ += encoder_.Encode(
      {.type = "request",
       .id = request_id,
       .date = result.started_at,
       .headers = {{"WARC-Target-URI", std::string(url)}, {"WARC-Concurrent-To", id}},
       .content_type = "application/http;msgtype=request",
       .head = result.request_head,
       .payload = {}});
  if (index_.bytes() >= kMaxIndexBytes) RETURN_IF_ERROR(files_.Finish());
  RETURN_IF_ERROR(files_.Append(records_));
  Index(url, result, is_revisit, files_.size() - records_.size(), response_bytes);
  return absl::OkStatus();
}

const WarcWriter::Known* WarcWriter::Recall(const std::string& digest, std::string_view url,
                                            const std::string& date, const std::string& id) {
  if (options_.known_payloads == 0) return nullptr;
  if (const auto found = by_digest_.find(digest); found != by_digest_.end()) {
    known_.splice(known_.begin(), known_, found->second);
    return &*found->second;
  }
  if (known_.size() == options_.known_payloads) {
    by_digest_.erase(known_.back().digest);
    known_.pop_back();
  }
  known_.push_front({.digest = digest, .url = std::string(url), .date = date, .id = id});
  by_digest_.emplace(known_.front().digest, known_.begin());
  return nullptr;
}

}  // namespace orbweaver
