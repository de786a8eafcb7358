#include "spider/publish/warc_record.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <isa-l/igzip_lib.h>
#include <libdeflate.h>
#include <span>
#include <sys/random.h>
#include <unistd.h>
#include <zlib.h>

#include "fmt/format.h"

#include "common/base/check.h"
#include "common/base/status.h"
#include "openssl/evp.h"

namespace orbweaver {
namespace {

constexpr int kGzip = 15 + 16;  // zlib's window bits: the largest window, with gzip's frame

std::string Base32(std::span<const uint8_t> bytes) {
  static constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
  std::string text;
  uint32_t bits = 0;
  int have = 0;
  for (const uint8_t byte : bytes) {
    bits = bits << 8 | byte;
    for (have += 8; have >= 5; have -= 5) text += kDigits[bits >> (have - 5) & 31];
  }
  return text;  // 160 bits leave no rest
}

Bytef* Bytes(std::string_view text) {
  return reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
}

}  // namespace

std::string NewWarcId() {
  std::array<uint8_t, 16> bytes;
  CHECK(getrandom(bytes.data(), bytes.size(), 0) == static_cast<ssize_t>(bytes.size()));
  bytes[6] = (bytes[6] & 0x0f) | 0x40;  // RFC 4122: version 4,
  bytes[8] = (bytes[8] & 0x3f) | 0x80;  // its variant
  std::string id = "<urn:uuid:";
  for (size_t i = 0; i < bytes.size(); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) id += '-';
    fmt::format_to(std::back_inserter(id), "{:02x}", bytes[i]);
  }
  return id + ">";
}

std::string WarcDate(WallTime time) {
  const auto since_epoch = time.time_since_epoch();
  const auto seconds = std::chrono::floor<std::chrono::seconds>(since_epoch);
  const std::time_t whole = static_cast<std::time_t>(seconds.count());
  std::tm utc{};
  gmtime_r(&whole, &utc);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", utc.tm_year + 1900,
                     utc.tm_mon + 1, utc.tm_mday, utc.tm_hour, utc.tm_min, utc.tm_sec,
                     (since_epoch - seconds).count());
}

std::string WarcDigest(std::string_view first, std::string_view second) {
  std::array<uint8_t, 20> digest;
  unsigned int size = 0;
  const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context(EVP_MD_CTX_new(),
                                                                        EVP_MD_CTX_free);
  CHECK(EVP_DigestInit_ex(context.get(), EVP_sha1(), nullptr) == 1);
  CHECK(EVP_DigestUpdate(context.get(), first.data(), first.size()) == 1);
  CHECK(EVP_DigestUpdate(context.get(), second.data(), second.size()) == 1);
  CHECK(EVP_DigestFinal_ex(context.get(), digest.data(), &size) == 1 && size == digest.size());
  return "sha1:" + Base32(digest);
}

// ISA-L's first level.
struct WarcEncoder::Fast {
  size_t Compress(std::string_view text, std::string* out) {
    isal_deflate_init(&stream);
    stream.level = 1;
    stream.level_buf = buffer.data();
    stream.level_buf_size = static_cast<uint32_t>(buffer.size());
    stream.gzip_flag = IGZIP_GZIP;
    stream.end_of_stream = 1;
    stream.next_in = reinterpret_cast<uint8_t*>(const_cast<char*>(text.data()));
    stream.avail_in = static_cast<uint32_t>(text.size());
    // Noise grows by a few bytes for each block.
    out->resize(text.size() + text.size() / 16 + 1024);
    for (;;) {
      stream.next_out = reinterpret_cast<uint8_t*>(out->data()) + stream.total_out;
      stream.avail_out = static_cast<uint32_t>(out->size() - stream.total_out);
      CHECK(isal_deflate(&stream) == COMP_OK);
      if (stream.internal_state.state == ZSTATE_END) return stream.total_out;
      out->resize(2 * out->size());
    }
  }

  isal_zstream stream;
  std::vector<uint8_t> buffer = std::vector<uint8_t>(ISAL_DEF_LVL1_DEFAULT);
};

struct WarcEncoder::Small {
  explicit Small(int level) : compressor(libdeflate_alloc_compressor(level)) {
    CHECK(compressor != nullptr);
  }
  ~Small() { libdeflate_free_compressor(compressor); }

  size_t Compress(std::string_view text, std::string* out) const {
    out->resize(libdeflate_gzip_compress_bound(compressor, text.size()));
    const size_t size =
        libdeflate_gzip_compress(compressor, text.data(), text.size(), out->data(), out->size());
    CHECK(size > 0);
    return size;
  }

  libdeflate_compressor* const compressor;
};

WarcEncoder::WarcEncoder(int level)
    : fast_(level == 1 ? std::make_unique<Fast>() : nullptr),
      small_(level == 1 ? nullptr : std::make_unique<Small>(level)) {}

WarcEncoder::~WarcEncoder() = default;

std::string_view WarcEncoder::Encode(const WarcRecord& record) {
  text_.clear();
  const auto out = std::back_inserter(text_);
  fmt::format_to(out, "WARC/1.1\r\nWARC-Type: {}\r\nWARC-Record-ID: {}\r\nWARC-Date: {}\r\n",
                 record.type, record.id, WarcDate(record.date));
  for (const auto& [name, value] : record.headers) {
    fmt::format_to(out, "{}: {}\r\n", name, value);
  }
  fmt::format_to(out, "WARC-Block-Digest: {}\r\nContent-Type: {}\r\nContent-Length: {}\r\n\r\n",
                 WarcDigest(record.head, record.payload), record.content_type,
                 record.head.size() + record.payload.size());
  text_.append(record.head).append(record.payload).append("\r\n\r\n");
  const size_t size = fast_ != nullptr ? fast_->Compress(text_, &compressed_)
                                       : small_->Compress(text_, &compressed_);
  return std::string_view(compressed_).substr(0, size);
}

absl::StatusOr<std::string> UnpackGzipMember(std::string_view packed) {
  z_stream z{};
  CHECK(inflateInit2(&z, kGzip) == Z_OK);
  const std::unique_ptr<z_stream, decltype(&inflateEnd)> end(&z, inflateEnd);
  std::string text;
  std::string block(size_t{64} << 10, '\0');
  z.next_in = Bytes(packed);
  z.avail_in = static_cast<uInt>(packed.size());
  for (int result = Z_OK; result != Z_STREAM_END;) {
    z.next_out = Bytes(block);
    z.avail_out = static_cast<uInt>(block.size());
    result = inflate(&z, Z_NO_FLUSH);
    text.append(block, 0, block.size() - z.avail_out);
    if (result != Z_OK && result != Z_STREAM_END) {
      return FatalError("unpack a record: {}", z.msg == nullptr ? "it is cut off" : z.msg);
    }
  }
  return text;
}

absl::StatusOr<uint64_t> ReadGzipMembers(int fd, size_t head_bytes,
                                         absl::FunctionRef<void(const GzipMember&)> visit) {
  z_stream z{};
  CHECK(inflateInit2(&z, kGzip) == Z_OK);
  const std::unique_ptr<z_stream, decltype(&inflateEnd)> end(&z, inflateEnd);
  std::vector<Bytef> in(size_t{256} << 10);
  std::vector<Bytef> out(size_t{256} << 10);
  uint64_t whole = 0;
  uint64_t read_to = 0;
  std::string head;
  while (true) {
    const ssize_t size = pread(fd, in.data(), in.size(), static_cast<off_t>(read_to));
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) return FatalError("read archive: {}. Check the disk", std::strerror(errno));
    if (size == 0) return whole;
    read_to += static_cast<uint64_t>(size);
    z.next_in = in.data();
    z.avail_in = static_cast<uInt>(size);
    while (z.avail_in > 0) {
      z.next_out = out.data();
      z.avail_out = static_cast<uInt>(out.size());
      const int result = inflate(&z, Z_NO_FLUSH);
      head.append(reinterpret_cast<const char*>(out.data()),
                  std::min(head_bytes - head.size(), out.size() - z.avail_out));
      if (result == Z_STREAM_END) {
        const uint64_t member_end = read_to - z.avail_in;
        visit({.offset = whole, .length = member_end - whole, .head = head});
        whole = member_end;
        head.clear();
        if (inflateReset(&z) != Z_OK) return whole;
      } else if (result != Z_OK && result != Z_BUF_ERROR) {
        return whole;  // what a torn write left
      }
    }
  }
}

}  // namespace orbweaver
