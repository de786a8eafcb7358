#include "tests/support/synthetic_web/troubles.h"

#include <iterator>

#include "common/base/status.h"

namespace orbweaver::synthetic {
namespace {

constexpr std::string_view kFaultNames[] = {
    "none",
    "slow-first-byte",
    "drip",
    "reset",
    "short-body",
    "too-many-requests",
    "too-many-requests-bare",
    "unavailable",
    "unavailable-bare",
    "hang",
    "endless-drip",
    "broken-gzip",
    "gzip-bomb",
    "redirect-loop",
    "no-such-host",
    "certificate-expired",
    "certificate-name",
    "certificate-self-signed",
    "redirect",
    "redirect-away",
    "redirect-private",
    "gzip",
    "wrong-charset",
    "duplicates",
    "soft-404",
    "calendar",
};
static_assert(std::size(kFaultNames) == static_cast<size_t>(Fault::kCount));

constexpr std::string_view kRobotsNames[] = {
    "missing",         "forbidden",   "empty",        "garbage",      "rules",    "own-group",
    "byte-order-mark", "huge",        "crawl-delay",  "disallow-all", "redirect", "redirect-away",
    "redirect-loop",   "fails-first", "server-error", "timeout",
};
static_assert(std::size(kRobotsNames) == static_cast<size_t>(RobotsKind::kCount));

constexpr std::string_view kRobotsPrefix = "robots-";

template <typename Kind, size_t n>
bool Change(const std::string_view (&names)[n], std::string_view name, bool add,
            KindSet<Kind>* set) {
  for (size_t i = 0; i < n; ++i) {
    if (names[i] != name) continue;
    add ? set->Add(static_cast<Kind>(i)) : set->Remove(static_cast<Kind>(i));
    return true;
  }
  return false;
}

}  // namespace

std::string_view NameOf(Fault fault) { return kFaultNames[static_cast<size_t>(fault)]; }
std::string_view NameOf(RobotsKind kind) { return kRobotsNames[static_cast<size_t>(kind)]; }

Troubles AllTroubles() {
  Troubles all;
  // 0 is the ordinary case, which needs no choosing.
  for (uint8_t i = 1; i < static_cast<uint8_t>(Fault::kCount); ++i) {
    all.faults.Add(static_cast<Fault>(i));
  }
  all.faults.Remove(Fault::kRedirectPrivate);
  for (uint8_t i = 1; i < static_cast<uint8_t>(RobotsKind::kCount); ++i) {
    all.robots.Add(static_cast<RobotsKind>(i));
  }
  return all;
}

absl::StatusOr<Troubles> ParseTroubles(std::string_view text) {
  Troubles troubles;
  while (!text.empty()) {
    const size_t comma = text.find(',');
    std::string_view name = text.substr(0, comma);
    text.remove_prefix(comma == std::string_view::npos ? text.size() : comma + 1);
    if (name == "none" || name.empty()) continue;
    if (name == "all") {
      troubles = AllTroubles();
      continue;
    }
    const std::string_view written = name;
    const bool add = !name.starts_with('-');
    if (!add) name.remove_prefix(1);
    const bool known =
        name.starts_with(kRobotsPrefix)
            ? Change(kRobotsNames, name.substr(kRobotsPrefix.size()), add, &troubles.robots)
            : Change(kFaultNames, name, add, &troubles.faults);
    if (!known) {
      return FatalError("faults '{}': unknown. There are: none, all, {}.", written, TroubleNames());
    }
  }
  return troubles;
}

std::string TroubleNames() {
  std::string names;
  for (size_t i = 1; i < std::size(kFaultNames); ++i) {
    names.append(names.empty() ? "" : ", ").append(kFaultNames[i]);
  }
  for (size_t i = 1; i < std::size(kRobotsNames); ++i) {
    names.append(", ").append(kRobotsPrefix).append(kRobotsNames[i]);
  }
  return names;
}

}  // namespace orbweaver::synthetic
