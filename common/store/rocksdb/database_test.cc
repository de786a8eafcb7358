#include "common/store/rocksdb/database.h"

#include <atomic>
#include <csignal>
#include <fstream>
#include <optional>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include "rocksdb/db.h"
#include "rocksdb/file_system.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/status.h"
#include "common/store/rocksdb/rocksdb_store.h"
#include "common/store/rocksdb/row_key.h"
#include "tests/support/expect_ok.h"
#include "tests/support/noise.h"
#include "tests/support/scratch_folder.h"

namespace orbweaver {
namespace {

using ::testing::HasSubstr;

constexpr Duration kTimeout = std::chrono::minutes(1);

// A disk that is full when told so: nothing more is written, and half of what is asked for has
// already gone out.
class FullableDisk : public rocksdb::FileSystemWrapper {
 public:
  explicit FullableDisk(const std::shared_ptr<rocksdb::FileSystem>& disk)
      : FileSystemWrapper(disk) {}
  const char* Name() const override { return "FullableDisk"; }

  rocksdb::IOStatus NewWritableFile(const std::string& name, const rocksdb::FileOptions& options,
                                    std::unique_ptr<rocksdb::FSWritableFile>* file,
                                    rocksdb::IODebugContext* debug) override {
    const rocksdb::IOStatus made = target()->NewWritableFile(name, options, file, debug);
    if (made.ok()) *file = std::make_unique<File>(std::move(*file), *this);
    return made;
  }

  std::atomic<bool> is_full = false;
  std::atomic<int> syncs = 0;
  std::atomic<int> full_after_syncs = 0;  // 0: never

 private:
  class File : public rocksdb::FSWritableFileOwnerWrapper {
   public:
    File(std::unique_ptr<rocksdb::FSWritableFile> file, FullableDisk& disk)
        : FSWritableFileOwnerWrapper(std::move(file)), disk_(disk) {}

    rocksdb::IOStatus Sync(const rocksdb::IOOptions& options,
                           rocksdb::IODebugContext* debug) override {
      if (++disk_.syncs == disk_.full_after_syncs) disk_.is_full = true;
      return FSWritableFileOwnerWrapper::Sync(options, debug);
    }

    rocksdb::IOStatus Append(const rocksdb::Slice& data, const rocksdb::IOOptions& options,
                             rocksdb::IODebugContext* debug) override {
      if (!disk_.is_full) return FSWritableFileOwnerWrapper::Append(data, options, debug);
      const rocksdb::Slice half(data.data(), data.size() / 2);
      static_cast<void>(FSWritableFileOwnerWrapper::Append(half, options, debug));
      return rocksdb::IOStatus::NoSpace("disk full");
    }
    rocksdb::IOStatus Append(const rocksdb::Slice& data, const rocksdb::IOOptions& options,
                             const rocksdb::DataVerificationInfo&,
                             rocksdb::IODebugContext* debug) override {
      return Append(data, options, debug);
    }

   private:
    FullableDisk& disk_;
  };
};

class DatabaseTest : public ::testing::Test {
 protected:
  void Open() {
    auto opened = Database::Open({.folder = path_, .env = env_.get()});
    ASSERT_OK(opened.status());
    database_ = *std::move(opened);
    store_.emplace(*database_);
  }
  void Close() {
    store_.reset();
    database_.reset();
  }
  absl::Status Put(std::string_view row, std::string_view value) {
    const CellPut cells[] = {{"a", value}, {"b", value}};
    const RowPut put{row, Version(1), cells};
    std::vector<uint32_t> remaining;
    return store_->Write(Table::kQueue, {&put, 1}, kTimeout, &remaining);
  }
  size_t CellsOf(std::string_view row) {
    const RowGet get{row, {}};
    Rows rows;
    EXPECT_OK(store_->MultiGet(Table::kQueue, {&get, 1}, kTimeout, &rows));
    return rows[0].size();
  }

  const ScratchFolder folder_;
  const std::filesystem::path path_ = folder_.path() / "crawl-data";
  std::unique_ptr<rocksdb::Env> env_;
  std::unique_ptr<Database> database_;
  std::optional<RocksdbStore> store_;
};

TEST_F(DatabaseTest, ASecondOpenIsRefusedWithTheNameOfTheProcessInside) {
  Open();
  const absl::Status second = Database::Open({.folder = path_}).status();
  EXPECT_TRUE(IsFatal(second));
  EXPECT_THAT(std::string(MessageOf(second)),
              HasSubstr(fmt::format("open {}: in use by process {} (", path_.string(), getpid())));
  EXPECT_THAT(std::string(MessageOf(second)), HasSubstr("Stop it or choose another folder"));
  // The refused one has not disturbed the other.
  EXPECT_OK(Put("row", "value"));
}

TEST_F(DatabaseTest, TheFolderIsFreeAgainAfterItsDatabaseIsGone) {
  Open();
  EXPECT_OK(Put("row", "value"));
  Close();
  Open();
  EXPECT_EQ(CellsOf("row"), 2u);
}

TEST_F(DatabaseTest, WriteBuffersThatMayTakeLessAreWrittenToFiles) {
  Open();
  const auto unwritten = [this] {
    uint64_t bytes = 0;
    EXPECT_TRUE(database_->db().GetAggregatedIntProperty("rocksdb.size-all-mem-tables", &bytes));
    return bytes;
  };
  const std::string value = Noise(2 << 20);
  for (const std::string_view row : {"1", "2", "3"}) EXPECT_OK(Put(row, value));
  ASSERT_GT(unwritten(), uint64_t{12} << 20);

  database_->BoundWriteBuffers(8 << 20);
  // Each write looks at the bound; files are written on a thread of RocksDB's.
  const SteadyTime deadline = SystemClock().Now() + kTimeout;
  while (unwritten() > uint64_t{8} << 20 && SystemClock().Now() < deadline) {
    EXPECT_OK(Put("4", "small"));
  }
  EXPECT_LE(unwritten(), uint64_t{8} << 20);
  for (const std::string_view row : {"1", "2", "3", "4"}) EXPECT_EQ(CellsOf(row), 2u);
}

TEST_F(DatabaseTest, WhoOnlyLooksSeesWhatIsThereAndDisturbsNobody) {
  Open();
  ASSERT_OK(Put("row", "value"));
  std::vector<std::string> before;
  for (const auto& file : std::filesystem::directory_iterator(path_)) before.push_back(file.path());
  auto looked = Database::OpenReadOnly({.folder = path_});
  ASSERT_OK(looked);
  RocksdbStore store(**looked);
  const auto cells_of = [&store](std::string_view row) {
    const RowGet get{row, {}};
    Rows rows;
    EXPECT_OK(store.MultiGet(Table::kQueue, {&get, 1}, kTimeout, &rows));
    return rows[0].size();
  };
  EXPECT_EQ(cells_of("row"), 2u);
  // A still picture, while the one inside goes on.
  ASSERT_OK(Put("later", "value"));
  EXPECT_EQ(cells_of("later"), 0u);
  EXPECT_EQ(CellsOf("later"), 2u);
  // It may not write, and leaves no file behind.
  const CellPut cell{"column", "value"};
  const RowPut put{"row", Version(9), {&cell, 1}};
  std::vector<uint32_t> remaining;
  EXPECT_TRUE(IsFatal(store.Write(Table::kQueue, {&put, 1}, kTimeout, &remaining)));
  std::vector<std::string> after;
  for (const auto& file : std::filesystem::directory_iterator(path_)) after.push_back(file.path());
  EXPECT_THAT(after, ::testing::UnorderedElementsAreArray(before));
}

TEST_F(DatabaseTest, WhoOnlyLooksReadsOnWhileTableFilesUnderItAreCompactedAway) {
  Open();
  ASSERT_OK(Put("row", std::string(1000, 'x')));
  ASSERT_TRUE(database_->db().Flush({}, database_->table(Table::kQueue)).ok());
  auto looked = Database::OpenReadOnly({.folder = path_});
  ASSERT_OK(looked);
  ASSERT_OK(Put("row", std::string(1000, 'y')));
  ASSERT_TRUE(database_->db().Flush({}, database_->table(Table::kQueue)).ok());
  ASSERT_TRUE(
      database_->db().CompactRange({}, database_->table(Table::kQueue), nullptr, nullptr).ok());
  RocksdbStore store(**looked);
  const RowGet get{"row", {}};
  Rows rows;
  ASSERT_OK(store.MultiGet(Table::kQueue, {&get, 1}, kTimeout, &rows));
  EXPECT_EQ(rows[0].size(), 2u);
}

TEST_F(DatabaseTest, LookingIntoAFolderWithoutACrawlSaysSoAndMakesNothing) {
  const absl::Status opened = Database::OpenReadOnly({.folder = path_}).status();
  EXPECT_TRUE(IsFatal(opened));
  EXPECT_THAT(std::string(MessageOf(opened)), HasSubstr("there is no crawl in it"));
  EXPECT_FALSE(std::filesystem::exists(path_));
}

TEST_F(DatabaseTest, AFolderOfAnotherFormatIsRefusedWithBothNumbers) {
  Open();
  ASSERT_TRUE(database_->db().Put({}, database_->meta(), "format", "99").ok());
  Close();
  const absl::Status opened = Database::Open({.folder = path_}).status();
  EXPECT_TRUE(IsFatal(opened));
  EXPECT_THAT(std::string(MessageOf(opened)), HasSubstr("format 99, this program reads 5"));
}

TEST_F(DatabaseTest, AFolderOfBeforeCompressionIsReadAndThenRefusedByProgramsOfBeforeIt) {
  Open();
  // A value as they wrote it: version and bytes.
  std::string key;
  AppendRowPrefix("row", &key);
  const std::string value(1000, 'x');
  ASSERT_TRUE(database_->db()
                  .Merge({}, database_->table(Table::kQueue), key + "a",
                         std::string("\0\0\0\0\0\0\0\1", 8) + value)
                  .ok());
  ASSERT_TRUE(database_->db().Put({}, database_->meta(), "format", "4").ok());
  const auto format = [this] {
    std::string read;
    EXPECT_TRUE(database_->db().Get({}, database_->meta(), "format", &read).ok());
    return read;
  };
  const auto read_row = [](Database& database) {
    RocksdbStore store(database);
    const RowGet get{"row", {}};
    Rows rows;
    EXPECT_OK(store.MultiGet(Table::kQueue, {&get, 1}, kTimeout, &rows));
    const Cell* const cell = rows.Find(0, "a");
    return cell == nullptr ? "" : std::string(cell->value);
  };
  {
    auto looked = Database::OpenReadOnly({.folder = path_});
    ASSERT_OK(looked);
    EXPECT_EQ(read_row(**looked), value);
  }
  EXPECT_EQ(format(), "4");
  Close();
  Open();
  EXPECT_EQ(format(), "5");
  EXPECT_EQ(read_row(*database_), value);
}

TEST_F(DatabaseTest, AnotherProgramsRocksdbIsLeftAlone) {
  rocksdb::Options options;
  options.create_if_missing = true;
  rocksdb::DB* other = nullptr;
  ASSERT_TRUE(rocksdb::DB::Open(options, path_.string(), &other).ok());
  ASSERT_TRUE(other->Put({}, "its key", "its value").ok());
  delete other;
  EXPECT_THAT(std::string(MessageOf(Database::Open({.folder = path_}).status())),
              HasSubstr("another program's"));
}

TEST_F(DatabaseTest, AFolderThatCannotBeMadeIsNamed) {
  const absl::Status opened =
      Database::Open({.folder = folder_.path() / "missing" / "data"}).status();
  EXPECT_TRUE(IsFatal(opened));
  EXPECT_THAT(std::string(MessageOf(opened)), HasSubstr("missing/data"));
}

// A machine that crashes loses what was not synced, which killing a process does not show.
TEST_F(DatabaseTest, EachWriteIsSyncedBeforeItIsAcknowledged) {
  const auto disk = std::make_shared<FullableDisk>(rocksdb::FileSystem::Default());
  env_ = rocksdb::NewCompositeEnv(disk);
  Open();
  for (int i = 0; i < 3; ++i) {
    const int before = disk->syncs;
    ASSERT_OK(Put("row", "value"));
    EXPECT_GT(disk->syncs, before);
  }
}

TEST_F(DatabaseTest, AFullDiskFailsTheWriteWholeAndOpensAgainWhenThereIsSpace) {
  const auto disk = std::make_shared<FullableDisk>(rocksdb::FileSystem::Default());
  env_ = rocksdb::NewCompositeEnv(disk);
  Open();
  ASSERT_OK(Put("before", "value"));
  disk->is_full = true;
  const absl::Status failed = Put("refused", std::string(100'000, 'x'));
  EXPECT_TRUE(IsFatal(failed)) << failed;
  EXPECT_THAT(std::string(MessageOf(failed)), HasSubstr("no space left"));
  EXPECT_THAT(std::string(MessageOf(failed)), HasSubstr(path_.string()));
  disk->is_full = false;
  // Until it is opened anew nothing is taken: what follows a lost write must not stand alone.
  EXPECT_TRUE(IsFatal(Put("after", "value")));
  Close();
  Open();
  EXPECT_EQ(CellsOf("before"), 2u);
  EXPECT_EQ(CellsOf("refused"), 0u);
  EXPECT_EQ(CellsOf("after"), 0u);
  EXPECT_OK(Put("after", "value"));
}

TEST_F(DatabaseTest, WhatWasDurableBeforeTheDiskWasFullIsNotNamedAsRemaining) {
  const auto disk = std::make_shared<FullableDisk>(rocksdb::FileSystem::Default());
  env_ = rocksdb::NewCompositeEnv(disk);
  Open();
  const std::string value(8'000'000, 'x');
  const std::string rows[] = {"a", "b", "c", "d", "e", "f"};
  const CellPut cell{"a", value};
  std::vector<RowPut> puts;
  for (const std::string& row : rows) puts.push_back({row, Version(1), {&cell, 1}});
  disk->full_after_syncs = disk->syncs + 1;
  std::vector<uint32_t> remaining;
  EXPECT_TRUE(IsFatal(store_->Write(Table::kQueue, puts, kTimeout, &remaining)));
  ASSERT_FALSE(remaining.empty());
  ASSERT_LT(remaining.size(), puts.size());
  EXPECT_EQ(remaining.back(), puts.size() - 1);
  disk->full_after_syncs = 0;
  disk->is_full = false;
  Close();
  Open();
  for (uint32_t i = 0; i < puts.size(); ++i) {
    EXPECT_EQ(CellsOf(rows[i]), i < remaining.front() ? 1u : 0u) << i;
  }
}

}  // namespace
}  // namespace orbweaver
