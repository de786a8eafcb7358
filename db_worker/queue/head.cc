#include "db_worker/queue/head.h"

#include <algorithm>

#include "common/base/byte_format.h"
#include "common/base/check.h"
#include "common/base/status.h"
#include "common/model/limits.h"
#include "common/model/wire.h"
#include "common/protocol/version_sequence.h"
#include "db_worker/queue/chunk.h"

namespace orbweaver {
namespace {

// Format 1 had no writers.
constexpr char kFormat = 2;

char* PutTime(WallTime time, char* out) {
  return WriteVarint(static_cast<uint64_t>(time.time_since_epoch().count()), out);
}

// Writers are large numbers that differ little, and most often not at all: each is written as the
// difference to the one before.
class WriterCodec {
 public:
  explicit WriterCodec(const Head& head)
      : last_(VersionSequence::OwnerOf(head.applied.topic_epoch, Offset(0))) {}

  uint64_t Encode(uint64_t writer) {
    const uint64_t difference = writer - last_;
    last_ = writer;
    return difference << 1 ^ (0 - (difference >> 63));
  }
  uint64_t Decode(uint64_t encoded) {
    last_ += encoded >> 1 ^ (0 - (encoded & 1));
    return last_;
  }

 private:
  uint64_t last_;
};

// The first run begins at `erased`.
void AppendRuns(const Band& band, WriterCodec& codec, std::string* out) {
  const auto runs = band.writers.runs();
  AppendVarint(runs.size(), out);
  uint64_t begin = band.erased;
  for (const WriterRuns::Run& run : runs) {
    if (&run != &runs.front()) AppendVarint(run.begin - begin, out);
    begin = run.begin;
    AppendVarint(codec.Encode(run.writer), out);
  }
}

void AppendBucket(const DelayedBucket& bucket, WriterCodec& codec, std::string* out) {
  AppendVarint(bucket.due.start_s, out);
  out->push_back(static_cast<char>(bucket.due.level));
  AppendVarint(bucket.id, out);
  AppendVarint(codec.Encode(bucket.writer), out);
  AppendVarint(bucket.first, out);
  AppendVarint(bucket.next - bucket.first, out);
  AppendVarint(bucket.waiting, out);
}

// Reads what the functions above wrote; remembers whether anything was wrong.
class HeadReader {
 public:
  explicit HeadReader(std::string_view bytes) : reader_(bytes, fault_) {}

  uint64_t Number(uint64_t most = UINT64_MAX) {
    uint64_t value = 0;
    ok_ = ok_ && reader_.ReadVarint(&value) && value <= most;
    return ok_ ? value : 0;
  }
  uint32_t Number32(uint64_t most = UINT32_MAX) { return static_cast<uint32_t>(Number(most)); }
  WallTime Time() { return WallTime(Milliseconds()); }
  std::chrono::milliseconds Milliseconds() {
    return std::chrono::milliseconds(Number(static_cast<uint64_t>(kMaxTimeMs)));
  }
  uint8_t Byte(uint8_t most = UINT8_MAX) {
    uint8_t value = 0;
    ok_ = ok_ && reader_.ReadFixed(&value) && value <= most;
    return ok_ ? value : 0;
  }
  void Require(bool condition) { ok_ = ok_ && condition; }
  // Everything was right, and nothing is left.
  bool Done() const { return ok_ && reader_.AtEnd(); }
  bool ok() const { return ok_; }

 private:
  wire::Fault fault_;
  wire::Reader reader_;
  bool ok_ = true;
};

void ReadBand(HeadReader& in, Band* band) {
  // Numbers of chunks stay far below 2^62, so sums cannot overflow.
  constexpr uint64_t kMost = uint64_t{1} << 62;
  band->erased = in.Number(kMost);
  band->first = band->erased + in.Number(kMost);
  band->next = band->first + in.Number(kMost);
  band->index = in.Number32(kMaxChunkRequests);
  band->last_size = in.Number32(kMaxChunkRequests);
  band->waiting = in.Number(kMost);
  in.Require(!band->empty() || (band->waiting == 0 && band->index == 0));
  in.Require(band->next > 0);  // one without chunks is not written
}

void ReadRuns(HeadReader& in, WriterCodec& codec, Band* band) {
  uint64_t left = in.Number();
  in.Require((left > 0) == (band->erased < band->next));
  uint64_t begin = band->erased;
  for (bool is_first = true; left > 0 && in.ok(); --left, is_first = false) {
    if (!is_first) {
      const uint64_t length = in.Number(band->next - begin);
      in.Require(length > 0);
      begin += length;
    }
    in.Require(begin < band->next);
    const uint64_t writer = codec.Decode(in.Number());
    in.Require(is_first || writer != band->writers.runs().back().writer);
    band->writers.Append(begin, writer);
  }
}

// Foreign bytes make us allocate no more than some times their size: each bucket takes some.
void ReadBuckets(HeadReader& in, WriterCodec& codec, std::vector<DelayedBucket>* buckets) {
  buckets->clear();
  for (uint64_t left = in.Number(); left > 0 && in.ok(); --left) {
    DelayedBucket& bucket = buckets->emplace_back();
    bucket.due.start_s = in.Number(static_cast<uint64_t>(kMaxTimeMs) / 1000);
    bucket.due.level = in.Byte(kDueLevels - 1);
    bucket.id = in.Number32();
    bucket.writer = codec.Decode(in.Number());
    bucket.first = in.Number32();
    bucket.next = bucket.first + in.Number32(UINT32_MAX - bucket.first);
    bucket.waiting = in.Number();
    in.Require(bucket.first < bucket.next);
  }
}

void AddGarbage(const DelayedBucket& bucket, std::vector<DelayedBucket>* garbage) {
  if (bucket.first == bucket.next) return;
  garbage->push_back(bucket);
  garbage->back().waiting = 0;
}

}  // namespace

void Band::MoveTo(uint64_t chunk, uint32_t place) {
  first = chunk;
  index = place;
  if (first < next && (first + 1 != next || index < last_size)) return;
  first = next;
  index = 0;
  waiting = 0;
}

void Band::Append(uint32_t size, uint64_t writer) {
  writers.Append(next, writer);
  last_size = size;
  ++next;
}

void Band::MarkErased(uint64_t end) {
  erased = end;
  if (erased == next) {
    writers.Clear();
  } else {
    writers.DropBelow(erased);
  }
}

bool Head::empty() const {
  return delayed.empty() &&
         std::all_of(bands.begin(), bands.end(), [](const Band& band) { return band.empty(); });
}

uint64_t Head::waiting() const {
  uint64_t sum = 0;
  for (const Band& band : bands) sum += band.waiting;
  for (const DelayedBucket& bucket : delayed) sum += bucket.waiting;
  return sum;
}

uint64_t Head::garbage_chunks() const {
  uint64_t sum = 0;
  for (const Band& band : bands) sum += band.first - band.erased;
  for (const DelayedBucket& bucket : garbage) sum += bucket.next - bucket.first;
  return sum;
}

DelayedBucket& Head::BucketFor(WallTime due, WallTime now, uint64_t writer) {
  const DueBucket wanted = DueBucketOf(due, now);
  const auto opens_later = [](const DelayedBucket& bucket, WallTime at) {
    return OpensAt(bucket.due) < at;
  };
  auto at = std::lower_bound(delayed.begin(), delayed.end(), OpensAt(wanted), opens_later);
  for (; at != delayed.end() && OpensAt(at->due) == OpensAt(wanted); ++at) {
    if (at->due == wanted && at->writer == writer) return *at;
  }
  return *delayed.insert(at, DelayedBucket{.due = wanted, .id = next_bucket++, .writer = writer});
}

void Head::Purge() {
  for (Band& band : bands) band.MoveTo(band.next, 0);
  for (const DelayedBucket& bucket : delayed) AddGarbage(bucket, &garbage);
  delayed.clear();
}

void EncodeHead(const Head& head, std::string* out) {
  // All but writers and buckets has a bound, and many heads are encoded.
  char bytes[3 + kMaxVarintBytes * (9 + 6 * kBands)];
  char* at = bytes;
  *at++ = kFormat;
  at = WriteVarint(head.applied.topic_epoch, at);
  at = WriteVarint(static_cast<uint64_t>(head.applied.offset.value() + 1), at);
  at = WriteVarint(head.applied.part, at);
  at = WriteVarint(static_cast<uint64_t>(head.crawl_delay.count()), at);
  at = PutTime(head.rest.until, at);
  at = PutTime(head.paced_until, at);
  *at++ = static_cast<char>(head.rest.back_offs);
  at = PutTime(head.rest.backed_off_until, at);
  at = PutTime(head.waiting_since, at);
  char* const used = at++;
  *used = 0;
  for (int b = 0; b < kBands; ++b) {
    const Band& band = head.bands[b];
    if (band.next == 0) continue;
    *used = static_cast<char>(*used | 1 << b);
    at = WriteVarint(band.erased, at);
    at = WriteVarint(band.first - band.erased, at);
    at = WriteVarint(band.next - band.first, at);
    at = WriteVarint(band.index, at);
    at = WriteVarint(band.last_size, at);
    at = WriteVarint(band.waiting, at);
  }
  at = WriteVarint(head.next_bucket, at);
  out->assign(bytes, static_cast<size_t>(at - bytes));
  WriterCodec codec(head);
  for (const Band& band : head.bands) {
    if (band.next > 0) AppendRuns(band, codec, out);
  }
  for (const auto* buckets : {&head.delayed, &head.garbage}) {
    AppendVarint(buckets->size(), out);
    for (const DelayedBucket& bucket : *buckets) AppendBucket(bucket, codec, out);
  }
}

absl::Status DecodeHead(std::string_view bytes, Head* head) {
  if (bytes.empty() || bytes[0] != kFormat) {
    const int format = bytes.empty() ? 0 : static_cast<int>(bytes[0]);
    return PoisonError("queue head: format {}, {} is known. {} version of Orbweaver wrote it",
                       format, static_cast<int>(kFormat),
                       format < kFormat ? "An older" : "A newer");
  }
  HeadReader in(bytes.substr(1));
  head->applied.topic_epoch = in.Number();
  head->applied.offset = Offset(static_cast<int64_t>(in.Number(INT64_MAX)) - 1);
  head->applied.part = in.Number32();
  head->crawl_delay = in.Milliseconds();
  head->rest.until = in.Time();
  head->paced_until = in.Time();
  head->rest.back_offs = in.Byte();
  head->rest.backed_off_until = in.Time();
  head->waiting_since = in.Time();
  const uint8_t used = in.Byte();
  for (int b = 0; b < kBands; ++b) {
    head->bands[b] = {};
    if ((used >> b & 1) != 0) ReadBand(in, &head->bands[b]);
  }
  head->next_bucket = in.Number32();
  WriterCodec codec(*head);
  for (Band& band : head->bands) {
    if (band.next > 0) ReadRuns(in, codec, &band);
  }
  ReadBuckets(in, codec, &head->delayed);
  ReadBuckets(in, codec, &head->garbage);
  const auto later = [](const DelayedBucket& a, const DelayedBucket& b) {
    return OpensAt(a.due) < OpensAt(b.due);
  };
  in.Require(std::is_sorted(head->delayed.begin(), head->delayed.end(), later));
  if (!in.Done()) return PoisonError("queue head: {} bytes that are not one", bytes.size());
  return absl::OkStatus();
}

}  // namespace orbweaver
