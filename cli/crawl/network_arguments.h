// The part of `orbweaver crawl`'s command line that says who asks, how fast, and by which way.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/product_options.h"

#include "common/config/schema.h"

namespace orbweaver {

// Takes its options out of `args`, and appends what they say as (option, value). Returns what is
// wrong, by the name that the user wrote, or nothing. Reads the file of --cookies.
std::optional<std::string> TakeNetworkArguments(
    std::vector<std::string>* args, std::vector<std::pair<std::string, std::string>>* options);

// The name by which the command line knows an option; empty when it is none of those.
std::string_view NetworkFlagOf(std::string_view option);

// Checks the options that the spider would refuse, and names them as the command line does.
absl::Status CheckNetworkOptions(const ProductOptions& options);

// The hosts of these seeds, which are URLs, may be asked whatever their address and port is: the
// user has named them. Those that network.allow_hosts lacks are added to it, in the schema too.
// Fatal: the list of public suffixes cannot be read.
absl::Status AllowSeedHosts(const std::vector<std::string>& seeds, config::Schema& schema,
                            ProductOptions* options);

// Says on standard error, at every start, what site owners or the user would want to know of.
void TellNetworkOptions(const ProductOptions& options);

}  // namespace orbweaver
