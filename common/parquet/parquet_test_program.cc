// Parquet files to and from lines of JSON, for judges_test.py.
//
//   parquet_test_program write FILE COLUMNS ROW_GROUP_BYTES PAGE_BYTES DICTIONARY_BYTES   (lines on
//   standard input) parquet_test_program read FILE (lines on standard output)
//
// COLUMNS: `a:int32,b:list<string>,c:struct<x:double,y:map<string,int64!>>`; `!` behind a type:
// never null.
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <string>
#include <utility>

#include "common/base/check.h"
#include "common/base/status.h"
#include "common/parquet/json_rows.h"

namespace orbweaver::parquet {
namespace {

class Columns {
 public:
  explicit Columns(std::string_view text) : text_(text) {}

  std::vector<Field> Read() {
    std::vector<Field> fields;
    do {
      const size_t colon = text_.find(':');
      const std::string name(text_.substr(0, colon));
      text_.remove_prefix(colon + 1);
      fields.push_back(ReadType());
      fields.back().name = name;
    } while (Take(','));
    return fields;
  }

 private:
  bool Take(char c) {
    const bool is_there = text_.starts_with(c);
    if (is_there) text_.remove_prefix(1);
    return is_there;
  }

  Field ReadType() {
    constexpr Type kTypes[] = {Type::kBool,   Type::kInt32,  Type::kInt64,  Type::kFloat,
                               Type::kDouble, Type::kBinary, Type::kString, Type::kTimestamp,
                               Type::kList,   Type::kMap,    Type::kStruct};
    const std::string_view name = text_.substr(0, text_.find_first_of("<>,!"));
    text_.remove_prefix(name.size());
    Field field;
    for (const Type type : kTypes) {
      if (TypeName(type) == name) field.type = type;
    }
    if (Take('<')) {
      if (field.type == Type::kStruct) {
        field.children = Read();
      } else if (field.type == Type::kList) {
        field = ListOf("", ReadType());
      } else {
        Field key = ReadType();
        Take(',');
        field = MapOf("", std::move(key), ReadType());
      }
      CHECK(Take('>'));
    }
    field.optional = !Take('!');
    return field;
  }

  std::string_view text_;
};

int Write(char** args) {
  const auto schema = Schema::Make(Columns(args[3]).Read());
  CHECK_OK(schema.status());
  std::ofstream file(args[2], std::ios::binary);
  ParquetWriter writer(*schema,
                       {.row_group_bytes = std::stoul(args[4]),
                        .page_bytes = std::stoul(args[5]),
                        .dictionary_bytes = std::stoul(args[6]),
                        .software = "orbweaver version 0"},
                       [&file](std::string_view bytes) {
                         file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
                         return absl::OkStatus();
                       });
  JsonRowWriter rows(*schema, &writer);
  for (std::string line; std::getline(std::cin, line);) CHECK_OK(rows.Add(line));
  CHECK_OK(writer.Finish({{"who", "a test"}}));
  return file.flush() ? 0 : 1;
}

// 3: the file was refused, and why.
int Read(const char* path) {
  const auto refused = [](const absl::Status& status) {
    std::cerr << MessageOf(status) << "\n";
    return 3;
  };
  auto source = FileSource::Open(path);
  if (!source.ok()) return refused(source.status());
  const auto reader = ParquetReader::Open(*std::move(source));
  if (!reader.ok()) return refused(reader.status());
  JsonRowReader rows(reader->get());
  for (std::string row;;) {
    const auto more = rows.Next(&row);
    if (!more.ok()) return refused(more.status());
    if (!*more) return 0;
    std::cout << row << "\n";
  }
}

}  // namespace
}  // namespace orbweaver::parquet

int main(int argc, char** argv) {
  if (argc == 7) return orbweaver::parquet::Write(argv);
  return argc == 3 ? orbweaver::parquet::Read(argv[2]) : 2;
}
