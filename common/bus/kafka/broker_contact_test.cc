#include "common/bus/kafka/broker_contact.h"

#include <gtest/gtest.h>

#include "common/base/status.h"
#include "common/bus/kafka/client.h"

namespace orbweaver::kafka {
namespace {

std::string Text(std::string_view text, std::string_view certificate = "") {
  const std::string line = fmt::format(
      "[thrd:sasl_ssl://h:9092/bootstrap]: sasl_ssl://h:9092/bootstrap: {} (after 3ms "
      "in state CONNECT, 1 identical error(s) suppressed)",
      text);
  const auto failure = ReadFailure(line, certificate);
  if (!failure.has_value()) return "nothing";
  EXPECT_EQ(failure->broker, "h:9092");
  return (failure->refused ? "refused: " : "") + failure->text;
}

TEST(BrokerContactTest, SaysWhatFailedInsteadOfLibrdkafkasGuesses) {
  EXPECT_EQ(Text("Connect to ipv4#127.0.0.1:9092 failed: Connection refused"),
            "Connect to ipv4#127.0.0.1:9092 failed: Connection refused");
  EXPECT_EQ(Text("SASL authentication error: Authentication failed during authentication due to "
                 "invalid credentials with SASL mechanism SCRAM-SHA-512"),
            "refused: the broker refuses the user or the password. See "
            "kafka.properties.sasl.username and kafka.properties.sasl.password");
  EXPECT_EQ(Text("SASL PLAIN mechanism handshake failed: Broker: Unsupported SASL mechanism: "
                 "broker's supported mechanisms: SCRAM-SHA-512"),
            "refused: SASL PLAIN mechanism handshake failed: Broker: Unsupported SASL mechanism: "
            "broker's supported mechanisms: SCRAM-SHA-512. See kafka.properties.sasl.mechanism");
  EXPECT_EQ(Text("SSL handshake failed: error:0A000086:SSL routines::certificate verify failed: "
                 "broker certificate could not be verified, verify that ssl.ca.location is "
                 "correctly configured",
                 "it has expired"),
            "refused: it has expired");
  EXPECT_EQ(Text("Disconnected while requesting ApiVersion: might be caused by incorrect "
                 "security.protocol configuration (connecting to a SSL listener?)"),
            "the broker closes the connection at the first word. Does it speak TLS, or ask for a "
            "password? See kafka.properties.security.protocol");
  EXPECT_EQ(Text("SSL handshake failed: Disconnected: connecting to a PLAINTEXT broker listener?"),
            "the broker breaks off the handshake of TLS. Does it speak TLS there? See "
            "kafka.properties.security.protocol and kafka.brokers");
  EXPECT_EQ(Text("SSL handshake failed: error:0A000126:SSL routines::unexpected eof while reading"),
            Text("SSL handshake failed: error:0A00010B:SSL routines::wrong version number"));
}

TEST(BrokerContactTest, AnExchangeThatTheEndOfItsConnectionCutOffIsNoRefusal) {
  EXPECT_EQ(Text("SASL authentication error: SaslAuthenticateRequest failed: Local: Broker "
                 "transport failure"),
            "nothing");
  EXPECT_EQ(Text("SASL SCRAM-SHA-512 mechanism handshake failed: Local: Broker transport failure: "
                 "broker's supported mechanisms: (n/a)"),
            "nothing");
  EXPECT_EQ(Text("ApiVersionRequest failed: Local: Broker handle destroyed"), "nothing");
}

TEST(BrokerContactTest, ReadsNamesOfEveryForm) {
  EXPECT_EQ(ReadFailure("[::1]:9092/1: Disconnected", "")->broker, "[::1]:9092");
  EXPECT_EQ(ReadFailure("[thrd:a:1/2]: a:1/2: Disconnected", "")->ToString(), "a:1: Disconnected");
  EXPECT_EQ(ReadFailure("", "")->text, "");
  EXPECT_EQ(ReadFailure("[thrd:", "")->text, "[thrd:");
}

TEST(BrokerContactTest, AClientWithoutABrokerKnowsWhy) {
  auto conf = NewConf({.brokers = "127.0.0.1:1"}, {});
  ASSERT_TRUE(conf.ok()) << conf.status();
  const auto client = NewHandle(RD_KAFKA_CONSUMER, *std::move(conf));
  ASSERT_TRUE(client.ok()) << client.status();
  absl::Status status;
  do {
    status = AwaitBroker(client->get(), std::chrono::milliseconds(10));
    ASSERT_TRUE(IsRetry(status)) << status;
  } while (LastFailure(client->get()).empty());
  status = AwaitBroker(client->get(), std::chrono::milliseconds(10));
  EXPECT_NE(MessageOf(status).find("reach Kafka at 127.0.0.1:1: Connect to"), std::string::npos)
      << status;
  EXPECT_NE(LastFailure(client->get()).find(": 127.0.0.1:1: Connect to"), std::string::npos);
}

}  // namespace
}  // namespace orbweaver::kafka
