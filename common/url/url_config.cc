#include "common/url/url_config.h"

#include "common/config/schema.h"

namespace orbweaver {

void DeclareUrlOptions(config::Schema& schema, UrlOptions* url, PublicSuffixOptions* suffixes) {
  schema.AddBytes("url.max_bytes", &url->max_bytes,
                  {.min = 64, .max = 65'536, .doc = "A longer canonical URL is rejected"});
  schema.Add("url.max_segments", &url->max_segments,
             {.min = 1,
              .max = 10'000,
              .unit = "segments",
              .doc = "A URL whose path has more segments is rejected"});
  schema.Add(
      "url.max_segment_repeats", &url->max_segment_repeats,
      {.min = 0,
       .max = 10'000,
       .unit = "times",
       .doc = "A URL in whose path a run of segments stands more often in a row is rejected "
              "as a trap: `/a/b/a/b/a/b` is the run `a/b` three times. 0 turns the rule off"});
  schema.Add("url.sort_query", &url->sort_query,
             {.doc = "Order the parameters of the query by name, then by value"});
  schema.Add("url.collapse_slashes", &url->collapse_slashes,
             {.doc = "Replace `//` in the path by `/`"});
  schema.Add("url.drop_tracking", &url->drop_tracking,
             {.doc = "Drop the query's parameters named in `url.tracking_parameters`"});
  schema.Add("url.tracking_parameters", &url->tracking_parameters,
             {.doc = "Names in any case; a trailing `*` stands for any rest"});
  schema.Add("url.drop_sessions", &url->drop_sessions,
             {.doc = "Drop session ids, as parameters of the query and of path segments "
                     "(`;jsessionid=…`)"});
  schema.Add("url.session_parameters", &url->session_parameters,
             {.doc = "Names in any case; a trailing `*` stands for any rest"});
  schema.Add("url.suffix_list", &suffixes->file,
             {.doc = "File with the public suffix list; empty: the one compiled in. All "
                     "processes must use the same"});
  schema.Add(
      "url.private_suffixes", &suffixes->private_section,
      {.doc = "Also the list's private section: `foo.github.io` is then a domain of its own"});
}

}  // namespace orbweaver
