// A worker process of the simulator: where it may be killed, and that it then stays dead.
#pragma once

#include <atomic>
#include <functional>
#include <string_view>
#include <utility>

namespace orbweaver {

// Unwinds a worker that was killed at a crash point; the simulator catches it around the worker's
// step and destroys the worker. Deliberately no std::exception: code that turns those into a Status
// must not survive its own death.
struct SimulatedCrash {};

// One for each simulated worker, shared by its memory store and its memory bus.
//
// Place: below store/memory and bus/memory, which call Reach before and after every action that the
// outside can see (a row's put, a commit, ...). So a run can be cut between any two of them. The
// effects of the actions before the crash stay: nothing is undone or closed.
//
// Kill and dead are thread-safe; Reach is called on the threads that use the store and the bus.
class SimulatedProcess {
 public:
  // Decides at each point whether the process dies there. Called without any lock held, so it may
  // also step other workers first: this one is then a zombie, frozen in the middle of its own step.
  using Hook = std::function<bool(std::string_view point)>;

  explicit SimulatedProcess(Hook dies_at) : dies_at_(std::move(dies_at)) {}

  // `point` reads "before put", "after commit". Throws SimulatedCrash when the hook says so, or
  // when the hook let the process be killed from outside.
  void Reach(std::string_view point) {
    if (dies_at_ && dies_at_(point)) Kill();
    if (dead()) throw SimulatedCrash();
  }

  // From then on nothing that this process does has an effect: calls fail, destructors say nothing
  // to the outside.
  void Kill() { dead_.store(true); }
  bool dead() const { return dead_.load(); }

 private:
  const Hook dies_at_;
  std::atomic<bool> dead_ = false;
};

}  // namespace orbweaver
