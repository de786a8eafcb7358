#include "common/store/hbase/hbase_tables.h"

#include <utility>

#include "fmt/format.h"

#include "common/base/big_endian.h"
#include "common/base/ids.h"
#include "common/base/status.h"
#include "common/store/hbase/row_calls.h"
#include "hbase_thrift/THBaseService.h"

namespace orbweaver {
namespace {

using hbase_thrift::TBloomFilterType;
using hbase_thrift::TColumnFamilyDescriptor;
using hbase_thrift::TCompressionAlgorithm;
using hbase_thrift::TDataBlockEncoding;
using hbase_thrift::TTableDescriptor;
using hbase_thrift::TTableName;

// HBase's value for "never", both in requests and in answers.
constexpr int32_t kForever = 0x7fffffff;

const std::map<int, const char*>& CompressionNames() {
  return hbase_thrift::_TCompressionAlgorithm_VALUES_TO_NAMES;
}

absl::StatusOr<TCompressionAlgorithm::type> ParseCompression(std::string_view name) {
  for (const auto& [value, known] : CompressionNames()) {
    if (name == known) return static_cast<TCompressionAlgorithm::type>(value);
  }
  return FatalError("compression '{}': HBase has {}", name, fmt::join(HBaseCompressions(), ", "));
}

std::string NameOf(const std::map<int, const char*>& names, int value) {
  const auto found = names.find(value);
  return found == names.end() ? std::to_string(value) : found->second;
}

// "ns:name" or "name".
TTableName ToThrift(const std::string& full_name) {
  TTableName name;
  const size_t colon = full_name.find(':');
  if (colon != std::string::npos) name.__set_ns(full_name.substr(0, colon));
  name.qualifier = colon == std::string::npos ? full_name : full_name.substr(colon + 1);
  return name;
}

absl::StatusOr<TColumnFamilyDescriptor> FamilyOf(const HBaseTableOptions& options) {
  ASSIGN_OR_RETURN(const auto compression, ParseCompression(options.compression));
  TColumnFamilyDescriptor family;
  family.name = kFamily;
  family.__set_blockSize(options.block_bytes);
  family.__set_bloomnFilterType(TBloomFilterType::ROW);
  family.__set_compressionType(compression);
  family.__set_dataBlockEncoding(TDataBlockEncoding::ROW_INDEX_V1);
  family.__set_maxVersions(1);
  family.__set_timeToLive(kForever);
  return family;
}

class Comparison {
 public:
  template <typename T>
  void Expect(std::string_view what, const T& is, const T& should_be) {
    if (is != should_be)
      differences_.push_back(fmt::format("{} is {}, not {}", what, is, should_be));
  }
  std::vector<std::string> Take() { return std::move(differences_); }

 private:
  std::vector<std::string> differences_;
};

std::vector<std::string> Compare(const TTableDescriptor& table,
                                 const TColumnFamilyDescriptor& wanted) {
  Comparison comparison;
  const TColumnFamilyDescriptor* family = nullptr;
  std::string families;
  for (const auto& column : table.columns) {
    if (column.name == wanted.name) family = &column;
    families += (families.empty() ? "" : ", ") + column.name;
  }
  comparison.Expect<std::string>("its column families:", families, wanted.name);
  if (family == nullptr) return comparison.Take();
  const auto& blooms = hbase_thrift::_TBloomFilterType_VALUES_TO_NAMES;
  const auto& encodings = hbase_thrift::_TDataBlockEncoding_VALUES_TO_NAMES;
  comparison.Expect("versions kept", family->maxVersions, wanted.maxVersions);
  // A timestamp here is a version, no time: any TTL makes rows vanish at once.
  comparison.Expect("TTL", family->timeToLive, wanted.timeToLive);
  comparison.Expect("bloom filter", NameOf(blooms, family->bloomnFilterType),
                    NameOf(blooms, wanted.bloomnFilterType));
  comparison.Expect("block encoding", NameOf(encodings, family->dataBlockEncoding),
                    NameOf(encodings, wanted.dataBlockEncoding));
  comparison.Expect("block size", family->blockSize, wanted.blockSize);
  comparison.Expect("compression", NameOf(CompressionNames(), family->compressionType),
                    NameOf(CompressionNames(), wanted.compressionType));
  return comparison.Take();
}

}  // namespace

std::vector<std::string> SplitKeys(int regions) {
  std::vector<std::string> keys;
  for (int i = 1; i < regions; ++i) {
    AppendBigEndian(static_cast<uint16_t>(kSlots * i / regions), &keys.emplace_back());
  }
  return keys;
}

absl::StatusOr<std::unique_ptr<HBaseTables>> HBaseTables::Create(const HBaseOptions& options) {
  ASSIGN_OR_RETURN(auto caller, ThriftCaller::Create(options));
  return std::unique_ptr<HBaseTables>(new HBaseTables(options, std::move(caller)));
}

HBaseTables::HBaseTables(const HBaseOptions& options, std::unique_ptr<ThriftCaller> caller)
    : options_(options), caller_(std::move(caller)) {}

std::string HBaseTables::FullName(Table table) const {
  return fmt::format("{}{}", options_.table_prefix, TableName(table));
}

absl::StatusOr<bool> HBaseTables::Exists(Table table, Duration timeout) {
  const TTableName name = ToThrift(FullName(table));
  bool exists = false;
  RETURN_IF_ERROR(caller_->Call(
      fmt::format("look up table '{}'", FullName(table)), "", SystemClock().Now() + timeout,
      [&](hbase_thrift::THBaseServiceClient& client) { exists = client.tableExists(name); }));
  return exists;
}

absl::Status HBaseTables::Make(Table table, Duration timeout) {
  const SteadyTime deadline = SystemClock().Now() + timeout;
  ASSIGN_OR_RETURN(const auto family, FamilyOf(options_.tables));
  TTableDescriptor descriptor;
  descriptor.tableName = ToThrift(FullName(table));
  descriptor.__set_columns({family});
  const auto split_keys = SplitKeys(table == Table::kPartitions ? 1 : options_.tables.regions);
  // A try whose answer got lost may have made it: so each try looks first.
  absl::Status made = caller_->Call(fmt::format("create table '{}'", FullName(table)), "", deadline,
                                    [&](hbase_thrift::THBaseServiceClient& client) {
                                      if (client.tableExists(descriptor.tableName)) return;
                                      client.createTable(descriptor, split_keys);
                                    });
  // HBase takes the whole frame for each key.
  if (IsFatal(made) && options_.framed && !split_keys.empty()) {
    return FatalError(
        "{} With framed transport HBase 2.6 refuses keys to split by: make the tables with "
        "hbase.regions=1, or through a Thrift server without it",
        MessageOf(made));
  }
  return made;
}

absl::StatusOr<std::vector<std::string>> HBaseTables::Differences(Table table, Duration timeout) {
  ASSIGN_OR_RETURN(const auto family, FamilyOf(options_.tables));
  const TTableName name = ToThrift(FullName(table));
  TTableDescriptor descriptor;
  RETURN_IF_ERROR(caller_->Call(fmt::format("describe table '{}'", FullName(table)), "",
                                SystemClock().Now() + timeout,
                                [&](hbase_thrift::THBaseServiceClient& client) {
                                  client.getTableDescriptor(descriptor, name);
                                }));
  return Compare(descriptor, family);
}

}  // namespace orbweaver
