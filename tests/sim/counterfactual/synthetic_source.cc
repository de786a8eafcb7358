#include "tests/sim/counterfactual/synthetic_source.h"

#include <functional>
#include <utility>

#include "common/base/check.h"
#include "common/base/status.h"
#include "common/model/encode_buffer.h"
#include "common/model/spider_log.h"
#include "spider/crawl/lane.h"

namespace orbweaver::lab {
namespace {

using std::chrono::milliseconds;
using synthetic::Place;

constexpr WallTime kBegin{std::chrono::hours(24 * 365 * 50)};

// Between 20 ms and 2 s a host, and up to a quarter more a page.
Duration LatencyOf(const Place& place) {
  const uint64_t of_host = synthetic::Mix(place.host, 17) % 1000;
  const uint64_t ms = 20 + 2 * of_host * of_host / 1000;
  const uint64_t of_page = synthetic::Mix(place.number, place.host) % 256;
  return milliseconds(ms + ms * of_page / 1024);
}

}  // namespace

// A lane that fetches in the clock's time.
class SyntheticSource::Lanes : public VirtualLanes {
 public:
  Lanes(std::unique_ptr<SimulatedFetcher> fetcher, const SyntheticSource& source,
        const Clock& clock, FetchMetrics& metrics)
      : fetcher_(*fetcher),
        lane_({.fetcher = std::move(fetcher),
               .archive = std::make_unique<Archive>(ArchiveOptions(), "", "", clock),
               .suffixes = source.suffixes_,
               .clock = clock,
               .metrics = metrics,
               .urls = {},
               .parse = {},
               .publish = {}}) {}

  void Start(LaneTask task) override { lane_.Start(std::move(task)); }
  absl::Status Run(SteadyTime until, std::vector<LaneResult>* done) override {
    return lane_.Run(until, done);
  }
  absl::Status Stop() override { return lane_.Stop(); }
  SteadyTime NextDone() const override { return fetcher_.NextEnd(); }

 private:
  const SimulatedFetcher& fetcher_;  // the lane's
  Lane lane_;
};

SyntheticSource::SyntheticSource(const synthetic::Web& web, const PublicSuffixes& suffixes,
                                 size_t seeds)
    : web_(web), suffixes_(suffixes) {
  EncodeBuffer buffer;
  for (const std::string& url : web.Seeds(seeds)) {
    std::string domain;
    web.hosts().AppendDomain(web.paths().FindUrl(url)->host, &domain);
    const Seed seed{.url = url};
    const auto entry =
        Encode({.domain = domain, .event = Seeds{.seeds = {&seed, 1}}, .time = kBegin}, &buffer);
    CHECK_OK(entry.status());
    seeds_.push_back({.at = kBegin, .domain = domain, .value = std::string(*entry)});
  }
}

SyntheticSource::~SyntheticSource() = default;

WallTime SyntheticSource::begin() const { return kBegin; }

std::unique_ptr<VirtualLanes> SyntheticSource::NewLanes(ManualClock& clock, CrawlTrace* trace) {
  auto fetcher = std::make_unique<SimulatedFetcher>(
      clock, [this, &clock, trace, began = clock.Now()](FetchId, std::string_view url) {
        return Serve(url, began, clock, trace);
      });
  return std::make_unique<Lanes>(std::move(fetcher), *this, clock, metrics_);
}

SimulatedAnswer SyntheticSource::Serve(std::string_view url, SteadyTime began, const Clock& clock,
                                       CrawlTrace* trace) {
  const auto place = web_.paths().FindUrl(url);
  CHECK(place.has_value());
  web_.Get({.place = *place}, &answer_);
  CHECK(answer_.delivery == synthetic::Delivery::kWhole);
  const auto status = static_cast<uint32_t>(answer_.status);
  const Duration takes = LatencyOf(*place);
  if (!IsRobotsText(place->kind)) {
    served_.push_back({.url = std::string(url),
                       .began = clock.Now() - began,
                       .status = status,
                       .body_hash = std::hash<std::string>()(answer_.body)});
    trace->fetches.push_back({.at = clock.Now() - began, .outcome = FetchOutcome::kPage});
  }
  return {.status = status,
          .content_type = std::string(answer_.content_type),
          .location = answer_.location,
          .body = answer_.body,
          .takes = takes};
}

}  // namespace orbweaver::lab
