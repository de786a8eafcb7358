// JsonSchema: the configuration file's form for editors and deployment checks (JSON Schema, draft
// 2020-12, https://json-schema.org/draft/2020-12).
#include "common/base/json.h"
#include "common/config/render.h"

namespace orbweaver::config {
namespace {

// Bounds of durations and sizes are beyond JSON Schema: the description has them in words.
void WriteValueType(const ValueType& type, JsonWriter& json) {
  switch (type.kind) {
    case ValueType::Kind::kBool:
      json.Key("type").Value("boolean");
      break;
    case ValueType::Kind::kInteger:
    case ValueType::Kind::kNumber:
      json.Key("type").Value(type.kind == ValueType::Kind::kInteger ? "integer" : "number");
      if (!type.min.empty()) json.Key("minimum").Raw(type.min);
      if (!type.max.empty()) json.Key("maximum").Raw(type.max);
      break;
    case ValueType::Kind::kShare:
      json.Key("type").BeginArray().Value("integer").Value("string").EndArray();
      json.Key("pattern").Value("^(0|(100|[1-9]?[0-9])(\\.[0-9]+)?%)$");
      break;
    case ValueType::Kind::kDuration:
      json.Key("type").Value("string");
      json.Key("pattern").Value("^(0|(0|[1-9][0-9]*)(ns|us|ms|s|m|h|d))$");
      break;
    case ValueType::Kind::kBytes:
      json.Key("type").BeginArray().Value("integer").Value("string").EndArray();
      json.Key("minimum").Value(0);
      json.Key("pattern").Value("^(0|[1-9][0-9]*)([KMGT]i?)?B$");
      break;
    case ValueType::Kind::kText:
      // YAML reads `group: 7` as a number; Load takes its text.
      json.Key("type").BeginArray().Value("string").Value("number").Value("boolean").EndArray();
      break;
    case ValueType::Kind::kChoice:
      json.Key("enum").BeginArray();
      for (const std::string& choice : type.choices) json.Value(choice);
      json.EndArray();
      break;
  }
}

void WriteText(const ValueType& type, const std::string& text, JsonWriter& json) {
  const bool is_json = type.kind == ValueType::Kind::kBool ||
                       type.kind == ValueType::Kind::kInteger ||
                       type.kind == ValueType::Kind::kNumber;
  if (is_json) {
    json.Raw(text);
  } else {
    json.Value(text);
  }
}

void WriteOption(const Option& option, JsonWriter& json) {
  json.BeginObject();
  json.Key("description").Value(option.doc + ": " + option.Expected());
  switch (option.shape) {
    case Option::Shape::kOne:
      WriteValueType(option.type, json);
      json.Key("default");
      WriteText(option.type, option.defaults[0].text, json);
      break;
    case Option::Shape::kList:
      json.Key("type").Value("array").Key("items").BeginObject();
      WriteValueType(option.type, json);
      json.EndObject().Key("default").BeginArray();
      for (const Option::Entry& entry : option.defaults) WriteText(option.type, entry.text, json);
      json.EndArray();
      break;
    case Option::Shape::kMap:
      json.Key("type").Value("object").Key("additionalProperties").BeginObject();
      WriteValueType(option.type, json);
      json.EndObject().Key("default").BeginObject();
      for (const Option::Entry& entry : option.defaults) {
        json.Key(entry.key);
        WriteText(option.type, entry.text, json);
      }
      json.EndObject();
      break;
  }
  json.EndObject();
}

// The members of the section that `options`, sorted by name, share; `prefix` is its name and a dot.
void WriteSection(std::span<const Option> options, size_t prefix, JsonWriter& json) {
  json.Key("type").Value("object").Key("additionalProperties").Value(false);
  json.Key("properties").BeginObject();
  for (size_t i = 0; i < options.size();) {
    const std::string& name = options[i].name;
    const size_t dot = name.find('.', prefix);
    json.Key(std::string_view(name).substr(prefix, std::min(dot, name.size()) - prefix));
    if (dot == std::string::npos) {
      WriteOption(options[i++], json);
      continue;
    }
    const std::string_view section = std::string_view(name).substr(0, dot + 1);
    size_t end = i;
    while (end < options.size() && options[end].name.starts_with(section)) ++end;
    json.BeginObject();
    WriteSection(options.subspan(i, end - i), dot + 1, json);
    json.EndObject();
    i = end;
  }
  json.EndObject();
}

}  // namespace

std::string JsonSchema(const Schema& schema) {
  std::string out;
  JsonWriter json(&out);
  json.BeginObject();
  json.Key("$schema").Value("https://json-schema.org/draft/2020-12/schema");
  json.Key("title").Value("Orbweaver configuration");
  WriteSection(schema.options(), 0, json);
  json.EndObject();
  return out;
}

}  // namespace orbweaver::config
