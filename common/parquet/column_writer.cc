#include "common/parquet/column_writer.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>

#include "absl/container/flat_hash_map.h"

#include "common/base/status.h"
#include "common/parquet/rle.h"

namespace orbweaver::parquet {
namespace {

constexpr size_t kLengthBytes = 4;  // before a byte array
constexpr size_t kMaxPageLevels = 20'000;
// Longer bounds tell readers little and make the footer large.
constexpr size_t kMaxStatisticsBytes = 256;

template <typename T>
T Load(const char* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

void AppendLength(size_t length, std::string* out) {
  const auto size = static_cast<uint32_t>(length);
  out->append(reinterpret_cast<const char*>(&size), sizeof size);
}

// Of a column that is not repeated or never null there are none.
void AppendLevels(std::span<const uint8_t> levels, uint8_t max, std::string* page) {
  if (max == 0) return;
  const size_t at = page->size();
  AppendLength(0, page);
  EncodeRle(levels, BitWidth(max), page);
  const auto size = static_cast<uint32_t>(page->size() - at - kLengthBytes);
  std::memcpy(page->data() + at, &size, sizeof size);
}

void PackBits(std::string_view bools, std::string* page) {
  for (size_t i = 0; i < bools.size(); i += 8) {
    unsigned byte = 0;
    for (size_t bit = 0; bit < 8 && i + bit < bools.size(); ++bit) {
      byte |= static_cast<unsigned>(bools[i + bit]) << bit;
    }
    page->push_back(static_cast<char>(byte));
  }
}

// Nothing of a NaN can be said to be least.
template <typename T>
bool Extend(T value, std::optional<T>* min, std::optional<T>* max) {
  if (value != value) return false;
  if (!*min || value < **min) *min = value;
  if (!*max || value > **max) *max = value;
  return true;
}

template <typename T>
std::string BytesOf(T value) {
  return std::string(reinterpret_cast<const char*>(&value), sizeof value);
}

// Least and greatest of values one behind the other.
template <typename T>
void FixedBounds(std::string_view plain, ChunkStatistics* statistics) {
  std::optional<T> min;
  std::optional<T> max;
  for (size_t at = 0; at < plain.size(); at += sizeof(T)) {
    if (!Extend(Load<T>(plain.data() + at), &min, &max)) return;
  }
  if (!min) return;
  if constexpr (std::is_floating_point_v<T>) {
    // Zeros are alike, and which of them it was must not mislead.
    if (*min == 0) min = -T{0};
    if (*max == 0) max = T{0};
  }
  statistics->min = BytesOf(*min);
  statistics->max = BytesOf(*max);
}

}  // namespace

ColumnWriter::ColumnWriter(const Node& leaf)
    : type_(leaf.type),
      path_(leaf.path),
      max_definition_(leaf.definition),
      max_repetition_(leaf.repetition) {}

void ColumnWriter::AddLevels(uint8_t repetition, uint8_t definition) {
  if (max_definition_ > 0) definitions_.push_back(definition);
  if (max_repetition_ > 0) repetitions_.push_back(repetition);
  ++levels_;
}

template <typename T>
void ColumnWriter::AddFixed(uint8_t repetition, T value) {
  AddLevels(repetition, max_definition_);
  plain_.append(reinterpret_cast<const char*>(&value), sizeof value);
  ++values_;
}
template void ColumnWriter::AddFixed(uint8_t, int32_t);
template void ColumnWriter::AddFixed(uint8_t, int64_t);
template void ColumnWriter::AddFixed(uint8_t, float);
template void ColumnWriter::AddFixed(uint8_t, double);

void ColumnWriter::AddBool(uint8_t repetition, bool value) {
  AddLevels(repetition, max_definition_);
  plain_.push_back(value ? 1 : 0);
  ++values_;
}

void ColumnWriter::AddBytes(uint8_t repetition, std::string_view value) {
  AddLevels(repetition, max_definition_);
  AppendLength(value.size(), &plain_);
  plain_.append(value);
  ++values_;
}

void ColumnWriter::BackTo(const Mark& mark) {
  levels_ = mark.levels;
  values_ = mark.values;
  plain_.resize(mark.plain_bytes);
  if (max_definition_ > 0) definitions_.resize(levels_);
  if (max_repetition_ > 0) repetitions_.resize(levels_);
}

size_t ColumnWriter::SizeAt(size_t plain) const {
  switch (type_) {
    case Type::kBool:
      return 1;
    case Type::kInt32:
    case Type::kFloat:
      return 4;
    case Type::kInt64:
    case Type::kTimestamp:
    case Type::kDouble:
      return 8;
    default:
      return kLengthBytes + Load<uint32_t>(plain_.data() + plain);
  }
}

std::string_view ColumnWriter::ValueAt(size_t plain) const {
  const std::string_view whole = std::string_view(plain_).substr(plain, SizeAt(plain));
  const bool has_length = type_ == Type::kBinary || type_ == Type::kString;
  return has_length ? whole.substr(kLengthBytes) : whole;
}

bool ColumnWriter::MakeDictionary(size_t max_bytes) {
  dictionary_.clear();
  indices_.clear();
  entries_ = 0;
  if (type_ == Type::kBool || values_ == 0) return false;
  absl::flat_hash_map<std::string_view, uint32_t> places;
  for (size_t at = 0; at < plain_.size();) {
    const std::string_view value = std::string_view(plain_).substr(at, SizeAt(at));
    at += value.size();
    const auto [place, is_new] = places.emplace(value, entries_);
    if (is_new) {
      if (dictionary_.size() + value.size() > max_bytes) return false;
      dictionary_.append(value);
      ++entries_;
    }
    indices_.push_back(place->second);
  }
  const auto bits = static_cast<size_t>(BitWidth(entries_));
  return dictionary_.size() + values_ * bits / 8 < plain_.size();
}

ColumnWriter::Slice ColumnWriter::NextSlice(const Slice& before, size_t page_bytes) const {
  Slice slice{.level = before.level + before.levels,
              .value = before.value + before.values,
              .plain = before.plain + before.plain_bytes};
  size_t bytes = 0;
  while (slice.level + slice.levels < levels_) {
    const size_t level = slice.level + slice.levels;
    const bool row_begins = max_repetition_ == 0 || repetitions_[level] == 0;
    if (row_begins && slice.levels > 0 && (bytes >= page_bytes || slice.levels >= kMaxPageLevels)) {
      break;
    }
    ++slice.levels;
    if (max_definition_ > 0 && definitions_[level] < max_definition_) continue;
    ++slice.values;
    const size_t size = SizeAt(slice.plain + slice.plain_bytes);
    slice.plain_bytes += size;
    bytes += entries_ > 0 ? sizeof(uint32_t) : size;
  }
  return slice;
}

void ColumnWriter::AppendValues(const Slice& slice, int index_width, std::string* page) const {
  const std::string_view plain = std::string_view(plain_).substr(slice.plain, slice.plain_bytes);
  if (index_width > 0) {
    page->push_back(static_cast<char>(index_width));
    EncodeRle(std::span(indices_).subspan(slice.value, slice.values), index_width, page);
  } else if (type_ == Type::kBool) {
    PackBits(plain, page);
  } else {
    page->append(plain);
  }
}

ChunkStatistics ColumnWriter::Statistics() const {
  ChunkStatistics statistics{.nulls = static_cast<int64_t>(levels_ - values_)};
  switch (type_) {
    case Type::kBool:
      FixedBounds<uint8_t>(plain_, &statistics);
      break;
    case Type::kInt32:
      FixedBounds<int32_t>(plain_, &statistics);
      break;
    case Type::kInt64:
    case Type::kTimestamp:
      FixedBounds<int64_t>(plain_, &statistics);
      break;
    case Type::kFloat:
      FixedBounds<float>(plain_, &statistics);
      break;
    case Type::kDouble:
      FixedBounds<double>(plain_, &statistics);
      break;
    default: {
      std::optional<std::string_view> min;
      std::optional<std::string_view> max;
      for (size_t at = 0; at < plain_.size(); at += SizeAt(at)) Extend(ValueAt(at), &min, &max);
      if (min && min->size() <= kMaxStatisticsBytes) statistics.min = std::string(*min);
      if (max && max->size() <= kMaxStatisticsBytes) statistics.max = std::string(*max);
    }
  }
  return statistics;
}

absl::StatusOr<ChunkMeta> ColumnWriter::Flush(PageWriter* pages, size_t page_bytes,
                                              size_t dictionary_bytes) {
  ChunkMeta meta{.type = PhysicalType(type_),
                 .path = path_,
                 .values = static_cast<int64_t>(levels_),
                 .statistics = Statistics()};
  const int64_t begin = pages->offset();
  int index_width = 0;
  if (MakeDictionary(dictionary_bytes)) {
    // At least 1: some readers take no bits for damage.
    index_width = std::max(1, BitWidth(entries_ - 1));
    meta.dictionary_page_offset = begin;
    meta.encodings = {encoding::kPlain, encoding::kRle, encoding::kRleDictionary};
    RETURN_IF_ERROR(pages->WritePage({.type = page_type::kDictionary,
                                      .values = static_cast<int32_t>(entries_),
                                      .encoding = encoding::kPlain},
                                     dictionary_, &meta.uncompressed_bytes));
  } else {
    entries_ = 0;
    meta.encodings = {encoding::kPlain, encoding::kRle};
  }
  meta.data_page_offset = pages->offset();
  std::string page;
  for (Slice slice = NextSlice({}, page_bytes); slice.levels > 0;
       slice = NextSlice(slice, page_bytes)) {
    page.clear();
    if (max_repetition_ > 0) {
      AppendLevels(std::span(repetitions_).subspan(slice.level, slice.levels), max_repetition_,
                   &page);
    }
    if (max_definition_ > 0) {
      AppendLevels(std::span(definitions_).subspan(slice.level, slice.levels), max_definition_,
                   &page);
    }
    AppendValues(slice, index_width, &page);
    RETURN_IF_ERROR(pages->WritePage(
        {.type = page_type::kData,
         .values = static_cast<int32_t>(slice.levels),
         .encoding = index_width > 0 ? encoding::kRleDictionary : encoding::kPlain},
        page, &meta.uncompressed_bytes));
  }
  meta.compressed_bytes = pages->offset() - begin;
  BackTo({});
  dictionary_.clear();
  indices_.clear();
  return meta;
}

}  // namespace orbweaver::parquet
