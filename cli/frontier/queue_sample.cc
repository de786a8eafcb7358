#include "cli/frontier/queue_sample.h"

#include <cmath>

#include "common/base/big_endian.h"
#include "common/base/status.h"
#include "common/url/partition.h"
#include "db_worker/queue/columns.h"

namespace orbweaver {
namespace {

void Multiply(double factor, PartitionReport* report) {
  const auto multiply = [factor](uint64_t* count) {
    *count = static_cast<uint64_t>(std::llround(static_cast<double>(*count) * factor));
  };
  for (uint64_t& waiting : report->waiting) multiply(&waiting);
  for (uint64_t* const count :
       {&report->delayed, &report->domains, &report->ready, &report->paced, &report->blocked}) {
    multiply(count);
  }
}

}  // namespace

absl::StatusOr<QueueSample> SampleQueue(Store& store, int partitions, uint64_t max_domains,
                                        WallTime now, Duration timeout) {
  QueueSample sample;
  sample.partitions.resize(static_cast<size_t>(partitions));
  for (int i = 0; i < partitions; ++i) {
    sample.partitions[static_cast<size_t>(i)].partition = PartitionId(i);
  }
  absl::Status failed;
  Head head;
  uint16_t slot = 0;
  bool stopped = false;
  RETURN_IF_ERROR(Annotate(
      store.Scan(Table::kQueue, {.begin = {}, .end = {}, .columns = {&kHeadColumn, 1}}, timeout,
                 [&](std::string_view row, std::span<const Cell> cells) {
                   if (row.size() < 2) return true;
                   const auto row_slot = LoadBigEndian<uint16_t>(row.data());
                   // Ends between two slots, so that those read were read whole.
                   stopped =
                       max_domains > 0 && sample.domains_read >= max_domains && row_slot != slot;
                   slot = row_slot;
                   if (stopped) return false;
                   failed = DecodeHead(cells[0].value, &head);
                   if (!failed.ok()) return false;
                   const PartitionId partition = PartitionOf(Slot(slot), partitions);
                   PartitionReport& report =
                       sample.partitions[static_cast<size_t>(partition.value())];
                   ++report.domains;
                   CountDomain(head, now, &report);
                   ++sample.domains_read;
                   return true;
                 }),
      "read the heads of the queue"));
  if (!failed.ok()) return FatalError("read the heads of the queue: {}", MessageOf(failed));
  if (!stopped || slot == 0) return sample;
  sample.share = static_cast<double>(slot) / kSlots;
  for (PartitionReport& report : sample.partitions) Multiply(1 / sample.share, &report);
  return sample;
}

}  // namespace orbweaver
