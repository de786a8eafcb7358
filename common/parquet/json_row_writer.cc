#include <charconv>

#include "common/base/status.h"
#include "common/parquet/json_rows.h"
#include "common/parquet/json_values.h"

namespace orbweaver::parquet {
namespace {

absl::Status NoJson() { return PoisonError("read a row: it is no object of JSON"); }

absl::Status Mistyped(const Node& node) {
  return PoisonError("read a row: '{}' is no {}", node.name, TypeName(node.type));
}

template <typename T>
bool Parse(std::string_view text, T* value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *value);
  return error == std::errc() && end == text.data() + text.size();
}

}  // namespace

absl::Status JsonRowWriter::Add(std::string_view object) {
  text_ = JsonText(object);
  absl::Status status = AddStruct(schema_.root(), /*repetition=*/0);
  if (status.ok() && !text_.AtEnd()) status = NoJson();
  if (status.ok()) return writer_.EndRow();
  writer_.DropRow();
  return status;
}

absl::Status JsonRowWriter::AddValue(const Node& node, uint8_t repetition) {
  if (text_.TakeWord("null")) return AddNull(node, repetition);
  switch (node.type) {
    case Type::kStruct:
      return AddStruct(node, repetition);
    case Type::kList:
      return AddList(node, repetition);
    case Type::kMap:
      return AddMap(node, repetition);
    default:
      return AddLeaf(node, repetition);
  }
}

absl::Status JsonRowWriter::AddNull(const Node& node, uint8_t repetition) {
  if (!node.optional) return PoisonError("read a row: '{}' is not there", node.name);
  writer_.AddNulls(node, repetition, static_cast<uint8_t>(node.definition - 1));
  return absl::OkStatus();
}

absl::Status JsonRowWriter::AddStruct(const Node& node, uint8_t repetition) {
  if (!text_.Take('{')) return Mistyped(node);
  const uint64_t number = ++structs_;
  size_t next = 0;
  bool good = true;
  for (bool first = true; text_.More('}', first, &good); first = false) {
    std::string_view name;
    if (!text_.TakeString(&room_, &name) || !text_.Take(':')) return NoJson();
    const int index = schema_.Child(node, name, &next);
    if (index < 0) return PoisonError("read a row: there is no column '{}'", name);
    uint64_t& seen = seen_[static_cast<size_t>(index)];
    if (seen == number) return PoisonError("read a row: '{}' is there twice", name);
    seen = number;
    RETURN_IF_ERROR(AddValue(schema_.node(index), repetition));
  }
  if (!good) return NoJson();
  for (const int index : node.children) {
    if (seen_[static_cast<size_t>(index)] == number) continue;
    RETURN_IF_ERROR(AddNull(schema_.node(index), repetition));
  }
  return absl::OkStatus();
}

absl::Status JsonRowWriter::AddList(const Node& node, uint8_t repetition) {
  if (!text_.Take('[')) return Mistyped(node);
  const Node& element = schema_.node(node.children[0]);
  bool good = true;
  bool first = true;
  for (; text_.More(']', first, &good); first = false) {
    RETURN_IF_ERROR(AddValue(element, first ? repetition : node.repetition));
  }
  if (good && first) writer_.AddNulls(node, repetition, node.definition);
  return good ? absl::OkStatus() : NoJson();
}

absl::Status JsonRowWriter::AddMap(const Node& node, uint8_t repetition) {
  const Node& key = schema_.node(node.children[0]);
  if (!text_.Take('{')) return Mistyped(node);
  bool good = true;
  bool first = true;
  for (; text_.More('}', first, &good); first = false) {
    const uint8_t level = first ? repetition : node.repetition;
    std::string_view name;
    if (!text_.TakeString(&room_, &name) || !text_.Take(':')) return NoJson();
    if (key.type != Type::kString) return Mistyped(key);
    RETURN_IF_ERROR(AddText(key, level, name));
    RETURN_IF_ERROR(AddValue(schema_.node(node.children[1]), level));
  }
  if (good && first) writer_.AddNulls(node, repetition, node.definition);
  return good ? absl::OkStatus() : NoJson();
}

absl::Status JsonRowWriter::AddLeaf(const Node& leaf, uint8_t repetition) {
  ColumnWriter& column = writer_.column(leaf);
  if (leaf.type == Type::kBool) {
    const bool truth = text_.TakeWord("true");
    if (!truth && !text_.TakeWord("false")) return Mistyped(leaf);
    column.AddBool(repetition, truth);
    return absl::OkStatus();
  }
  if (text_.Peek() == '"') {
    std::string_view text;
    if (!text_.TakeString(&room_, &text)) return NoJson();
    return AddText(leaf, repetition, text);
  }
  std::string_view number;
  if (!text_.TakeNumber(&number)) return Mistyped(leaf);
  if (leaf.type == Type::kInt32) {
    int32_t value = 0;
    if (!Parse(number, &value)) return Mistyped(leaf);
    column.AddInt32(repetition, value);
  } else if (leaf.type == Type::kInt64 || leaf.type == Type::kTimestamp) {
    int64_t value = 0;
    if (!Parse(number, &value)) return Mistyped(leaf);
    column.AddInt64(repetition, value);
  } else if (leaf.type == Type::kFloat) {
    float value = 0;
    if (!Parse(number, &value)) return Mistyped(leaf);
    column.AddFloat(repetition, value);
  } else if (leaf.type == Type::kDouble) {
    double value = 0;
    if (!Parse(number, &value)) return Mistyped(leaf);
    column.AddDouble(repetition, value);
  } else {
    return Mistyped(leaf);
  }
  return absl::OkStatus();
}

absl::Status JsonRowWriter::AddText(const Node& leaf, uint8_t repetition, std::string_view text) {
  ColumnWriter& column = writer_.column(leaf);
  if (leaf.type == Type::kString) {
    column.AddBytes(repetition, text);
    return absl::OkStatus();
  }
  if (leaf.type == Type::kBinary) {
    std::string bytes;
    if (!FromHex(text, &bytes)) return Mistyped(leaf);
    column.AddBytes(repetition, bytes);
    return absl::OkStatus();
  }
  int64_t millis = 0;
  if (leaf.type != Type::kTimestamp || !ParseTime(text, &millis)) return Mistyped(leaf);
  column.AddInt64(repetition, millis);
  return absl::OkStatus();
}

}  // namespace orbweaver::parquet
