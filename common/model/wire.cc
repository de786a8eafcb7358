#include "common/model/wire.h"

#include "fmt/core.h"

namespace orbweaver::wire {

bool Fault::Within(std::string_view field) {
  path_ = path_.empty() ? std::string(field) : fmt::format("{}.{}", field, path_);
  return false;
}

std::string Fault::Describe() const {
  return path_.empty() ? cause_ : fmt::format("{}: {}", path_, cause_);
}

bool Reader::ReadLongTag(uint32_t* tag) {
  uint64_t value;
  if (!ReadLongVarint(&value)) return false;
  if (value > UINT32_MAX) return fault_.Set("a field number past 536870911");
  *tag = static_cast<uint32_t>(value);
  return true;
}

bool Reader::ReadLongVarint(uint64_t* value) {
  uint64_t result = 0;
  for (int shift = 0; shift < 64; shift += 7) {
    if (AtEnd()) return FailCut();
    const auto byte = static_cast<unsigned char>(*next_++);
    // The tenth byte has room for the 64th bit only.
    if (shift == 63 && byte > 1) break;
    result |= static_cast<uint64_t>(byte & 0x7f) << shift;
    if (byte < 0x80) {
      *value = result;
      return true;
    }
  }
  return fault_.Set("a varint of more than 64 bits");
}

bool Reader::Skip(uint32_t tag) {
  switch (static_cast<WireType>(tag & 7)) {
    case WireType::kVarint: {
      uint64_t ignored;
      return ReadVarint(&ignored);
    }
    case WireType::kFixed64: {
      uint64_t ignored;
      return ReadFixed(&ignored);
    }
    case WireType::kBytes: {
      std::string_view ignored;
      return ReadBytes(&ignored);
    }
    case WireType::kFixed32: {
      uint32_t ignored;
      return ReadFixed(&ignored);
    }
  }
  return FailTag(tag);
}

bool Reader::FailTag(uint32_t tag) {
  if (NumberOf(tag) == 0) return fault_.Set("field number 0");
  return fault_.Set(fmt::format("field {} has wire type {}", NumberOf(tag), tag & 7));
}

bool Reader::FailLength(uint64_t length) {
  return fault_.Set(fmt::format("{} bytes announced, {} left", length, end_ - next_));
}

bool Reader::FailCut() { return fault_.Set("cut off"); }

}  // namespace orbweaver::wire
