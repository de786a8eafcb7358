#include "common/config/render.h"

#include <fstream>
#include <regex>

#include "yaml-cpp/yaml.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/config/load.h"
#include "tests/support/scratch_folder.h"

namespace orbweaver::config {
namespace {

enum class Colour { kRed, kBlue };

struct Values {
  bool enabled = false;
  int port = 80;
  double share = 0.25;
  std::chrono::milliseconds wait{1500};
  size_t cache = 64 << 20;
  std::string name = "a|b";
  std::string token;
  Colour colour = Colour::kRed;
  std::vector<std::string> hosts = {"a", "b"};
  std::map<std::string, std::string> properties;

  friend bool operator==(const Values&, const Values&) = default;
};

void Declare(Schema& schema, Values* values) {
  schema.Add("a.enabled", &values->enabled, {.doc = "Whether"});
  schema.Add("a.port", &values->port, {.min = 1, .max = 65535, .doc = "Which | port"});
  schema.Add("a.share", &values->share, {.min = 0, .max = 1, .doc = "How much"});
  schema.Add("a.deep.wait", &values->wait,
             {.min = std::chrono::milliseconds(1), .doc = "How long"});
  schema.AddBytes("a.deep.cache", &values->cache, {.doc = "How many bytes"});
  schema.Add("b.name", &values->name, {.doc = "What name"});
  schema.Add("b.token", &values->token, {.secret = true, .doc = "What token"});
  schema.AddChoice("b.colour", &values->colour, {{"red", Colour::kRed}, {"blue", Colour::kBlue}},
                   {.doc = "What colour"});
  schema.Add("c.hosts", &values->hosts, {.doc = "Which hosts"});
  schema.Add("c.properties", &values->properties,
             {.shown_keys = {"linger.ms", "client.*", "x*", "12", "a\nb"}, .doc = "What else"});
}

class RenderTest : public ::testing::Test {
 protected:
  RenderTest() { Declare(schema_, &values_); }

  void Set(std::vector<std::string> sets) {
    const absl::Status status = Load({.sets = std::move(sets)}, &schema_);
    ASSERT_TRUE(status.ok()) << status;
  }

  Values values_;
  Schema schema_;
};

TEST_F(RenderTest, YamlShowsEveryValueWithItsSource) {
  Set({"a.port=81", "c.hosts=x", "c.properties.linger.ms=5"});
  EXPECT_EQ(EffectiveYaml(schema_), R"(a:
  deep:
    cache: "64MiB"  # default
    wait: "1500ms"  # default
  enabled: false  # default
  port: 81  # --set
  share: 0.25  # default
b:
  colour: "red"  # default
  name: "a|b"  # default
  token: ""  # default
c:
  hosts: ["x"]  # --set
  properties:
    "linger.ms": "5"  # --set
)");
}

TEST_F(RenderTest, JsonShowsEveryValueWithItsSource) {
  Set({"a.port=81", "a.enabled=true", "c.properties.linger.ms=5"});
  EXPECT_EQ(EffectiveJson(schema_), R"({"a.deep.cache":{"value":"64MiB","source":"default"},)"
                                    R"("a.deep.wait":{"value":"1500ms","source":"default"},)"
                                    R"("a.enabled":{"value":true,"source":"--set"},)"
                                    R"("a.port":{"value":81,"source":"--set"},)"
                                    R"("a.share":{"value":0.25,"source":"default"},)"
                                    R"("b.colour":{"value":"red","source":"default"},)"
                                    R"("b.name":{"value":"a|b","source":"default"},)"
                                    R"("b.token":{"value":"","source":"default"},)"
                                    R"("c.hosts":{"value":["a", "b"],"source":"default"},)"
                                    R"("c.properties.linger.ms":{"value":"5","source":"--set"}})");
}

TEST_F(RenderTest, AnEmptyMapIsShownToo) {
  EXPECT_NE(EffectiveYaml(schema_).find("  properties: {}  # default\n"), std::string::npos);
  EXPECT_NE(EffectiveJson(schema_).find(R"("c.properties":{"value":{},"source":"default"})"),
            std::string::npos);
}

TEST_F(RenderTest, SecretsAreMaskedEverywhere) {
  Set({"b.token=hunter2", "c.properties.sasl.password=hunter2", "c.properties.client.id=me",
       "c.properties.Authorization=hunter2", "b.name=http://me:hunter2@proxy:1",
       "c.hosts=a,http://me:hunter2@proxy:1", "c.properties.client.url=me:hunter2@host"});
  for (const std::string& text : {EffectiveYaml(schema_), EffectiveJson(schema_),
                                  ReferencePage(schema_), HelpText(schema_), JsonSchema(schema_)}) {
    EXPECT_EQ(text.find("hunter2"), std::string::npos) << text;
  }
  EXPECT_NE(EffectiveYaml(schema_).find(R"("sasl.password": "********"  # --set)"),
            std::string::npos);
  EXPECT_NE(EffectiveYaml(schema_).find(R"(token: "********"  # --set)"), std::string::npos);
  EXPECT_NE(EffectiveYaml(schema_).find(R"("client.id": "me")"), std::string::npos);
  EXPECT_NE(EffectiveYaml(schema_).find(R"(name: "http://********@proxy:1")"), std::string::npos);
}

TEST_F(RenderTest, WhatIsShownLoadsAsTheSameValues) {
  Set({"a.enabled=true", "a.port=1", "a.share=0.1", "a.deep.wait=2h", "a.deep.cache=3GB",
       "b.name=null # \"quoted\"\n\t\\ : {x} \x01 ä \xe2\x80\xa8", "b.colour=blue",
       "c.hosts=~,true,[1],- x, y ", "c.properties.x: {=}", "c.properties.12=!!int 5",
       "c.properties.a\nb=*x"});
  const ScratchFolder folder;
  const std::string path = folder.path() / "shown.yaml";
  std::ofstream(path) << EffectiveYaml(schema_);
  Values again;
  Schema schema;
  Declare(schema, &again);
  const absl::Status status = Load({.file = path}, &schema);
  EXPECT_TRUE(status.ok()) << status << "\n" << EffectiveYaml(schema_);
  EXPECT_TRUE(again == values_) << EffectiveYaml(schema);
}

TEST_F(RenderTest, WhatWasConfiguredIsKeptWithItsSecretsAndLaterSourcesWin) {
  Set({"a.port=8080", "a.deep.wait=2h", "b.token=hunter2", "c.hosts=x,y",
       "c.properties.client.id=me", "c.properties.acks=all"});
  const std::string kept =
      ConfiguredYaml(schema_, [](std::string_view name) { return name != "a.deep.wait"; });
  EXPECT_EQ(kept.find("wait"), std::string::npos) << kept;
  EXPECT_EQ(kept.find("colour"), std::string::npos) << "a default";
  const ScratchFolder folder;
  const std::string path = folder.path() / "kept.yaml";
  std::ofstream(path) << kept;
  Values again;
  Schema schema;
  Declare(schema, &again);
  const absl::Status status =
      Load({.kept = path, .sets = {"a.port=9", "c.properties.acks=1"}}, &schema);
  ASSERT_TRUE(status.ok()) << status << "\n" << kept;
  EXPECT_EQ(again.port, 9);
  EXPECT_EQ(again.token, "hunter2");
  EXPECT_EQ(again.hosts, (std::vector<std::string>{"x", "y"}));
  EXPECT_EQ(again.properties["client.id"], "me");
  EXPECT_EQ(again.properties["acks"], "1");
}

TEST_F(RenderTest, ASourceCannotBreakOutOfItsComment) {
  const ScratchFolder folder;
  const std::string path = folder.path() / "render\ntest_";
  std::ofstream(path) << "a: {port: 5}";
  const absl::Status status = Load({.file = path}, &schema_);
  ASSERT_TRUE(status.ok()) << status;
  EXPECT_NE(EffectiveYaml(schema_).find("render?test_"), std::string::npos);
}

TEST_F(RenderTest, HelpNamesTypeDefaultAndMeaning) {
  const std::string help = HelpText(schema_);
  EXPECT_NE(help.find("  a.port: an integer from 1 to 65535 (default 80)\n      Which | port\n"),
            std::string::npos)
      << help;
  EXPECT_NE(help.find("  b.token: text (default empty)\n"), std::string::npos) << help;
  EXPECT_NE(help.find("  c.hosts: a list, each text (default a,b)\n"), std::string::npos) << help;
}

TEST_F(RenderTest, TheReferenceHasATableForEverySection) {
  const std::string page = ReferencePage(schema_);
  EXPECT_NE(page.find("\n### a\n\n| option | value | default | what it does |\n"),
            std::string::npos);
  EXPECT_NE(page.find("| `a.port` | an integer from 1 to 65535 | `80` | Which \\| port |\n"),
            std::string::npos)
      << page;
  EXPECT_NE(page.find("| `b.name` | text | `a\\|b` | What name |\n"), std::string::npos) << page;
  EXPECT_NE(page.find("| `b.token` | text; secret | empty | What token |\n"), std::string::npos);
  EXPECT_NE(page.find("\n### b\n"), std::string::npos);
  EXPECT_NE(page.find("\n### c\n"), std::string::npos);
}

TEST_F(RenderTest, ValuesThatWereConfiguredDoNotReachTheReference) {
  const std::string before = ReferencePage(schema_) + HelpText(schema_) + JsonSchema(schema_);
  Set({"a.port=81"});
  EXPECT_EQ(ReferencePage(schema_) + HelpText(schema_) + JsonSchema(schema_), before);
}

// JSON is YAML: read it with the parser that is there. Every property is a closed section or an
// option whose default is of its own type.
void CheckProperty(const std::string& path, const YAML::Node& node, int* options) {
  if (node["properties"]) {
    EXPECT_EQ(node["type"].as<std::string>(), "object") << path;
    EXPECT_FALSE(node["additionalProperties"].as<bool>()) << path;
    for (const auto& member : node["properties"]) {
      CheckProperty(path + "." + member.first.as<std::string>(), member.second, options);
    }
    return;
  }
  ++*options;
  EXPECT_TRUE(node["description"].IsScalar()) << path;
  ASSERT_TRUE(node["default"].IsDefined()) << path;
  EXPECT_TRUE(node["type"].IsDefined() || node["enum"].IsDefined()) << path;
  if (node["pattern"]) {
    EXPECT_TRUE(std::regex_match(node["default"].as<std::string>(),
                                 std::regex(node["pattern"].as<std::string>())))
        << path;
  }
  if (node["maximum"]) {
    EXPECT_LE(node["default"].as<double>(), node["maximum"].as<double>()) << path;
    EXPECT_GE(node["default"].as<double>(), node["minimum"].as<double>()) << path;
  }
}

TEST_F(RenderTest, TheJsonSchemaIsClosedAndItsDefaultsAreValid) {
  const YAML::Node root = YAML::Load(JsonSchema(schema_));
  EXPECT_EQ(root["$schema"].as<std::string>(), "https://json-schema.org/draft/2020-12/schema");
  int options = 0;
  CheckProperty("", root, &options);
  EXPECT_EQ(options, static_cast<int>(schema_.options().size()));
}

TEST_F(RenderTest, TheJsonSchemaSaysTheTypesAndBounds) {
  const YAML::Node sections = YAML::Load(JsonSchema(schema_))["properties"];
  const YAML::Node a = sections["a"]["properties"];
  EXPECT_EQ(a["enabled"]["type"].as<std::string>(), "boolean");
  EXPECT_EQ(a["port"]["type"].as<std::string>(), "integer");
  EXPECT_EQ(a["port"]["minimum"].as<int>(), 1);
  EXPECT_EQ(a["port"]["maximum"].as<int>(), 65535);
  EXPECT_EQ(a["share"]["type"].as<std::string>(), "number");
  EXPECT_EQ(a["deep"]["properties"]["wait"]["type"].as<std::string>(), "string");
  EXPECT_EQ(a["deep"]["properties"]["cache"]["type"][0].as<std::string>(), "integer");
  EXPECT_EQ(sections["b"]["properties"]["colour"]["enum"][1].as<std::string>(), "blue");
  EXPECT_EQ(sections["c"]["properties"]["hosts"]["type"].as<std::string>(), "array");
  EXPECT_EQ(sections["c"]["properties"]["hosts"]["default"][1].as<std::string>(), "b");
  EXPECT_EQ(sections["c"]["properties"]["properties"]["type"].as<std::string>(), "object");
}

TEST(RenderEmptyTest, WithoutOptionsEverythingIsStillWellFormed) {
  const Schema schema;
  EXPECT_EQ(EffectiveJson(schema), "{}");
  EXPECT_EQ(EffectiveYaml(schema), "");
  EXPECT_TRUE(YAML::Load(JsonSchema(schema))["properties"].IsMap());
}

}  // namespace
}  // namespace orbweaver::config
