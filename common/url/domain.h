// The registered domain of a host: the unit of ownership, budgets and politeness everywhere.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

#include "common/base/json.h"

namespace orbweaver {

class SuffixTable;

struct PublicSuffixOptions {
  // A list in the format of https://publicsuffix.org/list/; empty: the one compiled in. All
  // processes of one installation must use the same list, or they disagree on who owns a domain.
  std::string file;
  // Also the list's private section, where organisations name the suffixes under which strangers
  // live: `foo.github.io` is then a domain of its own.
  bool private_section = true;
};

// The public suffix list, as libpsl reads it. Thread-safe.
class PublicSuffixes {
 public:
  // Reads the file, if one is named, which takes some ten milliseconds; fatal when it cannot be
  // read or holds no suffix. The one compiled in is read by the first call that needs it.
  static absl::StatusOr<std::unique_ptr<const PublicSuffixes>> Load(
      const PublicSuffixOptions& options);
  ~PublicSuffixes();

  // The public suffix and one label more: `my.name.co.uk` gives `name.co.uk`. A host that has no
  // such domain is its own: an IP address, a single label, a public suffix. Without a trailing dot,
  // in any case a part of `host`, which must be canonical (UrlCanonicalizer).
  std::string_view RegisteredDomain(std::string_view host) const;

  // Whether the list has names under the top-level domain `label`, in lower case and punycode.
  bool KnowsTopLevel(std::string_view label) const;

  // When the list was made, as 2026-10-22; "unknown" when it does not say.
  std::string_view date() const;
  // For /status: a JSON object with the date, and the file if one is named.
  void WriteStatus(JsonWriter& json) const;
  // Whether the list has been read: for tests.
  bool is_read() const { return is_read_.load(std::memory_order_relaxed); }

 private:
  PublicSuffixes(const PublicSuffixOptions& options, std::string text);

  std::string_view list() const;
  // Null when the list holds no suffix.
  const SuffixTable* table() const;

  const PublicSuffixOptions options_;
  const std::string text_;  // of the file
  mutable std::once_flag read_;
  mutable std::unique_ptr<const SuffixTable> table_;  // constant once it was read
  mutable std::atomic<bool> is_read_ = false;
};

// Whether a canonical host is an address: IPv6 stands in brackets, and a name of digits and dots
// alone is IPv4 by the URL standard.
bool IsIpAddress(std::string_view host);

// The labels in reverse order, so that a top-level domain's rows stand together: `name.co.uk` gives
// `uk.co.name`, and the other way round. An IP address stays as it is.
std::string ReversedDomain(std::string_view domain);
void AppendReversedDomain(std::string_view domain, std::string* out);

}  // namespace orbweaver
