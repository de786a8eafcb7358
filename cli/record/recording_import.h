// `orbweaver record import`: a recording into topics.
#pragma once

#include "cli/product_options.h"
#include "cli/record/record_arguments.h"

#include "common/config/schema.h"

namespace orbweaver {

// Into the folder of `args`, made when it is missing, else into the cluster of the options. Returns
// the exit code.
int ImportRecording(const ProductOptions& options, const config::Schema& schema,
                    const RecordArguments& args);

}  // namespace orbweaver
