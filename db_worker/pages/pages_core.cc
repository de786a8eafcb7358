#include "db_worker/pages/pages_core.h"

#include <algorithm>
#include <utility>

#include "common/base/check.h"
#include "common/base/log.h"
#include "common/base/status.h"
#include "common/bus/topics.h"
#include "common/model/schema.h"
#include "common/model/wire.h"
#include "common/protocol/cut_log.h"
#include "common/protocol/log_witness.h"
#include "common/protocol/topic_record.h"
#include "common/url/fingerprint.h"

namespace orbweaver {
namespace {

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

// What a 304 tells of a page whose content is known.
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
  setup.options.call_timeout =
      std::min(setup.options.call_timeout, GroupPulse::LongestCall(setup.session_timeout));
  ASSIGN_OR_RETURN(const TopicRecord topics, CheckTopics(store, bus, setup.options.call_timeout));
  std::unique_ptr<PagesCore> core(
      new PagesCore(bus, store, clock, metrics, std::move(setup), topics.topic_epoch));
  RETURN_IF_ERROR(core->Start());
  return core;
}

absl::Status PagesCore::Start() {
  ASSIGN_OR_RETURN(offsets_, bus_.NewOffsetReader());
  ASSIGN_OR_RETURN(consumer_, bus_.NewConsumer({.group = std::string(kPagesGroup),
                                                .member = setup_.member,
                                                .session_timeout = setup_.session_timeout}));
  pulse_.emplace(*consumer_, clock_);
  return consumer_->Subscribe(kSpiderLogTopic, this);
}

absl::Status PagesCore::Step(Duration max_wait) {
  const absl::Status status = TryStep(max_wait);
  stalled_ = IsRetry(status);
  return status;
}

absl::Status PagesCore::TryStep(Duration max_wait) {
  if (stalled_ || (stage_ != Stage::kIdle && pulse_->IsDue())) RETURN_IF_ERROR(StayInGroup());
  RETURN_IF_ERROR(Advance());
  if (stage_ != Stage::kIdle) return absl::OkStatus();
  if (has_new_) RETURN_IF_ERROR(CheckLogs());
  if (log_was_cut_) RETURN_IF_ERROR(GoOnBehindCut());
  if (pulse_->paused()) RETURN_IF_ERROR(pulse_->Resume(Assigned()));
  MessageBatch batch;
  const absl::Status polled = pulse_->Poll({}, max_wait, &batch);
  if (absl::IsOutOfRange(polled)) {
    NoteCut(polled);
    return absl::OkStatus();
  }
  RETURN_IF_ERROR(Annotate(polled, "read the spider log"));
  if (batch.empty()) return absl::OkStatus();
  Begin(std::move(batch));
  return Advance();
}

absl::Status PagesCore::StayInGroup() {
  absl::Status served = pulse_->Beat(Assigned());
  if (!absl::IsOutOfRange(served)) return served;
  NoteCut(served);
  return absl::OkStatus();
}

void PagesCore::NoteCut(const absl::Status& polled) {
  Log(LogLevel::kWarning, "pages", "{}", MessageOf(polled));
  log_was_cut_ = true;
}

std::vector<PartitionId> PagesCore::Assigned() const {
  std::vector<PartitionId> assigned;
  for (const auto& [partition, next] : next_) assigned.push_back(partition);
  return assigned;
}

absl::Status PagesCore::Advance() {
  if (stage_ == Stage::kRead) {
    RETURN_IF_ERROR(ReadPages());
    for (const Event& event : events_) Apply(event);
    RETURN_IF_ERROR(Prepare());
    stage_ = Stage::kWriteContent;
    if (pulse_->IsDue()) return absl::OkStatus();
  }
  // Before the pages: an event that a page's row has is never applied again.
  if (stage_ == Stage::kWriteContent) {
    RETURN_IF_ERROR(Write(&content_puts_));
    stage_ = Stage::kWritePages;
    if (pulse_->IsDue()) return absl::OkStatus();
  }
  if (stage_ == Stage::kWritePages) {
    RETURN_IF_ERROR(Write(&page_puts_));
    stage_ = Stage::kErase;
    if (pulse_->IsDue()) return absl::OkStatus();
  }
  if (stage_ == Stage::kErase) {
    RETURN_IF_ERROR(Erase());
    stage_ = Stage::kCommit;
    if (pulse_->IsDue()) return absl::OkStatus();
  }
  if (stage_ == Stage::kCommit) {
    RETURN_IF_ERROR(Commit());
    stage_ = Stage::kIdle;
  }
  return absl::OkStatus();
}

void PagesCore::Begin(MessageBatch batch) {
  CHECK(stage_ == Stage::kIdle);
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
  stage_ = changes_.empty() ? Stage::kCommit : Stage::kRead;
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

absl::Status PagesCore::Erase() {
  if (erased_.empty()) return absl::OkStatus();
  std::vector<RowErase> erases;
  for (const Put& put : erased_) erases.push_back({put.row, put.version, {&kWhereColumn, 1}});
  RETURN_IF_ERROR(
      Annotate(store_.Erase(Table::kPages, erases, timeout()), "erase former contents"));
  erased_.clear();
  return absl::OkStatus();
}

absl::Status PagesCore::Commit() {
  std::vector<OffsetCommit> commits;
  for (const auto& [partition, end] : ends_) {
    commits.push_back({.partition = partition, .offset = end, .metadata = {}});
  }
  if (commits.empty()) return absl::OkStatus();
  RETURN_IF_ERROR(Annotate(consumer_->Commit(commits, timeout()), "commit the spider log"));
  for (const auto& [partition, end] : ends_) next_[partition] = end;
  return absl::OkStatus();
}

absl::Status PagesCore::GoOnBehindCut() {
  ASSIGN_OR_RETURN(const std::vector<CutLog> cuts,
                   FindCuts(*offsets_, kSpiderLogTopic, next_, timeout()));
  std::vector<OffsetCommit> commits;
  for (const CutLog& cut : cuts) {
    commits.push_back({.partition = cut.partition, .offset = cut.start, .metadata = {}});
  }
  if (!commits.empty()) RETURN_IF_ERROR(consumer_->Commit(commits, timeout()));
  for (const CutLog& cut : cuts) {
    Log(LogLevel::kError, "pages",
        "partition {}: {} messages of the spider log were deleted before they were read; goes on "
        "at offset {}",
        cut.partition, cut.lost(), cut.start);
    metrics_.lost.Increment(cut.lost());
    next_[cut.partition] = cut.start;
  }
  log_was_cut_ = false;
  return absl::OkStatus();
}

// The versions of pages are offsets: under those of another log new pages would not show.
absl::Status PagesCore::CheckLogs() {
  std::vector<PartitionId> partitions;
  for (const auto& [partition, next] : next_) partitions.push_back(partition);
  constexpr std::string_view kTopics[] = {kSpiderLogTopic};
  RETURN_IF_ERROR(CheckWitnesses(store_, bus_, topic_epoch_, kTopics, partitions, timeout()));
  has_new_ = false;
  return absl::OkStatus();
}

void PagesCore::Close() { consumer_->Close(); }

void PagesCore::OnAssigned(std::span<const AssignedPartition> assigned) {
  for (const AssignedPartition& one : assigned) next_[one.partition] = one.position;
  has_new_ = true;
}

void PagesCore::OnRevoked(std::span<const PartitionId> revoked) { OnLost(revoked); }

void PagesCore::OnLost(std::span<const PartitionId> lost) {
  for (const PartitionId partition : lost) {
    next_.erase(partition);
    // Whoever has it next reads the batch in hand again, and finds that its rows have it.
    ends_.erase(partition);
  }
}

}  // namespace orbweaver
