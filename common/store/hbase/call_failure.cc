#include "common/store/hbase/call_failure.h"

#include <string_view>

#include <thrift/TApplicationException.h>
#include <thrift/protocol/TProtocolException.h>
#include <thrift/transport/TTransportException.h>

#include "hbase_thrift/hbase_types.h"

namespace orbweaver {
namespace {

using Kind = CallFailure::Kind;
using apache::thrift::TApplicationException;
using apache::thrift::protocol::TProtocolException;
using apache::thrift::transport::TTransportException;

// HBase's causes that no waiting mends. `canRetry` alone does not tell: the error of a call with
// many rows only quotes the errors of its rows, and is itself always one to retry.
constexpr std::string_view kRefusals[] = {
    "DoNotRetryIOException",      "NoSuchColumnFamilyException", "InvalidFamilyOperationException",
    "AccessDeniedException",      "TableExistsException",        "NamespaceNotFoundException",
    "FailedSanityCheckException",
};

bool Contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

// HBase says no more than the name: "queue", or, of a call with many rows, "Failed 2 actions:
// queue: 2 times, servers with issues: null".
bool SaysMissing(std::string_view message, std::string_view table) {
  if (table.empty()) return false;
  return message == table || Contains(message, ": " + std::string(table) + ": ") ||
         Contains(message, "TableNotFoundException");
}

Kind KindOf(const hbase_thrift::TIOError& error, std::string_view table) {
  if (SaysMissing(error.message, table)) return Kind::kTableMissing;
  if (error.__isset.canRetry && !error.canRetry) return Kind::kRefused;
  for (const auto refusal : kRefusals) {
    if (Contains(error.message, refusal)) return Kind::kRefused;
  }
  return Kind::kBusy;
}

CallFailure Sort(const hbase_thrift::TIOError& error, std::string_view table) {
  // Java's stack trace follows the first line.
  return {KindOf(error, table), error.message.substr(0, error.message.find('\n'))};
}

CallFailure Sort(const TApplicationException& error) {
  switch (error.getType()) {
    case TApplicationException::INTERNAL_ERROR:  // Java's server, when its handler throws
    case TApplicationException::UNKNOWN:         // likewise other languages'
      return {Kind::kInternal, error.what()};
    case TApplicationException::UNKNOWN_METHOD:
      return {Kind::kRefused, std::string(error.what()) + ". Is it HBase's Thrift2 server?"};
    default:  // an answer to something else, or none at all
      return {Kind::kConnection, error.what()};
  }
}

}  // namespace

CallFailure SortCurrentException(std::string_view table) {
  try {
    throw;
  } catch (const hbase_thrift::TIOError& error) {
    return Sort(error, table);
  } catch (const TApplicationException& error) {
    return Sort(error);
  } catch (const AnswerTooLarge& error) {
    return {Kind::kAnswerTooLarge, error.what()};
  } catch (const TTransportException& error) {
    switch (error.getType()) {
      case TTransportException::TIMED_OUT:
        return {Kind::kTimedOut, error.what()};
      case TTransportException::END_OF_FILE:
        return {Kind::kConnection,
                "the server closed the connection (always: its transport or protocol is another "
                "one, or the message is above its limit)"};
      default:
        return {Kind::kConnection, error.what()};
    }
  } catch (const TProtocolException& error) {
    if (error.getType() != TProtocolException::BAD_VERSION) {
      return {Kind::kConnection, std::string("damaged answer: ") + error.what()};
    }
    return {Kind::kConnection,
            "the answer is no message of Thrift. Are hbase.http, hbase.framed and hbase.compact as "
            "the server has them?"};
  } catch (const std::exception& error) {  // a damaged answer: bad_alloc
    return {Kind::kConnection, std::string("damaged answer: ") + error.what()};
  }
}

}  // namespace orbweaver
