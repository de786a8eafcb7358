#include "spider/crawl/spider_core.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "common/base/check.h"
#include "common/base/log.h"
#include "common/base/status.h"
#include "common/url/partition.h"

namespace orbweaver {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr char kModule[] = "spider";
// While requests are held, the feed and the acks are looked at so often; while there is no room,
// the feed only to stay in the group.
constexpr Duration kLook = milliseconds(5);
constexpr Duration kStayInGroup = milliseconds(500);
// The feed is read in batches: not for each place that becomes free.
constexpr size_t kBatchShare = 8;
// Commits back-offs early so that the next owner honours them; back-offs within this interval share
// a commit.
constexpr Duration kRestsInterval = milliseconds(50);
constexpr Duration kReportInterval = seconds(1);
constexpr size_t kReportedDomains = 10;
// After the drain the outcomes of what is handed back must still reach the log.
constexpr Duration kLastAcks = seconds(5);

class Membership : public Stepped {
 public:
  Membership(SpiderCore& core, Duration wait) : core_(core), wait_(wait) {}
  ~Membership() override { core_.Leave(); }

  absl::Status Step() override { return core_.Step(wait_); }
  absl::Status Close() override { return core_.Close(); }

 private:
  SpiderCore& core_;
  const Duration wait_;
};

constexpr auto kAll = [](PartitionId) { return true; };
auto Among(std::span<const PartitionId> partitions) {
  return [partitions](PartitionId id) {
    return std::ranges::find(partitions, id) != partitions.end();
  };
}

double Seconds(Duration duration) { return std::chrono::duration<double>(duration).count(); }

void Write(JsonWriter& json, std::string_view key,
           const std::vector<Politeness::DomainReport>& domains) {
  json.Key(key).BeginArray();
  for (const Politeness::DomainReport& domain : domains) {
    json.BeginObject();
    json.Key("domain").Value(domain.domain);
    json.Key("last_request_s").Value(Seconds(domain.took));
    json.Key("delay_s").Value(Seconds(domain.delay));
    json.Key("blocked_s").Value(Seconds(domain.blocked_for));
    json.Key("waiting").Value(domain.waiting);
    json.Key("running").Value(domain.running);
    json.EndObject();
  }
  json.EndArray();
}

}  // namespace

SpiderCore::SpiderCore(SpiderCoreParts parts)
    : bus_(parts.bus),
      clock_(parts.clock),
      metrics_(parts.metrics),
      partitions_(parts.partitions),
      membership_(std::move(parts.membership)),
      options_(parts.options),
      lanes_(std::move(parts.lanes)),
      failures_(std::move(parts.failures)),
      flow_(std::move(parts.flow), parts.suffixes, parts.clock, *lanes_, parts.metrics) {}

SpiderCore::~SpiderCore() = default;

absl::Status SpiderCore::Join() {
  CHECK(feed_ == nullptr);
  ASSIGN_OR_RETURN(log_, LogSender::Create(bus_, partitions_));
  ASSIGN_OR_RETURN(auto session, NewFeedSession(bus_, clock_, membership_));
  FeedListener& listener = *this;
  auto feed = std::make_unique<FeedReader>(std::move(session), clock_, listener, stats_);
  RETURN_IF_ERROR(feed->Start());
  feed_ = std::move(feed);
  last_commit_ = last_heard_ = clock_.Now();
  return absl::OkStatus();
}

absl::Status SpiderCore::Step(Duration wait) {
  const StageScope step(stage_, StateNow());
  RETURN_IF_ERROR(ReadFeed(wait));
  const SteadyTime now = clock_.Now();
  SteadyTime until = now;
  if (flow_.held() > 0 || flow_.fetching() > 0) {
    until = std::min(now + std::min(wait, kLook), std::max(now, flow_.NextLook()));
    if (!MayFetch()) until = now + std::min(wait, kLook);
  }
  RETURN_IF_ERROR(Work(until));
  RETURN_IF_ERROR(CommitDue());
  if (clock_.Now() - last_look_ >= kReportInterval) Observe(clock_.Now());
  return absl::OkStatus();
}

absl::Status SpiderCore::CommitDue() {
  const bool in_a_hurry = feed_->rests_to_commit() && !commit_failed_;
  const Duration interval = in_a_hurry
                                ? std::min<Duration>(kRestsInterval, options_.commit_interval)
                                : options_.commit_interval;
  if (clock_.Now() - last_commit_ < interval) return absl::OkStatus();
  const absl::Status status = feed_->Commit(options_.bus_timeout);
  // From its end on: where the bus is away, it has taken all of its time.
  last_commit_ = clock_.Now();
  commit_failed_ = !status.ok();
  return Survive(status);
}

absl::Status SpiderCore::Survive(const absl::Status& status) {
  if (!IsRetry(status)) return status;
  Log(LogLevel::kWarning, kModule, "goes on with what it has: {}", MessageOf(status));
  return absl::OkStatus();
}

StageState SpiderCore::StateNow() const {
  if (log_->queued_bytes() >= options_.max_queued_bytes) return StageState::kWaitsForOutput;
  return flow_.fetching() > 0 ? StageState::kBusy : StageState::kWaitsForInput;
}

absl::Status SpiderCore::ReadFeed(Duration wait) {
  const SteadyTime now = clock_.Now();
  const auto left = [](size_t most, size_t used) { return most - std::min(most, used); };
  size_t room = std::min(left(options_.max_requests, flow_.held()),
                         left(options_.window, feed_->uncommitted()));
  if (room <= std::min(options_.max_requests, options_.window) / kBatchShare) room = 0;
  const bool idle = flow_.held() == 0 && flow_.fetching() == 0;
  if (!idle && now - last_poll_ < (room > 0 ? kLook : kStayInGroup)) return absl::OkStatus();
  last_poll_ = now;
  const absl::Status polled = feed_->Poll(room, idle ? wait : Duration{});
  // From its beginning on: what it said may be old by its end.
  if (polled.ok()) last_heard_ = now;
  return Survive(polled);
}

bool SpiderCore::MayFetch() const {
  return log_->queued_bytes() < options_.max_queued_bytes &&
         clock_.Now() - last_heard_ < membership_.session_timeout;
}

absl::Status SpiderCore::Work(SteadyTime until) {
  flow_.Advance(MayFetch());
  stage_.Enter(StateNow());
  RETURN_IF_ERROR(lanes_->Run(until, &results_));
  for (LaneResult& result : results_) flow_.OnResult(result);
  results_.clear();
  for (const std::string& domain : flow_.TakeRests()) {
    feed_->Rest(PartitionOf(SlotOf(domain), partitions_), domain,
                flow_.politeness().RestsUntil(domain));
  }
  flow_.Advance(MayFetch());
  for (LogEntries& facts : flow_.TakeFacts()) log_->Add(SendId(), std::move(facts));
  for (RequestFlow::Outcome& outcome : flow_.TakeOutcomes()) {
    if (outcome.entries.failure() && failures_ != nullptr) {
      RETURN_IF_ERROR(failures_->Keep(outcome.entries[0].value));
    }
    log_->Add(SendId(outcome.id.value()), std::move(outcome.entries));
  }
  RETURN_IF_ERROR(log_->Send());
  for (const SendId id : log_->TakeArrived()) {
    const auto place = flow_.Arrived(TurnId(id.value()));
    if (place) (void)feed_->Finish(*place);
  }
  metrics_.held.Set(static_cast<double>(flow_.held()));
  metrics_.queued_bytes.Set(static_cast<double>(log_->queued_bytes()));
  return absl::OkStatus();
}

absl::Status SpiderCore::Close() {
  if (!drained_) {
    RETURN_IF_ERROR(Drain(kAll));
    drained_ = true;
  }
  RETURN_IF_ERROR(feed_->Commit(options_.bus_timeout));
  feed_->Close();
  return absl::OkStatus();
}

absl::Status SpiderCore::Drain(RequestFlow::Which which) {
  // A robots.txt is waited for too: the next owner will ask for it, and the site is to be asked
  // once at a time.
  RETURN_IF_ERROR(DrainUntil(clock_.Now() + options_.drain_timeout, [&] {
    // Again and again: where redirects lead that come in meanwhile is for the next owner to ask.
    flow_.HandBack(which, /*fetching_too=*/false);
    return !flow_.Holds(which) && !flow_.AsksRobots(which);
  }));
  flow_.HandBack(which, /*fetching_too=*/true);
  RETURN_IF_ERROR(DrainUntil(clock_.Now() + kLastAcks, [&] { return !flow_.Holds(which); }));
  if (!flow_.Holds(which)) return absl::OkStatus();
  return TimeoutError(
      "hand back {} requests: the spider log takes too long. They are fetched again", flow_.held());
}

absl::Status SpiderCore::DrainUntil(SteadyTime deadline, absl::FunctionRef<bool()> done) {
  for (SteadyTime now = clock_.Now(); !done() && now < deadline; now = clock_.Now()) {
    RETURN_IF_ERROR(Work(std::min(deadline, now + kLook)));
  }
  return absl::OkStatus();
}

void SpiderCore::OnRevoking(std::span<const PartitionId> partitions) {
  if (const absl::Status status = Drain(Among(partitions)); !status.ok()) {
    Log(LogLevel::kWarning, kModule, "partitions go with requests in hand: {}", MessageOf(status));
  }
}

void SpiderCore::OnGone(std::span<const PartitionId> partitions) {
  flow_.Forget(Among(partitions));
}

absl::Status SpiderCore::Finish() {
  absl::Status status = lanes_->Stop();
  if (failures_ != nullptr) status.Update(failures_->Finish());
  return status;
}

void SpiderCore::Leave() {
  flow_.Forget(kAll);
  // Outcomes of forgotten requests must not follow them into another log session.
  (void)flow_.TakeOutcomes();
  flow_.ForgetTold();
  feed_.reset();
  log_.reset();
}

void SpiderCore::Observe(SteadyTime now) {
  last_look_ = now;
  metrics_.partitions.Set(static_cast<double>(feed_->partitions()));
  metrics_.feed_requests.Increment(stats_.requests - reported_.requests);
  metrics_.feed_lost.Increment(stats_.lost - reported_.lost);
  metrics_.feed_of_old_epochs.Increment(stats_.of_old_epochs - reported_.of_old_epochs);
  metrics_.dead_letters.Increment(stats_.dead_letters - reported_.dead_letters);
  metrics_.commits.Increment(stats_.commits - reported_.commits);
  reported_ = stats_;
  auto slowest = flow_.politeness().Report(Politeness::Worst::kSlowest, kReportedDomains, now);
  auto resting = flow_.politeness().Report(Politeness::Worst::kBackedOff, kReportedDomains, now);
  absl::MutexLock lock(&status_mutex_);
  slowest_ = std::move(slowest);
  backed_off_ = std::move(resting);
  no_way_out_ = flow_.held() > 0 ? flow_.no_way_out() : std::nullopt;
}

void SpiderCore::WriteStatus(JsonWriter& json) const {
  absl::MutexLock lock(&status_mutex_);
  json.BeginObject();
  json.Key("no_way_out");
  if (no_way_out_) {
    json.BeginObject().Key("side").Value(OwnSideName(no_way_out_->side));
    json.Key("message").Value(no_way_out_->message).EndObject();
  } else {
    json.Null();
  }
  Write(json, "slowest", slowest_);
  Write(json, "backed_off", backed_off_);
  json.EndObject();
}

absl::StatusOr<std::unique_ptr<Stepped>> JoinSpiders(SpiderCore& core, Duration wait) {
  RETURN_IF_ERROR(core.Join());
  return std::make_unique<Membership>(core, wait);
}

}  // namespace orbweaver
