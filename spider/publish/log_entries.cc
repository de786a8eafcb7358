#include "spider/publish/log_entries.h"

namespace orbweaver {

void LogEntries::Append(Slot slot, std::string_view domain, std::string_view value) {
  extents_.push_back({.begin = bytes_.size(),
                      .domain_size = static_cast<uint32_t>(domain.size()),
                      .value_size = static_cast<uint32_t>(value.size()),
                      .slot = slot});
  bytes_ += domain;
  bytes_ += value;
}

LogEntries::Entry LogEntries::operator[](size_t index) const {
  const Extent& extent = extents_[index];
  const std::string_view all = bytes_;
  return {.slot = extent.slot,
          .domain = all.substr(extent.begin, extent.domain_size),
          .value = all.substr(extent.begin + extent.domain_size, extent.value_size)};
}

void LogEntries::Clear() {
  bytes_.clear();
  extents_.clear();
  failure_.reset();
}

}  // namespace orbweaver
