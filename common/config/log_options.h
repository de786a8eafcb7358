// The options of common/base/log.h, which lies below this folder and cannot declare them itself.
#pragma once

namespace orbweaver {

struct LogOptions;
namespace config {
class Schema;
}

void DeclareLogOptions(config::Schema& schema, LogOptions* options);

}  // namespace orbweaver
