// `orbweaver record --out`: logs of a cluster or folder into a recording.
#pragma once

#include "cli/product_options.h"
#include "cli/record/record_arguments.h"

#include "common/config/schema.h"

namespace orbweaver {

// Records as `args` say, until the logs' ends or a signal, and says what came of it. Returns the
// exit code.
int RecordLogs(const ProductOptions& options, const config::Schema& schema,
               const RecordArguments& args);

}  // namespace orbweaver
