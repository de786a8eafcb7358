// The options of a URL's canonical form.
//
// All processes of one installation must agree on these: a URL's fingerprint is taken from its
// canonical form, so another choice makes known pages look new.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace orbweaver {

struct UrlOptions {
  // A canonical URL longer than this is rejected.
  size_t max_bytes = 2048;
  // A path with more segments than this is rejected.
  size_t max_segments = 100;
  // A path in which a run of segments stands more often than this in a row is rejected as a trap:
  // `/a/b/a/b/a/b` is the run `a/b` three times. 0 turns the rule off.
  size_t max_segment_repeats = 2;

  // Orders the parameters of the query by name, then by value.
  bool sort_query = false;
  // Replaces `//` in the path by `/`.
  bool collapse_slashes = false;

  // Drops the query's parameters named in `tracking_parameters`.
  bool drop_tracking = false;
  // Names in any case; a trailing `*` stands for any rest.
  std::vector<std::string> tracking_parameters = {
      "utm_*",   "gclid",  "gclsrc", "dclid", "gbraid",  "wbraid",      "fbclid",     "msclkid",
      "yclid",   "twclid", "igshid", "_ga",   "_gl",     "_openstat",   "mc_cid",     "mc_eid",
      "mkt_tok", "hsa_*",  "_hsenc", "_hsmi", "vero_id", "oly_anon_id", "oly_enc_id", "wickedid",
  };

  // Drops session ids, both as parameters of the query (`?sid=1`) and of a path segment
  // (`/a;jsessionid=1`).
  bool drop_sessions = false;
  // As `tracking_parameters`.
  std::vector<std::string> session_parameters = {
      "jsessionid",    "phpsessid", "sid",     "sessionid", "session_id",
      "aspsessionid*", "cfid",      "cftoken", "zenid",
  };
};

}  // namespace orbweaver
