// Finds waiting requests by their URL, to take them out: for RAISE and DELETE.
//
// Place: used by enqueue for one message at a time. Reads every chunk of the domain by name, in
// portions: such actions are rare, while keeping a list of all that waits would cost every domain
// memory. Not thread-safe.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"

#include "db_worker/parts.h"
#include "db_worker/queue/domain_edit.h"

namespace orbweaver {

class WaitingSearch {
 public:
  // Finds what waits in `edit`'s domain, as its head was at Begin, of `urls`. Changes nothing, so
  // after a retry error it is called again.
  absl::Status Find(const WorkerParts& parts, DomainEdit& edit,
                    const absl::flat_hash_set<Fingerprint>& urls);

  // The best band in which the URL waits; kBands when only delayed; nothing when it does not wait.
  std::optional<int> BestBand(const Fingerprint& url) const;

  // Takes all of the URL's requests out of the domain's counts. How many there were.
  uint64_t TakeOut(const Fingerprint& url, Head* head);

  // Gives the chunks in which the message `by` took something out to `edit`. Places stay, so what
  // the feed says of a chunk holds.
  //
  // Written in place, unlike all else: a replaced owner may do so while its successor reads the
  // chunk and has the message yet to come. So the requests stay in the chunk and count as taken out
  // for those only whose head has applied the message (Chunk::Waits).
  void Finish(const Watermark& by, ChunkCache& cache, DomainEdit& edit);

 private:
  struct Touched {
    int band;            // kBands: delayed
    uint64_t number;     // of the chunk
    uint32_t bucket_id;  // of a delayed one
    std::string column;
    std::shared_ptr<const Chunk> chunk;
    std::vector<uint32_t> taken_out;  // places
  };
  struct Place {
    size_t chunk;  // in touched_
    uint32_t index;
  };

  absl::Status ReadPortion(const WorkerParts& parts, DomainEdit& edit,
                           std::vector<Touched>& portion);
  void Look(const Head& head, const absl::flat_hash_set<Fingerprint>& urls, Touched&& candidate);

  Watermark applied_;  // of the head, before the message
  std::vector<Touched> touched_;
  absl::flat_hash_map<Fingerprint, std::vector<Place>> places_;
};

}  // namespace orbweaver
