// The synthetic web for benchmarks of what crawls it.
#pragma once

#include <csignal>
#include <fstream>
#include <memory>
#include <string>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/check.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/synthetic_web/server.h"

namespace orbweaver {

// A synthetic web in a process of its own, for the life of this.
class ServedWeb {
 public:
  explicit ServedWeb(const synthetic::WebOptions& options)
      : web_(synthetic::Web::Create(options).value()) {
    int ready[2];
    CHECK(pipe(ready) == 0);
    child_ = fork();
    CHECK(child_ >= 0);
    if (child_ == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      const auto server = synthetic::Server::Start(options, {}).value();
      std::ofstream(authority_file()) << server->authority_pem();
      const int ports[2] = {server->port(), server->tls_port()};
      CHECK(write(ready[1], ports, sizeof ports) == sizeof ports);
      for (;;) pause();
    }
    CHECK(read(ready[0], ports_, sizeof ports_) == sizeof ports_);
    close(ready[0]);
    close(ready[1]);
  }
  ~ServedWeb() {
    kill(child_, SIGKILL);
    waitpid(child_, nullptr, 0);
  }

  int port() const { return ports_[0]; }
  int tls_port() const { return ports_[1]; }
  std::string authority_file() const { return folder_.path() / "authority.pem"; }
  const synthetic::Web& web() const { return *web_; }
  std::string Url(uint32_t host, uint32_t page) const {
    return web_->paths().UrlOf(
        {.host = host, .number = page, .kind = synthetic::Place::Kind::kPage});
  }

 private:
  const ScratchFolder folder_;
  const std::unique_ptr<const synthetic::Web> web_;
  pid_t child_ = 0;
  int ports_[2] = {};
};

}  // namespace orbweaver
