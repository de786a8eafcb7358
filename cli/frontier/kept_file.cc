#include "cli/frontier/kept_file.h"

#include <algorithm>
#include <fstream>
#include <system_error>

#include "common/base/status.h"
#include "common/url/fingerprint.h"

namespace orbweaver {
namespace {

constexpr size_t kChecksumBytes = 16;

}  // namespace

std::string WithChecksum(std::string bytes) {
  const auto checksum = FingerprintOf(bytes).ToBytes();
  return bytes.append(checksum.data(), checksum.size());
}

bool TakeChecksum(std::string_view* bytes) {
  if (bytes->size() < kChecksumBytes) return false;
  const std::string_view content = bytes->substr(0, bytes->size() - kChecksumBytes);
  const auto checksum = FingerprintOf(content).ToBytes();
  if (!bytes->ends_with(std::string_view(checksum.data(), checksum.size()))) return false;
  *bytes = content;
  return true;
}

absl::Status KeepFile(const std::filesystem::path& file, std::string_view bytes) {
  std::filesystem::path written = file;
  written += ".new";
  std::ofstream stream(written, std::ios::binary | std::ios::trunc);
  stream << bytes;
  stream.close();
  if (!stream) return FatalError("write {}: the disk does not take it", written.string());
  std::error_code unmoved;
  std::filesystem::rename(written, file, unmoved);
  if (!unmoved) return absl::OkStatus();
  return FatalError("write {}: {}", file.string(), unmoved.message());
}

std::string ReadKeptFile(const std::filesystem::path& file, size_t most) {
  std::ifstream stream(file, std::ios::binary | std::ios::ate);
  if (!stream) return {};
  const std::streamoff size = stream.tellg();
  if (size <= 0) return {};
  std::string bytes(std::min(static_cast<size_t>(size), most), '\0');
  stream.seekg(0);
  stream.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  bytes.resize(static_cast<size_t>(stream.gcount()));
  return bytes;
}

}  // namespace orbweaver
