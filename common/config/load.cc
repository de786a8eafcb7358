#include "common/config/load.h"

#include <algorithm>
#include <set>
#include <span>

#include "fmt/format.h"

#include "common/base/status.h"
#include "common/base/utf8.h"
#include "common/config/excerpt.h"
#include "common/config/mask.h"
#include "common/config/nearest.h"
#include "common/config/yaml_tree.h"

namespace orbweaver::config {
namespace {

constexpr std::string_view kPrefix = "ORBWEAVER_";

// `name` with `from` replaced by `to`.
std::string Replaced(std::string_view name, std::string_view from, std::string_view to) {
  std::string out;
  for (size_t i = 0; i < name.size();) {
    if (name.substr(i).starts_with(from)) {
      out += to;
      i += from.size();
    } else {
      out += name[i++];
    }
  }
  return out;
}

// The first element of a list, and the comma behind it; `\,` is a comma in an element.
std::string TakeElement(std::string_view* list) {
  std::string element;
  while (!list->empty()) {
    const char c = list->front();
    list->remove_prefix(1);
    if (c == ',') break;
    if (c == '\\' && list->starts_with(',')) {
      element.push_back(',');
      list->remove_prefix(1);
    } else {
      element.push_back(c);
    }
  }
  return element;
}

class Loader {
 public:
  explicit Loader(Schema& schema) : schema_(schema), options_(schema.options()) {}

  absl::Status File(const std::string& path, bool is_kept) {
    path_ = path;
    is_kept_ = is_kept;
    ASSIGN_OR_RETURN(const YamlNode root, ReadYaml(path));
    if (root.kind == YamlNode::Kind::kNothing) return absl::OkStatus();  // all commented out
    if (root.kind != YamlNode::Kind::kMap) {
      return FatalError("{}: expected sections with options below them, got {}", PlaceOf(root),
                        Words(root));
    }
    return Section(root, "");
  }

  absl::Status Environment(std::vector<std::string> variables) {
    // Which mistake is reported must not depend on the environment's order.
    std::sort(variables.begin(), variables.end());
    for (const std::string& variable : variables) {
      if (!variable.starts_with(kPrefix)) continue;
      const size_t equals = std::min(variable.find('='), variable.size());
      const std::string name = variable.substr(0, equals);
      // A variable without a section is not configuration: ORBWEAVER_CACHE is of ./run, and
      // Kubernetes puts ORBWEAVER_PORT into every container beside a service of that name.
      if (name.find("__") == std::string::npos) continue;
      const std::string text = variable.substr(std::min(equals + 1, variable.size()));
      RETURN_IF_ERROR(Variable(name, text));
    }
    return absl::OkStatus();
  }

  // `flag`: the option of the command line's own that `set` stands for; empty: none.
  absl::Status Set(const std::string& set, const std::string& flag) {
    const std::string_view place = flag.empty() ? std::string_view("--set") : flag;
    const size_t equals = set.find('=');
    if (equals == std::string::npos) {
      return FatalError("{} {}: expected NAME=VALUE", place, Excerpt(set));
    }
    const std::string name = set.substr(0, equals);
    const Target target = Find(name);
    if (IsSection(name)) {
      return FatalError("{}: {}: a section, not an option. Name an option in it", place, name);
    }
    if (target.option == nullptr) {
      return FatalError("{}: {}: unknown option. {}", place, Excerpt(name), Hint(NearestTo(name)));
    }
    return Text(place, target, set.substr(equals + 1));
  }

 private:
  // An option, or the entry of a map.
  struct Target {
    Option* option = nullptr;
    std::string key;
  };

  // No option when there is none of that name.
  Target Find(std::string_view name) {
    for (Option& option : options_) {
      if (option.name == name) return {.option = &option, .key = ""};
      if (option.shape == Option::Shape::kMap && name.size() > option.name.size() + 1 &&
          name.starts_with(option.name) && name[option.name.size()] == '.') {
        return {.option = &option, .key = std::string(name.substr(option.name.size() + 1))};
      }
    }
    return {};
  }

  // A file that an earlier version has kept may have the old names.
  Target FindKept(const std::string& name) {
    const std::string_view renamed = is_kept_ ? schema_.NewNameOf(name) : std::string_view();
    return Find(renamed.empty() ? std::string_view(name) : renamed);
  }

  // "admin" for "admin.port", and so on.
  std::vector<std::string> Sections() const {
    std::set<std::string> sections;
    for (const Option& option : options_) {
      for (size_t dot = option.name.find('.'); dot != std::string::npos;
           dot = option.name.find('.', dot + 1)) {
        sections.insert(option.name.substr(0, dot));
      }
    }
    return {sections.begin(), sections.end()};
  }

  // Also one whose options have other names now.
  bool IsSection(const std::string& name) const {
    const std::vector<std::string> sections = Sections();
    return std::find(sections.begin(), sections.end(), name) != sections.end() ||
           schema_.HadSection(name);
  }

  // The name that has replaced `name`, else the known name nearest to it; in a map with the key
  // that was given.
  std::string NearestTo(const std::string& name) const {
    if (const auto renamed = schema_.NewNameOf(name); !renamed.empty()) return std::string(renamed);
    std::vector<std::string> known;
    for (const Option& option : options_) {
      known.push_back(option.name);
      if (option.shape != Option::Shape::kMap) continue;
      size_t end = 0;  // of as many words of `name` as the option has
      for (size_t dots = 1 + std::count(option.name.begin(), option.name.end(), '.');
           dots > 0 && end != std::string::npos; --dots) {
        end = name.find('.', end + 1);
      }
      if (end != std::string::npos) known.push_back(option.name + name.substr(end));
    }
    return Nearest(name, known);
  }

  // "Did you mean X?"; `nearest` may be empty.
  static std::string Hint(const std::string& nearest) {
    return nearest.empty() ? "`orbweaver config reference` lists what there is"
                           : fmt::format("Did you mean {}?", Excerpt(nearest));
  }

  // ----- the file -----

  std::string PlaceOf(const YamlNode& node) const {
    return fmt::format("{}:{}", Excerpt(path_), std::max(node.line, 1));
  }

  static std::string_view Words(const YamlNode& node) {
    switch (node.kind) {
      case YamlNode::Kind::kNothing:
        return "nothing";
      case YamlNode::Kind::kText:
        return "a single value";
      case YamlNode::Kind::kList:
        return "a list";
      case YamlNode::Kind::kMap:
        return "a section";
    }
    return {};
  }

  // `prefix` is empty, or the section's name and a dot.
  absl::Status Section(const YamlNode& section, const std::string& prefix) {
    for (const YamlNode& member : section.children) {
      const std::string name = prefix + member.key;
      const std::string place = PlaceOf(member);
      if (member.key.find('.') != std::string::npos) {
        return FatalError("{}: {}: a key with a dot. Write a section and the options below it",
                          place, Excerpt(name));
      }
      if (schema_.PassesOver(name)) continue;
      const Target target = FindKept(name);
      if (target.option != nullptr) {
        RETURN_IF_ERROR(Value(*target.option, member, place));
      } else if (!IsSection(name)) {
        const bool is_section = member.kind == YamlNode::Kind::kMap;
        std::string nearest = is_section ? Nearest(name, Sections()) : "";
        if (nearest.empty()) nearest = NearestTo(name);
        return FatalError("{}: {}: unknown {}. {}", place, Excerpt(name),
                          is_section ? "section" : "option", Hint(nearest));
      } else if (member.kind != YamlNode::Kind::kMap) {
        return FatalError("{}: {}: expected a section with options below it, got {}", place, name,
                          Words(member));
      } else {
        RETURN_IF_ERROR(Section(member, name + "."));
      }
    }
    return absl::OkStatus();
  }

  absl::Status Value(Option& option, const YamlNode& node, const std::string& place) {
    static constexpr YamlNode::Kind kKinds[] = {YamlNode::Kind::kText, YamlNode::Kind::kList,
                                                YamlNode::Kind::kMap};
    if (node.kind != kKinds[static_cast<int>(option.shape)]) {
      return FatalError("{}: {}: expected {}, got {}", place, option.name, option.Expected(),
                        Words(node));
    }
    if (option.shape == Option::Shape::kOne) return Put(place, {&option, ""}, node.text);
    if (option.shape == Option::Shape::kList) Empty(option, place);
    for (const YamlNode& child : node.children) {
      if (child.kind != YamlNode::Kind::kText) {
        return FatalError("{}: {}: expected {}, got {} in it", PlaceOf(child), option.name,
                          option.Expected(), Words(child));
      }
      if (option.shape == Option::Shape::kMap && child.key.empty()) {
        return FatalError("{}: {}: a key is empty", PlaceOf(child), option.name);
      }
      RETURN_IF_ERROR(Put(option.shape == Option::Shape::kMap ? PlaceOf(child) : place,
                          {&option, child.key}, child.text));
    }
    return absl::OkStatus();
  }

  // ----- the environment and --set -----

  absl::Status Variable(const std::string& name, std::string_view text) {
    std::string dotted = Replaced(name.substr(kPrefix.size()), "__", ".");
    for (char& c : dotted) {
      if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    }
    if (schema_.PassesOver(dotted)) return absl::OkStatus();
    const bool upper =
        std::none_of(name.begin(), name.end(), [](char c) { return c >= 'a' && c <= 'z'; });
    if (const Target target = Find(dotted); target.option != nullptr && upper) {
      return Text(Excerpt(name), target, text);
    }
    const std::string nearest = NearestTo(dotted);
    return FatalError("{}: unknown option. {}", Excerpt(name),
                      Hint(nearest.empty() ? "" : EnvironmentName(nearest)));
  }

  absl::Status Text(std::string_view place, const Target& target, std::string_view text) {
    Option& option = *target.option;
    switch (option.shape) {
      case Option::Shape::kOne:
        return Put(place, target, text);
      case Option::Shape::kList:
        Empty(option, place);
        while (!text.empty()) RETURN_IF_ERROR(Put(place, target, TakeElement(&text)));
        return absl::OkStatus();
      case Option::Shape::kMap:
        if (target.key.empty()) {
          return FatalError("{}: {}: expected the name of a key too. Write {}.KEY", place,
                            option.name, option.name);
        }
        return Put(place, target, text);
    }
    return absl::OkStatus();
  }

  // ----- all -----

  static void Empty(Option& option, std::string_view place) {
    option.clear();
    option.sources[""] = place;
  }

  static absl::Status Put(std::string_view place, const Target& target, std::string_view text) {
    Option& option = *target.option;
    const std::string name =
        target.key.empty() ? option.name : fmt::format("{}.{}", option.name, Excerpt(target.key));
    const bool secret = option.IsSecret(target.key);
    // It could not be shown, or written to a file, as it is.
    if (!IsValidUtf8(text) || !IsValidUtf8(target.key)) {
      return FatalError("{}: {}: expected UTF-8 text", place, name);
    }
    if ((secret && text == kMask) || text.find(kMaskedUser) != std::string_view::npos) {
      return FatalError(
          "{}: {}: {} is what stands for a secret when the configuration is shown. "
          "Write the secret itself",
          place, name, kMask);
    }
    if (!option.put(target.key, text)) {
      const std::string got = secret ? "something else" : Excerpt(WithoutUserinfo(text));
      if (IsFlag(place)) {
        return FatalError("{}: expected {}", FlagWithValue(place, secret ? "…" : got),
                          option.Expected());
      }
      return FatalError("{}: {}: expected {}, got {}", place, name, option.Expected(),
                        secret ? got : fmt::format("'{}'", got));
    }
    option.sources[target.key] = place;
    return absl::OkStatus();
  }

  const Schema& schema_;
  const std::span<Option> options_;
  std::string path_;
  bool is_kept_ = false;  // the file
};

}  // namespace

bool IsFlag(std::string_view source) { return source.starts_with("--") && source != "--set"; }

std::string FlagWithValue(std::string_view flag, std::string_view value) {
  return fmt::format("{}{}{}", flag, flag.ends_with('=') ? "" : " ", value.empty() ? "''" : value);
}

absl::Status Load(const Inputs& inputs, Schema* schema) {
  Loader loader(*schema);
  if (!inputs.kept.empty()) RETURN_IF_ERROR(loader.File(inputs.kept, /*is_kept=*/true));
  if (!inputs.file.empty()) RETURN_IF_ERROR(loader.File(inputs.file, /*is_kept=*/false));
  RETURN_IF_ERROR(loader.Environment(inputs.environment));
  for (const std::string& set : inputs.sets) {
    const auto flag = inputs.flags.find(set);
    RETURN_IF_ERROR(loader.Set(set, flag == inputs.flags.end() ? "" : flag->second));
  }
  return absl::OkStatus();
}

}  // namespace orbweaver::config
