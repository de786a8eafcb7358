// Blocks of link states: the values of columns `b<version>` and `d<version>`, and of small domains
// a part of the record's cell.
//
//   format version   1 byte
//   chain            varint n, then n versions of 8 bytes: the base and the deltas that this block
//                    comes after, ascending; none in a base
//   entries          varint n, then n entries (packed_link.h), ascending by key
//
// A later block of a chain says what replaces or joins the entries of those before it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"

#include "common/base/ids.h"
#include "strategy_worker/states/link_set.h"

namespace orbweaver {

// All of `set`; comes after nothing.
void EncodeBase(const LinkSet& set, std::string* out);

// The entries of `keys`, which ascend and are in the set.
void EncodeDelta(const LinkSet& set, std::span<const Version> chain, std::span<const uint64_t> keys,
                 std::string* out);

// The readers are poison for anything that the encoders would not have written, or of a newer
// format. Any bytes are safe.

// Only what the block comes after.
absl::Status DecodeChain(std::string_view block, std::vector<Version>* chain);

// Puts the entries into *set; poison also when a key lies outside its range. The set is not to be
// used after an error.
absl::Status DecodeEntries(std::string_view block, LinkSet* set);

}  // namespace orbweaver
