// The head of a domain's queue: all that is known of the domain without reading its chunks.
//
// Place: column `h` of the domain's row, and packed in the domain index. Every change of a domain
// is one put of its head together with the chunks that are new.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"

#include "common/base/clock.h"
#include "common/model/score_band.h"
#include "common/politeness/rest.h"
#include "common/protocol/watermark.h"
#include "db_worker/queue/due_bucket.h"
#include "db_worker/queue/writer_runs.h"

namespace orbweaver {

// A queue of chunks, numbered in the order in which they were written. An owner never uses a number
// again; two owners that did not know of each other may both use one, so a chunk's name in the
// store has its writer too.
struct Band {
  uint64_t first = 0;      // the chunk of the next request to leave
  uint32_t index = 0;      // that request's place in it
  uint64_t next = 0;       // the number of the next chunk to be written
  uint32_t last_size = 0;  // requests in chunk next - 1
  uint64_t waiting = 0;    // requests; taken-out ones are not counted
  uint64_t erased = 0;     // chunks below are erased; those from here to `first` are garbage
  WriterRuns writers;      // of chunks [erased, next)

  bool empty() const { return first == next; }
  // Gives the next number to a chunk of `size` places, whose requests are counted by the caller.
  void Append(uint32_t size, uint64_t writer);
  // Chunks below `end`, which is at most `first`, are erased.
  void MarkErased(uint64_t end);
  // Moves the band's front to (chunk, place), and on to the end if nothing is left behind it.
  void MoveTo(uint64_t chunk, uint32_t place);

  friend bool operator==(const Band&, const Band&) = default;
};

// Delayed requests of one bucket of due time: chunks [first, next) of its own numbering. All are of
// one writer: another owner makes a bucket of its own.
struct DelayedBucket {
  DueBucket due;
  // Of this bucket alone: the same due time may get another bucket later, and a name that was
  // erased must not come again.
  uint32_t id = 0;
  uint64_t writer = 0;  // VersionSequence::owner(): another one may have the same id
  uint32_t first = 0;
  uint32_t next = 0;
  uint64_t waiting = 0;

  friend bool operator==(const DelayedBucket&, const DelayedBucket&) = default;
};

struct Head {
  Watermark applied;
  // The delay that robots.txt asks for; 0: none.
  std::chrono::milliseconds crawl_delay{};
  // Nothing leaves before its end: asked for by the domain, or by an operator.
  DomainRest<WallTime> rest;
  // The next request to this domain is not due before then, because of those that left.
  WallTime paced_until;
  // Since when the queue has not been empty.
  WallTime waiting_since;
  std::array<Band, kBands> bands;
  uint32_t next_bucket = 0;
  std::vector<DelayedBucket> delayed;  // by the time of opening
  std::vector<DelayedBucket> garbage;  // chunks of opened buckets that are not erased yet

  bool empty() const;
  uint64_t waiting() const;
  // Chunks that wait for being erased.
  uint64_t garbage_chunks() const;
  // `writer`'s bucket for a request due at `due`, which is after `now`: made when there is none.
  DelayedBucket& BucketFor(WallTime due, WallTime now, uint64_t writer);
  // Drops all requests; the chunks become garbage.
  void Purge();

  friend bool operator==(const Head&, const Head&) = default;
};

// Replaces *out. Some 50 bytes for a domain whose requests wait in one band.
void EncodeHead(const Head& head, std::string* out);

// Replaces *head. Poison for anything that EncodeHead did not write, and when another version did.
absl::Status DecodeHead(std::string_view bytes, Head* head);

}  // namespace orbweaver
