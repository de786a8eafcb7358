// The one RocksDB instance of a data folder: the store's tables and the bus's log are column
// families of it, so that one write-ahead log and one fsync serve both.
//
// Place: opened by a worker's main, handed to RocksdbStore and EmbeddedBus, and outlives them.
// Thread-safe. After an error that says so (disk full, corruption) every later write fails until
// the folder is opened anew: what was acknowledged stays, what failed is not there.
#pragma once

#include <array>
#include <filesystem>
#include <memory>
#include <optional>
#include <string_view>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"

#include "common/base/clock.h"
#include "common/base/signal.h"
#include "common/store/rocksdb/folder_lock.h"
#include "common/store/store.h"

namespace rocksdb {
class ColumnFamilyHandle;
class DB;
class Env;
class Status;
class WriteBatch;
class WriteBufferManager;
}  // namespace rocksdb

namespace orbweaver {

struct DatabaseOptions {
  // Made when it is missing; its parent must exist.
  std::filesystem::path folder;
  // Each group commit is on disk before it is acknowledged. Without it a crash of the process still
  // loses nothing, a crash of the machine loses the last moments.
  bool sync = true;

  // Bounds of memory: blocks, indexes and filters read; rows written and not yet in a table file.
  size_t block_cache_bytes = size_t{512} << 20;
  size_t write_buffer_bytes = size_t{64} << 20;  // of one table
  // Of the bus's log: what is deleted before it is full is never written to a file.
  size_t log_buffer_bytes = size_t{64} << 20;
  size_t all_write_buffers_bytes = size_t{256} << 20;  // of all together
  // Bounds the folder's write-ahead log, and with it the time that opening takes after a crash.
  size_t max_log_bytes = size_t{512} << 20;
  int background_threads = 2;  // flushes and compactions
  int max_open_files = 1024;

  // For tests that inject faults; nullptr: the operating system. Not owned.
  rocksdb::Env* env = nullptr;
};

class Database {
 public:
  // Opens the folder, after a kill -9 too (replays its log). Fatal: in use, not writable, written
  // by another format or another program, no space.
  static absl::StatusOr<std::unique_ptr<Database>> Open(const DatabaseOptions& options);

  // Opens a folder for reading, also while another process works on it. The view is that of now and
  // does not change. Takes no lock and writes nothing into the folder; every Write fails. Files
  // that the other process deletes meanwhile may become unreadable: then reads fail, and the folder
  // is to be opened anew. Fatal when there is no such folder, or when it was written by another
  // format or program.
  static absl::StatusOr<std::unique_ptr<Database>> OpenReadOnly(const DatabaseOptions& options);

  // Deletes the instance's files and nothing else that stands in the folder. Fatal: in use, or they
  // cannot be deleted; some may be then.
  static absl::Status Destroy(const std::filesystem::path& folder);

  ~Database();

  // Applies all of `batch` or nothing; OK: durable as `sync` says. Concurrent calls share one
  // fsync. Unavailable, at once and with nothing done, while flushes and compactions are too far
  // behind to take more. `action` begins the error's message.
  absl::Status Write(rocksdb::WriteBatch* batch, std::string_view action);

  // Calls `write` until it answers something else than Unavailable, each time when RocksDB may take
  // writes again; DeadlineExceeded after `timeout`. `write` holds its locks for one call only, so
  // that nobody waits longer than he wants because somebody else does.
  absl::Status WhenWritable(Duration timeout, absl::FunctionRef<absl::Status()> write);

  // Replaces all_write_buffers_bytes from now on. Buffers above it are flushed with the next
  // writes.
  void BoundWriteBuffers(size_t bytes);
  size_t write_buffers_bound() const;

  rocksdb::DB& db() const { return *db_; }
  rocksdb::ColumnFamilyHandle* table(Table table) const {
    return tables_[static_cast<size_t>(table)];
  }
  rocksdb::ColumnFamilyHandle* log() const { return log_; }    // the bus's batches of messages
  rocksdb::ColumnFamilyHandle* meta() const { return meta_; }  // format, topics, groups' offsets

  // `action FOLDER: cause. Hint`; fatal unless the same call may succeed later.
  absl::Status ToStatus(const rocksdb::Status& status, std::string_view action) const;

  const std::filesystem::path& folder() const { return options_.folder; }

 private:
  Database(const DatabaseOptions& options, std::optional<FolderLock> lock);

  absl::Status OpenFamilies();
  absl::Status CheckFormat();
  absl::Status PutFormat();

  const DatabaseOptions options_;
  const std::optional<FolderLock> lock_;  // none: only for reading
  Signal stalls_;  // raised when RocksDB stops taking writes, and when it takes them again
  // Constant from Open on.
  std::shared_ptr<rocksdb::WriteBufferManager> write_buffers_;
  std::unique_ptr<rocksdb::DB> db_;
  std::array<rocksdb::ColumnFamilyHandle*, std::size(kTables)> tables_{};
  rocksdb::ColumnFamilyHandle* log_ = nullptr;
  rocksdb::ColumnFamilyHandle* meta_ = nullptr;
};

}  // namespace orbweaver
