#pragma once

#include "common/url/domain.h"
#include "common/url/options.h"

namespace orbweaver {

namespace config {
class Schema;
}

// The options `url.*`. Both structs must outlive the schema.
void DeclareUrlOptions(config::Schema& schema, UrlOptions* url, PublicSuffixOptions* suffixes);

}  // namespace orbweaver
