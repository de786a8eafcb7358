#include "common/store/rocksdb/versioned_value.h"

#include "rocksdb/merge_operator.h"

#include "common/base/big_endian.h"

namespace orbweaver {
namespace {

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
      // Big endian: bytes compare as the numbers do.
      if (*best == nullptr || std::memcmp(operand.data(), (*best)->data(), kVersionBytes) >= 0) {
        *best = &operand;
      }
    }
    return *best != nullptr;
  }
};

}  // namespace

Version VersionOf(std::string_view stored) {
  return Version(LoadBigEndian<uint64_t>(stored.data()));
}

std::shared_ptr<rocksdb::MergeOperator> NewHighestVersionMerge() {
  return std::make_shared<HighestVersionMerge>();
}

}  // namespace orbweaver
