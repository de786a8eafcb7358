// Runs process_test_program as a process of its own and treats it as an operator would.
#include "common/runtime/process.h"

#include <csignal>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include "fmt/format.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/runtime/admin_client.h"
#include "common/runtime/signal_watcher.h"
#include "tests/support/certificate.h"
#include "tests/support/promtool.h"
#include "tests/support/raw_client.h"

namespace orbweaver {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class Child {
 public:
  explicit Child(std::vector<std::string> args) {
    int ends[2];
    EXPECT_EQ(pipe(ends), 0);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
    posix_spawn_file_actions_addclose(&actions, ends[0]);
    args.insert(args.begin(), PROCESS_TEST_PROGRAM);
    std::vector<char*> argv;
    for (std::string& arg : args) argv.push_back(arg.data());
    argv.push_back(nullptr);
    EXPECT_EQ(posix_spawn(&pid_, argv[0], &actions, nullptr, argv.data(), environ), 0);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    output_ = ends[0];
  }
  ~Child() {
    if (pid_ > 0) {
      Signal(SIGKILL);
      WaitForExit();
    }
    close(output_);
  }

  void Signal(int signal) const { kill(pid_, signal); }

  // All that it has said until `text` came.
  const std::string& ReadThrough(std::string_view text) {
    while (said_.find(text) == std::string::npos && ReadSome()) {
    }
    EXPECT_THAT(said_, HasSubstr(std::string(text)));
    return said_;
  }

  // The exit code, or minus the signal that ended it.
  int WaitForExit() {
    while (ReadSome()) {
    }
    int status = 0;
    EXPECT_EQ(waitpid(pid_, &status, 0), pid_);
    pid_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }

  const std::string& said() const { return said_; }

  // Where its admin server listens.
  int Port() {
    const std::string marker = "admin server on 127.0.0.1:";
    const std::string& said = ReadThrough(marker);
    const size_t at = said.find(marker) + marker.size();
    while (said_.find('\n', at) == std::string::npos && ReadSome()) {
    }
    return std::stoi(said_.substr(at));
  }

  std::string Ask(const std::string& method, const std::string& path,
                  const std::string& headers = "") {
    RawClient client(Port());
    client.Send(method + " " + path + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n" +
                headers + "\r\n");
    return client.ReadToEnd();
  }

  // Waits until it is ready.
  void AwaitReady() {
    while (!Ask("GET", "/readyz").starts_with("HTTP/1.1 200 ")) {
    }
  }

 private:
  // A child that says nothing for a minute hangs.
  bool ReadSome() {
    pollfd readable{.fd = output_, .events = POLLIN, .revents = 0};
    if (poll(&readable, 1, /*timeout=*/60'000) == 0) return Kill();
    char buffer[4096];
    const ssize_t n = read(output_, buffer, sizeof buffer);
    if (n <= 0) return false;
    said_.append(buffer, static_cast<size_t>(n));
    return true;
  }

  bool Kill() {
    ADD_FAILURE() << "silent for a minute after: " << said_;
    Signal(SIGKILL);
    return false;
  }

  pid_t pid_ = -1;
  int output_ = -1;
  std::string said_;
};

TEST(ProcessTest, StopsInGoodOrderOnEitherSignal) {
  for (const int signal : {SIGTERM, SIGINT, SIGHUP}) {
    Child child({});
    child.AwaitReady();
    child.Signal(signal);
    EXPECT_EQ(child.WaitForExit(), 0) << child.said();
    EXPECT_THAT(child.said(), EndsWith("process-test stopped\n"));
  }
}

TEST(ProcessTest, ItsAdminServerSpeaksTlsWhereItHasACertificate) {
  const Certificate certificate("IP:127.0.0.1");
  const std::string cert = "--set=admin.tls_cert=" + certificate.certificate_file;
  Child child({cert, "--set=admin.tls_key=" + certificate.key_file});
  const std::string marker = "admin server on https://127.0.0.1:";
  const std::string& said = child.ReadThrough(marker);
  const int port = std::stoi(said.substr(said.find(marker) + marker.size()));
  const auto answer =
      AskAdmin(fmt::format("https://127.0.0.1:{}", port), {.method = "GET", .target = "/healthz"},
               std::chrono::minutes(1), {.verify = true, .ca_file = certificate.certificate_file});
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_EQ(answer->status, 200);

  Child half({cert});
  EXPECT_EQ(half.WaitForExit(), 2);
  EXPECT_EQ(half.said(), "TLS needs both files: set admin.tls_cert and admin.tls_key\n");
}

TEST(ProcessTest, AHangUpThatNohupIgnoresIsIgnored) {
  const auto before = std::signal(SIGHUP, SIG_IGN);
  Child child({});
  std::signal(SIGHUP, before);
  child.AwaitReady();
  child.Signal(SIGHUP);
  child.Signal(SIGTERM);
  EXPECT_EQ(child.WaitForExit(), 0) << child.said();
  EXPECT_THAT(child.said(), AllOf(HasSubstr("SIGTERM: stopping"), Not(HasSubstr("SIGHUP"))));
}

TEST(ProcessTest, AHangUpReloadsWhatCanBeReloadedUnderNohupToo) {
  const auto before = std::signal(SIGHUP, SIG_IGN);
  Child child({"--set=test.mode=reload"});
  std::signal(SIGHUP, before);
  child.AwaitReady();
  for (const char* const said : {"reloaded\n", "reloaded\nreloaded\n"}) {
    child.Signal(SIGHUP);
    child.ReadThrough(said);
  }
  child.Signal(SIGTERM);
  EXPECT_EQ(child.WaitForExit(), 0) << child.said();
  EXPECT_THAT(child.said(), Not(HasSubstr("SIGHUP")));
  Child help({"--set=test.mode=reload", "--help"});
  EXPECT_EQ(help.WaitForExit(), 0);
  EXPECT_THAT(help.said(), HasSubstr("SIGHUP reloads nothing."));
}

TEST(ProcessTest, ASignalBeforeItIsReadyStopsItToo) {
  Child child({});
  child.Port();
  child.Signal(SIGTERM);
  EXPECT_EQ(child.WaitForExit(), 0) << child.said();
}

TEST(ProcessTest, AStopThatHangsEndsAtTheDeadlineWithAMessage) {
  Child child({"--set", "test.mode=stuck", "--set", "stop.deadline=50ms"});
  child.AwaitReady();
  child.Signal(SIGTERM);
  EXPECT_EQ(child.WaitForExit(), kExitStopDeadline);
  EXPECT_THAT(child.said(), HasSubstr("not stopped within 0.05 s"));
}

TEST(ProcessTest, ASecondSignalEndsItAtOnce) {
  for (const int signal : {SIGTERM, SIGINT}) {
    Child child({"--set", "test.mode=stuck", "--set", "stop.deadline=1h"});
    child.AwaitReady();
    child.Signal(SIGINT);
    child.ReadThrough("stuck\n");
    EXPECT_THAT(child.Ask("GET", "/readyz"),
                AllOf(StartsWith("HTTP/1.1 503 "), HasSubstr("process: stopping")));
    child.Signal(signal);
    EXPECT_EQ(child.WaitForExit(), 128 + signal) << child.said();
  }
}

TEST(ProcessTest, ABrokenPipeDoesNotEndIt) {
  Child child({});
  child.AwaitReady();
  child.Signal(SIGPIPE);
  child.Signal(SIGTERM);
  EXPECT_EQ(child.WaitForExit(), 0);
}

TEST(ProcessTest, TheExitCodeTellsSuccessFromFailureFromMisuse) {
  Child finished({"--set", "test.mode=finish"});
  EXPECT_EQ(finished.WaitForExit(), 0);
  Child failed({"--set", "test.mode=fail"});
  EXPECT_EQ(failed.WaitForExit(), 1);
  EXPECT_THAT(failed.said(), HasSubstr("open store: disk full"));
  for (const std::vector<std::string>& wrong : std::vector<std::vector<std::string>>{
           {"--set", "admin.prot=1"}, {"--set", "admin.port=70000"}, {"--loud"}, {"spider"}}) {
    Child child(wrong);
    EXPECT_EQ(child.WaitForExit(), 2) << wrong.back();
    EXPECT_THAT(child.said(), HasSubstr(wrong.back().substr(0, 9)));
  }
}

TEST(ProcessTest, AnAdminPortThatIsTakenIsAFailureThatNamesIt) {
  Child first({});
  const std::string port = std::to_string(first.Port());
  Child second({"--set", "admin.port=" + port});
  EXPECT_EQ(second.WaitForExit(), 1);
  EXPECT_THAT(second.said(), HasSubstr("127.0.0.1:" + port));
}

TEST(ProcessTest, HelpNamesTheOptionsOfTheFrameAndOfTheProgram) {
  Child child({"--help"});
  EXPECT_EQ(child.WaitForExit(), 0);
  for (const char* option : {"admin.port", "stop.deadline", "log.level", "test.mode"}) {
    EXPECT_THAT(child.said(), HasSubstr(option));
  }
}

TEST(ProcessTest, ItsMetricsPleasePromtool) {
  Child child({});
  child.AwaitReady();
  const std::string answer = child.Ask("GET", "/metrics");
  EXPECT_THAT(answer, HasSubstr("Content-Type: text/plain; version=0.0.4; charset=utf-8\r\n"));
  EXPECT_THAT(answer, HasSubstr("\norbweaver_test_runs_total 1\n"));
  EXPECT_EQ(PromtoolComplaints(answer.substr(answer.find("\r\n\r\n") + 4)), "");
}

TEST(ProcessTest, ItsConfigurationIsShownWithoutItsSecrets) {
  Child child({"--set", "admin.token=s3cret"});
  child.AwaitReady();
  const std::string answer = child.Ask("GET", "/config");
  EXPECT_THAT(answer, HasSubstr("admin.token"));
  EXPECT_THAT(answer, Not(HasSubstr("s3cret")));
}

TEST(ProcessTest, AnActionChangesWhatStatusTellsAndNeedsTheToken) {
  Child child({"--set", "admin.token=s3cret"});
  child.AwaitReady();
  EXPECT_THAT(child.Ask("POST", "/actions/block?domain=a.com"), StartsWith("HTTP/1.1 401 "));
  EXPECT_THAT(child.Ask("GET", "/status"),
              AllOf(HasSubstr(R"("name":"process-test")"), EndsWith("\"work\":false}\n")));
  EXPECT_THAT(child.Ask("POST", "/actions/block?domain=a.com", "Authorization: Bearer s3cret\r\n"),
              AllOf(StartsWith("HTTP/1.1 200 "), EndsWith("blocked a.com\n")));
  EXPECT_THAT(child.Ask("GET", "/status"), EndsWith("\"work\":true}\n"));
}

}  // namespace
}  // namespace orbweaver
