// EffectiveJson and EffectiveYaml: what is in effect, and where it comes from.
#include <algorithm>

#include "fmt/format.h"

#include "common/base/json.h"
#include "common/config/excerpt.h"
#include "common/config/render.h"

namespace orbweaver::config {
namespace {

// The value as JSON, which is YAML too.
std::string Printed(const Option& option, const Option::Entry& entry) {
  switch (option.type.kind) {
    case ValueType::Kind::kBool:
    case ValueType::Kind::kInteger:
    case ValueType::Kind::kNumber:
      return entry.text;
    case ValueType::Kind::kDuration:
    case ValueType::Kind::kBytes:
    case ValueType::Kind::kText:
    case ValueType::Kind::kChoice:
      break;
  }
  std::string out;
  AppendJsonString(option.Shown(entry), &out);
  return out;
}

std::string PrintedList(const Option& option, const std::vector<Option::Entry>& entries) {
  std::string out = "[";
  for (const Option::Entry& entry : entries) {
    if (out.size() > 1) out += ", ";
    out += Printed(option, entry);
  }
  return out + "]";
}

std::string KeyText(std::string_view key) {
  std::string out;
  AppendJsonString(key, &out);
  return out;
}

}  // namespace

std::string EffectiveJson(const Schema& schema) {
  std::string out;
  JsonWriter json(&out);
  const auto member = [&json](const std::string& name, std::string_view value,
                              std::string_view source) {
    json.Key(name).BeginObject().Key("value").Raw(value).Key("source").Value(source).EndObject();
  };
  json.BeginObject();
  for (const Option& option : schema.options()) {
    const std::vector<Option::Entry> entries = option.get();
    switch (option.shape) {
      case Option::Shape::kOne:
        member(option.name, Printed(option, entries[0]), option.SourceOf(""));
        break;
      case Option::Shape::kList:
        member(option.name, PrintedList(option, entries), option.SourceOf(""));
        break;
      case Option::Shape::kMap:
        for (const Option::Entry& entry : entries) {
          member(fmt::format("{}.{}", option.name, entry.key), Printed(option, entry),
                 option.SourceOf(entry.key));
        }
        if (entries.empty()) member(option.name, "{}", option.SourceOf(""));
        break;
    }
  }
  json.EndObject();
  return out;
}

std::string EffectiveYaml(const Schema& schema) {
  std::string out;
  std::vector<std::string> open;  // the sections that the last option stood in
  for (const Option& option : schema.options()) {
    std::vector<std::string> words;
    for (size_t begin = 0; begin <= option.name.size();) {
      const size_t dot = std::min(option.name.find('.', begin), option.name.size());
      words.push_back(option.name.substr(begin, dot - begin));
      begin = dot + 1;
    }
    const std::string word = words.back();
    words.pop_back();
    const size_t same = static_cast<size_t>(
        std::mismatch(words.begin(), words.end(), open.begin(), open.end()).first - words.begin());
    for (size_t i = same; i < words.size(); ++i) {
      out += fmt::format("{:{}}{}:\n", "", 2 * i, words[i]);
    }
    const size_t indent = 2 * words.size();
    open = std::move(words);

    const std::vector<Option::Entry> entries = option.get();
    const auto line = [&out](size_t column, std::string_view key, std::string_view value,
                             std::string_view source) {
      out += fmt::format("{:{}}{}: {}  # {}\n", "", column, key, value, source);
    };
    if (option.shape == Option::Shape::kMap && !entries.empty()) {
      out += fmt::format("{:{}}{}:\n", "", indent, word);
      for (const Option::Entry& entry : entries) {
        line(indent + 2, KeyText(entry.key), Printed(option, entry), option.SourceOf(entry.key));
      }
    } else {
      line(indent, word,
           option.shape == Option::Shape::kMap    ? "{}"
           : option.shape == Option::Shape::kList ? PrintedList(option, entries)
                                                  : Printed(option, entries[0]),
           option.SourceOf(""));
    }
  }
  return out;
}

}  // namespace orbweaver::config
