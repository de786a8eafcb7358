// The states of one URL, or of one registered domain, as JSON.
//
// Place: `orbweaver inspect`. Pure functions.
#pragma once

#include <string>

#include "cli/frontier/domain_outcomes.h"
#include "cli/frontier/url_facts.h"

#include "common/base/clock.h"
#include "common/base/json.h"

namespace orbweaver {

// "not-crawled", "queued", "crawled", "error", "gone".
std::string_view LinkStatusName(LinkStatus status);

// An object: canonical form, slot, partition, fingerprint; `link`, `failure`, `queued` and `page`,
// null where nothing is known.
std::string UrlJson(const UrlFacts& facts);

// An object: slot and partition; `record` (the strategy worker's), `urls` (its URLs by their
// state) and `queue` (the db worker's), null where the domain is not known; `robots`, the files of
// its hosts. With `outcomes` also those, and how far back they were read.
std::string DomainJson(const DomainFacts& facts, WallTime now,
                       const DomainOutcomes* outcomes = nullptr);

// An object: URL, time, status, cause, latency, bytes.
void WriteOutcome(const Outcome& outcome, JsonWriter& json);

}  // namespace orbweaver
