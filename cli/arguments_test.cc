#include "cli/arguments.h"

#include <gtest/gtest.h>

namespace orbweaver {
namespace {

using Args = std::vector<std::string>;

TEST(ArgumentsTest, ValuesComeInBothFormsAndInTheirOrderAndLeaveTheRest) {
  Args args = {"a", "--name", "1", "--other=x", "--name=2", "--name-too=3", "--name="};
  EXPECT_EQ(TakeValues(&args, "--name"), (Args{"1", "2", ""}));
  EXPECT_EQ(args, (Args{"a", "--other=x", "--name-too=3"}));
  EXPECT_TRUE(TakeValues(&args, "--name").empty());
}

TEST(ArgumentsTest, TheLastValueCounts) {
  Args args = {"--name=1", "--name", "2"};
  EXPECT_EQ(TakeValue(&args, "--name"), "2");
  EXPECT_TRUE(args.empty());
  EXPECT_EQ(TakeValue(&args, "--name"), std::nullopt);
}

TEST(ArgumentsTest, AnOptionWithoutItsValueIsLeftToBeRefused) {
  Args args = {"x", "--name"};
  EXPECT_EQ(TakeValue(&args, "--name"), std::nullopt);
  EXPECT_EQ(UnknownOption(args), "--name");
}

TEST(ArgumentsTest, ASwitchIsTakenHoweverOftenItComes) {
  Args args = {"--json", "x", "--json"};
  EXPECT_TRUE(TakeSwitch(&args, "--json"));
  EXPECT_FALSE(TakeSwitch(&args, "--json"));
  EXPECT_EQ(args, Args{"x"});
}

TEST(ArgumentsTest, StandardInputIsNoOption) { EXPECT_EQ(UnknownOption({"-", "x"}), std::nullopt); }

}  // namespace
}  // namespace orbweaver
