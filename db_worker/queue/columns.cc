#include "db_worker/queue/columns.h"

#include "common/base/big_endian.h"

namespace orbweaver {

std::string BandColumn(const Head& head, int band, uint64_t chunk) {
  std::string column = "q";
  column.push_back(static_cast<char>('0' + band));
  AppendBigEndian(chunk, &column);
  AppendBigEndian(head.bands[band].writers.WriterOf(chunk), &column);
  return column;
}

std::string DelayedColumn(const DelayedBucket& bucket, uint32_t chunk) {
  std::string column = "t";
  AppendBigEndian(bucket.due.start_s, &column);
  column.push_back(static_cast<char>(bucket.due.level));
  AppendBigEndian(bucket.id, &column);
  AppendBigEndian(bucket.writer, &column);
  AppendBigEndian(chunk, &column);
  return column;
}

}  // namespace orbweaver
