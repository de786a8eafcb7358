#include "common/base/status.h"
#include "common/parquet/json_rows.h"
#include "common/parquet/json_values.h"

namespace orbweaver::parquet {
namespace {

absl::Status Contradiction(const Node& node) {
  return PoisonError(
      "read a Parquet file: its columns contradict each other at '{}'. The file is "
      "damaged",
      node.name);
}

}  // namespace

absl::StatusOr<bool> JsonRowReader::BeginGroup() {
  for (const auto& column : columns_) {
    ASSIGN_OR_RETURN(const Cell* const more, column->Peek());
    if (more != nullptr) {
      return PoisonError("read a Parquet file: more values than rows. The file is damaged");
    }
  }
  columns_.clear();
  if (group_ == reader_.meta().groups.size()) return false;
  for (const int leaf : reader_.schema().leaves()) {
    columns_.push_back(reader_.Column(group_, reader_.schema().node(leaf)));
  }
  rows_left_ = reader_.meta().groups[group_++].rows;
  return true;
}

absl::StatusOr<bool> JsonRowReader::Next(std::string* object) {
  while (rows_left_ == 0) {
    ASSIGN_OR_RETURN(const bool has_group, BeginGroup());
    if (!has_group) return false;
  }
  --rows_left_;
  object->clear();
  JsonWriter json(object);
  RETURN_IF_ERROR(ReadValue(reader_.schema().root(), /*repetition=*/0, &json));
  return true;
}

absl::StatusOr<const Cell*> JsonRowReader::Expect(const Node& node, uint8_t repetition) {
  ASSIGN_OR_RETURN(const Cell* const cell, columns_[static_cast<size_t>(node.first_leaf)]->Peek());
  if (cell == nullptr || cell->repetition != repetition) return Contradiction(node);
  return cell;
}

absl::Status JsonRowReader::TakeNulls(const Node& node, uint8_t repetition, uint8_t definition) {
  for (int i = node.first_leaf; i < node.first_leaf + node.leaves; ++i) {
    ColumnReader& column = *columns_[static_cast<size_t>(i)];
    ASSIGN_OR_RETURN(const Cell* const cell, column.Peek());
    if (cell == nullptr || cell->repetition != repetition || cell->definition != definition) {
      return Contradiction(node);
    }
    column.Pop();
  }
  return absl::OkStatus();
}

absl::Status JsonRowReader::ReadValue(const Node& node, uint8_t repetition, JsonWriter* json) {
  ASSIGN_OR_RETURN(const Cell* const cell, Expect(node, repetition));
  if (cell->definition < node.definition) {
    if (!node.optional) return Contradiction(node);
    json->Null();
    return TakeNulls(node, repetition, static_cast<uint8_t>(node.definition - 1));
  }
  if (node.leaf >= 0) return ReadLeaf(node, *cell, json);
  if (node.is_repeated()) return ReadRepeated(node, repetition, json);
  json->BeginObject();
  for (const int index : node.children) {
    const Node& child = reader_.schema().node(index);
    json->Key(child.name);
    RETURN_IF_ERROR(ReadValue(child, repetition, json));
  }
  json->EndObject();
  return absl::OkStatus();
}

absl::Status JsonRowReader::ReadRepeated(const Node& node, uint8_t repetition, JsonWriter* json) {
  const bool is_map = node.type == Type::kMap;
  is_map ? json->BeginObject() : json->BeginArray();
  ASSIGN_OR_RETURN(const Cell* const first, Expect(node, repetition));
  if (first->definition == node.definition) {
    RETURN_IF_ERROR(TakeNulls(node, repetition, node.definition));
  } else {
    bool more = true;
    for (uint8_t level = repetition; more; level = node.repetition) {
      if (is_map) {
        const Node& key = reader_.schema().node(node.children[0]);
        ASSIGN_OR_RETURN(const Cell* const name, Expect(key, level));
        if (key.type != Type::kString) {
          return PoisonError("show Parquet column '{}': a map whose keys are no strings",
                             node.name);
        }
        if (name->definition != key.definition) return Contradiction(key);
        json->Key(name->bytes);
        columns_[static_cast<size_t>(key.leaf)]->Pop();
      }
      RETURN_IF_ERROR(ReadValue(reader_.schema().node(node.children.back()), level, json));
      ASSIGN_OR_RETURN(more, HasMore(node));
    }
  }
  is_map ? json->EndObject() : json->EndArray();
  return absl::OkStatus();
}

absl::StatusOr<bool> JsonRowReader::HasMore(const Node& node) {
  ASSIGN_OR_RETURN(const Cell* const cell, columns_[static_cast<size_t>(node.first_leaf)]->Peek());
  return cell != nullptr && cell->repetition == node.repetition;
}

absl::Status JsonRowReader::ReadLeaf(const Node& leaf, const Cell& cell, JsonWriter* json) {
  switch (leaf.type) {
    case Type::kBool:
      json->Value(cell.integer != 0);
      break;
    case Type::kInt32:
    case Type::kInt64:
      json->Value(cell.integer);
      break;
    case Type::kFloat:
    case Type::kDouble:
      json->Value(cell.real);
      break;
    case Type::kTimestamp:
      text_.clear();
      if (AppendTime(cell.integer, &text_)) {
        json->Value(text_);
      } else {
        json->Value(cell.integer);
      }
      break;
    case Type::kBinary:
      text_.clear();
      AppendHex(cell.bytes, &text_);
      json->Value(text_);
      break;
    default:
      json->Value(cell.bytes);
  }
  columns_[static_cast<size_t>(leaf.leaf)]->Pop();
  return absl::OkStatus();
}

}  // namespace orbweaver::parquet
