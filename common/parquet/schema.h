// The columns of a Parquet file: a tree of fields, and the levels by which nested values are told
// apart.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

#include "common/parquet/metadata.h"

namespace orbweaver::parquet {

enum class Type : uint8_t {
  kBool,
  kInt32,
  kInt64,
  kFloat,
  kDouble,
  kBinary,
  kString,     // UTF-8
  kTimestamp,  // milliseconds since 1970 in UTC
  kList,       // one child: its element
  kMap,        // two children: key, which is never null, and value
  kStruct
};

std::string_view TypeName(Type type);

// A column as its owner describes it.
struct Field {
  std::string name;
  Type type = Type::kStruct;
  bool optional = true;
  std::vector<Field> children = {};

  friend bool operator==(const Field&, const Field&) = default;
};

Field ListOf(std::string name, Field element, bool optional = true);
Field MapOf(std::string name, Field key, Field value, bool optional = true);

// A field in its place. Levels as in Dremel: the definition level counts the optional and repeated
// fields above and including this one that are there, the repetition level the repeated ones.
struct Node {
  std::string name;
  Type type = Type::kStruct;
  bool optional = false;
  uint8_t definition = 0;  // at which a value of this field is there; empty lists and maps too
  uint8_t repetition = 0;  // of a leaf or struct; of a list or map: that of its elements
  int leaf = -1;           // which of the leaves; -1: none
  int first_leaf = 0;      // of those at or below it
  int leaves = 0;          // how many there are
  std::vector<int> children;
  std::vector<std::string> path;  // of a leaf, with the names of the groups in between

  bool is_repeated() const { return type == Type::kList || type == Type::kMap; }
};

// Place: what writer and reader share of a file. Immutable.
class Schema {
 public:
  // Fatal for what cannot be a table: no column, two of one name, lists within each other beyond
  // `kMaxDepth`, a list without its element.
  static absl::StatusOr<Schema> Make(std::vector<Field> columns);
  // Of a file. Poison where it is damaged or has something that this reader does not understand,
  // which is named.
  static absl::StatusOr<Schema> FromElements(const std::vector<SchemaElementMeta>& elements);

  static constexpr int kMaxDepth = 16;
  static constexpr int kMaxLeaves = 4096;

  const std::vector<Field>& columns() const { return columns_; }
  // The root is a struct that is always there; its children are the columns.
  const Node& root() const { return nodes_.front(); }
  const Node& node(int index) const { return nodes_[static_cast<size_t>(index)]; }
  // Which node is the child of that name; -1: none. *next: which child it may be; then the one
  // after it.
  int Child(const Node& parent, std::string_view name, size_t* next) const;
  size_t nodes() const { return nodes_.size(); }
  const std::vector<int>& leaves() const { return leaves_; }
  const Node& leaf(int index) const { return node(leaves_[static_cast<size_t>(index)]); }

  // As they stand in a file's footer.
  std::vector<SchemaElementMeta> Elements() const;

 private:
  // The levels above a field.
  struct Above {
    uint8_t definition = 0;
    uint8_t repetition = 0;
    int depth = 0;
    std::vector<std::string> path;
  };

  absl::Status Add(const Field& field, const Above& above, int* index);
  absl::Status AddChildren(const Field& field, const Above& above, int index);

  std::vector<Field> columns_;
  std::vector<Node> nodes_;
  std::vector<int> leaves_;
};

// The number by which a file names how values of a leaf are stored.
int32_t PhysicalType(Type type);

}  // namespace orbweaver::parquet
