#include "db_worker/pages/pages_options.h"

#include "common/config/schema.h"

namespace orbweaver {

void DeclarePagesOptions(config::Schema& schema, PagesOptions* options) {
  schema.Add(
      "pages.headers", &options->headers,
      {.doc = "Headers of a page's answer that are kept, by their names in lower case; none: "
              "all that the spiders log"});
  schema.Add("pages.bodies", &options->bodies,
             {.doc = "Whether bodies are kept, compressed. Only of pages whose body the spiders "
                     "log"});
  schema.Add("pages.call_timeout", &options->call_timeout,
             {.min = std::chrono::milliseconds(100),
              .max = std::chrono::minutes(5),
              .doc = "How long one call to store or bus may take before it is tried again"});
}

}  // namespace orbweaver
