// Finds waiting requests by their URL, to take them out: for RAISE and DELETE.
//
// Place: used by enqueue, one search for all that a batch asks of a domain. Reads the domain's
// chunks by name: such actions are rare, while keeping a list of all that waits would cost every
// domain memory. The largest domain has millions of requests, so chunks are read in portions and
// only the occurrences of wanted URLs are kept: 24 bytes each. Not thread-safe.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"

#include "db_worker/parts.h"
#include "db_worker/queue/domain_edit.h"
#include "db_worker/queue/pending_puts.h"

namespace orbweaver {

class WaitingSearch {
 public:
  // For each URL the worst band that is good enough: where it waits there or in a better one, its
  // other occurrences do not matter. Below 0: all of them do.
  using Sought = absl::flat_hash_map<Fingerprint, int>;

  // In the domain of `edit`, as its head is: nothing may have been added. The domain must not be
  // changed until all is marked.
  void Begin(const DomainEdit& edit, const Sought& urls);

  // Reads until all is found, or the group is due. Changes nothing; goes on when called again, also
  // after a retry error.
  absl::Status Advance(const WorkerParts& parts);
  bool found() const { return open_ == 0 || range_ == ranges_.size(); }

  bool IsSought(const Fingerprint& url) const { return urls_.contains(url); }
  // The best band in which the URL waits; kBands when only delayed; nothing when it does not wait.
  std::optional<int> BestBand(const Fingerprint& url) const;

  // The message `by` takes all of the URL's requests out of the counts. How many there were.
  uint64_t TakeOut(const Fingerprint& url, const Watermark& by, Head* head);
  // Nothing waits any more, and there is nothing to mark.
  void Purge();

  // Marks in the store what was taken out, until marked() or the group is due. Occurrences stay, so
  // what the feed says of a chunk holds. Comes before the put of the head that has applied the
  // messages: nobody counts the marks until then.
  //
  // Written in place, unlike all else: a replaced owner may do so while its successor reads the
  // chunk and has the message yet to come. So the requests stay in the chunk and count as taken out
  // for those only whose head has applied the message (Chunk::Waits).
  absl::Status Mark(const WorkerParts& parts);
  bool marked() const { return next_mark_ == occurrences_.size() && marks_.empty(); }

 private:
  static constexpr uint32_t kNone = UINT32_MAX;

  // Chunks of a band or of a delayed bucket.
  struct Range {
    int band;  // kBands: delayed
    DelayedBucket bucket;
    uint32_t index;  // in the first chunk, what stands before has left
    uint64_t first;  // of its chunks
    uint64_t next;   // to be read
    uint64_t end;
  };
  struct Url {
    int good_enough;
    int best = kBands + 1;
    uint32_t first_occurrence = kNone;
  };
  struct Occurrence {
    uint64_t chunk;
    uint32_t range;
    uint32_t next;  // of the same URL
    uint32_t by;    // in messages_; kNone: still waits
    uint8_t index;
  };
  struct ChunkName {
    uint32_t range;
    uint64_t chunk;
  };
  using Visitor = std::function<void(const ChunkName& name, const Chunk& chunk)>;

  std::string ColumnOf(const ChunkName& name) const;
  ChunkKey KeyOf(const ChunkName& name) const;
  absl::Status ReadPortion(const WorkerParts& parts);
  // Visits those of `names` that can be read, in their order.
  absl::Status Read(const WorkerParts& parts, const std::vector<ChunkName>& names,
                    const Visitor& visit) const;
  void SearchChunk(const ChunkName& name, const Chunk& chunk);
  absl::Status MarkPortion(const WorkerParts& parts);
  std::shared_ptr<const Chunk> Marked(const Chunk& chunk, size_t first_occurrence) const;

  Partition* partition_ = nullptr;
  DomainId domain_ = kNoDomain;
  Head head_;  // before the messages
  absl::flat_hash_map<Fingerprint, Url> urls_;
  size_t open_ = 0;  // of urls_: more of their occurrences may matter
  std::vector<Range> ranges_;
  size_t range_ = 0;                     // being read
  std::vector<Occurrence> occurrences_;  // those of a chunk stand together
  std::vector<Watermark> messages_;
  size_t next_mark_ = 0;
  std::optional<Version> version_;  // of marks
  PendingPuts marks_;
};

}  // namespace orbweaver
