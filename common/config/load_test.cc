#include "common/config/load.h"

#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/status.h"
#include "common/config/yaml_tree.h"
#include "tests/support/scratch_folder.h"

namespace orbweaver::config {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

struct Values {
  int port = 80;
  std::string token;
  std::vector<std::string> hosts = {"first"};
  std::map<std::string, std::string, std::less<>> properties = {{"linger.ms", "5"}};
  int max_connections = 100;
  std::chrono::milliseconds timeout{250};
};

class LoadTest : public ::testing::Test {
 protected:
  LoadTest() {
    schema_.Add("admin.port", &values_.port, {.min = 1, .max = 65535, .doc = "d"});
    schema_.Add("admin.token", &values_.token, {.secret = true, .doc = "d"});
    schema_.Add("kafka.hosts", &values_.hosts, {.doc = "d"});
    schema_.Add("kafka.properties", &values_.properties,
                {.shown_keys = {"linger.ms", "client.id", "log_level"}, .doc = "d"});
    schema_.Renamed("spider.pipes", "admin.port");
    schema_.Renamed("spider.old.pause", "spider.fetch.timeout");
    schema_.Add("spider.max_connections", &values_.max_connections, {.min = 1, .doc = "d"});
    schema_.Add("spider.fetch.timeout", &values_.timeout, {.doc = "d"});
  }

  // "OK" or the message, with the file under the name that a user would give it.
  std::string Loaded(Inputs inputs) {
    const absl::Status status = Load(inputs, &schema_);
    if (status.ok()) return "OK";
    EXPECT_TRUE(IsFatal(status)) << status;
    std::string message(MessageOf(status));
    if (const size_t at = message.find(path_); at != std::string::npos) {
      message.replace(at, path_.size(), "orbweaver.yaml");
    }
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
    return message;
  }
  std::string LoadedFile(const std::string& text) { return Loaded({.file = Write(text)}); }
  std::string LoadedVariable(const std::string& variable) {
    return Loaded({.environment = {variable}});
  }
  std::string LoadedSet(const std::string& set) { return Loaded({.sets = {set}}); }

  const std::string& Write(const std::string& text) {
    std::ofstream(path_, std::ios::binary) << text;
    return path_;
  }

  std::string SourceOf(std::string_view name, std::string_view key = "") const {
    for (const Option& option : schema_.options()) {
      if (option.name == name) return option.SourceOf(key);
    }
    return "no such option";
  }

  const ScratchFolder folder_;
  const std::string path_ = folder_.path() / "file";
  Values values_;
  Schema schema_;
};

// ----- what is taken -----

TEST_F(LoadTest, WithoutSourcesTheDefaultsStay) {
  EXPECT_EQ(Loaded({}), "OK");
  EXPECT_EQ(values_.port, 80);
  EXPECT_THAT(values_.hosts, ElementsAre("first"));
  EXPECT_EQ(SourceOf("admin.port"), "default");
}

TEST_F(LoadTest, AFileFillsEveryShape) {
  EXPECT_EQ(LoadedFile("# ours\n"
                       "admin: {port: 8080, token: \"123\"}\n"
                       "kafka:\n"
                       "  hosts:\n"
                       "  - a:9092\n"
                       "  - b,c\n"
                       "  properties:\n"
                       "    linger.ms: 20\n"
                       "    client.id: x\n"
                       "spider:\n"
                       "  fetch:\n"
                       "    timeout: 2s\n"),
            "OK");
  EXPECT_EQ(values_.port, 8080);
  EXPECT_EQ(values_.token, "123");
  EXPECT_THAT(values_.hosts, ElementsAre("a:9092", "b,c"));
  EXPECT_THAT(values_.properties, ElementsAre(Pair("client.id", "x"), Pair("linger.ms", "20")));
  EXPECT_EQ(values_.timeout, std::chrono::seconds(2));
  EXPECT_EQ(values_.max_connections, 100);
  EXPECT_EQ(SourceOf("admin.port"), path_ + ":2");
  EXPECT_EQ(SourceOf("kafka.hosts"), path_ + ":4");
  EXPECT_EQ(SourceOf("kafka.properties", "client.id"), path_ + ":9");
  EXPECT_EQ(SourceOf("spider.fetch.timeout"), path_ + ":12");
}

TEST_F(LoadTest, SectionsOfOtherProgramsArePassedOver) {
  static constexpr std::string_view kSections[] = {"admin", "db_worker"};
  schema_.PassOver(kSections);
  EXPECT_EQ(LoadedFile("db_worker:\n  whatever: 1\nadmin:\n  port: 81\n"), "OK");
  EXPECT_EQ(values_.port, 81);
  EXPECT_EQ(LoadedVariable("ORBWEAVER_DB_WORKER__WHATEVER=1"), "OK");
  // Its own sections, and what nobody knows, are as strict as ever.
  EXPECT_THAT(LoadedFile("admin:\n  prot: 81\n"), ::testing::HasSubstr("Did you mean admin.port"));
  EXPECT_THAT(LoadedFile("db_workers:\n  whatever: 1\n"), ::testing::HasSubstr("unknown section"));
  // Given to this program by name, it is a mistake.
  EXPECT_THAT(LoadedSet("db_worker.whatever=1"), ::testing::HasSubstr("unknown option"));
}

TEST_F(LoadTest, AFileOfCommentsChangesNothing) {
  EXPECT_EQ(LoadedFile("# admin:\n#   port: 1\n"), "OK");
  EXPECT_EQ(values_.port, 80);
}

TEST_F(LoadTest, LaterSourcesWin) {
  Inputs inputs;
  inputs.file = Write("admin: {port: 1}");
  EXPECT_EQ(Loaded(inputs), "OK");
  EXPECT_EQ(values_.port, 1);
  inputs.environment = {"ORBWEAVER_ADMIN__PORT=2"};
  EXPECT_EQ(Loaded(inputs), "OK");
  EXPECT_EQ(values_.port, 2);
  EXPECT_EQ(SourceOf("admin.port"), "ORBWEAVER_ADMIN__PORT");
  inputs.sets = {"admin.port=3"};
  EXPECT_EQ(Loaded(inputs), "OK");
  EXPECT_EQ(values_.port, 3);
  inputs.sets = {"admin.port=3", "admin.port=4"};
  EXPECT_EQ(Loaded(inputs), "OK");
  EXPECT_EQ(values_.port, 4);
  EXPECT_EQ(SourceOf("admin.port"), "--set");
}

TEST_F(LoadTest, ALaterListReplacesAndALaterMapAdds) {
  EXPECT_EQ(Loaded({.file = Write("kafka: {hosts: [a], properties: {client.id: f, acks: all}}"),
                    .environment = {"ORBWEAVER_KAFKA__PROPERTIES__CLIENT__ID=e"},
                    .sets = {"kafka.hosts=b,c", "kafka.properties.log_level=7",
                             "kafka.properties.Any.Key==x"}}),
            "OK");
  EXPECT_THAT(values_.hosts, ElementsAre("b", "c"));
  EXPECT_THAT(values_.properties,
              ElementsAre(Pair("Any.Key", "=x"), Pair("acks", "all"), Pair("client.id", "e"),
                          Pair("linger.ms", "5"), Pair("log_level", "7")));
  EXPECT_EQ(SourceOf("kafka.properties", "client.id"), "ORBWEAVER_KAFKA__PROPERTIES__CLIENT__ID");
  EXPECT_EQ(SourceOf("kafka.properties", "linger.ms"), "default");
}

TEST_F(LoadTest, ACommaInAnElementStandsBehindABackslash) {
  EXPECT_EQ(LoadedSet("kafka.hosts=a\\,b,c\\d,\\,"), "OK");
  EXPECT_THAT(values_.hosts, ElementsAre("a,b", "c\\d", ","));
  EXPECT_EQ(LoadedSet("kafka.hosts=a,,b,"), "OK");
  EXPECT_THAT(values_.hosts, ElementsAre("a", "", "b"));
}

TEST_F(LoadTest, AnEmptyTextEmptiesAList) {
  EXPECT_EQ(LoadedSet("kafka.hosts="), "OK");
  EXPECT_THAT(values_.hosts, IsEmpty());
  EXPECT_EQ(SourceOf("kafka.hosts"), "--set");
}

TEST_F(LoadTest, AnEmptyListInTheFileEmptiesIt) {
  EXPECT_EQ(LoadedFile("kafka: {hosts: []}"), "OK");
  EXPECT_THAT(values_.hosts, IsEmpty());
}

TEST_F(LoadTest, VariablesWithoutASectionAreNotOurs) {
  EXPECT_EQ(Loaded({.environment = {"ORBWEAVER_CACHE=/x", "ORBWEAVER_PORT=tcp://10.0.0.1:80",
                                    "ORBWEAVER_ADMIN_PORT=x", "ORBWEAVER_", "OTHER__PORT=1",
                                    "XORBWEAVER_ADMIN__PORT=1", "", "="}}),
            "OK");
  EXPECT_EQ(values_.port, 80);
}

// ----- what is refused, and in which words -----

TEST_F(LoadTest, AnUnknownNameComesWithTheNearestOne) {
  EXPECT_EQ(LoadedFile("admin:\n  port: 1\nspider:\n  max_conections: 5\n"),
            "orbweaver.yaml:4: spider.max_conections: unknown option. "
            "Did you mean spider.max_connections?");
  EXPECT_EQ(LoadedFile("spidr:\n  max_connections: 5\n"),
            "orbweaver.yaml:1: spidr: unknown section. Did you mean spider?");
  EXPECT_EQ(LoadedFile("port: 5\n"),
            "orbweaver.yaml:1: port: unknown option. Did you mean admin.port?");
  EXPECT_EQ(LoadedVariable("ORBWEAVER_SPIDER__MAX_CONECTIONS=5"),
            "ORBWEAVER_SPIDER__MAX_CONECTIONS: unknown option. "
            "Did you mean ORBWEAVER_SPIDER__MAX_CONNECTIONS?");
  EXPECT_EQ(LoadedVariable("ORBWEAVER_spider__max_connections=5"),
            "ORBWEAVER_spider__max_connections: unknown option. "
            "Did you mean ORBWEAVER_SPIDER__MAX_CONNECTIONS?");
  EXPECT_EQ(LoadedVariable("ORBWEAVER_SPIDER__max_CONNECTIONS=5"),
            "ORBWEAVER_SPIDER__max_CONNECTIONS: unknown option. "
            "Did you mean ORBWEAVER_SPIDER__MAX_CONNECTIONS?");
  EXPECT_EQ(LoadedSet("spider.max_conections=5"),
            "--set: spider.max_conections: unknown option. "
            "Did you mean spider.max_connections?");
  EXPECT_EQ(LoadedSet("kafka.propertes.linger.ms=5"),
            "--set: kafka.propertes.linger.ms: unknown option. "
            "Did you mean kafka.properties.linger.ms?");
  EXPECT_EQ(LoadedVariable("ORBWEAVER_KAFKA__PROPERTES__LINGER__MS=5"),
            "ORBWEAVER_KAFKA__PROPERTES__LINGER__MS: unknown option. "
            "Did you mean ORBWEAVER_KAFKA__PROPERTIES__LINGER__MS?");
  EXPECT_EQ(LoadedFile("kafka:\n  propertes:\n    a: b\n"),
            "orbweaver.yaml:2: kafka.propertes: unknown section. Did you mean kafka.properties?");
  EXPECT_EQ(LoadedSet("nothing.like_it=5"),
            "--set: nothing.like_it: unknown option. "
            "`orbweaver config reference` lists what there is");
}

TEST_F(LoadTest, ARenamedOptionIsRefusedWithItsNewName) {
  EXPECT_EQ(LoadedFile("spider:\n  pipes: 5\n"),
            "orbweaver.yaml:2: spider.pipes: unknown option. Did you mean admin.port?");
  EXPECT_EQ(LoadedSet("spider.pipes=5"),
            "--set: spider.pipes: unknown option. Did you mean admin.port?");
  EXPECT_EQ(LoadedVariable("ORBWEAVER_SPIDER__PIPES=5"),
            "ORBWEAVER_SPIDER__PIPES: unknown option. Did you mean ORBWEAVER_ADMIN__PORT?");
}

TEST_F(LoadTest, WhatAnEarlierVersionKeptIsReadUnderItsOldNames) {
  Inputs inputs{.kept = Write("spider:\n  pipes: 5\n  old:\n    pause: 20ms\n")};
  EXPECT_EQ(Loaded(inputs), "OK");
  EXPECT_EQ(values_.port, 5);
  EXPECT_EQ(values_.timeout, std::chrono::milliseconds(20));
}

TEST_F(LoadTest, ASectionOfWhichAllOptionsWereRenamedIsStillRefusedByThem) {
  EXPECT_EQ(
      LoadedFile("spider:\n  old:\n    pause: 20ms\n"),
      "orbweaver.yaml:3: spider.old.pause: unknown option. Did you mean spider.fetch.timeout?");
}

TEST_F(LoadTest, AWrongTypeOrBoundSaysWhatIsExpected) {
  const std::string expected = "admin.port: expected an integer from 1 to 65535, got ";
  EXPECT_EQ(LoadedFile("admin:\n  port: abc\n"), "orbweaver.yaml:2: " + expected + "'abc'");
  EXPECT_EQ(LoadedFile("admin:\n  port: 0\n"), "orbweaver.yaml:2: " + expected + "'0'");
  EXPECT_EQ(LoadedFile("admin:\n  port: ''\n"), "orbweaver.yaml:2: " + expected + "''");
  EXPECT_EQ(LoadedFile("admin:\n  port: [1]\n"), "orbweaver.yaml:2: " + expected + "a list");
  EXPECT_EQ(LoadedFile("admin:\n  port: {a: 1}\n"), "orbweaver.yaml:2: " + expected + "a section");
  EXPECT_EQ(LoadedFile("admin:\n  port:\n"), "orbweaver.yaml:2: " + expected + "nothing");
  EXPECT_EQ(LoadedVariable("ORBWEAVER_ADMIN__PORT=65536"),
            "ORBWEAVER_ADMIN__PORT: " + expected + "'65536'");
  EXPECT_EQ(LoadedVariable("ORBWEAVER_ADMIN__PORT"), "ORBWEAVER_ADMIN__PORT: " + expected + "''");
  EXPECT_EQ(LoadedSet("admin.port=-1"), "--set: " + expected + "'-1'");
}

TEST_F(LoadTest, AnOptionOfTheCommandLinesOwnIsNamedAsItWasWritten) {
  Inputs inputs{.sets = {"admin.port=0"}, .flags = {{"admin.port=0", "--port"}}};
  EXPECT_EQ(MessageOf(Load(inputs, &schema_)), "--port 0: expected an integer from 1 to 65535");
  inputs.sets = {"admin.port=1"};
  inputs.flags = {{"admin.port=1", "--port"}};
  EXPECT_TRUE(Load(inputs, &schema_).ok());
  EXPECT_EQ(SourceOf("admin.port"), "--port");
  EXPECT_TRUE(IsFlag(SourceOf("admin.port")));
  // The user's own --set of the same option is its own.
  inputs.sets = {"admin.port=1", "admin.port=0"};
  EXPECT_EQ(MessageOf(Load(inputs, &schema_)),
            "--set: admin.port: expected an integer from 1 to 65535, got '0'");
  EXPECT_FALSE(IsFlag("--set"));
}

TEST_F(LoadTest, ASectionIsNotAnOption) {
  EXPECT_EQ(
      LoadedFile("admin: 5\n"),
      "orbweaver.yaml:1: admin: expected a section with options below it, got a single value");
  EXPECT_EQ(LoadedFile("admin:\n"),
            "orbweaver.yaml:1: admin: expected a section with options below it, got nothing");
  EXPECT_EQ(LoadedFile("spider:\n  fetch: [1]\n"),
            "orbweaver.yaml:2: spider.fetch: expected a section with options below it, got a list");
  EXPECT_EQ(LoadedFile("- a\n"),
            "orbweaver.yaml:1: expected sections with options below them, got a list");
  EXPECT_EQ(LoadedFile("hello\n"),
            "orbweaver.yaml:1: expected sections with options below them, got a single value");
  EXPECT_EQ(LoadedSet("spider.fetch=1"),
            "--set: spider.fetch: a section, not an option. Name an option in it");
}

TEST_F(LoadTest, ADottedKeyInTheFileIsNotHalfUnderstood) {
  EXPECT_EQ(LoadedFile("admin.port: 5\n"),
            "orbweaver.yaml:1: admin.port: a key with a dot. "
            "Write a section and the options below it");
}

TEST_F(LoadTest, ListsAndMapsHoldSingleValues) {
  EXPECT_EQ(LoadedFile("kafka:\n  hosts: a,b\n"),
            "orbweaver.yaml:2: kafka.hosts: expected a list, each text, got a single value");
  EXPECT_EQ(LoadedFile("kafka:\n  hosts:\n  - a\n  - [b]\n"),
            "orbweaver.yaml:4: kafka.hosts: expected a list, each text, got a list in it");
  EXPECT_EQ(LoadedFile("kafka:\n  hosts: [~]\n"),
            "orbweaver.yaml:2: kafka.hosts: expected a list, each text, got nothing in it");
  EXPECT_EQ(LoadedFile("kafka:\n  properties: [a]\n"),
            "orbweaver.yaml:2: kafka.properties: expected keys, each with text, got a list");
  EXPECT_EQ(LoadedFile("kafka:\n  properties:\n    sasl:\n      password: x\n"),
            "orbweaver.yaml:3: kafka.properties: expected keys, each with text, "
            "got a section in it");
  EXPECT_EQ(LoadedFile("kafka:\n  properties:\n    '': x\n"),
            "orbweaver.yaml:3: kafka.properties: a key is empty");
  EXPECT_EQ(LoadedSet("kafka.properties=x"),
            "--set: kafka.properties: expected the name of a key too. Write kafka.properties.KEY");
  EXPECT_EQ(LoadedVariable("ORBWEAVER_KAFKA__PROPERTIES=x"),
            "ORBWEAVER_KAFKA__PROPERTIES: kafka.properties: expected the name of a key too. "
            "Write kafka.properties.KEY");
}

TEST_F(LoadTest, ASetWithoutAnEqualsSignIsRefused) {
  EXPECT_EQ(LoadedSet("admin.port"), "--set admin.port: expected NAME=VALUE");
  EXPECT_EQ(LoadedSet("=5"),
            "--set: : unknown option. "
            "`orbweaver config reference` lists what there is");
}

TEST_F(LoadTest, AFileThatCannotBeReadIsNamed) {
  EXPECT_EQ(Loaded({.file = path_}),
            "configuration file orbweaver.yaml: No such file or directory");
  EXPECT_EQ(Loaded({.file = folder_.path()}),
            "configuration file " + folder_.path().string() + ": Is a directory");
  EXPECT_EQ(LoadedFile(std::string(kMaxFileBytes + 1, '#')),
            "configuration file orbweaver.yaml: larger than 1048576 bytes");
  EXPECT_EQ(LoadedFile(std::string(kMaxFileBytes, '#')), "OK");
}

TEST_F(LoadTest, WhatYamlCannotMeanIsRefusedWithItsLine) {
  EXPECT_EQ(LoadedFile("admin:\n  port: 1\n  port: 2\n"),
            "orbweaver.yaml:3: admin.port: given twice, first in line 2. Remove one");
  EXPECT_EQ(LoadedFile("admin:\n  port: [1\n"),
            "orbweaver.yaml:3: not valid YAML: end of sequence flow not found");
}

TEST_F(LoadTest, WhatIsNotUtf8CouldNotBeShownAgainAndIsRefused) {
  EXPECT_EQ(LoadedFile("admin:\n  token: a\xac\n"),
            "orbweaver.yaml:2: admin.token: expected UTF-8 text");
  EXPECT_EQ(LoadedSet("admin.token=a\xac"), "--set: admin.token: expected UTF-8 text");
}

TEST_F(LoadTest, TheFirstSourceThatIsWrongIsReported) {
  EXPECT_EQ(Loaded({.environment = {"ORBWEAVER_Z__Z=1", "ORBWEAVER_ADMIN__PORT=x"},
                    .sets = {"admin.port=y"}}),
            "ORBWEAVER_ADMIN__PORT: admin.port: expected an integer from 1 to 65535, got 'x'");
}

TEST_F(LoadTest, AMaskIsNotMistakenForTheSecret) {
  EXPECT_EQ(LoadedFile("admin:\n  token: \"********\"\n"),
            "orbweaver.yaml:2: admin.token: ******** is what stands for a secret when the "
            "configuration is shown. Write the secret itself");
  EXPECT_EQ(LoadedSet("kafka.properties.sasl.password=********"),
            "--set: kafka.properties.sasl.password: ******** is what stands for a secret when the "
            "configuration is shown. Write the secret itself");
  EXPECT_EQ(LoadedSet("kafka.properties.client.id=********"), "OK");
  EXPECT_EQ(LoadedSet("kafka.properties.client.id=http://********@host"),
            "--set: kafka.properties.client.id: ******** is what stands for a secret when the "
            "configuration is shown. Write the secret itself");
}

TEST_F(LoadTest, GarbageInAMessageIsShortAndOnOneLine) {
  EXPECT_EQ(LoadedSet("admin.port=a\nb\x1b[31m"),
            "--set: admin.port: expected an integer from 1 to 65535, got 'a?b?[31m'");
  EXPECT_EQ(LoadedSet("kafka.propertes.a\nb=1"),
            "--set: kafka.propertes.a?b: unknown option. Did you mean kafka.properties.a?b?");
  EXPECT_EQ(LoadedVariable("ORBWEAVER_KAFKA__PROPERTIES__A\nB=1"), "OK");
  EXPECT_EQ(SourceOf("kafka.properties", "a\nb"), "ORBWEAVER_KAFKA__PROPERTIES__A?B");
  EXPECT_LT(LoadedSet("admin.port=" + std::string(100'000, 'x')).size(), 300u);
  EXPECT_LT(LoadedSet(std::string(100'000, 'x') + "=1").size(), 300u);
}

}  // namespace
}  // namespace orbweaver::config
