// All that can be said of a configuration before anything is started, for `orbweaver config check`
// and the commands that start something.
#pragma once

#include "absl/status/status.h"
#include "cli/product_options.h"

#include "common/config/schema.h"

namespace orbweaver {

// Checks the options that a crawl on one machine refuses, as the workers of a cluster do: the
// strategy and its parameters, how the spider asks and what it keeps, roles and limits of the
// queue. Fatal, with where the value comes from as far as `schema` says, the option's name and what
// is expected. Looks up the name of a proxy.
absl::Status CheckCrawlOptions(const ProductOptions& options, const config::Schema& schema);

// The same, and what only the workers of a cluster refuse: how to reach Kafka and HBase, topics.
// Asks no server.
absl::Status CheckClusterOptions(const ProductOptions& options, const config::Schema& schema);

}  // namespace orbweaver
