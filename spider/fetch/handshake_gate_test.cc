#include "spider/fetch/handshake_gate.h"

#include <algorithm>
#include <queue>
#include <vector>

#include <gtest/gtest.h>

namespace orbweaver {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr Duration kTick = milliseconds(50);

// A thread that does handshakes in virtual time: each is connected, has its first step, and its
// second one when the server has answered. Steps that are ready wait for one another.
class Thread {
 public:
  // Of a server that never answers the client gives up.
  static constexpr Duration kRoundTrip = milliseconds(40);
  static constexpr Duration kStep = milliseconds(5);
  static constexpr Duration kPatience = seconds(10);

  void Begin(size_t count, bool answers) {
    for (size_t i = 0; i < count; ++i) {
      const size_t id = handshakes_.size();
      handshakes_.push_back({.answers = answers});
      if (answers) ++left_;
      if (gate.Enter([this, id] { Connect(id); })) Connect(id);
    }
  }

  // Until all that answer are done.
  void Run() {
    while (left_ > 0) {
      while (!events_.empty() && events_.top().at <= now_) {
        const size_t id = events_.top().id;
        events_.pop();
        if (handshakes_[id].answers) {
          ready_.push_back(id);
        } else {
          gate.Leave();
        }
      }
      if (ready_.empty()) kept_up_ = now_;
      if (now_ >= next_tick_) {
        next_tick_ = now_ + kTick;
        gate.Adapt(now_ - kept_up_);
      }
      if (ready_.empty()) {
        now_ = events_.empty() ? next_tick_ : std::min(next_tick_, events_.top().at);
      } else {
        Step();
      }
    }
  }

  HandshakeGate gate;
  Duration longest{};  // from the connection to the end, as the server sees it
  SteadyTime now() const { return now_; }

 private:
  struct Handshake {
    bool answers = true;
    int steps = 0;
    SteadyTime connected;
  };
  struct Event {
    SteadyTime at;
    size_t id;
    bool operator<(const Event& other) const { return at > other.at; }
  };

  void Connect(size_t id) {
    handshakes_[id].connected = now_ + kRoundTrip;
    events_.push({now_ + (handshakes_[id].answers ? kRoundTrip : kPatience), id});
  }
  void Step() {
    const size_t id = ready_.front();
    ready_.pop_front();
    now_ += kStep;
    if (++handshakes_[id].steps == 1) return events_.push({now_ + kRoundTrip, id});
    longest = std::max(longest, now_ - handshakes_[id].connected);
    --left_;
    gate.Leave();
  }

  std::vector<Handshake> handshakes_;
  std::priority_queue<Event> events_;
  std::deque<size_t> ready_;
  size_t left_ = 0;
  SteadyTime now_{};
  SteadyTime kept_up_{};
  SteadyTime next_tick_{};
};

// The thread needs ten seconds for them. Servers wait less than that.
TEST(HandshakeGateTest, OfAThousandThatBeginTogetherNoneKeepsItsServerWaiting) {
  Thread thread;
  thread.Begin(1000, /*answers=*/true);
  thread.Run();
  EXPECT_LT(thread.longest, seconds(2));
  // It was busy all the time: as many ran as it had time for.
  EXPECT_LT(thread.now() - SteadyTime(), 1000 * 2 * Thread::kStep + milliseconds(500));
}

TEST(HandshakeGateTest, ServersThatDoNotAnswerHoldUpNobodyForLong) {
  Thread thread;
  thread.Begin(600, /*answers=*/false);
  thread.Begin(1, /*answers=*/true);
  EXPECT_EQ(thread.gate.waiting(), 601 - HandshakeGate::kFirst);
  thread.Run();
  EXPECT_LT(thread.now() - SteadyTime(), seconds(2));
}

TEST(HandshakeGateTest, TheyAreAdmittedInTheirOrder) {
  HandshakeGate gate;
  for (size_t i = 0; i < HandshakeGate::kFirst; ++i) EXPECT_TRUE(gate.Enter(nullptr));
  std::vector<int> admitted;
  for (const int i : {1, 2, 3}) {
    EXPECT_FALSE(gate.Enter([&admitted, i] { admitted.push_back(i); }));
  }
  gate.Leave();
  gate.Leave();
  EXPECT_EQ(admitted, std::vector({1, 2}));
  gate.Adapt(Duration{});
  EXPECT_EQ(admitted, std::vector({1, 2, 3}));
  EXPECT_EQ(gate.running(), HandshakeGate::kFirst + 1);
}

TEST(HandshakeGateTest, AThreadThatIsBehindAdmitsFewerButNeverNone) {
  HandshakeGate gate;
  for (size_t i = 0; i < HandshakeGate::kFirst; ++i) EXPECT_TRUE(gate.Enter(nullptr));
  bool admitted = false;
  EXPECT_FALSE(gate.Enter([&admitted] { admitted = true; }));
  for (int i = 0; i < 10; ++i) gate.Adapt(HandshakeGate::kBehind + milliseconds(1));
  EXPECT_EQ(gate.bound(), HandshakeGate::kLeast);
  for (size_t i = HandshakeGate::kFirst; i > HandshakeGate::kLeast; --i) {
    gate.Leave();
    EXPECT_FALSE(admitted);
  }
  gate.Leave();
  EXPECT_TRUE(admitted);
}

// An idle thread is no reason to let more begin together later.
TEST(HandshakeGateTest, ItDoesNotGrowWhileNobodyWaits) {
  HandshakeGate gate;
  for (int i = 0; i < 100; ++i) gate.Adapt(Duration{});
  EXPECT_EQ(gate.bound(), HandshakeGate::kFirst);
}

}  // namespace
}  // namespace orbweaver
