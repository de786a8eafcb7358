// Looks pages up: by URL, and which others have the same content.
//
// Place: the command line. Functions of a store; each may block for about `timeout` a call.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"

#include "common/base/clock.h"
#include "common/store/store.h"
#include "db_worker/pages/page_rows.h"

namespace orbweaver {

// Of one page; views point into it.
struct FoundPage {
  Rows rows;
  Arena arena;
  StoredPage page;
  // Only when it was kept, and is that of this content.
  std::optional<std::string> body;
};

// Null when the page was never fetched.
absl::StatusOr<std::unique_ptr<FoundPage>> FindPage(Store& store, std::string_view domain,
                                                    const Fingerprint& url, bool with_body,
                                                    Duration timeout);

// Visits the pages whose content has this hash now, in no order, until `visit` says false.
absl::Status ForEachWithContent(Store& store, const Fingerprint& content, Duration timeout,
                                absl::FunctionRef<bool(const StoredPage&)> visit);

}  // namespace orbweaver
