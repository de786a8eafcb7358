// EffectiveJson and EffectiveYaml: what is in effect, and where it comes from.
#include <algorithm>

#include "fmt/format.h"

#include "common/base/json.h"
#include "common/config/excerpt.h"
#include "common/config/render.h"

namespace orbweaver::config {
namespace {

enum class Secrets { kMasked, kShown };

// The value as JSON, which is YAML too.
std::string Printed(const Option& option, const Option::Entry& entry,
                    Secrets secrets = Secrets::kMasked) {
  switch (option.type.kind) {
    case ValueType::Kind::kBool:
    case ValueType::Kind::kInteger:
    case ValueType::Kind::kNumber:
      return entry.text;
    case ValueType::Kind::kShare:
    case ValueType::Kind::kDuration:
    case ValueType::Kind::kBytes:
    case ValueType::Kind::kText:
    case ValueType::Kind::kChoice:
      break;
  }
  std::string out;
  AppendJsonString(secrets == Secrets::kMasked ? option.Shown(entry) : entry.text, &out);
  return out;
}

std::string PrintedList(const Option& option, const std::vector<Option::Entry>& entries,
                        Secrets secrets = Secrets::kMasked) {
  std::string out = "[";
  for (const Option::Entry& entry : entries) {
    if (out.size() > 1) out += ", ";
    out += Printed(option, entry, secrets);
  }
  return out + "]";
}

std::string KeyText(std::string_view key) {
  std::string out;
  AppendJsonString(key, &out);
  return out;
}

// Lines of a configuration file, option by option in the order of their names.
class YamlWriter {
 public:
  explicit YamlWriter(Secrets secrets) : secrets_(secrets) {}

  // Of a map those entries that are in `entries`.
  void Add(const Option& option, const std::vector<Option::Entry>& entries) {
    std::vector<std::string> words;
    for (size_t begin = 0; begin <= option.name.size();) {
      const size_t dot = std::min(option.name.find('.', begin), option.name.size());
      words.push_back(option.name.substr(begin, dot - begin));
      begin = dot + 1;
    }
    const std::string word = words.back();
    words.pop_back();
    const size_t same = static_cast<size_t>(
        std::mismatch(words.begin(), words.end(), open_.begin(), open_.end()).first -
        words.begin());
    for (size_t i = same; i < words.size(); ++i) {
      out_ += fmt::format("{:{}}{}:\n", "", 2 * i, words[i]);
    }
    const size_t indent = 2 * words.size();
    open_ = std::move(words);
    if (option.shape == Option::Shape::kMap && !entries.empty()) {
      out_ += fmt::format("{:{}}{}:\n", "", indent, word);
      for (const Option::Entry& entry : entries) {
        Line(indent + 2, KeyText(entry.key), Printed(option, entry, secrets_),
             option.SourceOf(entry.key));
      }
      return;
    }
    Line(indent, word,
         option.shape == Option::Shape::kMap    ? "{}"
         : option.shape == Option::Shape::kList ? PrintedList(option, entries, secrets_)
                                                : Printed(option, entries[0], secrets_),
         option.SourceOf(""));
  }
  std::string Take() { return std::move(out_); }

 private:
  void Line(size_t column, std::string_view key, std::string_view value, std::string_view source) {
    out_ += fmt::format("{:{}}{}: {}  # {}\n", "", column, key, value, source);
  }

  const Secrets secrets_;
  std::string out_;
  std::vector<std::string> open_;  // the sections that the last option stood in
};

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
  YamlWriter yaml(Secrets::kMasked);
  for (const Option& option : schema.options()) yaml.Add(option, option.get());
  return yaml.Take();
}

std::string ConfiguredYaml(const Schema& schema,
                           const std::function<bool(std::string_view name)>& is_wanted) {
  YamlWriter yaml(Secrets::kShown);
  for (const Option& option : schema.options()) {
    if (!is_wanted(option.name)) continue;
    std::vector<Option::Entry> entries = option.get();
    if (option.shape == Option::Shape::kMap) {
      std::erase_if(entries, [&option](const Option::Entry& entry) {
        return !option.sources.contains(entry.key);
      });
      if (!entries.empty()) yaml.Add(option, entries);
    } else if (option.sources.contains("")) {
      yaml.Add(option, entries);
    }
  }
  return yaml.Take();
}

}  // namespace orbweaver::config
