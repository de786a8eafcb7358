// Why a client of ours has no connection to a broker, which librdkafka tells its log alone; and the
// decision whether that may pass.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include <librdkafka/rdkafka.h>

#include "common/base/clock.h"

namespace orbweaver::kafka {

struct BrokerFailure {
  std::string broker;  // HOST:PORT
  // The cause, and after a full stop what to do about it.
  std::string text;
  // The broker was there, and would do the same again: it takes no such password, or we refuse its
  // certificate.
  bool refused = false;

  std::string ToString() const { return broker + ": " + text; }
};

// Of a line of librdkafka's log about a connection (its facility FAIL). `certificate` is the reason
// for which a certificate was refused last, if one was. Nothing when the line only says what the
// end of a client or of a connection has cut off: a connection that broke has a line of its own.
std::optional<BrokerFailure> ReadFailure(std::string_view line, std::string_view certificate);

// Sets the callbacks by which failures become known. All clients have them. Failures of one that
// `is_awaited` are said by those who call AwaitBroker until it is connected, and not in the log.
void WatchContact(rd_kafka_conf_t* conf, bool is_awaited);
// Destroys the client, and what is known of it. `flags` of rd_kafka_destroy_flags.
void DestroyClient(rd_kafka_t* client, int flags);

// `: ` and the failure of the client's last try to reach a broker; empty where there was none.
std::string LastFailure(rd_kafka_t* client);

// Waits until the client is connected to a broker. Retry when it was not within `timeout`; fatal
// soon when a broker refuses it and no other one takes it.
absl::Status AwaitBroker(rd_kafka_t* client, Duration timeout);

}  // namespace orbweaver::kafka
