// For the tests beside: a Thrift2 server on loopback with one table's worth of rows in memory,
// which misbehaves as it is told. Speaks through Thrift's own server code, so that what the client
// sends and reads is held against a second implementation.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "common/store/hbase/hbase_options.h"

namespace orbweaver {

// The server's reaction to one call.
enum class FakeReply {
  kAnswer,
  kDropBefore,      // close the connection, nothing done
  kDropAfter,       // do it, then close the connection instead of answering
  kGarbage,         // do it, then answer with bytes that are no message
  kTruncated,       // do it, then send half of the answer and close
  kSilence,         // do nothing and never answer
  kBusy,            // TIOError that may be retried
  kRefused,         // TIOError that may not
  kTableMissing,    // TIOError as HBase words it, the table being 'queue'
  kInternalError,   // TApplicationException, as Java's handler answers when it throws
  kOneRowTooMany,   // of a get or scan
  kRowsMixedUp,     // of a get or scan
  kHugeListLength,  // the header of an answer with two billion rows, then nothing
};

struct FakeHBaseOptions {
  bool framed = false;
  bool compact = false;
  bool http = false;
  std::string certificate_file;  // with a key: TLS
  std::string key_file;
};

// Thread-safe.
class FakeHBase {
 public:
  // Decides on a call before it is done: the method's name and how many calls, of all connections,
  // came before it since the script was set.
  using Script = std::function<FakeReply(const std::string& method, int call)>;

  explicit FakeHBase(const FakeHBaseOptions& options = {});  // listens; CHECKs that it can
  ~FakeHBase();
  FakeHBase(const FakeHBase&) = delete;
  FakeHBase& operator=(const FakeHBase&) = delete;

  std::string address() const;  // "127.0.0.1:PORT"

  void SetScript(Script script);

  // Stops listening and closes all connections; the rows stay. Start takes the same port again.
  void Stop();
  void Start();
  // While stopped: another certificate from the next Start on. For servers with one.
  void Show(const std::string& certificate_file, const std::string& key_file);
  // Closes the connections there are, as a server does with idle ones.
  void CloseConnections();

  int calls() const;        // since the start
  int connections() const;  // accepted since the start
  int most_calls_at_once() const;
  size_t rows() const;
  size_t largest_call() const;  // in rows

 private:
  struct Impl;
  const std::unique_ptr<Impl> impl_;
};

}  // namespace orbweaver
