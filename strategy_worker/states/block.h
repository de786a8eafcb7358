// Blocks of link states: the values of columns `b<version>` and `d<version>`, and of small domains
// a part of the record's cell.
//
//   format version   1 byte
//   before           8 bytes: the version of the block that this one comes after; 0 in a base
//   purges           varint: DomainRecord::purges when it was written
//   entries          varint n, then n entries (packed_link.h), ascending by key
//
// So a shard's blocks are a chain, from its last one back to a base. A later block says what
// replaces or joins the entries of those before it. An entry that is QUEUED is so only while the
// domain's record has the block's number of purges: emptying a queue rewrites no block.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

#include "common/base/ids.h"
#include "strategy_worker/states/link_set.h"

namespace orbweaver {

// All of `set`; comes after nothing.
void EncodeBase(const LinkSet& set, uint64_t purges, std::string* out);

// An entry that was changed, as it was put. Most states are one word: whoever has it need not look
// for it again in a set that is larger than the processor's cache.
struct ChangedLink {
  uint64_t key;
  uint64_t word;  // PackedLink's; unless it is plain, the state is looked up
};
inline constexpr uint64_t kLookUp = kFetchedBit;

// The entries of `changed`, whose keys ascend and are in the set.
void EncodeDelta(const LinkSet& set, Version before, uint64_t purges,
                 std::span<const ChangedLink> changed, std::string* out);

// The readers are poison for anything that the encoders would not have written, or of a newer
// format. Any bytes are safe.

struct BlockHead {
  std::optional<Version> before;  // the block that it comes after; none: a base
  uint64_t purges = 0;
  size_t entries = 0;
};
absl::StatusOr<BlockHead> DecodeHead(std::string_view block);

// Puts the entries into *set, as they are after `purges` of the domain; poison also when a key lies
// outside the set's range, or the block knows of more purges. The set is not to be used after an
// error.
absl::Status DecodeEntries(std::string_view block, uint64_t purges, LinkSet* set);

}  // namespace orbweaver
