#include "common/protocol/epoch_filter.h"

#include <charconv>

#include "fmt/format.h"

namespace orbweaver {

EpochFilter::EpochFilter(std::string_view metadata) {
  int64_t epoch = 0;
  const char* const end = metadata.data() + metadata.size();
  const auto [stop, error] = std::from_chars(metadata.data(), end, epoch);
  const bool whole_word = stop == end || *stop == ' ';
  if (error == std::errc() && whole_word && epoch > 0) last_ = Offset(epoch);
}

std::string EpochFilter::Metadata() const { return fmt::format("{}", last_); }

}  // namespace orbweaver
