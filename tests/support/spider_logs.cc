#include "tests/support/spider_logs.h"

#include "common/base/check.h"
#include "common/base/status.h"
#include "common/bus/topics.h"
#include "common/url/partition.h"

namespace orbweaver {

FeedWriter::FeedWriter(Bus& bus, int partitions, const PublicSuffixes& suffixes, Duration timeout)
    : partitions_(partitions), timeout_(timeout), resolver_(UrlOptions(), suffixes) {
  auto producer = bus.NewProducer({}, [this](const Ack& ack) {
    last_acked_ = ack.offset;
    failure_.Update(ack.status);
  });
  CHECK_OK(producer.status());
  producer_ = *std::move(producer);
}

absl::Status FeedWriter::TakeOver(PartitionId partition) {
  ASSIGN_OR_RETURN(const std::string_view value,
                   Encode(SpiderFeedEntry{.entry = Marker{.owner = "test"}}, &buffer_));
  RETURN_IF_ERROR(Flush());
  RETURN_IF_ERROR(Send(partition, "", value));
  RETURN_IF_ERROR(Flush());
  epochs_[partition] = last_acked_;
  return absl::OkStatus();
}

absl::Status FeedWriter::Add(Request request) {
  return AddAsOf(epochs_[PartitionOfUrl(request.url)], request);
}

absl::Status FeedWriter::AddAsOf(Offset epoch, Request request) {
  ResolvedUrl url;
  if (resolver_.Resolve(request.url, &url) != UrlError::kNone) {
    return FatalError("write feed: {} is no URL", request.url);
  }
  const std::string domain(url.domain);
  request.fingerprint = url.fingerprint;
  request.domain = domain;
  const PartitionId partition = PartitionOf(url.slot, partitions_);
  ASSIGN_OR_RETURN(const std::string_view value,
                   Encode(SpiderFeedEntry{.epoch = epoch, .entry = request}, &buffer_));
  return Send(partition, domain, value);
}

absl::Status FeedWriter::AddBytes(PartitionId partition, std::string_view value) {
  return Send(partition, "", value);
}

absl::Status FeedWriter::Send(PartitionId partition, std::string_view key, std::string_view value) {
  const Record record{
      .topic = kSpiderFeedTopic, .partition = partition, .key = key, .value = value};
  absl::Status sent = producer_->Send(record, 0);
  while (absl::IsResourceExhausted(sent)) {
    producer_->Poll(timeout_);
    sent = producer_->Send(record, 0);
  }
  return sent;
}

absl::Status FeedWriter::Flush() {
  RETURN_IF_ERROR(producer_->Flush(timeout_));
  return failure_;
}

PartitionId FeedWriter::PartitionOfUrl(std::string_view url) {
  ResolvedUrl resolved;
  CHECK(resolver_.Resolve(url, &resolved) == UrlError::kNone);
  return PartitionOf(resolved.slot, partitions_);
}

namespace {

struct EventReader {
  SpiderLogContents& contents;

  SpiderLogContents::Outcomes& Of(const Request& request) const {
    return contents.by_url[std::string(request.url)];
  }
  void operator()(const Seeds&) const {}
  void operator()(const PageFetched& page) const {
    auto& of = Of(page.request);
    ++of.pages;
    of.status = page.status;
    of.final_url = page.final_url;
  }
  void operator()(const FetchFailed& failed) const {
    auto& of = Of(failed.request);
    ++of.failures;
    of.cause = failed.cause;
    of.message = failed.message;
    of.status = failed.status;
    of.final_url = failed.final_url;
  }
  void operator()(const Deferred& deferred) const {
    auto& of = Of(deferred.request);
    ++of.handed_back;
    of.reason = deferred.reason;
    of.not_before_ms = deferred.not_before.time_since_epoch().count();
  }
  void operator()(const LinksFound& found) const {
    for (const Link& link : found.links) ++contents.links[std::string(link.url)];
  }
  void operator()(const DomainOrder&) const {}
  void operator()(const UrlOrder&) const {}
  void operator()(const HostFacts& facts) const {
    ++contents.facts[std::string(facts.host)];
    if (facts.crawl_delay) {
      contents.crawl_delay_ms[std::string(facts.host)] = facts.crawl_delay->count();
    }
  }
};

}  // namespace

absl::Status ReadSpiderLog(Bus& bus, int partitions, Duration timeout,
                           SpiderLogContents* contents) {
  *contents = {};
  ASSIGN_OR_RETURN(const auto offsets, bus.NewOffsetReader());
  Arena arena;
  for (int p = 0; p < partitions; ++p) {
    const PartitionId partition(p);
    ASSIGN_OR_RETURN(const auto bounds, offsets->Bounds(kSpiderLogTopic, {&partition, 1}, timeout));
    ASSIGN_OR_RETURN(const auto consumer, bus.NewConsumer({.group = "spider-log-reader"}));
    const AssignedPartition from{.partition = partition, .position = bounds[0].start};
    RETURN_IF_ERROR(consumer->Assign(kSpiderLogTopic, {&from, 1}));
    MessageBatch batch;
    for (Offset next = bounds[0].start; next < bounds[0].end;) {
      RETURN_IF_ERROR(consumer->Poll({}, timeout, &batch));
      if (batch.empty()) return TimeoutError("read spider log {}: nothing comes", partition);
      for (const Message& message : batch.messages()) {
        arena.Reset();
        SpiderLogEntry entry;
        RETURN_IF_ERROR(Decode(message.value, &arena, &entry));
        if (message.key != entry.domain ||
            PartitionOf(SlotOf(entry.domain), partitions) != partition) {
          return FatalError("read spider log {}: an entry of {} is in the wrong place", partition,
                            entry.domain);
        }
        std::visit(EventReader{*contents}, entry.event);
        ++contents->entries;
        next = message.offset + 1;
      }
    }
  }
  return absl::OkStatus();
}

}  // namespace orbweaver
