// The strategy that knows the value of every recorded page beforehand.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

#include "lab/crawl/recorded_web.h"
#include "lab/report/page_table.h"
#include "strategy_worker/host/strategy.h"

namespace orbweaver::lab {

// The promise of each recorded URL, between 0 and 1: the value of its page as a share of the
// largest one, or half the promise of the best page that it links to, if that is more. So a page
// without value is fetched for the sake of those behind it.
//
// Thread-safe once made. Memory: 4 bytes a URL.
class OraclePromises {
 public:
  explicit OraclePromises(const PageTable& pages);

  float Of(uint32_t url) const { return promises_[url]; }

 private:
  std::vector<float> promises_;
};

// Schedules every URL that it hears of, once, with its promise as score; unknown ones last. A
// failure that may pass is tried three times more. It can only crawl a recorded web, where it shows
// how far other strategies are from the best order, though not the very best: it does not plan.
//
// Place: in a virtual crawl, in the place of a plugin. Not thread-safe; the two below it are.
class Oracle final : public Strategy {
 public:
  static constexpr std::string_view kName = "oracle";

  // Both must outlive this.
  Oracle(const RecordedWeb& web, const OraclePromises& promises) : web_(web), promises_(promises) {}

  std::string_view name() const override { return kName; }
  uint32_t version() const override { return 1; }
  absl::Status Filter(const orbweaver_event& event, std::span<const orbweaver_link> links,
                      std::span<uint8_t> keep) override;
  absl::Status OnEvent(const orbweaver_event& event, std::span<const orbweaver_link> links,
                       std::span<const orbweaver_state> states,
                       std::span<orbweaver_decision> decisions, orbweaver_output* output) override;
  absl::StatusOr<std::string> Adopt(std::string_view from_name, uint32_t from_version,
                                    std::string_view data) override;
  absl::StatusOr<bool> Finished() override { return false; }

 private:
  float PromiseOf(const orbweaver_link& link) const;

  const RecordedWeb& web_;
  const OraclePromises& promises_;
};

}  // namespace orbweaver::lab
