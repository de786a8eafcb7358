#include "common/parquet/column_reader.h"

#include <cstring>

#include "common/base/status.h"

namespace orbweaver::parquet {
namespace {

template <typename T>
bool Take(std::string_view* bytes, T* value) {
  if (bytes->size() < sizeof(T)) return false;
  std::memcpy(value, bytes->data(), sizeof(T));
  bytes->remove_prefix(sizeof(T));
  return true;
}

template <typename T, typename To>
bool TakeAs(std::string_view* bytes, To* to) {
  T value;
  if (!Take(bytes, &value)) return false;
  *to = value;
  return true;
}

std::string EncodingName(int32_t encoding) {
  static constexpr std::string_view kNames[] = {"PLAIN",
                                                "",
                                                "PLAIN_DICTIONARY",
                                                "RLE",
                                                "BIT_PACKED",
                                                "DELTA_BINARY_PACKED",
                                                "DELTA_LENGTH_BYTE_ARRAY",
                                                "DELTA_BYTE_ARRAY",
                                                "RLE_DICTIONARY",
                                                "BYTE_STREAM_SPLIT"};
  const bool known = encoding >= 0 && static_cast<size_t>(encoding) < std::size(kNames);
  return known ? std::string(kNames[encoding]) : fmt::format("{}", encoding);
}

}  // namespace

ColumnReader::ColumnReader(ByteSource& source, const Node& leaf, const ChunkMeta& chunk,
                           size_t max_page_bytes)
    : leaf_(leaf), pages_(source, chunk, max_page_bytes), values_(chunk.values) {}

absl::StatusOr<const Cell*> ColumnReader::Peek() {
  if (has_cell_) return &cell_;
  while (left_ == 0) {
    if (seen_ == values_) return nullptr;
    RETURN_IF_ERROR(NextPage());
  }
  RETURN_IF_ERROR(ReadCell());
  --left_;
  has_cell_ = true;
  return &cell_;
}

absl::Status ColumnReader::NextPage() {
  PageHeader header;
  std::string_view page;
  ASSIGN_OR_RETURN(const bool is_there, pages_.Next(&header, &page));
  if (!is_there) {
    return PoisonError("read Parquet column '{}': it ends before its last value", leaf_.name);
  }
  return header.type == page_type::kDictionary ? ReadDictionary(header, page)
                                               : BeginPage(header, page);
}

absl::Status ColumnReader::ReadDictionary(const PageHeader& header, std::string_view page) {
  if (seen_ > 0 || !dictionary_.empty() || leaf_.type == Type::kBool) {
    return PoisonError("read Parquet column '{}': a dictionary where none can be", leaf_.name);
  }
  if (header.encoding != encoding::kPlain && header.encoding != encoding::kPlainDictionary) {
    return PoisonError("read Parquet column '{}': a dictionary encoded as {}", leaf_.name,
                       EncodingName(header.encoding));
  }
  dictionary_page_.assign(page);
  plain_ = dictionary_page_;
  for (int32_t i = 0; i < header.values; ++i) {
    if (!ReadPlain(&plain_)) {
      return PoisonError("read Parquet column '{}': its dictionary ends too early", leaf_.name);
    }
    dictionary_.push_back(cell_);
  }
  return absl::OkStatus();
}

absl::Status ColumnReader::TakeLevels(std::string_view* page, uint8_t max, RleDecoder* levels) {
  if (max == 0) {
    *levels = RleDecoder({}, 0);
    return absl::OkStatus();
  }
  uint32_t size = 0;
  if (!Take(page, &size) || size > page->size()) {
    return PoisonError("read Parquet column '{}': a page's levels lie beyond it", leaf_.name);
  }
  *levels = RleDecoder(page->substr(0, size), BitWidth(max));
  page->remove_prefix(size);
  return absl::OkStatus();
}

absl::Status ColumnReader::BeginPage(const PageHeader& header, std::string_view page) {
  if (header.values > values_ - seen_) {
    return PoisonError("read Parquet column '{}': more values than it says", leaf_.name);
  }
  const bool has_levels = leaf_.definition > 0 || leaf_.repetition > 0;
  if (header.type == page_type::kDataV2) {
    const auto repetition = static_cast<size_t>(header.repetition_bytes);
    const auto definition = static_cast<size_t>(header.definition_bytes);
    repetitions_ = leaf_.repetition == 0
                       ? RleDecoder({}, 0)
                       : RleDecoder(page.substr(0, repetition), BitWidth(leaf_.repetition));
    definitions_ = leaf_.definition == 0 ? RleDecoder({}, 0)
                                         : RleDecoder(page.substr(repetition, definition),
                                                      BitWidth(leaf_.definition));
    page.remove_prefix(repetition + definition);
  } else {
    if (has_levels && header.level_encoding != encoding::kRle) {
      return PoisonError("read Parquet column '{}': levels encoded as {}", leaf_.name,
                         EncodingName(header.level_encoding));
    }
    RETURN_IF_ERROR(TakeLevels(&page, leaf_.repetition, &repetitions_));
    RETURN_IF_ERROR(TakeLevels(&page, leaf_.definition, &definitions_));
  }
  seen_ += header.values;
  left_ = header.values;
  plain_ = page;
  bit_ = 0;
  if (header.encoding == encoding::kPlain) {
    kind_ = Values::kPlain;
  } else if (header.encoding == encoding::kRleDictionary ||
             header.encoding == encoding::kPlainDictionary) {
    kind_ = Values::kIndices;
    // A page of nulls may have nothing.
    uint8_t width = 1;
    Take(&plain_, &width);
    if (width > 32) return PoisonError("read Parquet column '{}': damaged indices", leaf_.name);
    indices_ = RleDecoder(plain_, width);
  } else if (header.encoding == encoding::kRle && leaf_.type == Type::kBool) {
    kind_ = Values::kRleBools;
    uint32_t size = 0;
    Take(&plain_, &size);
    indices_ = RleDecoder(plain_.substr(0, size), 1);
  } else {
    return PoisonError(
        "read Parquet column '{}': values encoded as {}; this reader knows PLAIN and dictionaries",
        leaf_.name, EncodingName(header.encoding));
  }
  return absl::OkStatus();
}

absl::Status ColumnReader::ReadCell() {
  uint32_t repetition = 0;
  uint32_t definition = 0;
  if (!repetitions_.Next(&repetition) || !definitions_.Next(&definition) ||
      repetition > leaf_.repetition || definition > leaf_.definition) {
    return PoisonError("read Parquet column '{}': damaged levels", leaf_.name);
  }
  bool is_good = true;
  if (definition < leaf_.definition) {
    cell_.bytes = {};
  } else if (kind_ == Values::kPlain) {
    is_good = leaf_.type == Type::kBool ? ReadBool() : ReadPlain(&plain_);
  } else {
    uint32_t value = 0;
    is_good = indices_.Next(&value);
    if (kind_ == Values::kRleBools) {
      cell_.integer = value;
    } else if (is_good && value < dictionary_.size()) {
      cell_ = dictionary_[value];
    } else {
      is_good = false;
    }
  }
  if (!is_good) return PoisonError("read Parquet column '{}': damaged values", leaf_.name);
  cell_.repetition = static_cast<uint8_t>(repetition);
  cell_.definition = static_cast<uint8_t>(definition);
  return absl::OkStatus();
}

bool ColumnReader::ReadBool() {
  if (bit_ / 8 >= plain_.size()) return false;
  cell_.integer = static_cast<uint8_t>(plain_[bit_ / 8]) >> (bit_ % 8) & 1;
  ++bit_;
  return true;
}

bool ColumnReader::ReadPlain(std::string_view* plain) {
  switch (leaf_.type) {
    case Type::kInt32:
      return TakeAs<int32_t>(plain, &cell_.integer);
    case Type::kInt64:
    case Type::kTimestamp:
      return TakeAs<int64_t>(plain, &cell_.integer);
    case Type::kFloat:
      return TakeAs<float>(plain, &cell_.real);
    case Type::kDouble:
      return TakeAs<double>(plain, &cell_.real);
    default: {
      uint32_t size = 0;
      if (!Take(plain, &size) || size > plain->size()) return false;
      cell_.bytes = plain->substr(0, size);
      plain->remove_prefix(size);
      return true;
    }
  }
}

}  // namespace orbweaver::parquet
