#include "common/store/rocksdb/versioned_value.h"

#include "rocksdb/merge_operator.h"

#include "common/base/big_endian.h"
#include "common/store/rocksdb/compression.h"

namespace orbweaver {
namespace {

constexpr uint64_t kCompressed = uint64_t{1} << 63;
static_assert(kMaxVersion.value() < kCompressed);

std::string_view View(const rocksdb::Slice& slice) { return {slice.data(), slice.size()}; }

class HighestVersionMerge : public rocksdb::MergeOperator {
 public:
  // Written into the database's options file: renaming it makes existing folders unreadable.
  const char* Name() const override { return "orbweaver.HighestVersion"; }

  bool FullMergeV2(const MergeOperationInput& in, MergeOperationOutput* out) const override {
    const rocksdb::Slice* best = in.existing_value;
    if (best != nullptr && best->size() < kVersionBytes) return false;
    if (!Raise(in.operand_list, &best)) return false;
    out->existing_operand = *best;
    return true;
  }

  bool PartialMergeMulti(const rocksdb::Slice&, const std::deque<rocksdb::Slice>& operands,
                         std::string* value, rocksdb::Logger*) const override {
    const rocksdb::Slice* best = nullptr;
    if (!Raise(operands, &best)) return false;
    value->assign(best->data(), best->size());
    return true;
  }

 private:
  // Operands come in the order in which they were written.
  template <typename Operands>
  static bool Raise(const Operands& operands, const rocksdb::Slice** best) {
    for (const rocksdb::Slice& operand : operands) {
      if (operand.size() < kVersionBytes) return false;
      if (*best == nullptr || VersionOf(View(operand)) >= VersionOf(View(**best))) {
        *best = &operand;
      }
    }
    return *best != nullptr;
  }
};

}  // namespace

Version VersionOf(std::string_view stored) {
  return Version(LoadBigEndian<uint64_t>(stored.data()) & ~kCompressed);
}

void PackedValue::Pack(Version version, std::string_view value) {
  compressed_.clear();
  const bool is_compressed = Compress(value, &compressed_);
  StoreBigEndian(version.value() | (is_compressed ? kCompressed : 0), version_);
  value_ = is_compressed ? std::string_view(compressed_) : value;
}

bool AddStored(std::string_view column, std::string_view stored, Rows* rows) {
  if (stored.size() < kVersionBytes) return false;
  std::string_view value = stored.substr(kVersionBytes);
  std::string decompressed;
  if ((LoadBigEndian<uint64_t>(stored.data()) & kCompressed) != 0) {
    if (!Decompress(value, &decompressed)) return false;
    value = decompressed;
  }
  rows->AddCell(column, value, VersionOf(stored));
  return true;
}

std::shared_ptr<rocksdb::MergeOperator> NewHighestVersionMerge() {
  return std::make_shared<HighestVersionMerge>();
}

}  // namespace orbweaver
