// Over real loopback sockets, on free ports.
#include "common/runtime/admin_server.h"

#include <atomic>
#include <future>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/random.h"
#include "common/base/status.h"
#include "tests/support/raw_client.h"

namespace orbweaver {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr char kGet[] = "GET /x HTTP/1.1\r\nHost: localhost\r\n\r\n";
constexpr char kGetAndClose[] = "GET /x HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";

// Answers with what it understood.
AdminResponse Echo(const AdminRequest& request) {
  AdminResponse response;
  response.body = std::string(request.method) + " " + std::string(request.target) + " [" +
                  std::string(request.authorization) + "] " + std::string(request.body);
  return response;
}

class AdminServerTest : public ::testing::Test {
 protected:
  void Serve(AdminServerOptions options, AdminServer::Handler handler = Echo) {
    server_.emplace(std::move(options), std::move(handler));
    ASSERT_TRUE(server_->Start().ok());
  }
  void Serve() { Serve({}); }

  std::string Ask(std::string_view request) {
    RawClient client(server_->port());
    client.Send(request);
    return client.ReadToEnd();
  }

  // Whether a new client still gets an answer: whatever was done to the server before.
  void ExpectStillServing() { EXPECT_THAT(Ask(kGetAndClose), StartsWith("HTTP/1.1 200 OK\r\n")); }

  std::optional<AdminServer> server_;
};

TEST_F(AdminServerTest, PassesTheRequestOnAndTheAnswerBack) {
  Serve();
  const std::string answer = Ask(
      "POST /a?b=c HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer t\r\nContent-Length: 4\r\n"
      "Connection: close\r\n\r\nbody");
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 200 OK\r\n"));
  EXPECT_THAT(answer, HasSubstr("Content-Type: text/plain; charset=utf-8\r\n"));
  EXPECT_THAT(answer, EndsWith("\r\n\r\nPOST /a?b=c [Bearer t] body"));
}

TEST_F(AdminServerTest, AProxysWayOfNamingAPageIsThePage) {
  Serve();
  EXPECT_THAT(Ask("GET http://localhost:9600/a?b=c HTTP/1.1\r\nHost: localhost\r\n"
                  "Connection: close\r\n\r\n"),
              EndsWith("\r\n\r\nGET /a?b=c [] "));
}

TEST_F(AdminServerTest, TheHandlerHearsWhatTheClientTakesAndHas) {
  Serve({}, [](const AdminRequest& request) {
    AdminResponse response;
    response.body = std::string(request.accept_encoding) + "|" + std::string(request.if_none_match);
    return response;
  });
  EXPECT_THAT(Ask("GET / HTTP/1.1\r\nHost: localhost\r\nAccept-Encoding: gzip, br\r\n"
                  "If-None-Match: \"a\"\r\nConnection: close\r\n\r\n"),
              EndsWith("\r\n\r\ngzip, br|\"a\""));
}

TEST_F(AdminServerTest, SendsTheHandlersStatusAndHeaders) {
  Serve({}, [](const AdminRequest&) {
    AdminResponse response;
    response.status = 405;
    response.headers.emplace_back("Allow", "POST");
    return response;
  });
  const std::string answer = Ask(kGetAndClose);
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 405 Method Not Allowed\r\n"));
  EXPECT_THAT(answer, HasSubstr("Allow: POST\r\n"));
}

TEST_F(AdminServerTest, AHeadRequestGetsTheLengthButNoBody) {
  Serve();
  const std::string answer =
      Ask("HEAD /x HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
  EXPECT_THAT(answer, HasSubstr("Content-Length: 11\r\n"));
  EXPECT_THAT(answer, EndsWith("\r\n\r\n"));
}

TEST_F(AdminServerTest, KeepsTheConnectionAndAnswersPipelinedRequestsInOrder) {
  Serve();
  RawClient client(server_->port());
  std::string requests;
  for (int i = 0; i < 100; ++i) {
    requests += "GET /" + std::to_string(i) + " HTTP/1.1\r\nHost: localhost\r\n\r\n";
  }
  client.Send(requests);
  for (int i = 0; i < 100; ++i) {
    EXPECT_THAT(client.ReadThrough("[] "), EndsWith("\r\n\r\nGET /" + std::to_string(i) + " [] "));
  }
}

TEST_F(AdminServerTest, AnOldClientIsAnsweredAndItsConnectionClosed) {
  Serve();
  EXPECT_THAT(Ask("GET /x HTTP/1.0\r\n\r\n"), EndsWith("GET /x [] "));
}

TEST_F(AdminServerTest, AClientThatOnlyReadsOnGetsItsAnswer) {
  Serve();
  RawClient client(server_->port());
  client.Send(kGet);
  client.EndSending();
  EXPECT_THAT(client.ReadToEnd(), EndsWith("GET /x [] "));
}

TEST_F(AdminServerTest, WhatIsNotHttpIsRefused) {
  Serve();
  EXPECT_THAT(Ask("\x16\x03\x01\x02garbage\r\n\r\n"), StartsWith("HTTP/1.1 400 "));
  EXPECT_THAT(Ask("GET /x HTTP/9.9\r\n\r\n"), StartsWith("HTTP/1.1 400 "));
  EXPECT_THAT(Ask("GET /x HTTP/1.1\r\nConnection: close\r\n\r\n"), HasSubstr("Host"));
  EXPECT_THAT(Ask("POST /x HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n"),
              StartsWith("HTTP/1.1 400 "));
  // Two readings of where the body ends are how requests are smuggled past a proxy.
  EXPECT_THAT(Ask("POST /x HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nContent-Length: "
                  "2\r\n\r\nab"),
              StartsWith("HTTP/1.1 400 "));
  ExpectStillServing();
}

TEST_F(AdminServerTest, RandomBytesNeitherStopItNorHang) {
  Serve();
  Random random(1);
  for (int i = 0; i < 200; ++i) {
    std::string bytes = random.Chance(0.5) ? "GET /" : "";
    const uint64_t size = random.Below(300);
    for (uint64_t n = 0; n < size; ++n) bytes += static_cast<char>(random.Below(256));
    RawClient client(server_->port());
    client.Send(bytes);
    client.EndSending();
    client.ReadToEnd();
  }
  ExpectStillServing();
}

TEST_F(AdminServerTest, TooLargeRequestsAreRefusedAndTheClientReadsWhy) {
  Serve({.max_header_bytes = 1000, .max_body_bytes = 1000});
  EXPECT_THAT(
      Ask("GET /x HTTP/1.1\r\nHost: localhost\r\nX: " + std::string(50'000, 'x') + "\r\n\r\n"),
      StartsWith("HTTP/1.1 431 "));
  EXPECT_THAT(Ask("POST /x HTTP/1.1\r\nHost: localhost\r\nContent-Length: 50000\r\n\r\n" +
                  std::string(50'000, 'x')),
              StartsWith("HTTP/1.1 413 "));
  EXPECT_THAT(Ask("POST /x HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
                  "7d0\r\n" +
                  std::string(2000, 'x') + "\r\n0\r\n\r\n"),
              StartsWith("HTTP/1.1 413 "));
  EXPECT_THAT(
      Ask("POST /x HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999999999999999\r\n\r\n"),
      StartsWith("HTTP/1.1 4"));
  ExpectStillServing();
}

TEST_F(AdminServerTest, ABodyOfTheLargestSizeIsTaken) {
  Serve({.max_body_bytes = 100'000});
  const std::string answer = Ask(
      "POST /x HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: 100000\r\n\r\n" +
      std::string(100'000, 'x'));
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 200 "));
  EXPECT_GT(answer.size(), 100'000u);
}

TEST_F(AdminServerTest, AClientThatSendsTooSlowlyIsDropped) {
  Serve({.timeout = std::chrono::milliseconds(50)});
  RawClient silent(server_->port());
  EXPECT_EQ(silent.ReadToEnd(), "");
  RawClient half(server_->port());
  half.Send("GET /x HTTP/1.1\r\nHo");
  EXPECT_EQ(half.ReadToEnd(), "");
  // A byte now and then does not buy more time.
  RawClient dripping(server_->port());
  dripping.Send("GET /x HTTP/1.1\r\nX: ");
  while (dripping.Send("x")) {
    std::this_thread::yield();
  }
}

TEST_F(AdminServerTest, AClientThatDoesNotReadIsDropped) {
  Serve({.timeout = std::chrono::milliseconds(50)}, [](const AdminRequest&) {
    AdminResponse response;
    response.body = std::string(64 << 20, 'x');  // more than the sockets' buffers hold
    return response;
  });
  RawClient client(server_->port());
  // The server closes on it: one of the sends then fails.
  while (client.Send(kGet)) {
    std::this_thread::yield();
  }
}

TEST_F(AdminServerTest, IdleConnectionsGiveWayToOneThatAsks) {
  Serve({.max_connections = 3});
  std::vector<std::unique_ptr<RawClient>> open;
  for (int i = 0; i < 3; ++i) {
    open.push_back(std::make_unique<RawClient>(server_->port()));
    open.back()->Send(kGet);
    open.back()->ReadThrough("[] ");
  }
  ExpectStillServing();
  EXPECT_EQ(open[0]->ReadToEnd(), "");
  for (int i = 1; i < 3; ++i) {
    open[i]->Send(kGet);
    open[i]->ReadThrough("[] ");
  }
}

TEST_F(AdminServerTest, AnAddressHasItsShareOfConnectionsOnly) {
  Serve({.max_connections_per_address = 2});
  RawClient first(server_->port());
  RawClient second(server_->port());
  second.Send(kGet);
  second.ReadThrough("[] ");
  ExpectStillServing();
  EXPECT_EQ(first.ReadToEnd(), "");
}

TEST_F(AdminServerTest, ProbesAreAnsweredWhileACallRunsAndConnectionsAreHeld) {
  std::promise<void> entered;
  std::promise<void> leave;
  Serve({.max_connections = 8, .max_calls = 1}, [&](const AdminRequest& request) {
    if (request.target == "/actions/slow") {
      entered.set_value();
      leave.get_future().wait();
    }
    return Echo(request);
  });
  const std::string call = " HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n";
  RawClient slow(server_->port());
  slow.Send("POST /actions/slow" + call);
  entered.get_future().wait();
  std::vector<std::unique_ptr<RawClient>> held;
  for (int i = 0; i < 30; ++i) {
    held.push_back(std::make_unique<RawClient>(server_->port()));
    held.back()->Send(i % 2 == 0 ? "GET /half" : "");
  }
  for (const char* const page : {"/healthz", "/readyz", "/metrics"}) {
    EXPECT_THAT(Ask(std::string("GET ") + page +
                    " HTTP/1.1\r\nHost: 10.1.2.3:9610\r\nConnection: close\r\n\r\n"),
                StartsWith("HTTP/1.1 200 "));
  }
  // Calls that wait would hold connections.
  EXPECT_THAT(Ask("POST /actions/next HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n"
                  "Connection: close\r\n\r\n"),
              StartsWith("HTTP/1.1 503 "));
  leave.set_value();
  EXPECT_THAT(slow.ReadThrough("[] "), EndsWith("POST /actions/slow [] "));
}

TEST_F(AdminServerTest, ProbesAndActionsAreAnsweredWhileASlowReadRuns) {
  std::promise<void> entered;
  std::promise<void> leave;
  Serve({.slow_reads = "/api/", .max_slow_reads = 1}, [&](const AdminRequest& request) {
    if (request.target == "/api/slow") {
      entered.set_value();
      leave.get_future().wait();
    }
    return Echo(request);
  });
  const std::string rest = " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n";
  RawClient slow(server_->port());
  slow.Send("GET /api/slow HTTP/1.1\r\nHost: localhost\r\n\r\n");
  entered.get_future().wait();
  EXPECT_THAT(Ask("GET /healthz" + rest + "\r\n"), StartsWith("HTTP/1.1 200 "));
  EXPECT_THAT(Ask("POST /actions/next" + rest + "Content-Length: 0\r\n\r\n"),
              StartsWith("HTTP/1.1 200 "));
  for (const std::string target : {"/api/next", "http://localhost/api/next"}) {
    EXPECT_THAT(Ask("GET " + target + rest + "\r\n"), StartsWith("HTTP/1.1 503 ")) << target;
  }
  leave.set_value();
  EXPECT_THAT(slow.ReadThrough("[] "), EndsWith("GET /api/slow [] "));
}

TEST_F(AdminServerTest, OnlyNamesThatItHasAreAnswered) {
  Serve({.hosts = {"spider-1"}});
  const auto ask = [this](const std::string& host) {
    return Ask("GET /config HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n\r\n");
  };
  // As a probe of Kubernetes, Prometheus by a pod's address, a tunnel and an operator name it.
  for (const char* const host :
       {"10.244.0.17:9610", "[fd00::17]:9610", "localhost:8080", "127.0.0.1", "spider-1:9610"}) {
    EXPECT_THAT(ask(host), StartsWith("HTTP/1.1 200 ")) << host;
  }
  for (const char* const host : {"rebound.example", "rebound.example:9610", "spider-2", ""}) {
    const std::string answer = ask(host);
    EXPECT_THAT(answer, StartsWith("HTTP/1.1 421 ")) << host;
    EXPECT_THAT(answer, HasSubstr("admin.hosts"));
  }
}

TEST_F(AdminServerTest, ManyConnectionsAtOnceAreAllServed) {
  Serve({.max_connections = 100});
  std::vector<std::thread> threads;
  std::atomic<int> served = 0;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      for (int n = 0; n < 25; ++n) served += Ask(kGetAndClose).starts_with("HTTP/1.1 200 ");
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(served, 200);
}

TEST_F(AdminServerTest, StopWaitsForTheHandlerThatRunsAndClosesTheRest) {
  std::promise<void> entered;
  std::promise<void> leave;
  std::atomic<bool> left = false;
  Serve({}, [&](const AdminRequest& request) {
    if (request.target == "/slow") {
      entered.set_value();
      leave.get_future().wait();
      left = true;
    }
    return AdminResponse{};
  });
  RawClient idle(server_->port());
  RawClient half(server_->port());
  half.Send("GET /half HT");
  RawClient slow(server_->port());
  slow.Send("POST /slow HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n");
  entered.get_future().wait();
  std::thread stopper([this] { server_->Stop(); });
  leave.set_value();
  stopper.join();
  EXPECT_TRUE(left);
  idle.ReadToEnd();
  half.ReadToEnd();
  slow.ReadToEnd();
}

TEST_F(AdminServerTest, StartsAndStopsAnyNumberOfTimes) {
  Serve();
  EXPECT_TRUE(server_->Start().ok());
  ExpectStillServing();
  server_->Stop();
  server_->Stop();
  ASSERT_TRUE(server_->Start().ok());
  ExpectStillServing();
}

TEST_F(AdminServerTest, AnAddressThatIsTakenOrIsNoneIsAFatalErrorThatNamesIt) {
  Serve();
  AdminServer second({.port = server_->port()}, Echo);
  const absl::Status taken = second.Start();
  EXPECT_TRUE(IsFatal(taken));
  EXPECT_THAT(std::string(MessageOf(taken)), HasSubstr(std::to_string(server_->port())));
  AdminServer nowhere({.listen = "somewhere"}, Echo);
  EXPECT_THAT(std::string(MessageOf(nowhere.Start())), HasSubstr("somewhere"));
}

}  // namespace
}  // namespace orbweaver
