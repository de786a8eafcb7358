#include <array>
#include <csetjmp>
#include <vector>

#include "common/model/arena.h"
#include "gumbo.h"
#include "spider/parse/gumbo_bounds.h"
#include "spider/parse/gumbo_repairs.h"
#include "spider/parse/html_engine.h"

namespace orbweaver {
namespace {

// The most memory of a tree: ordinary pages take 20 to 40 bytes a byte.
constexpr size_t kTreeBytes = size_t{4} << 20;
constexpr size_t kTreeBytesPerByte = 100;

// Gumbo's memory. It cannot be told that there is no more, so the way out of a tree that outgrows
// its bound is a jump back to before it was begun; all that it held is in the arena.
struct TreeMemory {
  Arena arena;
  size_t used = 0;
  size_t max = 0;
  std::jmp_buf exceeded;

  static void* Allocate(void* memory, size_t bytes) {
    auto* const tree = static_cast<TreeMemory*>(memory);
    tree->used += bytes;
    if (tree->used > tree->max) std::longjmp(tree->exceeded, 1);
    return tree->arena.Allocate(bytes);
  }
  static void Free(void*, void*) {}
};

// nullptr when the tree would take more than `memory` has. No object with a destructor may live
// here: longjmp ends this function's calls without running any.
const GumboOutput* BuildTree(std::string_view html, TreeMemory* memory) {
  if (setjmp(memory->exceeded) != 0) return nullptr;
  GumboOptions options = kGumboDefaultOptions;
  options.allocator = &TreeMemory::Allocate;
  options.deallocator = &TreeMemory::Free;
  options.userdata = memory;
  options.max_errors = 0;
  return gumbo_parse_with_options(&options, html.data(), html.size());
}

constexpr unsigned kReopened =
    GUMBO_INSERTION_RECONSTRUCTED_FORMATTING_ELEMENT | GUMBO_INSERTION_ADOPTION_AGENCY_CLONED;

class GumboEngine : public HtmlEngine {
 public:
  explicit GumboEngine(bool styles) : styles_(styles) {
    for (size_t tag = 0; tag < tags_.size(); ++tag) {
      tags_[tag] = HtmlTagOf(gumbo_normalized_tagname(static_cast<GumboTag>(tag)));
    }
  }

  bool Parse(std::string_view html, HtmlSink& sink) override {
    const std::string_view bounded = BoundForGumbo(html, &nul_names_);
    const std::string_view repaired = RepairForGumbo(bounded, nul_names_, &repaired_);
    memory_.arena.Reset();
    memory_.used = 0;
    memory_.max = kTreeBytes + bounded.size() * kTreeBytesPerByte;
    const GumboOutput* const output = BuildTree(repaired, &memory_);
    if (output == nullptr) return false;
    Walk(output->document, sink);
    return bounded.size() == html.size();
  }

 private:
  struct Level {
    const GumboNode* node;
    size_t next_child;
  };

  static const GumboVector& ChildrenOf(const GumboNode& node) {
    return node.type == GUMBO_NODE_DOCUMENT ? node.v.document.children : node.v.element.children;
  }

  void Walk(const GumboNode* document, HtmlSink& sink) {
    levels_.assign(1, {document, 0});
    while (!levels_.empty()) {
      Level& level = levels_.back();
      const GumboVector& children = ChildrenOf(*level.node);
      if (level.next_child == children.length) {
        const HtmlTag tag = TagOf(*level.node);
        if (tag != HtmlTag::kOther) sink.OnEnd(tag);
        levels_.pop_back();
        continue;
      }
      const auto* child = static_cast<const GumboNode*>(children.data[level.next_child++]);
      switch (child->type) {
        case GUMBO_NODE_ELEMENT:
        case GUMBO_NODE_TEMPLATE:
          Start(*child, sink);
          levels_.push_back({child, 0});
          break;
        case GUMBO_NODE_TEXT:
        case GUMBO_NODE_CDATA:
        case GUMBO_NODE_WHITESPACE:
          sink.OnText(child->v.text.text);
          break;
        default:
          break;
      }
    }
  }

  // Of svg and math only the links count.
  HtmlTag TagOf(const GumboNode& node) const {
    if (node.type == GUMBO_NODE_DOCUMENT) return HtmlTag::kOther;
    const HtmlTag tag = tags_[node.v.element.tag];
    const bool foreign = node.v.element.tag_namespace != GUMBO_NAMESPACE_HTML;
    return foreign && tag != HtmlTag::kA ? HtmlTag::kOther : tag;
  }

  void Start(const GumboNode& node, HtmlSink& sink) const {
    const HtmlTag tag = TagOf(node);
    if (styles_) TellStyle(node, sink);
    if (tag == HtmlTag::kOther) return;
    if (tag == HtmlTag::kA && (node.parse_flags & kReopened) != 0) {
      sink.OnReopen();
      return;
    }
    HtmlAttributes attributes;
    const GumboVector& list = node.v.element.attributes;
    for (unsigned i = 0; tag != HtmlTag::kBlock && i < list.length; ++i) {
      const auto* attribute = static_cast<const GumboAttribute*>(list.data[i]);
      if (attribute->attr_namespace != GUMBO_ATTR_NAMESPACE_NONE) continue;
      attributes.Set(HtmlAttributeOf(attribute->name), attribute->value);
    }
    sink.OnStart(tag, attributes);
  }

  static void TellStyle(const GumboNode& node, HtmlSink& sink) {
    const GumboAttribute* const style = gumbo_get_attribute(&node.v.element.attributes, "style");
    if (style != nullptr) sink.OnStyle(style->value);
  }

  const bool styles_;
  std::array<HtmlTag, GUMBO_TAG_LAST + 1> tags_;
  std::vector<size_t> nul_names_;
  std::string repaired_;
  TreeMemory memory_;
  std::vector<Level> levels_;
};

}  // namespace

std::unique_ptr<HtmlEngine> MakeGumboEngine(bool styles) {
  return std::make_unique<GumboEngine>(styles);
}

}  // namespace orbweaver
