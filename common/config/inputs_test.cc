#include <cstdlib>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/status.h"
#include "common/config/load.h"

namespace orbweaver::config {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(InputsTest, TakesItsArgumentsAndLeavesTheOthersInOrder) {
  std::vector<std::string> args = {"a",     "--config", "f.yaml", "--json",
                                   "--set", "x.y=1",    "b",      "--set=x.z=a=b"};
  const Inputs inputs = *TakeInputs(&args);
  EXPECT_EQ(inputs.file, "f.yaml");
  EXPECT_THAT(inputs.sets, ElementsAre("x.y=1", "x.z=a=b"));
  EXPECT_THAT(args, ElementsAre("a", "--json", "b"));
}

TEST(InputsTest, WithoutArgumentsThereIsNoFile) {
  std::vector<std::string> args;
  const Inputs inputs = *TakeInputs(&args);
  EXPECT_EQ(inputs.file, "");
  EXPECT_THAT(inputs.sets, IsEmpty());
}

TEST(InputsTest, AMissingOperandIsAnError) {
  const auto error_of = [](std::vector<std::string> args) {
    const absl::StatusOr<Inputs> inputs = TakeInputs(&args);
    return inputs.ok() ? "OK" : std::string(MessageOf(inputs.status()));
  };
  EXPECT_EQ(error_of({"--config"}), "--config: expected a file after it");
  EXPECT_EQ(error_of({"--config="}), "--config: expected a file after it");
  EXPECT_EQ(error_of({"--set"}), "--set: expected NAME=VALUE after it");
  EXPECT_EQ(error_of({"--config=a", "--config=b"}), "--config: given twice. Put all into one file");
}

TEST(InputsTest, TheProcessEnvironmentIsSeen) {
  ASSERT_EQ(setenv("ORBWEAVER_TEST__SEEN", "a=b", 1), 0);
  EXPECT_THAT(ProcessEnvironment(), Contains("ORBWEAVER_TEST__SEEN=a=b"));
  ASSERT_EQ(unsetenv("ORBWEAVER_TEST__SEEN"), 0);
}

}  // namespace
}  // namespace orbweaver::config
