#include "db_worker/pages/pages_core.h"

#include <algorithm>
#include <utility>

#include "common/base/check.h"
#include "common/base/log.h"
#include "common/base/status.h"
#include "common/bus/topics.h"
#include "common/model/schema.h"
#include "common/model/wire.h"
#include "common/protocol/log_witness.h"
#include "common/protocol/topic_record.h"
#include "common/url/fingerprint.h"

namespace orbweaver {
namespace {

// Of BatchSteps: where a batch without pages begins.
constexpr size_t kCommitStep = 4;
// SpiderLogEntry.page_fetched.
constexpr uint32_t kPageTag = wire::MakeTag(3, wire::WireType::kBytes);

// Whether it is worth decoding: most of the log is links.
bool MayBePage(std::string_view entry) {
  wire::Fault fault;
  wire::Reader in(entry, fault);
  for (uint32_t tag; !in.AtEnd();) {
    if (!in.ReadTag(&tag) || tag == kPageTag) return true;  // decoding says what is wrong
    if (!in.Skip(tag)) return true;
  }
  return false;
}

absl::Status DecodePageEvent(const Message& message, Arena* arena, SpiderLogEntry* entry) {
  RETURN_IF_ERROR(CheckSchema(HeaderOf(message, kSchemaHeader)));
  RETURN_IF_ERROR(Decode(message.value, arena, entry));
  if (entry->domain == message.key) return absl::OkStatus();
  return PoisonError("spider log entry of '{}': its key is '{}'", entry->domain, message.key);
}

// A page whose content is known, after a 304.
PageFetched NotModified(const PageFetched& known, const PageFetched& answer) {
  PageFetched page = known;
  page.request = answer.request;
  page.fetched_at = answer.fetched_at;
  page.dns = answer.dns;
  page.connect = answer.connect;
  page.tls = answer.tls;
  page.first_byte = answer.first_byte;
  page.total = answer.total;
  page.received_bytes = answer.received_bytes;
  page.remote_address = answer.remote_address;
  page.tls_error = answer.tls_error;
  page.not_modified = true;
  if (!answer.etag.empty()) page.etag = answer.etag;
  if (!answer.last_modified.empty()) page.last_modified = answer.last_modified;
  return page;
}

}  // namespace

absl::StatusOr<std::unique_ptr<PagesCore>> PagesCore::Create(Bus& bus, Store& store,
                                                             const Clock& clock,
                                                             PagesMetrics& metrics,
                                                             PagesSetup setup) {
  setup.options.call_timeout = std::min(setup.options.call_timeout,
                                        LogSession::LongestCall(setup.membership.session_timeout));
  ASSIGN_OR_RETURN(const TopicRecord topics, CheckTopics(store, bus, setup.options.call_timeout));
  std::unique_ptr<PagesCore> core(
      new PagesCore(bus, store, clock, metrics, std::move(setup), topics.topic_epoch));
  RETURN_IF_ERROR(core->Start());
  return core;
}

absl::Status PagesCore::Start() {
  ASSIGN_OR_RETURN(spider_log_, LogSession::Create(bus_, clock_,
                                                   {.topic = std::string(kSpiderLogTopic),
                                                    .group = std::string(kPagesGroup),
                                                    .membership = setup_.membership,
                                                    .call_timeout = timeout(),
                                                    .module = "pages",
                                                    .loss = "Their pages are lost"}));
  return spider_log_->Join(this);
}

absl::Status PagesCore::Step(Duration max_wait) {
  const absl::Status status = TryStep(max_wait);
  stalled_ = IsRetry(status);
  return status;
}

absl::Status PagesCore::TryStep(Duration max_wait) {
  if (stalled_ || (steps_.busy() && spider_log_->IsDue())) {
    RETURN_IF_ERROR(spider_log_->StayInGroup());
  }
  RETURN_IF_ERROR(Advance());
  if (steps_.busy()) return absl::OkStatus();
  if (!new_.empty()) RETURN_IF_ERROR(CheckLogs());
  if (spider_log_->is_cut()) RETURN_IF_ERROR(GoOnBehindCuts());
  MessageBatch batch;
  RETURN_IF_ERROR(spider_log_->Poll({}, max_wait, &batch));
  if (batch.empty()) return absl::OkStatus();
  Begin(std::move(batch));
  return Advance();
}

// Contents go before pages: an event that a page's row has is never applied again.
std::span<const PagesCore::Steps::Step> PagesCore::BatchSteps() {
  static constexpr Steps::Step kSteps[] = {
      {"read pages", &PagesCore::ReadAndApply}, {"write contents", &PagesCore::WriteContent},
      {"write pages", &PagesCore::WritePages},  {"erase former contents", &PagesCore::Erase},
      {"commit", &PagesCore::Commit},
  };
  return kSteps;
}

absl::Status PagesCore::Advance() {
  return steps_.Advance(*this, [this] { return spider_log_->IsDue(); });
}

void PagesCore::Begin(MessageBatch batch) {
  batch_ = std::move(batch);
  ends_.clear();
  events_.clear();
  changes_.clear();
  change_of_.clear();
  rows_.Clear();
  arena_.Reset();
  for (const Message& message : batch_.messages()) {
    ends_[message.partition] = message.offset + 1;
    metrics_.messages.Increment();
    if (MayBePage(message.value)) Take(message);
  }
  steps_.Begin(changes_.empty() ? kCommitStep : 0);
}

void PagesCore::Take(const Message& message) {
  SpiderLogEntry entry;
  if (!DecodePageEvent(message, &arena_, &entry).ok()) {
    // The strategy worker reads it too, and keeps it in dead-letter.
    metrics_.poison.Increment();
    return;
  }
  const auto* const page = std::get_if<PageFetched>(&entry.event);
  if (page == nullptr) return;
  const Fingerprint& known = page->request.fingerprint;
  const Fingerprint url = known == Fingerprint{} ? FingerprintOf(page->request.url) : known;
  std::string row = PageRow(entry.domain, url);
  const auto [change, is_new] = change_of_.emplace(row, changes_.size());
  if (is_new) changes_.push_back({.row = std::move(row)});
  events_.push_back({.change = change->second,
                     .source = {.topic_epoch = topic_epoch_, .offset = message.offset},
                     .domain = entry.domain,
                     .page = *page});
  events_.back().page.request.fingerprint = url;
}

absl::StatusOr<bool> PagesCore::ReadAndApply() {
  RETURN_IF_ERROR(ReadPages());
  for (const Event& event : events_) Apply(event);
  RETURN_IF_ERROR(Prepare());
  return true;
}

absl::Status PagesCore::ReadPages() {
  std::vector<RowGet> gets;
  gets.reserve(changes_.size());
  for (const Change& change : changes_) gets.push_back({change.row, {&kPageColumn, 1}});
  RETURN_IF_ERROR(Annotate(store_.MultiGet(Table::kPages, gets, timeout(), &rows_), "read pages"));
  for (size_t i = 0; i < changes_.size(); ++i) {
    const Cell* const cell = rows_.Find(i, kPageColumn);
    if (cell == nullptr) continue;
    StoredPage& page = changes_[i].page.emplace();
    const absl::Status decoded = DecodePage(cell->value, &arena_, &page);
    if (decoded.ok()) {
      changes_[i].old_content = page.page.content_hash;
      continue;
    }
    // It is as new: what was known comes again with the next fetch.
    Log(LogLevel::kError, "pages", "read a page: {}", MessageOf(decoded));
    changes_[i].page.reset();
  }
  return absl::OkStatus();
}

void PagesCore::Apply(const Event& event) {
  Change& change = changes_[event.change];
  if (change.page.has_value() && event.source <= change.page->source) {
    metrics_.replayed.Increment();
    return;
  }
  const bool keeps_content = event.page.not_modified && change.page.has_value();
  StoredPage page{.source = event.source, .domain = event.domain, .page = event.page};
  if (keeps_content) {
    page.page = NotModified(change.page->page, event.page);
  } else {
    change.body = event.page.body;
    page.page.headers = KeptHeaders(event.page.headers);
  }
  page.page.body = {};
  change.page = page;
  change.changed = true;
}

std::span<const HttpHeader> PagesCore::KeptHeaders(std::span<const HttpHeader> headers) {
  const std::vector<std::string>& names = setup_.options.headers;
  if (names.empty()) return headers;
  ArenaList<HttpHeader> kept;
  for (const HttpHeader& header : headers) {
    if (std::find(names.begin(), names.end(), header.name) != names.end()) {
      *kept.Append(arena_) = header;
    }
  }
  return kept.view();
}

absl::Status PagesCore::Prepare() {
  for (Change& change : changes_) {
    if (change.changed) RETURN_IF_ERROR(PreparePage(change));
  }
  return absl::OkStatus();
}

absl::Status PagesCore::PreparePage(Change& change) {
  const StoredPage& page = *change.page;
  const Fingerprint& url = page.page.request.fingerprint;
  const Fingerprint& content = page.page.content_hash;
  ASSIGN_OR_RETURN(const Version version, VersionOf(page.source));
  ASSIGN_OR_RETURN(std::string encoded, EncodePage(page, &buffer_));
  Put& put = page_puts_.emplace_back(Put{.row = change.row, .version = version});
  put.cells.emplace_back(kPageColumn, std::move(encoded));
  if (setup_.options.bodies && !change.body.empty()) {
    put.cells.emplace_back(kBodyColumn, EncodeBody(content, change.body));
    metrics_.stored_bytes.Increment(put.cells.back().second.size());
  }
  metrics_.stored.Increment();
  if (content == change.old_content) return absl::OkStatus();
  if (content != Fingerprint{}) {
    Put& where =
        content_puts_.emplace_back(Put{.row = ContentRow(content, url), .version = version});
    where.cells.emplace_back(kWhereColumn, EncodeWhere({page.domain, page.page.request.url}));
  }
  if (change.old_content != Fingerprint{}) {
    erased_.push_back({.row = ContentRow(change.old_content, url), .version = version});
    metrics_.changed.Increment();
  }
  return absl::OkStatus();
}

absl::StatusOr<bool> PagesCore::WriteContent() {
  RETURN_IF_ERROR(Write(&content_puts_));
  return true;
}

absl::StatusOr<bool> PagesCore::WritePages() {
  RETURN_IF_ERROR(Write(&page_puts_));
  return true;
}

absl::Status PagesCore::Write(std::vector<Put>* puts) {
  if (puts->empty()) return absl::OkStatus();
  std::vector<CellPut> cells;
  cells.reserve(puts->size() * 2);  // spans below point into it
  std::vector<RowPut> rows;
  for (const Put& put : *puts) {
    const size_t first = cells.size();
    for (const auto& [column, value] : put.cells) cells.push_back({column, value});
    rows.push_back({put.row, put.version, {cells.data() + first, cells.size() - first}});
  }
  std::vector<uint32_t> remaining;
  const absl::Status written = store_.Write(Table::kPages, rows, timeout(), &remaining);
  std::vector<Put> left;
  for (const uint32_t index : remaining) left.push_back(std::move((*puts)[index]));
  *puts = std::move(left);
  return Annotate(written, "write pages");
}

absl::StatusOr<bool> PagesCore::Erase() {
  if (erased_.empty()) return true;
  std::vector<RowErase> erases;
  for (const Put& put : erased_) erases.push_back({put.row, put.version, {&kWhereColumn, 1}});
  RETURN_IF_ERROR(
      Annotate(store_.Erase(Table::kPages, erases, timeout()), "erase former contents"));
  erased_.clear();
  return true;
}

absl::StatusOr<bool> PagesCore::Commit() {
  std::vector<OffsetCommit> commits;
  for (const auto& [partition, end] : ends_) {
    commits.push_back({.partition = partition, .offset = end, .metadata = {}});
  }
  RETURN_IF_ERROR(spider_log_->Commit(commits));
  return true;
}

absl::Status PagesCore::GoOnBehindCuts() {
  ASSIGN_OR_RETURN(const std::vector<CutLog> cuts,
                   spider_log_->GoOnBehindCuts([](PartitionId) { return std::string(); }));
  for (const CutLog& cut : cuts) metrics_.lost.Increment(cut.lost());
  return absl::OkStatus();
}

// The versions of pages are offsets: under those of another log new pages would not show.
absl::Status PagesCore::CheckLogs() {
  constexpr std::string_view kTopics[] = {kSpiderLogTopic};
  RETURN_IF_ERROR(CheckWitnesses(store_, bus_, topic_epoch_, kTopics, new_, timeout()));
  new_.clear();
  return absl::OkStatus();
}

void PagesCore::Close() { spider_log_->Close(); }

void PagesCore::OnAssigned(std::span<const AssignedPartition> assigned) {
  for (const AssignedPartition& one : assigned) new_.push_back(one.partition);
}

void PagesCore::OnRevoked(std::span<const PartitionId> revoked) { OnLost(revoked); }

void PagesCore::OnLost(std::span<const PartitionId> lost) {
  for (const PartitionId partition : lost) {
    std::erase(new_, partition);
    // The partition's next owner reads the batch in hand again, and finds that its rows have it.
    ends_.erase(partition);
  }
}

}  // namespace orbweaver
