#include "cli/seed_writer.h"

#include <algorithm>
#include <span>
#include <utility>

#include "fmt/format.h"

#include "common/base/status.h"
#include "common/base/text.h"
#include "common/bus/topics.h"
#include "common/model/limits.h"
#include "common/model/spider_log.h"
#include "common/model/split.h"
#include "common/url/partition.h"

namespace orbweaver {
namespace {

// The memory that a domain takes beside its URLs.
constexpr size_t kDomainBytes = 128;
// Enough that a list of many domains in any order still makes few messages.
constexpr size_t kMostCollectedBytes = size_t{16} << 20;

// `localhost:8000/docs`: to a parser of URLs its scheme is `localhost`.
bool BeginsWithHostAndPort(std::string_view text) {
  const size_t colon = text.find(':');
  if (colon == std::string_view::npos) return false;
  const std::string_view rest = text.substr(colon + 1);
  const size_t digits = std::min(rest.find_first_not_of("0123456789"), rest.size());
  return digits > 0 && digits <= 5 && (digits == rest.size() || rest[digits] == '/');
}

}  // namespace

SeedWriter::SeedWriter(const Clock& clock, UrlResolver& resolver, int partitions, Duration timeout)
    : clock_(clock), resolver_(resolver), partitions_(partitions), timeout_(timeout) {}

SeedWriter::~SeedWriter() = default;

absl::StatusOr<std::unique_ptr<SeedWriter>> SeedWriter::Create(Bus& bus, const Clock& clock,
                                                               UrlResolver& resolver,
                                                               Duration timeout) {
  ASSIGN_OR_RETURN(const int partitions, bus.PartitionCount(kSpiderLogTopic, timeout));
  if (!IsPartitionCount(partitions)) {
    return FatalError("add seeds: topic '{}' has {} partitions. Run `orbweaver init`",
                      kSpiderLogTopic, partitions);
  }
  std::unique_ptr<SeedWriter> writer(new SeedWriter(clock, resolver, partitions, timeout));
  // The token says how many seeds the record has.
  ASSIGN_OR_RETURN(writer->producer_, bus.NewProducer({}, [raw = writer.get()](const Ack& ack) {
    if (ack.status.ok()) {
      raw->durable_ += ack.token;
    } else {
      raw->status_.Update(ack.status);
    }
  }));
  return writer;
}

UrlError ResolveSeed(std::string_view seed, UrlResolver& resolver, ResolvedUrl* url) {
  const UrlError error = resolver.Resolve(seed, url);
  const bool has_no_scheme = (error == UrlError::kRelative && !seed.starts_with('/')) ||
                             (error == UrlError::kScheme && BeginsWithHostAndPort(seed));
  if (!has_no_scheme) return error;
  return resolver.Resolve(fmt::format("http://{}", seed), url);
}

UrlError SeedWriter::Add(std::string_view seed) {
  ResolvedUrl resolved;
  if (const UrlError error = ResolveSeed(seed, resolver_, &resolved); error != UrlError::kNone) {
    return error;
  }
  const auto [it, is_new] = collected_.try_emplace(ToAbsl(resolved.domain));
  Collected& seeds = it->second;
  if (record_ != nullptr) {
    std::fwrite(resolved.url.data(), 1, resolved.url.size(), record_);
    std::fputc('\n', record_);
  }
  seeds.urls.append(resolved.url);
  seeds.ends.push_back(static_cast<uint32_t>(seeds.urls.size()));
  collected_bytes_ += resolved.url.size() + sizeof(uint32_t) + (is_new ? kDomainBytes : 0);
  if (collected_bytes_ >= kMostCollectedBytes) WriteAll();
  return UrlError::kNone;
}

absl::Status SeedWriter::Finish() {
  WriteAll();
  if (status_.ok()) status_.Update(producer_->Flush(timeout_));
  return Annotate(status_, "add seeds");
}

void SeedWriter::WriteAll() {
  for (const auto& [domain, seeds] : collected_) Write(domain, seeds);
  collected_.clear();
  collected_bytes_ = 0;
}

void SeedWriter::Write(std::string_view domain, const Collected& collected) {
  std::vector<Seed> all;
  size_t begin = 0;
  for (const size_t end : collected.ends) {
    all.push_back({.url = std::string_view(collected.urls).substr(begin, end - begin)});
    begin = end;
  }
  std::span<const Seed> seeds = all;
  for (size_t n = 0; !seeds.empty() && status_.ok(); seeds = seeds.subspan(n)) {
    n = FittingPrefix(seeds, kDefaultMaxMessageBytes);
    const auto value =
        Encode({.domain = domain, .event = Seeds{.seeds = seeds.first(n)}, .time = clock_.Wall()},
               &buffer_);
    status_.Update(value.ok() ? Send(domain, *value, n) : value.status());
  }
}

absl::Status SeedWriter::Send(std::string_view domain, std::string_view value, size_t seeds) {
  const Record record{.topic = kSpiderLogTopic,
                      .partition = PartitionOf(SlotOf(domain), partitions_),
                      .key = domain,
                      .value = value};
  const SteadyTime deadline = clock_.Now() + timeout_;
  absl::Status sent = producer_->Send(record, seeds);
  while (IsRetry(sent) && clock_.Now() < deadline) {
    producer_->Poll(deadline - clock_.Now());
    sent = producer_->Send(record, seeds);
  }
  return sent;
}

}  // namespace orbweaver
