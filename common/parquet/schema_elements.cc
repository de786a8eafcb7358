// A schema as it stands in a file's footer: a list of elements, each before its children.
#include <utility>

#include "common/base/status.h"
#include "common/parquet/schema.h"

namespace orbweaver::parquet {
namespace {

SchemaElementMeta Element(const Field& field) {
  SchemaElementMeta element;
  element.name = field.name;
  element.repetition = field.optional ? repetition::kOptional : repetition::kRequired;
  element.children = static_cast<int32_t>(field.children.size());
  switch (field.type) {
    case Type::kString:
      element.converted = converted::kUtf8;
      element.logical = LogicalKind::kString;
      break;
    case Type::kTimestamp:
      element.converted = converted::kTimestampMillis;
      element.logical = LogicalKind::kTimestampMillis;
      break;
    case Type::kList:
      element.converted = converted::kList;
      element.logical = LogicalKind::kList;
      element.children = 1;
      break;
    case Type::kMap:
      element.converted = converted::kMap;
      element.logical = LogicalKind::kMap;
      element.children = 1;
      break;
    default:
      break;
  }
  if (field.children.empty()) element.type = PhysicalType(field.type);
  return element;
}

void Append(const Field& field, std::vector<SchemaElementMeta>* elements) {
  elements->push_back(Element(field));
  if (field.type == Type::kList || field.type == Type::kMap) {
    SchemaElementMeta repeated;
    repeated.name = field.type == Type::kList ? "list" : "key_value";
    repeated.repetition = repetition::kRepeated;
    repeated.children = static_cast<int32_t>(field.children.size());
    elements->push_back(std::move(repeated));
  }
  for (const Field& child : field.children) Append(child, elements);
}

// Reads the elements of a file.
class ElementReader {
 public:
  explicit ElementReader(const std::vector<SchemaElementMeta>& elements) : elements_(elements) {}

  absl::StatusOr<std::vector<Field>> Columns() {
    if (elements_.empty()) return Damaged("there is no schema");
    const SchemaElementMeta& root = elements_[at_++];
    std::vector<Field> columns;
    RETURN_IF_ERROR(ReadChildren(root, /*depth=*/1, &columns));
    if (at_ != elements_.size()) return Damaged("its schema goes on beyond its end");
    return columns;
  }

 private:
  static absl::Status Damaged(std::string_view what) {
    return PoisonError("read a Parquet file: {}. The file is damaged", what);
  }
  static absl::Status Unknown(const SchemaElementMeta& element, std::string_view what) {
    return PoisonError("read a Parquet file: column '{}': {}, which this reader does not know",
                       element.name, what);
  }

  absl::Status ReadChildren(const SchemaElementMeta& group, int depth, std::vector<Field>* fields) {
    if (group.type || group.children <= 0) return Damaged("a group has no fields");
    for (int32_t i = 0; i < group.children; ++i) {
      RETURN_IF_ERROR(Read(depth, &fields->emplace_back()));
    }
    return absl::OkStatus();
  }

  absl::Status Read(int depth, Field* field) {
    if (at_ == elements_.size()) return Damaged("its schema ends too early");
    const SchemaElementMeta& element = elements_[at_++];
    if (depth > Schema::kMaxDepth) return Unknown(element, "nested too deep");
    field->name = element.name;
    const int32_t repeats = element.repetition.value_or(repetition::kRequired);
    if (repeats == repetition::kRepeated) return Unknown(element, "repeated without being a list");
    field->optional = repeats == repetition::kOptional;
    if (element.type) {
      ASSIGN_OR_RETURN(field->type, LeafType(element));
      return absl::OkStatus();
    }
    const bool is_map =
        element.logical == LogicalKind::kMap ||
        (element.logical == LogicalKind::kNone &&
         (element.converted == converted::kMap || element.converted == converted::kMapKeyValue));
    const bool is_list =
        element.logical == LogicalKind::kList ||
        (element.logical == LogicalKind::kNone && element.converted == converted::kList);
    if (!is_map && !is_list) {
      if (element.logical != LogicalKind::kNone) return Unknown(element, "a group of another kind");
      field->type = Type::kStruct;
      return ReadChildren(element, depth + 1, &field->children);
    }
    field->type = is_map ? Type::kMap : Type::kList;
    if (element.children != 1 || at_ == elements_.size()) return Damaged("a list has no elements");
    const SchemaElementMeta& repeated = elements_[at_++];
    if (repeated.repetition != repetition::kRepeated || repeated.type ||
        repeated.children != (is_map ? 2 : 1)) {
      return Unknown(element, "a list or map in a form of old");
    }
    return ReadChildren(repeated, depth + 1, &field->children);
  }

  static absl::StatusOr<Type> LeafType(const SchemaElementMeta& element) {
    const auto is = [&element](LogicalKind kind, int32_t old) {
      return element.logical == kind ||
             (element.logical == LogicalKind::kNone && element.converted == old);
    };
    const bool plain = element.logical == LogicalKind::kNone && !element.converted;
    switch (*element.type) {
      case physical::kBoolean:
        if (plain) return Type::kBool;
        break;
      case physical::kInt32:
        if (plain || is(LogicalKind::kInt32, converted::kInt32)) return Type::kInt32;
        break;
      case physical::kInt64:
        if (plain || is(LogicalKind::kInt64, converted::kInt64)) return Type::kInt64;
        if (is(LogicalKind::kTimestampMillis, converted::kTimestampMillis)) return Type::kTimestamp;
        break;
      case physical::kFloat:
        if (plain) return Type::kFloat;
        break;
      case physical::kDouble:
        if (plain) return Type::kDouble;
        break;
      case physical::kByteArray:
        if (plain) return Type::kBinary;
        if (is(LogicalKind::kString, converted::kUtf8)) return Type::kString;
        break;
      default:
        return Unknown(element, fmt::format("values of physical type {}", *element.type));
    }
    return Unknown(element, "a logical type");
  }

  const std::vector<SchemaElementMeta>& elements_;
  size_t at_ = 0;
};

}  // namespace

std::vector<SchemaElementMeta> Schema::Elements() const {
  std::vector<SchemaElementMeta> elements;
  SchemaElementMeta& root = elements.emplace_back();
  root.name = "schema";
  root.children = static_cast<int32_t>(columns_.size());
  for (const Field& column : columns_) Append(column, &elements);
  return elements;
}

absl::StatusOr<Schema> Schema::FromElements(const std::vector<SchemaElementMeta>& elements) {
  ASSIGN_OR_RETURN(std::vector<Field> columns, ElementReader(elements).Columns());
  auto schema = Make(std::move(columns));
  if (schema.ok()) return schema;
  return PoisonError("read a Parquet file: {}", MessageOf(schema.status()));
}

}  // namespace orbweaver::parquet
