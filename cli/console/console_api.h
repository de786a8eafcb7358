// The JSON API of the console: what is known of a crawl, by HTTP.
//
//   GET /api/v1/overview               how it stands, what limits it; a running crawl's progress
//   GET /api/v1/history?range=         curves over time
//   GET /api/v1/workers
//   GET /api/v1/domains?contains=&phase=&sort=&order=&offset=&limit=
//   GET /api/v1/domain?name=
//   GET /api/v1/url?url=               what happens to a URL, and why
//   GET /api/v1/dead-letters?limit=&before=
//   GET /api/v1/openapi.json           the description of all this (openapi.json)
//
// Answers are JSON objects; an error's is {"error": TEXT}.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "cli/console/crawl_sampler.h"
#include "cli/frontier/domain_outcomes.h"
#include "cli/frontier/domain_table.h"
#include "cli/frontier/frontier.h"
#include "cli/frontier/frontier_status.h"
#include "cli/frontier/queue_sample.h"
#include "cli/frontier/recent_outcomes.h"
#include "cli/frontier/url_facts.h"
#include "cli/product_options.h"

#include "common/base/clock.h"
#include "common/base/json.h"
#include "common/runtime/admin_message.h"
#include "common/runtime/form.h"
#include "common/url/domain.h"

namespace orbweaver {

inline constexpr std::string_view kApiPath = "/api/";

// The crawl that the API is about.
struct ConsoleSubject {
  std::string kind;  // "cluster", "folder", or "crawl" for one that runs in this process
  std::string name;  // Kafka's address, or the folder
  // A view that is good for one call. Of a folder one that is not old.
  std::function<absl::StatusOr<const Frontier*>()> look;
  // The queue, where somebody knows it better than the store does; none: it is read there.
  std::function<QueueSample()> queue;
  // Writes the progress of a crawl in this process as an object; none for the others.
  std::function<void(JsonWriter&)> write_run;
  // The last ones, where somebody knows them better than Frontier does; it must outlive the API.
  const RecentOutcomes* outcomes = nullptr;
  // Knows workers and curves; none: there are none.
  std::shared_ptr<const CrawlSampler> sampler = nullptr;
  // Those that a worker of the sampler's plays, each with all partitions: the crawl in this
  // process. None: each worker is what it says.
  std::vector<std::string> roles = {};
};

// Place: behind the admin server of `orbweaver console` and of `orbweaver crawl`. Not thread-safe:
// the server's thread of slow reads. A call may block for some calls to bus and store, of
// kLookTimeout at most each.
class ConsoleApi {
 public:
  // The references must outlive it.
  ConsoleApi(const ProductOptions& options, const PublicSuffixes& suffixes, const Clock& clock,
             ConsoleSubject subject);

  // Of a request whose path begins with kApiPath.
  AdminResponse Handle(const AdminRequest& request);

 private:
  using Answer = absl::StatusOr<std::string>;

  Answer Route(std::string_view path, const FormParams& params);
  // Brings now_ up to date.
  absl::Status LookAnew();
  Answer Overview();
  Answer History(const FormParams& params);
  Answer Workers();
  Answer Domains(const FormParams& params);
  // Reads table_ anew, with rates since it was read before.
  absl::Status ReadTable(const Frontier& frontier);
  Answer Domain(const FormParams& params);
  Answer Url(const FormParams& params);
  absl::StatusOr<DomainOutcomes> LastOutcomes(const Frontier& frontier,
                                              const DomainFacts& domain) const;
  Answer DeadLetters(const FormParams& params);

  const ProductOptions& options_;
  const PublicSuffixes& suffixes_;
  const Clock& clock_;
  const ConsoleSubject subject_;

  // The two newest looks; many that look at once share one.
  std::optional<FrontierStatus> before_;
  std::optional<FrontierStatus> now_;
  // Older ones, some seconds apart: hot partitions are those of a longer time than rates.
  std::deque<FrontierStatus> marks_;
  SteadyTime looked_at_;
  SteadyTime sampled_at_;  // of the queue in now_
  // For several pages, orders and filters.
  std::optional<DomainTable> table_;
  SteadyTime table_at_;
  std::optional<FetchedThen> fetched_then_;  // of the table before
  // The owners of partitions.
  std::optional<FrontierStatus> owners_;
  SteadyTime owners_at_;
};

}  // namespace orbweaver
