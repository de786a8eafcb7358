#include "lab/recording/row_writer.h"

#include "common/base/check.h"

namespace orbweaver::lab {

using parquet::Node;

RowWriter::RowWriter(const parquet::Schema& schema)
    : schema_(schema), rows_(schema.leaves().size()) {}

const Node& RowWriter::Column(std::string_view name) const {
  size_t next = 0;
  const int index = schema_.Child(schema_.root(), name, &next);
  CHECK(index >= 0);
  return schema_.node(index);
}

ElementField RowWriter::Field(std::string_view list, std::string_view field) const {
  const Node& node = Column(list);
  const Node& element = schema_.node(node.children[0]);
  // A map has its fields without a struct between.
  const Node& parent = node.type == parquet::Type::kMap ? node : element;
  for (const int child : parent.children) {
    if (schema_.node(child).name == field) return {node, schema_.node(child)};
  }
  CHECK(parent.children.empty() && field.empty());  // a list of plain values
  return {node, element};
}

void RowWriter::Mark(const Node& node) { rows_[static_cast<size_t>(node.leaf)] = row_; }

parquet::ColumnWriter& RowWriter::Begin(const Node& column) {
  Mark(column);
  return writer_->column(column);
}

void RowWriter::Set(const Node& column, std::string_view text) { Begin(column).AddBytes(0, text); }

void RowWriter::Set(const Node& column, int64_t number) {
  if (column.type == parquet::Type::kInt32) {
    Begin(column).AddInt32(0, static_cast<int32_t>(number));
  } else {
    Begin(column).AddInt64(0, number);
  }
}

void RowWriter::Set(const Node& column, float number) { Begin(column).AddFloat(0, number); }

void RowWriter::Set(const Node& column, bool truth) { Begin(column).AddBool(0, truth); }

parquet::ColumnWriter& RowWriter::Begin(const ElementField& field, size_t index,
                                        uint8_t* repetition) {
  *repetition = index == 0 ? 0 : field.list.repetition;
  return Begin(field.leaf);
}

void RowWriter::SetElement(const ElementField& field, size_t index, std::string_view text) {
  uint8_t repetition = 0;
  parquet::ColumnWriter& column = Begin(field, index, &repetition);
  column.AddBytes(repetition, text);
}

void RowWriter::SetElement(const ElementField& field, size_t index, int64_t number) {
  uint8_t repetition = 0;
  parquet::ColumnWriter& column = Begin(field, index, &repetition);
  if (field.leaf.type == parquet::Type::kInt32) {
    column.AddInt32(repetition, static_cast<int32_t>(number));
  } else {
    column.AddInt64(repetition, number);
  }
}

void RowWriter::SetElement(const ElementField& field, size_t index, float number) {
  uint8_t repetition = 0;
  parquet::ColumnWriter& column = Begin(field, index, &repetition);
  column.AddFloat(repetition, number);
}

void RowWriter::SetNoElement(const ElementField& field, size_t index) {
  uint8_t repetition = 0;
  parquet::ColumnWriter& column = Begin(field, index, &repetition);
  column.AddNull(repetition, static_cast<uint8_t>(field.leaf.definition - 1));
}

absl::Status RowWriter::End() {
  for (const int child : schema_.root().children) {
    const Node& column = schema_.node(child);
    if (rows_[static_cast<size_t>(column.first_leaf)] == row_) continue;
    CHECK(column.optional);
    writer_->AddNulls(column, 0, static_cast<uint8_t>(column.definition - 1));
  }
  ++row_;
  return writer_->EndRow();
}

}  // namespace orbweaver::lab
