#include "common/config/log_options.h"

#include "common/base/log.h"
#include "common/config/schema.h"

namespace orbweaver {

void DeclareLogOptions(config::Schema& schema, LogOptions* options) {
  static const config::Choices<LogLevel> kLevels = {{"debug", LogLevel::kDebug},
                                                    {"info", LogLevel::kInfo},
                                                    {"warning", LogLevel::kWarning},
                                                    {"error", LogLevel::kError}};
  schema.AddChoice("log.format", &options->json, {{"text", false}, {"json", true}},
                   {.doc = "Lines for people, or one JSON object a line"});
  schema.AddChoice("log.level", &options->level, kLevels,
                   {.doc = "The lowest level that is logged"});
  schema.AddChoice("log.levels", &options->module_levels, kLevels,
                   {.doc = "Levels of single modules, such as `bus: debug`; a module is the word "
                           "that a log line names after its level"});
  schema.Add("log.repeats", &options->repeats_per_ten_seconds,
             {.min = 0,
              .unit = "lines in ten seconds",
              .doc = "How often the same line is printed; further ones are only counted, and the "
                     "count is printed. 0 prints all"});
}

}  // namespace orbweaver
