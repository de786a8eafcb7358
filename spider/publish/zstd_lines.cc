#include "spider/publish/zstd_lines.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <optional>
#include <unistd.h>
#include <vector>
#include <zstd.h>

#include "common/base/check.h"
#include "common/base/status.h"

namespace orbweaver {
namespace {

// Lines are much alike, and there is a stream for each kind of line and thread.
constexpr int kLevel = 3;
constexpr int kWindowLog = 18;

// RFC 8878, section 3.1.1.
constexpr size_t kBlockHeadBytes = 3;
constexpr size_t kMaxFrameHeadBytes = 18;
constexpr std::string_view kLastBlock("\x01\0\0", kBlockHeadBytes);  // with nothing in it

// How long a frame's head is that begins with these bytes; nullopt when it is none of zstd.
std::optional<size_t> FrameHeadBytes(std::string_view bytes) {
  constexpr std::string_view kMagic = "\x28\xb5\x2f\xfd";
  if (bytes.size() < 6 || !bytes.starts_with(kMagic)) return std::nullopt;
  const auto flags = static_cast<unsigned char>(bytes[4]);
  constexpr std::array<size_t, 4> kDictionary = {0, 1, 2, 4};
  constexpr std::array<size_t, 4> kContentSize = {0, 2, 4, 8};
  const bool single_segment = (flags & 0x20) != 0;
  const size_t content_size = flags >> 6 == 0 ? (single_segment ? 1 : 0) : kContentSize[flags >> 6];
  return 5 + (single_segment ? 0 : 1) + kDictionary[flags & 3] + content_size;
}

// Reads the file piece by piece.
class Walk {
 public:
  explicit Walk(int fd) : fd_(fd) {}

  // The next `size` bytes; nullopt at the end of the file, or when fewer are left.
  absl::StatusOr<std::optional<std::string_view>> Next(size_t size) {
    piece_.resize(size);
    size_t have = 0;
    while (have < size) {
      const ssize_t n =
          pread(fd_, piece_.data() + have, size - have, static_cast<off_t>(at_ + have));
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) return FatalError("read archive: {}. Check the disk", std::strerror(errno));
      if (n == 0) return std::optional<std::string_view>();
      have += static_cast<size_t>(n);
    }
    at_ += size;
    return std::optional<std::string_view>(piece_);
  }
  void Back(size_t bytes) { at_ -= bytes; }
  uint64_t at() const { return at_; }

 private:
  const int fd_;
  std::string piece_;
  uint64_t at_ = 0;
};

class Unpacker {
 public:
  Unpacker() : stream_(ZSTD_createDCtx()), out_(ZSTD_DStreamOutSize()) {}
  ~Unpacker() { ZSTD_freeDCtx(stream_); }
  Unpacker(const Unpacker&) = delete;
  Unpacker& operator=(const Unpacker&) = delete;

  // False when the bytes are not of a frame.
  bool Take(std::string_view bytes) {
    ZSTD_inBuffer in{bytes.data(), bytes.size(), 0};
    for (bool more = true; more;) {
      ZSTD_outBuffer out{out_.data(), out_.size(), 0};
      if (ZSTD_isError(ZSTD_decompressStream(stream_, &out, &in)) != 0) return false;
      if (out.pos > 0) ends_line_ = out_[out.pos - 1] == '\n';
      more = in.pos < in.size || out.pos == out.size;
    }
    return true;
  }
  bool ends_line() const { return ends_line_; }

 private:
  ZSTD_DCtx* const stream_;
  std::vector<char> out_;
  bool ends_line_ = false;
};

// Where the last whole line ends, and whether its frame does too.
struct End {
  uint64_t at = 0;
  bool of_frame = true;
};

absl::StatusOr<End> LastLine(int fd) {
  Walk walk(fd);
  Unpacker unpacker;
  End end;
  while (true) {
    // A short file has less than the longest head.
    ASSIGN_OR_RETURN(auto head, walk.Next(6));
    if (!head) return end;
    const auto head_bytes = FrameHeadBytes(*head);
    if (!head_bytes || *head_bytes > kMaxFrameHeadBytes) return end;
    walk.Back(6);
    ASSIGN_OR_RETURN(head, walk.Next(*head_bytes));
    if (!head || !unpacker.Take(*head)) return end;
    for (bool is_last = false; !is_last;) {
      ASSIGN_OR_RETURN(const auto block_head, walk.Next(kBlockHeadBytes));
      if (!block_head) return end;
      uint32_t bits = 0;
      std::memcpy(&bits, block_head->data(), kBlockHeadBytes);
      is_last = (bits & 1) != 0;
      const bool is_run = (bits >> 1 & 3) == 1;  // one byte, many times
      const size_t size = is_run ? 1 : bits >> 3;
      walk.Back(kBlockHeadBytes);
      ASSIGN_OR_RETURN(const auto block, walk.Next(kBlockHeadBytes + size));
      if (!block || !unpacker.Take(*block)) return end;
      if (unpacker.ends_line()) end = {.at = walk.at(), .of_frame = is_last};
    }
  }
}

}  // namespace

struct ZstdLines::Stream {
  ZSTD_CCtx* context = ZSTD_createCCtx();
  ~Stream() { ZSTD_freeCCtx(context); }
};

ZstdLines::ZstdLines() : stream_(std::make_unique<Stream>()) {
  CHECK(ZSTD_isError(ZSTD_CCtx_setParameter(stream_->context, ZSTD_c_compressionLevel, kLevel)) ==
        0);
  CHECK(ZSTD_isError(ZSTD_CCtx_setParameter(stream_->context, ZSTD_c_windowLog, kWindowLog)) == 0);
}

ZstdLines::~ZstdLines() = default;

std::string_view ZstdLines::Compress(std::string_view line) { return Run(line, false); }
std::string_view ZstdLines::End() { return Run({}, true); }

std::string_view ZstdLines::Run(std::string_view text, bool is_end) {
  out_.resize(ZSTD_compressBound(text.size()) + 1024);
  ZSTD_inBuffer in{text.data(), text.size(), 0};
  size_t size = 0;
  for (size_t left = 1; left != 0;) {
    if (size == out_.size()) out_.resize(2 * size);
    ZSTD_outBuffer out{out_.data() + size, out_.size() - size, 0};
    left = ZSTD_compressStream2(stream_->context, &out, &in, is_end ? ZSTD_e_end : ZSTD_e_flush);
    CHECK(ZSTD_isError(left) == 0);
    size += out.pos;
  }
  return std::string_view(out_).substr(0, size);
}

absl::StatusOr<uint64_t> RepairZstdLines(int fd, const std::string& path) {
  ASSIGN_OR_RETURN(const auto end, LastLine(fd));
  if (end.at == 0 || end.of_frame) return end.at;
  if (pwrite(fd, kLastBlock.data(), kLastBlock.size(), static_cast<off_t>(end.at)) !=
      static_cast<ssize_t>(kLastBlock.size())) {
    return FatalError("write {}: {}. Make room on the disk", path, std::strerror(errno));
  }
  return end.at + kLastBlock.size();
}

}  // namespace orbweaver
