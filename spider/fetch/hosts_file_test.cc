#include "spider/fetch/hosts_file.h"

#include <fstream>

#include <gtest/gtest.h>

#include "spider/fetch/dns_answer.h"
#include "tests/support/scratch_folder.h"

namespace orbweaver {
namespace {

std::vector<std::string> Texts(const std::vector<IpAddress>& addresses) {
  std::vector<std::string> texts;
  for (const IpAddress& address : addresses) texts.push_back(address.Text());
  return texts;
}
using Strings = std::vector<std::string>;

TEST(HostsFileTest, FindsEachNameOfALineInAnyCase) {
  const HostsFile file(
      "# mine\n10.0.0.7\tWiki wiki.corp # both\r\n\n2001:db8::7 wiki\n10.0.0.8 wiki\n");
  EXPECT_EQ(Texts(file.Find("wiki")), (Strings{"10.0.0.7", "10.0.0.8", "2001:db8::7"}));
  EXPECT_EQ(Texts(file.Find("wiki.corp")), Strings{"10.0.0.7"});
  EXPECT_TRUE(file.Find("wik").empty());
  EXPECT_TRUE(file.Find("both").empty());
  EXPECT_TRUE(file.Find("").empty());
}

TEST(HostsFileTest, LocalhostIsLoopbackWhateverTheFileSays) {
  const Strings loopback = {"127.0.0.1", "::1"};
  for (const char* text : {"", "8.8.8.8 localhost app.localhost\n"}) {
    EXPECT_EQ(Texts(HostsFile(text).Find("localhost")), loopback);
    EXPECT_EQ(Texts(HostsFile(text).Find("app.localhost")), loopback);
  }
  EXPECT_TRUE(HostsFile().Find("notlocalhost").empty());
}

TEST(HostsFileTest, LinesThatMakeNoSenseArePassedOver) {
  const std::string long_name(300, 'a');
  const HostsFile file("nonsense\n1.2.3 a\nfe80::1%lo0 b\n10.0.0.1\n10.0.0.2 " + long_name +
                       " c\n10.0.0.3 d");
  for (const std::string& name : Strings{"a", "b", long_name}) EXPECT_TRUE(file.Find(name).empty());
  EXPECT_EQ(Texts(file.Find("c")), Strings{"10.0.0.2"});
  EXPECT_EQ(Texts(file.Find("d")), Strings{"10.0.0.3"});
}

TEST(HostsFileTest, ANameHasABoundedNumberOfAddresses) {
  std::string text;
  for (int i = 0; i < 100; ++i) text += "10.0.0." + std::to_string(i) + " many\n";
  EXPECT_EQ(HostsFile(text).Find("many").size(), kMaxAddresses);
}

TEST(HostsFileTest, AFileThatIsNotThereHasNoNames) {
  EXPECT_TRUE(HostsFile::Read("/nowhere/hosts").Find("a").empty());
  const ScratchFolder folder;
  const std::string path = folder.path() / "hosts";
  std::ofstream(path) << "10.0.0.1 a\n";
  EXPECT_EQ(Texts(HostsFile::Read(path).Find("a")), Strings{"10.0.0.1"});
}

}  // namespace
}  // namespace orbweaver
