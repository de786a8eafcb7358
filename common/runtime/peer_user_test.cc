#include "common/runtime/peer_user.h"

#include <string>
#include <unistd.h>

#include <gtest/gtest.h>

#include "common/runtime/admin_server.h"
#include "tests/support/raw_client.h"

namespace orbweaver {
namespace {

TEST(PeerUserTest, TheUserOfAClientOnThisMachineIsKnown) {
  for (const char* const listen : {"127.0.0.1"}) {
    std::string told;
    AdminServer server({.listen = listen}, [&told](const AdminRequest& request) {
      const auto user = UserOfPeer(request.peer_end, request.own_end);
      told = user.has_value() ? std::to_string(*user) : "nobody";
      return AdminResponse();
    });
    ASSERT_TRUE(server.Start().ok());
    RawClient client(server.port());
    client.Send("GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    client.ReadToEnd();
    EXPECT_EQ(told, std::to_string(getuid()));
  }
}

TEST(PeerUserTest, OfConnectionsThatThereAreNotNobodyIsKnown) {
  for (const char* const end : {"", "x", "127.0.0.1", "127.0.0.1:1", "[::1]:1", "[x]:1",
                                "192.0.2.1:443", "127.0.0.1:99999999999"}) {
    EXPECT_EQ(UserOfPeer(end, "127.0.0.1:1"), std::nullopt) << end;
    EXPECT_EQ(UserOfPeer("127.0.0.1:1", end), std::nullopt) << end;
  }
}

}  // namespace
}  // namespace orbweaver
