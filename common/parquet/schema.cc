#include "common/parquet/schema.h"

#include <utility>

#include "absl/container/flat_hash_set.h"

#include "common/base/check.h"
#include "common/base/status.h"

namespace orbweaver::parquet {
namespace {

size_t Children(Type type) {
  switch (type) {
    case Type::kList:
      return 1;
    case Type::kMap:
      return 2;
    default:
      return 0;
  }
}

bool IsGroup(Type type) {
  return type == Type::kList || type == Type::kMap || type == Type::kStruct;
}

}  // namespace

std::string_view TypeName(Type type) {
  switch (type) {
    case Type::kBool:
      return "bool";
    case Type::kInt32:
      return "int32";
    case Type::kInt64:
      return "int64";
    case Type::kFloat:
      return "float";
    case Type::kDouble:
      return "double";
    case Type::kBinary:
      return "binary";
    case Type::kString:
      return "string";
    case Type::kTimestamp:
      return "timestamp";
    case Type::kList:
      return "list";
    case Type::kMap:
      return "map";
    case Type::kStruct:
      return "struct";
  }
  return "";
}

int32_t PhysicalType(Type type) {
  switch (type) {
    case Type::kBool:
      return physical::kBoolean;
    case Type::kInt32:
      return physical::kInt32;
    case Type::kInt64:
    case Type::kTimestamp:
      return physical::kInt64;
    case Type::kFloat:
      return physical::kFloat;
    case Type::kDouble:
      return physical::kDouble;
    default:
      return physical::kByteArray;
  }
}

Field ListOf(std::string name, Field element, bool optional) {
  element.name = "element";
  return {.name = std::move(name),
          .type = Type::kList,
          .optional = optional,
          .children = {std::move(element)}};
}

Field MapOf(std::string name, Field key, Field value, bool optional) {
  key.name = "key";
  key.optional = false;
  value.name = "value";
  return {.name = std::move(name),
          .type = Type::kMap,
          .optional = optional,
          .children = {std::move(key), std::move(value)}};
}

absl::StatusOr<Schema> Schema::Make(std::vector<Field> columns) {
  Schema schema;
  Field root{.name = "schema", .type = Type::kStruct, .optional = false};
  root.children = std::move(columns);
  int index = 0;
  RETURN_IF_ERROR(schema.Add(root, {}, &index));
  schema.columns_ = std::move(root.children);
  return schema;
}

absl::Status Schema::Add(const Field& field, const Above& above, int* index) {
  if (above.depth > kMaxDepth) {
    return FatalError("describe Parquet column '{}': more than {} levels deep", field.name,
                      kMaxDepth);
  }
  *index = static_cast<int>(nodes_.size());
  Node node{.name = field.name, .type = field.type, .optional = field.optional};
  node.definition = static_cast<uint8_t>(above.definition + (field.optional ? 1 : 0));
  node.repetition = static_cast<uint8_t>(above.repetition + (node.is_repeated() ? 1 : 0));
  node.first_leaf = static_cast<int>(leaves_.size());
  Above below{.definition = static_cast<uint8_t>(node.definition + (node.is_repeated() ? 1 : 0)),
              .repetition = node.repetition,
              .depth = above.depth + 1,
              .path = above.path};
  if (*index > 0) below.path.push_back(field.name);
  if (!IsGroup(field.type)) {
    if (leaves_.size() == kMaxLeaves) {
      return FatalError("describe Parquet columns: more than {}", kMaxLeaves);
    }
    node.leaf = static_cast<int>(leaves_.size());
    node.path = std::move(below.path);
    leaves_.push_back(*index);
    node.leaves = 1;
    nodes_.push_back(std::move(node));
    return absl::OkStatus();
  }
  if (node.is_repeated()) {
    below.path.emplace_back(field.type == Type::kList ? "list" : "key_value");
  }
  nodes_.push_back(std::move(node));
  return AddChildren(field, below, *index);
}

absl::Status Schema::AddChildren(const Field& field, const Above& above, int index) {
  const size_t wanted = Children(field.type);
  if (wanted == 0 ? field.children.empty() : field.children.size() != wanted) {
    return FatalError("describe Parquet column '{}': a {} with {} fields", field.name,
                      TypeName(field.type), field.children.size());
  }
  if (field.type == Type::kMap && (field.children[0].optional || IsGroup(field.children[0].type))) {
    return FatalError("describe Parquet column '{}': a map's key is a value, and never null",
                      field.name);
  }
  absl::flat_hash_set<std::string> names;
  std::vector<int> children;
  for (const Field& child : field.children) {
    if (!names.insert(child.name).second) {
      return FatalError("describe Parquet column '{}': two fields '{}'", field.name, child.name);
    }
    RETURN_IF_ERROR(Add(child, above, &children.emplace_back()));
  }
  Node& node = nodes_[static_cast<size_t>(index)];
  node.children = std::move(children);
  node.leaves = static_cast<int>(leaves_.size()) - node.first_leaf;
  return absl::OkStatus();
}

int Schema::Child(const Node& parent, std::string_view name, size_t* next) const {
  const size_t size = parent.children.size();
  for (size_t i = 0; i < size; ++i) {
    const size_t at = (*next + i) % size;
    if (node(parent.children[at]).name != name) continue;
    *next = at + 1;
    return parent.children[at];
  }
  return -1;
}

}  // namespace orbweaver::parquet
