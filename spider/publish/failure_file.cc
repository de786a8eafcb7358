#include "spider/publish/failure_file.h"

#include "common/base/check.h"
#include "common/base/json.h"
#include "common/base/status.h"
#include "common/model/spider_log.h"
#include "spider/fetch/failure_cause.h"
#include "spider/publish/warc_record.h"

namespace orbweaver {

std::unique_ptr<FailureFile> FailureFile::Create(const ArchiveOptions& options,
                                                 std::string_view writer, const Clock& clock,
                                                 std::shared_ptr<LineConverter> converter) {
  if (options.folder.empty() || !options.failures) return nullptr;
  return std::unique_ptr<FailureFile>(
      new FailureFile(options, writer, clock, std::move(converter)));
}

absl::Status FailureFile::Finish() {
  RETURN_IF_ERROR(lines_.Finish());
  return converter_ == nullptr ? absl::OkStatus() : converter_->Wait();
}

absl::Status FailureFile::Keep(std::string_view entry) {
  arena_.Reset();
  SpiderLogEntry decoded;
  CHECK_OK(Decode(entry, &arena_, &decoded));  // encoded by this spider a moment ago
  const FetchFailed& failed = std::get<FetchFailed>(decoded.event);
  const Request& request = failed.request;
  line_.clear();
  JsonWriter json(&line_);
  json.BeginObject().Key("url").Value(request.url);
  if (!failed.final_url.empty()) json.Key("final_url").Value(failed.final_url);
  json.Key("domain").Value(request.domain);
  json.Key("failed_at").Value(WarcDate(failed.failed_at));
  json.Key("cause").Value(FailureCauseName(failed.cause));
  json.Key("status").Value(failed.status);
  json.Key("message").Value(failed.message);
  json.Key("referrer").Value(request.referrer);
  json.Key("depth").Value(request.depth);
  json.Key("attempt").Value(request.attempt + uint64_t{1});
  json.Key("total_ms").Value(failed.total.count());
  if (failed.retry_after) json.Key("retry_after_ms").Value(failed.retry_after->count());
  json.EndObject();
  line_ += '\n';
  return lines_.Append(line_);
}

}  // namespace orbweaver
