#include "strategy_worker/host/strategy_options.h"

#include "common/config/schema.h"

namespace orbweaver {

void DeclareStrategyOptions(config::Schema& schema, StrategyOptions* options) {
  schema.Add("strategy.name", &options->name,
             {.doc = "The crawl strategy; `orbweaver strategy list` shows those there are"});
  schema.Add(
      "strategy.path", &options->path,
      {.doc = "The library of a strategy of your own, or FILE.so#NAME for one of several in it; "
              "the name is then not used"});
  schema.Add("strategy.directory", &options->directory,
             {.doc = "Folder in which a name is looked up, as NAME.so. Empty: the strategies that "
                     "came with this program"});
  schema.Add("strategy.time_limit", &options->time_limit,
             {.doc = "How long a strategy may take for one event. One that takes longer is named "
                     "with its event, and the process ends with exit code 1; 0s: for ever"});
  schema.Add(
      "strategy.params", &options->params,
      {.shown_keys = {"allow_*", "deny_*", "max_*", "min_*", "retries", "retry_*", "*_interval_s",
                      "*_score", "shrink", "grow", "terms", "new_domains", "module", "class"},
       .doc = "The strategy's parameters; `orbweaver strategy describe NAME` lists them with "
              "bounds and defaults. Elements of a list stand between commas"});
}

}  // namespace orbweaver
