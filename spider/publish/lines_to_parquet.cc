#include "spider/publish/lines_to_parquet.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <functional>
#include <memory>
#include <unistd.h>
#include <utility>
#include <zlib.h>

#include "fmt/format.h"

#include "common/base/status.h"
#include "common/parquet/json_rows.h"
#include "common/parquet/parquet_reader.h"
#include "common/parquet/parquet_writer.h"
#include "spider/publish/line_schemas.h"
#include "spider/publish/output_file.h"

namespace orbweaver {
namespace {

namespace fs = std::filesystem;

constexpr size_t kBlockBytes = size_t{1} << 20;
constexpr int kMaxNames = 100;
// In a Parquet file: the lines that it was made of.
constexpr std::string_view kLinesKey = "orbweaver.lines";

// Reads a file of lines once, and knows afterwards which file that was.
class LineReader {
 public:
  explicit LineReader(const std::string& path)
      : path_(path), fd_(open(path.c_str(), O_RDONLY | O_CLOEXEC)) {}
  ~LineReader() {
    if (fd_ >= 0) close(fd_);
  }
  LineReader(const LineReader&) = delete;
  LineReader& operator=(const LineReader&) = delete;

  // Calls `line` for each, without its line break.
  absl::Status Read(const std::function<absl::Status(std::string_view)>& line) {
    if (fd_ < 0) return Failed("open");
    std::string block;
    while (true) {
      const size_t kept = block.size();
      block.resize(kept + kBlockBytes);
      const ssize_t size = read(fd_, block.data() + kept, kBlockBytes);
      if (size < 0 && errno != EINTR) return Failed("read");
      block.resize(kept + static_cast<size_t>(std::max<ssize_t>(size, 0)));
      if (size < 0) continue;
      if (size == 0) break;
      bytes_ += static_cast<uint64_t>(size);
      checksum_ = crc32_z(checksum_, reinterpret_cast<const Bytef*>(block.data()) + kept,
                          static_cast<size_t>(size));
      size_t begin = 0;
      for (size_t end = block.find('\n', kept); end != std::string::npos;
           end = block.find('\n', begin)) {
        RETURN_IF_ERROR(line(std::string_view(block).substr(begin, end - begin)));
        begin = end + 1;
      }
      block.erase(0, begin);
    }
    return block.empty() ? absl::OkStatus()
                         : PoisonError("read {}: its last line has no end", path_);
  }

  std::string Identity() const { return fmt::format("{} bytes, CRC-32 {:08x}", bytes_, checksum_); }

 private:
  absl::Status Failed(std::string_view action) const {
    return FatalError("{} {}: {}. Check the disk", action, path_, std::strerror(errno));
  }

  const std::string path_;
  const int fd_;
  uint64_t bytes_ = 0;
  uLong checksum_ = 0;
};

bool WasMadeOf(const std::string& path, std::string_view identity) {
  auto source = parquet::FileSource::Open(path);
  if (!source.ok()) return false;
  const auto reader = parquet::ParquetReader::Open(*std::move(source));
  if (!reader.ok()) return false;
  for (const auto& [key, value] : (*reader)->meta().key_values) {
    if (key == kLinesKey && value == identity) return true;
  }
  return false;
}

// The name to write to; empty when the Parquet file is there already.
absl::StatusOr<std::string> FreeName(const std::string& path, const std::string& lines_path) {
  std::string identity;
  for (int n = 1; n <= kMaxNames; ++n) {
    std::string name = NumberedPath(path, n);
    std::error_code error;
    if (!fs::exists(name, error)) return name;
    if (identity.empty()) {
      LineReader lines(lines_path);
      RETURN_IF_ERROR(lines.Read([](std::string_view) { return absl::OkStatus(); }));
      identity = lines.Identity();
    }
    if (WasMadeOf(name, identity)) return std::string();
  }
  return FatalError("name {}: {} of that name are there. Move them away", path, kMaxNames);
}

absl::Status WriteParquet(const parquet::Schema& schema, const std::string& path,
                          const std::string& lines_path) {
  // A process that died may have left one. A living one would hold the lock of the lines.
  unlink((path + std::string(OutputFile::kOpen)).c_str());
  ASSIGN_OR_RETURN(const std::unique_ptr<OutputFile> file,
                   OutputFile::Create(fs::path(path).parent_path().string(),
                                      fs::path(path).filename().string()));
  parquet::ParquetWriter writer(schema, {.software = "orbweaver version " ORBWEAVER_VERSION},
                                [&file](std::string_view bytes) { return file->Append(bytes); });
  parquet::JsonRowWriter rows(schema, &writer);
  LineReader lines(lines_path);
  absl::Status status = lines.Read([&rows](std::string_view line) { return rows.Add(line); });
  if (status.ok()) status = writer.Finish({{std::string(kLinesKey), lines.Identity()}});
  if (status.ok()) status = file->Finish();
  // A full disk has no use for a part of it.
  if (!status.ok()) unlink(file->open_path().c_str());
  return status;
}

}  // namespace

absl::Status LinesToParquet(const std::string& path) {
  const std::string lines_path = path + std::string(kLinesEnding);
  const std::string name = fs::path(path).filename().string();
  const parquet::Schema* const schema = LineSchema(name.substr(0, name.find('-')));
  if (schema == nullptr) return PoisonError("convert {}: lines of an unknown kind", lines_path);
  ASSIGN_OR_RETURN(const std::string to, FreeName(path, lines_path));
  if (!to.empty()) {
    RETURN_IF_ERROR(Annotate(WriteParquet(*schema, to, lines_path), "convert " + lines_path));
  }
  if (unlink(lines_path.c_str()) == 0) return absl::OkStatus();
  return FatalError("remove {}: {}. Check spider.archive.folder", lines_path, std::strerror(errno));
}

}  // namespace orbweaver
