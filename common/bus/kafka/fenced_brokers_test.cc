// Clients of a cluster whose brokers were all fenced for a moment, as after a freeze: an answer
// then names topics and no broker. librdkafka from 2.10 on drops its connections for that, and
// sometimes forgets to look for a broker again; here it is told not to, so that it always forgets.
// Older ones keep their connections. `./run test all` runs this with a newer one too.
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "absl/synchronization/mutex.h"
#include <gtest/gtest.h>

#include "common/base/status.h"
#include "common/bus/kafka/client.h"
#include "common/bus/kafka/kafka_consumer.h"
#include "common/bus/kafka/kafka_producer.h"
#include "common/bus/kafka/topics.h"
#include "tests/support/raw_server.h"

namespace orbweaver::kafka {
namespace {

constexpr int kClients = 3;
constexpr int kFirstVersionThatForgets = 0x020a0000;
constexpr int16_t kMetadata = 3, kFindCoordinator = 10, kApiVersions = 18, kInitProducerId = 22;
constexpr int16_t kLeaderNotAvailable = 5, kCoordinatorNotAvailable = 15, kUnsupportedVersion = 35;

// Of Kafka's protocol: numbers big endian, strings and arrays after their length.
std::string Number(int64_t value, int bytes) {
  std::string text;
  while (bytes-- > 0) text += static_cast<char>(value >> (8 * bytes));
  return text;
}
std::string Text(std::string_view text) {
  return Number(static_cast<int64_t>(text.size()), 2) + std::string(text);
}

class Reader {
 public:
  explicit Reader(std::string_view bytes) : left_(bytes) {}
  int64_t Number(size_t bytes) {
    int64_t value = 0;
    for (const char c : Take(bytes)) value = value << 8 | static_cast<unsigned char>(c);
    return value;
  }
  std::string_view Text() { return Take(static_cast<size_t>(Number(2))); }

 private:
  std::string_view Take(size_t bytes) {
    const std::string_view taken = left_.substr(0, bytes);
    left_.remove_prefix(taken.size());
    return taken;
  }

  std::string_view left_;
};

// One broker that knows of every topic, with one partition, and of no group.
class FencedBroker {
 public:
  FencedBroker() : server_([this](RawConnection& connection, int) { Serve(connection); }) {}

  std::string address() const { return "127.0.0.1:" + std::to_string(server_.port()); }

  // While it is fenced its answers name no broker.
  void Fence(bool fenced) {
    absl::MutexLock lock(&mutex_);
    fenced_ = fenced;
    told_.clear();
  }
  // The number of clients that were told of a topic since then.
  size_t told() {
    absl::MutexLock lock(&mutex_);
    return told_.size();
  }

 private:
  void Serve(RawConnection& connection) {
    std::string bytes;
    while (Receive(connection, 4, &bytes)) {
      if (!Receive(connection, static_cast<size_t>(Reader(bytes).Number(4)), &bytes)) return;
      Reader request(bytes);
      const auto key = static_cast<int16_t>(request.Number(2));
      const int64_t version = request.Number(2);
      std::string answer = Number(request.Number(4), 4);
      const std::string client(request.Text());
      if (key == kApiVersions) {
        answer += Versions(version);
      } else if (key == kMetadata) {
        answer += Metadata(client, request);
      } else if (key == kFindCoordinator) {
        answer += Number(kCoordinatorNotAvailable, 2) + Number(-1, 4) + Text("") + Number(-1, 4);
      } else {
        continue;  // no answer
      }
      connection.Send(Number(static_cast<int64_t>(answer.size()), 4) + answer);
    }
  }

  static bool Receive(RawConnection& connection, size_t count, std::string* bytes) {
    bytes->resize(count);
    return recv(connection.fd(), bytes->data(), count, MSG_WAITALL) == static_cast<ssize_t>(count);
  }

  static std::string Versions(int64_t asked_in) {
    const std::vector<std::array<int16_t, 3>> spoken = {{0, 3, 7},
                                                        {1, 4, 4},
                                                        {2, 1, 1},
                                                        {kMetadata, 1, 1},
                                                        {kFindCoordinator, 0, 0},
                                                        {11, 0, 0},
                                                        {kApiVersions, 0, 0},
                                                        {kInitProducerId, 0, 0}};
    std::string answer = Number(asked_in == 0 ? 0 : kUnsupportedVersion, 2) +
                         Number(static_cast<int64_t>(spoken.size()), 4);
    for (const auto& [key, first, last] : spoken) {
      answer += Number(key, 2) + Number(first, 2) + Number(last, 2);
    }
    return answer;
  }

  std::string Metadata(const std::string& client, Reader& request) {
    absl::MutexLock lock(&mutex_);
    const std::string broker =
        Number(1, 4) + Text("127.0.0.1") + Number(server_.port(), 4) + Number(-1, 2);
    const auto topics = static_cast<int32_t>(request.Number(4));
    std::string answer = (fenced_ ? Number(0, 4) : Number(1, 4) + broker) + Number(1, 4) +
                         Number(std::max(topics, 0), 4);
    for (int i = 0; i < topics; ++i) {
      told_.insert(client);
      answer += Number(0, 2) + Text(request.Text()) + Number(0, 1) + Number(1, 4);
      answer += Number(fenced_ ? kLeaderNotAvailable : 0, 2) + Number(0, 4);
      answer += Number(fenced_ ? -1 : 1, 4);
      for (int list = 0; list < 2; ++list) answer += Number(1, 4) + Number(1, 4);
    }
    return answer;
  }

  absl::Mutex mutex_;
  bool fenced_ ABSL_GUARDED_BY(mutex_) = false;
  std::set<std::string> told_ ABSL_GUARDED_BY(mutex_);
  RawServer server_;
};

class FencedBrokersTest : public ::testing::Test {
 protected:
  KafkaOptions OptionsOf(int client) const {
    KafkaOptions options{.brokers = broker_->address(),
                         .client_id = "client-" + std::to_string(client),
                         .properties = {{"topic.metadata.refresh.interval.ms", "100"}}};
    if (rd_kafka_version() >= kFirstVersionThatForgets) {
      options.properties["metadata.recovery.strategy"] = "none";
    }
    return options;
  }

  // All clients learn of the topic, hear that there is no broker, and learn of the topic again.
  void ExpectThatAllComeBack(const std::function<void()>& step) {
    for (const bool fenced : {false, true, false}) {
      broker_->Fence(fenced);
      const SteadyTime end = SystemClock().Now() + std::chrono::minutes(1);
      while (broker_->told() < kClients && SystemClock().Now() < end) step();
      ASSERT_EQ(broker_->told(), static_cast<size_t>(kClients)) << "fenced: " << fenced;
    }
  }

  std::unique_ptr<FencedBroker> broker_ = std::make_unique<FencedBroker>();
};

TEST_F(FencedBrokersTest, AreFoundAgainByThoseWhoAskForTopics) {
  std::vector<Handle> clients;
  for (int i = 0; i < kClients; ++i) {
    auto conf = NewConf(OptionsOf(i), {});
    ASSERT_TRUE(conf.ok()) << conf.status();
    auto client = NewHandle(RD_KAFKA_CONSUMER, *std::move(conf));
    ASSERT_TRUE(client.ok()) << client.status();
    clients.push_back(*std::move(client));
  }
  ExpectThatAllComeBack([&] {
    for (const Handle& client : clients) {
      (void)PartitionCount(client.get(), "t", std::chrono::milliseconds(50));
    }
  });
}

TEST_F(FencedBrokersTest, AreFoundAgainByProducers) {
  std::vector<std::unique_ptr<Producer>> producers;
  for (int i = 0; i < kClients; ++i) {
    auto producer = KafkaProducer::Create(
        OptionsOf(i), {.delivery_timeout = std::chrono::minutes(1)}, [](const Ack&) {});
    ASSERT_TRUE(producer.ok()) << producer.status();
    ASSERT_TRUE((*producer)->Send({"t", PartitionId(0), "", "v", {}}, 0).ok());
    producers.push_back(*std::move(producer));
  }
  ExpectThatAllComeBack([&] {
    for (const auto& producer : producers) producer->Poll(std::chrono::milliseconds(5));
  });
}

TEST_F(FencedBrokersTest, AreFoundAgainByReaders) {
  std::vector<std::unique_ptr<Consumer>> readers;
  const AssignedPartition from{.partition = PartitionId(0)};
  for (int i = 0; i < kClients; ++i) {
    auto reader = KafkaConsumer::Create(OptionsOf(i),
                                        {.group = "g", .session_timeout = std::chrono::seconds(2)});
    ASSERT_TRUE(reader.ok()) << reader.status();
    ASSERT_TRUE((*reader)->Assign("t", {&from, 1}).ok());
    readers.push_back(*std::move(reader));
  }
  MessageBatch batch;
  ExpectThatAllComeBack([&] {
    for (const auto& reader : readers) {
      (void)reader->Poll({}, std::chrono::milliseconds(5), &batch);
    }
  });
  for (const auto& reader : readers) reader->Close(Departure::kForNow);
}

}  // namespace
}  // namespace orbweaver::kafka
