#include "common/config/yaml_tree.h"

#include <gtest/gtest.h>

#include "common/base/status.h"

namespace orbweaver::config {
namespace {

std::string ErrorOf(std::string_view text) {
  const absl::StatusOr<YamlNode> root = ParseYaml(text, "f");
  if (root.ok()) return "OK";
  EXPECT_TRUE(IsFatal(root.status()));
  return std::string(MessageOf(root.status()));
}

TEST(YamlTreeTest, EveryValueHasTheLineOfItsKey) {
  const YamlNode root = *ParseYaml("a:\n  b: 1\n  c:\n    - x\n    - y\nd:\n", "f");
  ASSERT_EQ(root.children.size(), 2u);
  const YamlNode& a = root.children[0];
  EXPECT_EQ(a.key, "a");
  EXPECT_EQ(a.line, 1);
  ASSERT_EQ(a.children.size(), 2u);
  EXPECT_EQ(a.children[0].text, "1");
  EXPECT_EQ(a.children[0].line, 2);
  EXPECT_EQ(a.children[1].line, 3);
  EXPECT_EQ(a.children[1].kind, YamlNode::Kind::kList);
  ASSERT_EQ(a.children[1].children.size(), 2u);
  EXPECT_EQ(a.children[1].children[1].text, "y");
  EXPECT_EQ(a.children[1].children[1].line, 5);
  EXPECT_EQ(root.children[1].kind, YamlNode::Kind::kNothing);
  EXPECT_EQ(root.children[1].line, 6);
}

TEST(YamlTreeTest, QuotedNullIsText) {
  const YamlNode root = *ParseYaml("a: \"null\"\nb: ~\nc: ''", "f");
  EXPECT_EQ(root.children[0].text, "null");
  EXPECT_EQ(root.children[1].kind, YamlNode::Kind::kNothing);
  EXPECT_EQ(root.children[2].kind, YamlNode::Kind::kText);
}

TEST(YamlTreeTest, AFileOfCommentsIsNothing) {
  EXPECT_EQ(ParseYaml("", "f")->kind, YamlNode::Kind::kNothing);
  EXPECT_EQ(ParseYaml("# a\n# b\n", "f")->kind, YamlNode::Kind::kNothing);
  EXPECT_EQ(ParseYaml("---\n...\n", "f")->kind, YamlNode::Kind::kNothing);
}

TEST(YamlTreeTest, SyntaxErrorsNameTheLine) {
  EXPECT_EQ(ErrorOf("a: [1, 2\nb: 3\n"), "f:2: not valid YAML: end of sequence flow not found");
  EXPECT_EQ(ErrorOf("a: 1\n b: 2\n"), "f:2: not valid YAML: illegal map value");
}

TEST(YamlTreeTest, TheParsersOwnWordsStayOnOneLine) {
  EXPECT_EQ(ErrorOf("a: \"\\\x07\""), "f:1: not valid YAML: unknown escape character: ?");
}

TEST(YamlTreeTest, AKeyGivenTwiceIsNotSilentlyTheFirst) {
  EXPECT_EQ(ErrorOf("a:\n  b: 1\n  c: 2\n  b: 3\n"),
            "f:4: a.b: given twice, first in line 2. Remove one");
}

TEST(YamlTreeTest, AnAliasCannotMultiplyTheFile) {
  const std::string expected =
      "f:1: anchors (&) and aliases (*) are not supported. Write the value";
  EXPECT_EQ(ErrorOf("a: &x [1]\nb: [*x, *x]\n"), expected);
  EXPECT_EQ(ErrorOf("a: &x 1"), expected);
  EXPECT_EQ(ErrorOf("a: &x ~"), expected);
  EXPECT_EQ(ErrorOf("&x {a: 1}"), expected);
}

TEST(YamlTreeTest, TagsAreRefused) {
  EXPECT_EQ(ErrorOf("a: !!int 5"), "f:1: tag 'tag:yaml.org,2002:int' is not supported. Remove it");
  EXPECT_EQ(ErrorOf("a: !x [5]"), "f:1: tag '!x' is not supported. Remove it");
}

TEST(YamlTreeTest, KeysArePlainText) {
  EXPECT_EQ(ErrorOf("? [a, b]\n: c\n"), "f:1: a key is expected to be plain text");
  EXPECT_EQ(ErrorOf("~: c\n"), "f:1: a key is expected to be plain text");
}

TEST(YamlTreeTest, ASecondDocumentIsNotDroppedSilently) {
  EXPECT_EQ(ErrorOf("a: 1\n---\nb: 2\n"), "f:2: a second document starts here. Keep one");
}

TEST(YamlTreeTest, DepthIsBounded) {
  EXPECT_EQ(ErrorOf(std::string(kMaxDepth, '[') + std::string(kMaxDepth, ']')), "OK");
  EXPECT_EQ(ErrorOf(std::string(kMaxDepth + 1, '[') + std::string(kMaxDepth + 1, ']')),
            "f:1: more than 16 levels deep");
  EXPECT_NE(ErrorOf(std::string(100'000, '[')), "OK");
  EXPECT_NE(ErrorOf(std::string(100'000, '{')), "OK");
}

}  // namespace
}  // namespace orbweaver::config
