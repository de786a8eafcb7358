// Long, since it is a whole server: its handler, its transport and its ways to fail are of no use
// apart.
#include "common/store/hbase/fake_hbase.h"

#include <algorithm>
#include <arpa/inet.h>
#include <csignal>
#include <list>
#include <map>
#include <netinet/in.h>
#include <openssl/ssl.h>
#include <optional>
#include <set>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

#include "absl/synchronization/mutex.h"
#include <thrift/protocol/TBinaryProtocol.h>
#include <thrift/protocol/TCompactProtocol.h>
#include <thrift/transport/TBufferTransports.h>
#include <thrift/transport/THttpServer.h>
#include <thrift/transport/TVirtualTransport.h>

#include "common/base/check.h"
#include "hbase_thrift/THBaseService.h"

namespace orbweaver {
namespace {

using namespace hbase_thrift;
namespace protocol = apache::thrift::protocol;
namespace transport = apache::thrift::transport;

// No std::exception: Thrift's processor must not turn it into an answer.
struct CloseConnection {};

struct StoredCell {
  int64_t version;
  std::string value;
};
using StoredRow = std::map<std::string, StoredCell>;  // by column

// The rows and the script, shared by all connections.
struct Shared {
  mutable absl::Mutex mutex;
  std::map<std::string, StoredRow> table;
  std::map<std::string, TTableDescriptor> tables;
  FakeHBase::Script script;
  int calls = 0, calls_of_script = 0, connections = 0, running = 0, most_running = 0;
  size_t largest_call = 0;
};

// One connection's side of the service.
class Handler : public THBaseServiceNull {
 public:
  explicit Handler(Shared& shared) : shared_(shared) {}

  // How the answer of the call that was just handled is to be spoilt.
  FakeReply reply() const { return reply_; }

  void getMultiple(std::vector<TResult>& results, const std::string&,
                   const std::vector<TGet>& gets) override {
    const Running running(*this, "getMultiple", gets.size());
    absl::MutexLock lock(&shared_.mutex);
    for (const TGet& get : gets) {
      const auto found = shared_.table.find(get.row);
      results.emplace_back();
      if (found != shared_.table.end()) Fill(*found, get.columns, &results.back());
    }
    Spoil(&results);
  }

  void putMultiple(const std::string&, const std::vector<TPut>& puts) override {
    const Running running(*this, "putMultiple", puts.size());
    absl::MutexLock lock(&shared_.mutex);
    for (const TPut& put : puts) {
      for (const TColumnValue& cell : put.columnValues) {
        CHECK(cell.family == "f");
        StoredCell& stored =
            shared_.table[put.row].try_emplace(cell.qualifier, StoredCell{-1, ""}).first->second;
        if (put.timestamp >= stored.version) stored = {put.timestamp, cell.value};
      }
    }
  }

  void deleteMultiple(std::vector<TDelete>&, const std::string&,
                      const std::vector<TDelete>& deletes) override {
    const Running running(*this, "deleteMultiple", deletes.size());
    absl::MutexLock lock(&shared_.mutex);
    for (const TDelete& erase : deletes) {
      StoredRow& row = shared_.table[erase.row];
      for (const TColumn& column : erase.columns) {
        CHECK(column.__isset.timestamp);
        std::erase_if(row, [&](const auto& cell) {
          return cell.second.version <= column.timestamp &&
                 (erase.deleteType == TDeleteType::DELETE_FAMILY || cell.first == column.qualifier);
        });
      }
      if (row.empty()) shared_.table.erase(erase.row);
    }
  }

  void getScannerResults(std::vector<TResult>& results, const std::string&, const TScan& scan,
                         const int32_t rows) override {
    const Running running(*this, "getScannerResults", static_cast<size_t>(rows));
    absl::MutexLock lock(&shared_.mutex);
    for (auto row = shared_.table.lower_bound(scan.startRow);
         row != shared_.table.end() && results.size() < static_cast<size_t>(rows) &&
         (!scan.__isset.stopRow || row->first < scan.stopRow);
         ++row) {
      TResult result;
      Fill(*row, scan.columns, &result);
      if (!result.columnValues.empty()) results.push_back(std::move(result));
    }
    Spoil(&results);
  }

  bool tableExists(const TTableName& name) override {
    const Running running(*this, "tableExists", 0);
    absl::MutexLock lock(&shared_.mutex);
    return shared_.tables.contains(name.qualifier);
  }

  void getTableDescriptor(TTableDescriptor& descriptor, const TTableName& name) override {
    const Running running(*this, "getTableDescriptor", 0);
    absl::MutexLock lock(&shared_.mutex);
    descriptor = shared_.tables[name.qualifier];
  }

  void createTable(const TTableDescriptor& descriptor,
                   const std::vector<std::string>& split_keys) override {
    const Running running(*this, "createTable", split_keys.size());
    absl::MutexLock lock(&shared_.mutex);
    shared_.tables[descriptor.tableName.qualifier] = descriptor;
  }

 private:
  // A call in progress: asks the script what becomes of it.
  class Running {
   public:
    Running(Handler& handler, const std::string& method, size_t rows) : shared_(handler.shared_) {
      FakeHBase::Script script;
      int call = 0;
      {
        absl::MutexLock lock(&shared_.mutex);
        ++shared_.calls;
        call = shared_.calls_of_script++;
        shared_.largest_call = std::max(shared_.largest_call, rows);
        shared_.most_running = std::max(shared_.most_running, ++shared_.running);
        script = shared_.script;
      }
      handler.reply_ = script ? script(method, call) : FakeReply::kAnswer;
      if (const auto error = ErrorOf(handler.reply_, method)) Throw(*error);
      if (handler.reply_ == FakeReply::kInternalError) Throw(std::runtime_error("internal"));
      if (handler.reply_ == FakeReply::kDropBefore || handler.reply_ == FakeReply::kSilence) {
        Throw(CloseConnection());
      }
    }
    ~Running() { End(); }

   private:
    // The destructor of what was not constructed is not run.
    template <typename Error>
    [[noreturn]] void Throw(const Error& error) {
      End();
      throw error;
    }
    void End() {
      absl::MutexLock lock(&shared_.mutex);
      --shared_.running;
    }

    static std::optional<TIOError> ErrorOf(FakeReply reply, const std::string& method) {
      TIOError error;
      error.__set_canRetry(reply != FakeReply::kRefused);
      if (reply == FakeReply::kBusy) {
        error.__set_message("NotServingRegionException: region is moving\n\tat Java.code(1)");
      } else if (reply == FakeReply::kRefused) {
        error.__set_message("DoNotRetryIOException: never");
      } else if (reply == FakeReply::kTableMissing) {
        // Of a get; of puts HBase says that they may be retried.
        const bool gets = method == "getMultiple";
        error.__set_canRetry(!gets);
        error.__set_message(gets ? "queue"
                                 : "Failed 1 action: queue: 1 time, servers with issues: null");
      } else {
        return std::nullopt;
      }
      return error;
    }

    Shared& shared_;
  };

  static void Fill(const std::pair<const std::string, StoredRow>& row,
                   const std::vector<TColumn>& columns, TResult* result) {
    for (const auto& [name, cell] : row.second) {
      const bool wanted = columns.empty() ||
                          std::any_of(columns.begin(), columns.end(), [&](const TColumn& column) {
                            return column.qualifier == name;
                          });
      if (!wanted) continue;
      TColumnValue& value = result->columnValues.emplace_back();
      value.family = "f";
      value.qualifier = name;
      value.value = cell.value;
      value.__set_timestamp(cell.version);
    }
    if (!result->columnValues.empty()) result->__set_row(row.first);
  }

  void Spoil(std::vector<TResult>* results) const {
    if (reply_ == FakeReply::kOneRowTooMany) results->emplace_back().__set_row("zz");
    if (reply_ == FakeReply::kRowsMixedUp) std::reverse(results->begin(), results->end());
  }

  Shared& shared_;
  FakeReply reply_ = FakeReply::kAnswer;
};

// Blocking bytes on an accepted socket.
class ServerTransport : public transport::TVirtualTransport<ServerTransport> {
 public:
  ServerTransport(int fd, SSL_CTX* context) : fd_(fd) {
    if (context == nullptr) return;
    ssl_ = SSL_new(context);
    SSL_set_fd(ssl_, fd);
    if (SSL_accept(ssl_) != 1) closed_ = true;
  }
  ~ServerTransport() override { SSL_free(ssl_); }

  uint32_t read(uint8_t* into, uint32_t size) {
    if (closed_) return 0;
    const auto count =
        ssl_ ? SSL_read(ssl_, into, static_cast<int>(size)) : recv(fd_, into, size, 0);
    return count > 0 ? static_cast<uint32_t>(count) : 0;
  }
  void write(const uint8_t* bytes, uint32_t size) {
    while (size > 0 && !closed_) {
      const auto count = ssl_ ? SSL_write(ssl_, bytes, static_cast<int>(size))
                              : send(fd_, bytes, size, MSG_NOSIGNAL);
      if (count <= 0) throw CloseConnection();
      bytes += count;
      size -= static_cast<uint32_t>(count);
    }
  }

 private:
  const int fd_;
  SSL* ssl_ = nullptr;
  bool closed_ = false;
};

// As in connection.cc.
class ServerFramed : public transport::TFramedTransport {
 public:
  explicit ServerFramed(const std::shared_ptr<transport::TTransport>& raw) : TFramedTransport(raw) {
    setReadBuffer(&nothing_, 0);
  }

 private:
  uint8_t nothing_ = 0;
};

}  // namespace

struct FakeHBase::Impl {
  explicit Impl(const FakeHBaseOptions& fake_options) : options(fake_options) {
    if (options.certificate_file.empty()) return;
    context = SSL_CTX_new(TLS_server_method());
    Show(options.certificate_file, options.key_file);
  }
  void Show(const std::string& certificate_file, const std::string& key_file) const {
    CHECK(SSL_CTX_use_certificate_chain_file(context, certificate_file.c_str()) == 1);
    CHECK(SSL_CTX_use_PrivateKey_file(context, key_file.c_str(), SSL_FILETYPE_PEM) == 1);
  }
  ~Impl() { SSL_CTX_free(context); }

  void AcceptAll() {
    for (;;) {
      const int fd = accept(listener, nullptr, nullptr);
      if (fd < 0) return;  // it was shut down
      absl::MutexLock lock(&shared.mutex);
      ++shared.connections;
      open.insert(fd);
      threads.emplace_back([this, fd] {
        Serve(fd);
        absl::MutexLock end(&shared.mutex);
        open.erase(fd);
        close(fd);
      });
    }
  }

  std::shared_ptr<protocol::TProtocol> MakeProtocol(
      const std::shared_ptr<transport::TTransport>& on) const {
    if (options.compact) return std::make_shared<protocol::TCompactProtocol>(on);
    return std::make_shared<protocol::TBinaryProtocol>(on);
  }
  std::shared_ptr<transport::TTransport> Wrap(
      const std::shared_ptr<transport::TTransport>& raw) const {
    if (options.framed) return std::make_shared<ServerFramed>(raw);
    if (options.http) return std::make_shared<transport::THttpServer>(raw);
    return std::make_shared<transport::TBufferedTransport>(raw);
  }

  void Serve(int fd) {
    // OpenSSL writes without MSG_NOSIGNAL. Only on this thread, so that a client that relied on the
    // same would be found out.
    sigset_t pipe;
    sigemptyset(&pipe);
    sigaddset(&pipe, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe, nullptr);
    const auto handler = std::make_shared<Handler>(shared);
    THBaseServiceProcessor processor(handler);
    const auto raw = std::make_shared<ServerTransport>(fd, context);
    const auto in = MakeProtocol(Wrap(raw));
    try {
      for (;;) {
        // The answer is kept back until it is known what becomes of it.
        const auto memory = std::make_shared<transport::TMemoryBuffer>();
        const auto out = MakeProtocol(Wrap(memory));
        try {
          if (!processor.process(in, out, nullptr)) return;
        } catch (const CloseConnection&) {
          if (handler->reply() != FakeReply::kSilence) return;
          uint8_t byte = 0;
          raw->read(&byte, 1);  // until the client gives up
          return;
        }
        if (!Answer(*raw, handler->reply(), memory->getBufferAsString())) return;
      }
    } catch (const std::exception&) {  // the client is gone
    } catch (const CloseConnection&) {
    }
  }

  // False when the connection is to be closed.
  bool Answer(ServerTransport& raw, FakeReply reply, std::string answer) const {
    const auto send = [&raw](const std::string& bytes) {
      raw.write(reinterpret_cast<const uint8_t*>(bytes.data()),
                static_cast<uint32_t>(bytes.size()));
    };
    switch (reply) {
      case FakeReply::kDropAfter:
        return false;
      case FakeReply::kGarbage:
        send("HTTP/1.1 400 Bad Request\r\n\r\n" + std::string(200, '\xff'));
        return false;
      case FakeReply::kTruncated:
        send(answer.substr(0, answer.size() / 2));
        return false;
      case FakeReply::kHugeListLength: {
        const auto memory = std::make_shared<transport::TMemoryBuffer>();
        const auto out = MakeProtocol(Wrap(memory));
        out->writeMessageBegin("getMultiple", protocol::T_REPLY, 0);
        out->writeFieldBegin("success", protocol::T_LIST, 0);
        out->writeListBegin(protocol::T_STRUCT, 0x7fffffff);
        out->getTransport()->flush();
        send(memory->getBufferAsString());
        return false;
      }
      default:
        send(answer);
        return true;
    }
  }

  const FakeHBaseOptions options;
  SSL_CTX* context = nullptr;
  Shared shared;
  std::set<int> open;  // guarded by shared.mutex, as `threads` is
  std::list<std::thread> threads;
  std::thread acceptor;
  int listener = -1;
  sockaddr_in address{};
};

FakeHBase::FakeHBase(const FakeHBaseOptions& options) : impl_(std::make_unique<Impl>(options)) {
  impl_->address.sin_family = AF_INET;
  impl_->address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  Start();
}

FakeHBase::~FakeHBase() { Stop(); }

std::string FakeHBase::address() const {
  return "127.0.0.1:" + std::to_string(ntohs(impl_->address.sin_port));
}

void FakeHBase::SetScript(Script script) {
  absl::MutexLock lock(&impl_->shared.mutex);
  impl_->shared.script = std::move(script);
  impl_->shared.calls_of_script = 0;
}

void FakeHBase::Start() {
  const int on = 1;
  socklen_t size = sizeof impl_->address;
  sockaddr* const address = reinterpret_cast<sockaddr*>(&impl_->address);
  impl_->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  CHECK(setsockopt(impl_->listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) == 0);
  CHECK(bind(impl_->listener, address, size) == 0);
  CHECK(getsockname(impl_->listener, address, &size) == 0);
  CHECK(listen(impl_->listener, 64) == 0);
  impl_->acceptor = std::thread([impl = impl_.get()] { impl->AcceptAll(); });
}

void FakeHBase::Show(const std::string& certificate_file, const std::string& key_file) {
  CHECK(impl_->context != nullptr);
  impl_->Show(certificate_file, key_file);
}

void FakeHBase::Stop() {
  if (impl_->listener < 0) return;
  shutdown(impl_->listener, SHUT_RDWR);
  impl_->acceptor.join();
  close(impl_->listener);
  impl_->listener = -1;
  CloseConnections();
}

void FakeHBase::CloseConnections() {
  std::list<std::thread> threads;
  {
    absl::MutexLock lock(&impl_->shared.mutex);
    for (const int fd : impl_->open) shutdown(fd, SHUT_RDWR);
    threads.swap(impl_->threads);
  }
  for (std::thread& thread : threads) thread.join();
}

int FakeHBase::calls() const {
  absl::MutexLock lock(&impl_->shared.mutex);
  return impl_->shared.calls;
}
int FakeHBase::connections() const {
  absl::MutexLock lock(&impl_->shared.mutex);
  return impl_->shared.connections;
}
int FakeHBase::most_calls_at_once() const {
  absl::MutexLock lock(&impl_->shared.mutex);
  return impl_->shared.most_running;
}
size_t FakeHBase::rows() const {
  absl::MutexLock lock(&impl_->shared.mutex);
  return impl_->shared.table.size();
}
size_t FakeHBase::largest_call() const {
  absl::MutexLock lock(&impl_->shared.mutex);
  return impl_->shared.largest_call;
}

}  // namespace orbweaver
