#include "common/config/yaml_tree.h"

#include <cerrno>
#include <cstdio>
#include <exception>
#include <map>
#include <memory>
#include <sstream>
#include <utility>

#include "yaml-cpp/eventhandler.h"
#include "yaml-cpp/exceptions.h"
#include "yaml-cpp/mark.h"
#include "yaml-cpp/parser.h"

#include "common/base/status.h"
#include "common/config/excerpt.h"

namespace orbweaver::config {
namespace {

// Thrown through yaml-cpp by the handler below, and caught in ParseYaml: its parser has no other
// way to stop.
struct Refusal {
  int line;
  std::string message;
};

int LineOf(const YAML::Mark& mark) { return mark.line + 1; }

// A list or map whose end has not come yet.
struct Open {
  YamlNode node;
  bool has_key = false;  // of the next member
  std::string key;
  int key_line = 0;
  std::map<std::string, int> lines_by_key;
};

class TreeBuilder : public YAML::EventHandler {
 public:
  YamlNode TakeRoot() { return std::move(root_); }

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (std::exchange(started_, true)) {
      throw Refusal(LineOf(mark), "a second document starts here. Keep one");
    }
  }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    RefuseAnchor(mark, anchor);
    RefuseAsKey(mark);
    Close({.kind = YamlNode::Kind::kNothing, .key = {}, .line = LineOf(mark)});
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    RefuseAnchor(mark, anchor);
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    RefuseAnchor(mark, anchor);
    RefuseTag(mark, tag);
    if (!ExpectsKey()) {
      Close({.kind = YamlNode::Kind::kText, .key = {}, .line = LineOf(mark), .text = value});
      return;
    }
    Open& map = open_.back();
    const auto [first, is_new] = map.lines_by_key.emplace(value, LineOf(mark));
    map.has_key = true;
    map.key = value;
    map.key_line = LineOf(mark);
    if (!is_new) {
      throw Refusal(LineOf(mark), fmt::format("{}: given twice, first in line {}. Remove one",
                                              Excerpt(Path()), first->second));
    }
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value /*style*/) override {
    Begin(YamlNode::Kind::kList, mark, tag, anchor);
  }
  void OnSequenceEnd() override { End(); }

  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value /*style*/) override {
    Begin(YamlNode::Kind::kMap, mark, tag, anchor);
  }
  void OnMapEnd() override { End(); }

 private:
  bool ExpectsKey() const {
    return !open_.empty() && open_.back().node.kind == YamlNode::Kind::kMap &&
           !open_.back().has_key;
  }

  std::string Path() const {
    std::string path;
    for (const Open& open : open_) {
      if (!open.has_key) continue;
      if (!path.empty()) path += '.';
      path += open.key;
    }
    return path;
  }

  static void RefuseAnchor(const YAML::Mark& mark, YAML::anchor_t anchor) {
    if (anchor != YAML::NullAnchor) {
      throw Refusal(LineOf(mark), "anchors (&) and aliases (*) are not supported. Write the value");
    }
  }
  // "?" and "!" are yaml-cpp's marks of plain and quoted values without a tag.
  static void RefuseTag(const YAML::Mark& mark, const std::string& tag) {
    if (!tag.empty() && tag != "?" && tag != "!") {
      throw Refusal(LineOf(mark),
                    fmt::format("tag '{}' is not supported. Remove it", Excerpt(tag)));
    }
  }
  void RefuseAsKey(const YAML::Mark& mark) const {
    if (ExpectsKey()) throw Refusal(LineOf(mark), "a key is expected to be plain text");
  }

  void Begin(YamlNode::Kind kind, const YAML::Mark& mark, const std::string& tag,
             YAML::anchor_t anchor) {
    RefuseAnchor(mark, anchor);
    RefuseTag(mark, tag);
    RefuseAsKey(mark);
    if (open_.size() == kMaxDepth) {
      throw Refusal(LineOf(mark), fmt::format("more than {} levels deep", kMaxDepth));
    }
    Open open;
    open.node.kind = kind;
    open.node.line = LineOf(mark);
    open_.push_back(std::move(open));
  }

  void End() {
    YamlNode node = std::move(open_.back().node);
    open_.pop_back();
    Close(std::move(node));
  }

  // `node` is complete: puts it where it belongs.
  void Close(YamlNode node) {
    if (open_.empty()) {
      root_ = std::move(node);
      return;
    }
    Open& parent = open_.back();
    if (std::exchange(parent.has_key, false)) {
      node.key = std::move(parent.key);
      node.line = parent.key_line;
    }
    parent.node.children.push_back(std::move(node));
  }

  bool started_ = false;
  std::vector<Open> open_;
  YamlNode root_;
};

}  // namespace

absl::StatusOr<YamlNode> ParseYaml(std::string_view text, std::string_view name) {
  std::istringstream in{std::string(text)};
  TreeBuilder builder;
  try {
    YAML::Parser parser(in);
    while (parser.HandleNextDocument(builder)) {
    }
  } catch (const Refusal& refusal) {
    return FatalError("{}:{}: {}", name, refusal.line, refusal.message);
  } catch (const YAML::Exception& error) {
    return FatalError("{}:{}: not valid YAML: {}", name, LineOf(error.mark), Excerpt(error.msg));
  } catch (const std::exception& error) {
    return FatalError("{}: not valid YAML: {}", name, Excerpt(error.what()));
  }
  return builder.TakeRoot();
}

absl::StatusOr<YamlNode> ReadYaml(const std::string& path) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rbe"),
                                                             std::fclose);
  if (file == nullptr) {
    return FatalError("configuration file {}: {}", path, std::generic_category().message(errno));
  }
  std::string text(kMaxFileBytes + 1, '\0');
  text.resize(std::fread(text.data(), 1, text.size(), file.get()));
  if (std::ferror(file.get()) != 0) {
    return FatalError("configuration file {}: {}", path, std::generic_category().message(errno));
  }
  if (text.size() > kMaxFileBytes) {
    return FatalError("configuration file {}: larger than {} bytes", path, kMaxFileBytes);
  }
  return ParseYaml(text, path);
}

}  // namespace orbweaver::config
