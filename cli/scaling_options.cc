#include "cli/scaling_options.h"

#include "common/config/schema.h"

namespace orbweaver {

void DeclareScalingOptions(config::Schema& schema, ScalingRule* rule) {
  schema.AddShare("scaling.busy", &rule->busy,
                  {.min = 0.01,
                   .doc = "Where the workers of a kind are in use for more than this, "
                          "`orbweaver metrics-api` wants more of them"});
  schema.AddShare("scaling.idle", &rule->idle,
                  {.min = 0.01,
                   .doc = "Where they are in use for less than this, it wants fewer; well below "
                          "scaling.busy, or their number goes up and down"});
  schema.Add("scaling.lag", &rule->lag,
             {.min = std::chrono::seconds(1),
              .doc = "Workers whose log is this far behind in time have a backlog: none of them is "
                     "taken away, and more are wanted by how far behind they are"});
  schema.Add(
      "scaling.catch_up", &rule->catch_up,
      {.min = std::chrono::seconds(1), .doc = "In which time a backlog is to be worked off"});
}

}  // namespace orbweaver
