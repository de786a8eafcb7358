#include "cli/frontier/recent_outcomes.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "cli/frontier/kept_file.h"

#include "common/base/byte_format.h"
#include "common/base/status.h"
#include "common/base/unix_ms.h"
#include "common/model/limits.h"

namespace orbweaver {
namespace {

// Another number: another layout.
constexpr std::string_view kMagic = "orbweaver outcomes 1\n";
// More than the magic, the head and the checksum take.
constexpr size_t kAroundAll = 64;

absl::Status Damaged() { return PoisonError("read the last outcomes: the file is damaged"); }

void AppendTime(WallTime time, std::string* out) {
  AppendVarint(static_cast<uint64_t>(std::max<int64_t>(0, UnixMs(time))), out);
}

WallTime ReadTime(ByteReader& reader) {
  const auto ms = reader.Varint<uint64_t>();
  if (ms > static_cast<uint64_t>(kMaxTimeMs)) reader.Fail();
  return reader.ok() ? WallTime(std::chrono::milliseconds(ms)) : WallTime();
}

std::string EncodeOne(std::string_view domain, const Outcome& outcome) {
  std::string out;
  AppendBytes(domain, &out);
  AppendBytes(outcome.url, &out);
  AppendTime(outcome.time, &out);
  AppendVarint(outcome.status, &out);
  AppendVarint(outcome.cause.has_value() ? static_cast<uint64_t>(*outcome.cause) + 1 : 0, &out);
  AppendVarint(static_cast<uint64_t>(std::max<int64_t>(0, outcome.latency.count())), &out);
  AppendVarint(outcome.bytes, &out);
  return out;
}

Outcome ReadOne(ByteReader& reader) {
  Outcome outcome;
  outcome.url = reader.Bytes(kMaxUrlBytes);
  outcome.time = ReadTime(reader);
  outcome.status = reader.Varint<uint32_t>();
  const auto cause = reader.Varint<uint8_t>();
  if (cause > 0) outcome.cause = static_cast<FailureCause>(cause - 1);
  const auto latency = reader.Varint<uint64_t>();
  if (latency > static_cast<uint64_t>(kMaxTimeMs)) reader.Fail();
  outcome.latency = std::chrono::milliseconds(reader.ok() ? latency : 0);
  outcome.bytes = reader.Varint<uint64_t>();
  return outcome;
}

}  // namespace

void RecentOutcomes::Add(const SpiderLogEntry& entry) {
  std::optional<Outcome> outcome = OutcomeOf(entry);
  if (!outcome.has_value()) return;
  absl::MutexLock lock(&mutex_);
  ++added_;
  kept_.push_back({.domain = std::string(entry.domain), .outcome = *std::move(outcome)});
  if (kept_.size() <= kMost) return;
  dropped_ = kept_.front().outcome.time;
  kept_.pop_front();
}

DomainOutcomes RecentOutcomes::Of(std::string_view domain, size_t most) const {
  DomainOutcomes last;
  absl::MutexLock lock(&mutex_);
  last.read_back_to = dropped_;
  for (auto kept = kept_.rbegin(); kept != kept_.rend(); ++kept) {
    if (kept->domain != domain) continue;
    if (last.outcomes.size() == most) {
      last.read_back_to = last.outcomes.back().time;
      break;
    }
    last.outcomes.push_back(kept->outcome);
  }
  return last;
}

std::vector<std::optional<Outcome>> RecentOutcomes::LastFailures(
    std::span<const std::string> domains) const {
  std::vector<std::optional<Outcome>> last(domains.size());
  absl::flat_hash_map<std::string_view, size_t> wanted;
  for (size_t i = 0; i < domains.size(); ++i) wanted[domains[i]] = i;
  absl::MutexLock lock(&mutex_);
  for (auto kept = kept_.rbegin(); kept != kept_.rend() && !wanted.empty(); ++kept) {
    if (!kept->outcome.cause.has_value()) continue;
    const auto found = wanted.find(kept->domain);
    if (found == wanted.end()) continue;
    last[found->second] = kept->outcome;
    wanted.erase(found);
  }
  return last;
}

uint64_t RecentOutcomes::added() const {
  absl::MutexLock lock(&mutex_);
  return added_;
}

std::string RecentOutcomes::Encode() const {
  std::vector<std::string> newest_first;
  WallTime dropped;
  {
    absl::MutexLock lock(&mutex_);
    dropped = dropped_;
    size_t bytes = kAroundAll;
    for (auto kept = kept_.rbegin(); kept != kept_.rend(); ++kept) {
      std::string one = EncodeOne(kept->domain, kept->outcome);
      bytes += one.size();
      if (bytes > kMostBytes) {
        dropped = kept->outcome.time;
        break;
      }
      newest_first.push_back(std::move(one));
    }
  }
  std::string out(kMagic);
  AppendTime(dropped, &out);
  AppendVarint(newest_first.size(), &out);
  for (auto one = newest_first.rbegin(); one != newest_first.rend(); ++one) out += *one;
  return WithChecksum(std::move(out));
}

absl::Status RecentOutcomes::Decode(std::string_view bytes) {
  if (!TakeChecksum(&bytes) || !bytes.starts_with(kMagic)) return Damaged();
  ByteReader reader(bytes.substr(kMagic.size()));
  const WallTime dropped = ReadTime(reader);
  const auto count = reader.Varint<uint64_t>();
  if (count > kMost) return Damaged();
  std::deque<Kept> kept;
  for (uint64_t i = 0; reader.ok() && i < count; ++i) {
    std::string domain(reader.Bytes(kMaxDomainBytes));
    kept.push_back({.domain = std::move(domain), .outcome = ReadOne(reader)});
  }
  if (!reader.ok() || !reader.AtEnd()) return Damaged();
  absl::MutexLock lock(&mutex_);
  kept_ = std::move(kept);
  dropped_ = dropped;
  return absl::OkStatus();
}

}  // namespace orbweaver
