// Strategies in Python as its tests load them: by their file, or written by a test.
#pragma once

#include <deque>
#include <fstream>
#include <map>
#include <orbweaver/test_driver.h>
#include <stdexcept>
#include <string>

#include <gtest/gtest.h>

#include "common/base/status.h"
#include "strategy_worker/host/loader.h"
#include "tests/support/scratch_folder.h"

namespace orbweaver {

using Params = std::map<std::string, std::string>;

inline StrategyOptions Python(const std::string& file, Params params = {}) {
  params["module"] = file;
  return {.name = "python", .params = {params.begin(), params.end()}};
}

inline const orbweaver_strategy* PythonStrategy(const std::string& file) {
  const absl::StatusOr<StrategyLibrary> library = OpenStrategy(Python(file));
  static std::deque<StrategyLibrary> kept;
  if (library.ok()) return &kept.emplace_back(*library).strategy();
  ADD_FAILURE() << library.status();
  return nullptr;
}

// A strategy in a file of its own.
class OwnStrategyTest : public ::testing::Test {
 protected:
  std::string Write(const std::string& text) {
    const std::string path = folder_.path() / ("own" + std::to_string(++files_) + ".py");
    std::ofstream(path) << "from orbweaver.strategy import *\n" << text;
    return path;
  }
  std::string Refusal(const std::string& text, const Params& params = {}) {
    const auto strategy = LoadStrategy(Python(Write(text), params), 1);
    return strategy.ok() ? "it was loaded" : std::string(MessageOf(strategy.status()));
  }
  // The message of a seed's event.
  std::string Failure(const std::string& body) {
    const std::string file =
        Write("class Own(Strategy):\n  def on_seeds(self, seeds):\n    " + body + "\n");
    sdk::TestDriver crawl(PythonStrategy(file), {{"module", file}, {"class", ""}});
    try {
      crawl.Seeds({"https://a.com/", "https://a.com/1"});
    } catch (const std::runtime_error& error) {
      EXPECT_TRUE(crawl.queue().empty());
      return error.what();
    }
    return "";
  }

 private:
  const ScratchFolder folder_;
  int files_ = 0;
};

}  // namespace orbweaver
