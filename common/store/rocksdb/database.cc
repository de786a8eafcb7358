#include "common/store/rocksdb/database.h"

#include <algorithm>
#include <cstdarg>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "absl/base/dynamic_annotations.h"
#include "rocksdb/cache.h"
#include "rocksdb/db.h"
#include "rocksdb/env.h"
#include "rocksdb/filter_policy.h"
#include "rocksdb/listener.h"
#include "rocksdb/slice_transform.h"
#include "rocksdb/table.h"
#include "rocksdb/utilities/table_properties_collectors.h"
#include "rocksdb/write_buffer_manager.h"

#include "common/base/check.h"
#include "common/base/status.h"
#include "common/store/rocksdb/checksum.h"
#include "common/store/rocksdb/row_key.h"
#include "common/store/rocksdb/versioned_value.h"

namespace orbweaver {
namespace {

// The version of the folder's format; raised with every change that an older program would misread.
// The one before it has no compressed values, and is read; it becomes this one when it is opened
// for writing.
constexpr char kFormat[] = "5";
constexpr char kUncompressedFormat[] = "4";
constexpr char kFormatKey[] = "format";
constexpr char kLogFamily[] = "log";

// RocksDB announces the end of a stall, by table, when it is over already. A waiter that missed the
// announcement looks again after this time.
constexpr Duration kLookAgain = std::chrono::milliseconds(500);

// Between two attempts to open a folder on which another process works, and how many there are.
constexpr Duration kOpenAgain = std::chrono::milliseconds(50);
constexpr int kOpenAttempts = 20;

// A reader leaves the folder's message file alone: RocksDB would begin a new one.
class NoMessages : public rocksdb::Logger {
 public:
  using rocksdb::Logger::Logv;
  void Logv(const char*, va_list) override {}
};

// Called by RocksDB's threads.
class StallListener : public rocksdb::EventListener {
 public:
  explicit StallListener(Signal& stalls) : stalls_(stalls) {}
  void OnStallConditionsChanged(const rocksdb::WriteStallInfo&) override { stalls_.Raise(); }

 private:
  Signal& stalls_;
};

// The prefix that the row bloom and seeks within a row use.
class RowPrefix : public rocksdb::SliceTransform {
 public:
  const char* Name() const override { return "orbweaver.RowPrefix"; }
  rocksdb::Slice Transform(const rocksdb::Slice& key) const override {
    return {key.data(), RowPrefixBytes({key.data(), key.size()})};
  }
  // Every key of a table has a row. It is asked before each Transform, and need not
  // parse the key a second time.
  bool InDomain(const rocksdb::Slice&) const override { return true; }
};

rocksdb::DBOptions InstanceOptions(const DatabaseOptions& options, Signal& stalls) {
  rocksdb::DBOptions instance;
  instance.listeners.push_back(std::make_shared<StallListener>(stalls));
  if (options.env != nullptr) instance.env = options.env;
  instance.create_if_missing = true;
  instance.create_missing_column_families = true;
  // Merges are never inserted concurrently; without the option they may take hints (TableOptions).
  instance.allow_concurrent_memtable_write = false;
  instance.max_background_jobs = options.background_threads;
  instance.max_open_files = options.max_open_files;
  instance.max_total_wal_size = options.max_log_bytes;
  // Smooths what flushes and compactions hand to the disk, so that a commit's fsync does not wait
  // for all of it.
  instance.bytes_per_sync = 1 << 20;
  // After an error the folder is opened anew by whoever dealt with its cause; RocksDB would resume
  // by itself, between two calls that have already been told that it failed.
  instance.max_bgerror_resume_count = 0;
  instance.info_log_level = rocksdb::WARN_LEVEL;
  instance.keep_log_file_num = 2;
  instance.max_log_file_size = 10 << 20;
  instance.stats_dump_period_sec = 0;
  instance.stats_persist_period_sec = 0;
  return instance;
}

rocksdb::BlockBasedTableOptions BlockOptions(const std::shared_ptr<rocksdb::Cache>& cache) {
  rocksdb::BlockBasedTableOptions block;
  block.block_cache = cache;
  // Small enough for cold reads, and few enough that their index stays in the processor's cache;
  // short restart intervals keep the search within a block at two or three rows.
  block.block_size = 8 << 10;
  block.block_restart_interval = 4;
  // Past the last row of a block a row's end is known from the index: the next block stays unread.
  block.index_type = rocksdb::BlockBasedTableOptions::kBinarySearchWithFirstKey;
  block.format_version = 5;
  block.checksum = rocksdb::kXXH3;
  block.filter_policy.reset(rocksdb::NewBloomFilterPolicy(10));
  // Counted in the cache, and held there while their file is open: looking them up at each get
  // costs absent rows a third of their speed.
  block.cache_index_and_filter_blocks = true;
  block.metadata_cache_options.unpartitioned_pinning = rocksdb::PinningTier::kAll;
  return block;
}

// Writes go on at full speed until compactions are too far behind, and are refused then. RocksDB's
// way between is to let each sleep for a time that grows with its size, past any deadline.
rocksdb::ColumnFamilyOptions FamilyOptions() {
  rocksdb::ColumnFamilyOptions family;
  family.level0_stop_writes_trigger = family.level0_slowdown_writes_trigger;
  family.hard_pending_compaction_bytes_limit = family.soft_pending_compaction_bytes_limit;
  return family;
}

rocksdb::ColumnFamilyOptions TableOptions(Table table, const DatabaseOptions& options,
                                          const std::shared_ptr<rocksdb::Cache>& cache) {
  rocksdb::ColumnFamilyOptions family = FamilyOptions();
  family.write_buffer_size = options.write_buffer_bytes;
  // Each compaction of level 0 writes the level below it again: half as often, for a few files more
  // to look into.
  family.level0_file_num_compaction_trigger = 8;
  // Fresh files live only until the next compaction: compressing them is lost work.
  family.compression_per_level = {rocksdb::kNoCompression, rocksdb::kNoCompression,
                                  rocksdb::kLZ4Compression};
  // One hint for all keys (a prefix of no bytes): RocksdbStore writes in the order of the memtable,
  // and each insert starts where the one before it ended.
  family.memtable_insert_with_hint_prefix_extractor.reset(rocksdb::NewFixedPrefixTransform(0));
  family.merge_operator = NewHighestVersionMerge();
  family.prefix_extractor = std::make_shared<RowPrefix>();
  family.memtable_prefix_bloom_size_ratio = 0.05;
  family.memtable_whole_key_filtering = true;
  family.level_compaction_dynamic_level_bytes = true;
  // A consumed queue leaves tombstones behind, over which the scan of its heads goes: files full of
  // them are compacted before their turn. Other tables are not scanned, and compacting them as
  // often writes all of their states again and again.
  if (table == Table::kQueue) {
    family.table_properties_collector_factories.push_back(
        rocksdb::NewCompactOnDeletionCollectorFactory(/*sliding_window_size=*/4096,
                                                      /*deletion_trigger=*/2048));
  }
  family.table_factory.reset(rocksdb::NewBlockBasedTableFactory(BlockOptions(cache)));
  return family;
}

// The log's batches are large, written once, read mostly at once, and deleted from the front: they
// stand in blob files, and compactions move only their keys.
rocksdb::ColumnFamilyOptions LogOptions(const DatabaseOptions& options,
                                        const std::shared_ptr<rocksdb::Cache>& cache) {
  rocksdb::ColumnFamilyOptions family = FamilyOptions();
  family.write_buffer_size = options.log_buffer_bytes;
  family.compression = rocksdb::kLZ4Compression;
  family.enable_blob_files = true;
  family.min_blob_size = 1 << 10;
  // Most is deleted soon after it was read: compressing it is lost work too.
  family.blob_compression_type = rocksdb::kNoCompression;
  // A topic kept for long must not keep the files that it shares with a short one.
  family.enable_blob_garbage_collection = true;
  family.blob_garbage_collection_force_threshold = 0.5;
  family.level_compaction_dynamic_level_bytes = true;
  family.table_factory.reset(rocksdb::NewBlockBasedTableFactory(BlockOptions(cache)));
  return family;
}

}  // namespace

Database::Database(const DatabaseOptions& options, std::optional<FolderLock> lock)
    : options_(options),
      lock_(std::move(lock)),
      write_buffers_(
          std::make_shared<rocksdb::WriteBufferManager>(options.all_write_buffers_bytes)) {}

absl::StatusOr<std::unique_ptr<Database>> Database::Open(const DatabaseOptions& options) {
  std::error_code error;
  std::filesystem::create_directory(options.folder, error);
  if (error) {
    return FatalError("open {}: {}. Choose a folder that can be made and written to",
                      options.folder.string(), error.message());
  }
  ASSIGN_OR_RETURN(FolderLock lock, FolderLock::Take(options.folder));
  std::unique_ptr<Database> database(new Database(options, std::move(lock)));
  RETURN_IF_ERROR(database->OpenFamilies());
  RETURN_IF_ERROR(database->CheckFormat());
  return database;
}

absl::Status Database::Destroy(const std::filesystem::path& folder) {
  ASSIGN_OR_RETURN(const FolderLock lock, FolderLock::Take(folder));
  const rocksdb::Status destroyed = rocksdb::DestroyDB(folder.string(), rocksdb::Options());
  if (destroyed.ok()) return absl::OkStatus();
  return FatalError("delete the data of {}: {}", folder.string(), destroyed.ToString());
}

absl::StatusOr<std::unique_ptr<Database>> Database::OpenReadOnly(const DatabaseOptions& options) {
  std::error_code error;
  if (!std::filesystem::exists(options.folder / "CURRENT", error)) {
    return FatalError("open {}: there is no crawl in it. Name the folder of its --data",
                      options.folder.string());
  }
  // The list of files is read first and the files are opened then: what the other process has
  // deleted in between is looked for in vain.
  absl::Status status;
  for (int attempt = 0; attempt < kOpenAttempts; ++attempt) {
    if (attempt > 0) std::this_thread::sleep_for(kOpenAgain);
    std::unique_ptr<Database> database(new Database(options, std::nullopt));
    status = database->OpenFamilies();
    if (!status.ok()) continue;
    RETURN_IF_ERROR(database->CheckFormat());
    return database;
  }
  return status;
}

Database::~Database() {
  if (db_ == nullptr) return;
  for (rocksdb::ColumnFamilyHandle* table : tables_) db_->DestroyColumnFamilyHandle(table);
  db_->DestroyColumnFamilyHandle(log_);
  db_->DestroyColumnFamilyHandle(meta_);
}

absl::Status Database::OpenFamilies() {
  CHECK(IsChecksumRight());
  const auto cache = rocksdb::NewLRUCache(options_.block_cache_bytes);
  std::vector<rocksdb::ColumnFamilyDescriptor> families;
  for (const Table table : kTables) {
    families.emplace_back(std::string(TableName(table)), TableOptions(table, options_, cache));
  }
  families.emplace_back(kLogFamily, LogOptions(options_, cache));
  families.emplace_back(rocksdb::kDefaultColumnFamilyName, FamilyOptions());

  std::vector<rocksdb::ColumnFamilyHandle*> handles;
  rocksdb::DB* db = nullptr;
  rocksdb::DBOptions instance = InstanceOptions(options_, stalls_);
  instance.write_buffer_manager = write_buffers_;
  rocksdb::Status opened;
  if (lock_.has_value()) {
    opened = rocksdb::DB::Open(instance, options_.folder.string(), families, &handles, &db);
  } else {
    instance.create_if_missing = false;
    instance.create_missing_column_families = false;
    instance.max_open_files = -1;  // all at once: an open file stays readable when it is deleted
    instance.info_log = std::make_shared<NoMessages>();
    opened =
        rocksdb::DB::OpenForReadOnly(instance, options_.folder.string(), families, &handles, &db);
  }
  if (!opened.ok()) return ToStatus(opened, "open");
  db_.reset(db);
  std::copy_n(handles.begin(), tables_.size(), tables_.begin());
  log_ = handles[tables_.size()];
  meta_ = handles[tables_.size() + 1];
  return absl::OkStatus();
}

absl::Status Database::CheckFormat() {
  std::string format;
  const rocksdb::Status read = db_->Get({}, meta_, kFormatKey, &format);
  if (read.ok() && format == kUncompressedFormat) {
    return lock_.has_value() ? PutFormat() : absl::OkStatus();
  }
  if (read.ok()) {
    if (format == kFormat) return absl::OkStatus();
    return FatalError(
        "open {}: its data has format {}, this program reads {}. Use the release that wrote it, or "
        "another folder",
        folder().string(), format, kFormat);
  }
  if (!read.IsNotFound()) return ToStatus(read, "open");
  const std::unique_ptr<rocksdb::Iterator> keys(db_->NewIterator({}, meta_));
  keys->SeekToFirst();
  if (keys->Valid()) {
    return FatalError("open {}: another program's RocksDB. Choose another folder",
                      folder().string());
  }
  if (!lock_.has_value()) return FatalError("open {}: its crawl has not begun", folder().string());
  return PutFormat();
}

absl::Status Database::PutFormat() {
  rocksdb::WriteBatch batch;
  const rocksdb::Status put = batch.Put(meta_, kFormatKey, kFormat);
  if (!put.ok()) return ToStatus(put, "open");
  return Write(&batch, "open");
}

absl::Status Database::Write(rocksdb::WriteBatch* batch, std::string_view action) {
  rocksdb::WriteOptions write;
  write.sync = options_.sync;
  write.no_slowdown = true;
  // Concurrent writers hand their batches to the first of them, by atomics that ThreadSanitizer
  // does not see in the distribution's RocksDB.
  ABSL_ANNOTATE_IGNORE_READS_AND_WRITES_BEGIN();
  const rocksdb::Status written = db_->Write(write, batch);
  ABSL_ANNOTATE_IGNORE_READS_AND_WRITES_END();
  return ToStatus(written, action);
}

absl::Status Database::WhenWritable(Duration timeout, absl::FunctionRef<absl::Status()> write) {
  const SteadyTime deadline = SystemClock().Now() + timeout;
  while (true) {
    const uint64_t seen = stalls_.count();
    absl::Status status = write();
    if (!absl::IsUnavailable(status)) return status;
    const Duration left = deadline - SystemClock().Now();
    if (left <= Duration::zero()) return TimeoutError("{}", MessageOf(status));
    stalls_.Await(seen, std::min(left, kLookAgain));
  }
}

void Database::BoundWriteBuffers(size_t bytes) { write_buffers_->SetBufferSize(bytes); }
size_t Database::write_buffers_bound() const { return write_buffers_->buffer_size(); }

absl::Status Database::ToStatus(const rocksdb::Status& status, std::string_view action) const {
  if (status.ok()) return absl::OkStatus();
  if (status.IsIncomplete()) {
    return RetryError("{} {}: its flushes and compactions are too far behind to take more", action,
                      folder().string());
  }
  if (status.IsNoSpace()) {
    return FatalError("{} {}: no space left on its disk. Free some and start again", action,
                      folder().string());
  }
  return FatalError("{} {}: {}", action, folder().string(), status.ToString());
}

}  // namespace orbweaver
