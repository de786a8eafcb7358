// The robots.txt files and sitemaps of the synthetic web.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/base/clock.h"
#include "tests/support/synthetic_web/paths.h"
#include "tests/support/synthetic_web/troubles.h"

namespace orbweaver::synthetic {

struct RobotsFile {
  RobotsKind kind = RobotsKind::kRules;
  std::string_view agent;    // the product token of our own group
  std::string_view sitemap;  // URL; empty: none
  std::chrono::milliseconds crawl_delay{};
  uint64_t seed = 0;  // of what is junk
};

// The body of a kind that is answered with 200. Paths::RulesForbid knows the rules.
void AppendRobots(const RobotsFile& file, std::string* out);

// A sitemap of pages, or an index when `index`.
void AppendSitemapXml(const Paths& paths, const std::vector<Place>& places, bool index,
                      std::string* out);

}  // namespace orbweaver::synthetic
