#include "common/bus/kafka/broker_contact.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <syslog.h>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"

#include "common/base/log.h"
#include "common/base/status.h"
#include "common/bus/kafka/client.h"
#include "common/tls/refused_certificate.h"

namespace orbweaver::kafka {
namespace {

constexpr std::string_view kModule = "kafka";
// The same failure of the same broker is said again after this, however many clients meet it.
constexpr Duration kSayAgainAfter = std::chrono::minutes(1);
// How long other brokers have when one refuses us.
constexpr Duration kOthersPatience = std::chrono::seconds(1);
constexpr Duration kLookAgain = std::chrono::milliseconds(50);

bool Contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

// "sasl_ssl://127.0.0.1:9092/bootstrap" -> "127.0.0.1:9092"
std::string AddressOf(std::string_view broker) {
  if (const size_t scheme = broker.find("://"); scheme != broker.npos) {
    broker.remove_prefix(scheme + 3);
  }
  return std::string(broker.substr(0, broker.find('/')));
}

// The last failure of each client to reach a broker, by the client's name, which no other one of
// the process has. It is the process's, since librdkafka's log knows neither its client's owner nor
// its end.
class Contacts {
 public:
  void Refused(const rd_kafka_t* client, std::string reason) ABSL_LOCKS_EXCLUDED(mutex_) {
    absl::MutexLock lock(&mutex_);
    clients_[rd_kafka_name(client)].certificate = std::move(reason);
  }

  // The failure where it is to be said.
  std::optional<BrokerFailure> Failed(const rd_kafka_t* client, std::string_view line,
                                      bool is_awaited) ABSL_LOCKS_EXCLUDED(mutex_) {
    const SteadyTime now = SystemClock().Now();
    absl::MutexLock lock(&mutex_);
    Client& of = clients_[rd_kafka_name(client)];
    auto failure = ReadFailure(line, of.certificate);
    if (!failure.has_value()) return std::nullopt;
    of.failure = failure;
    std::erase_if(said_, [now](const auto& entry) { return entry.second < now; });
    // Of a client that is awaited, the caller says it.
    const bool is_said = of.is_connected || !is_awaited;
    if (!is_said) return std::nullopt;
    const bool is_new = said_.try_emplace(failure->ToString(), now + kSayAgainAfter).second;
    return is_new ? failure : std::nullopt;
  }

  std::optional<BrokerFailure> Last(const rd_kafka_t* client) ABSL_LOCKS_EXCLUDED(mutex_) {
    absl::MutexLock lock(&mutex_);
    const auto found = clients_.find(rd_kafka_name(client));
    return found == clients_.end() ? std::nullopt : found->second.failure;
  }

  void Connected(const rd_kafka_t* client) ABSL_LOCKS_EXCLUDED(mutex_) {
    absl::MutexLock lock(&mutex_);
    clients_[rd_kafka_name(client)].is_connected = true;
  }

  void Forget(const std::string& name) ABSL_LOCKS_EXCLUDED(mutex_) {
    absl::MutexLock lock(&mutex_);
    clients_.erase(name);
  }

 private:
  struct Client {
    std::string certificate;
    std::optional<BrokerFailure> failure;
    bool is_connected = false;  // once, by AwaitBroker
  };

  absl::Mutex mutex_;
  std::map<std::string, Client, std::less<>> clients_ ABSL_GUARDED_BY(mutex_);
  std::map<std::string, SteadyTime> said_ ABSL_GUARDED_BY(mutex_);  // until when not again
};

Contacts& ContactsOfProcess() {
  static auto* const contacts = new Contacts;
  return *contacts;
}

void WriteLine(const rd_kafka_t* client, int level, const char* facility, const char* text,
               bool is_awaited) {
  const std::string_view kind = facility;
  // A property of the other kind of client is no news: the same properties are given to all.
  if (kind == "CONFWARN") return;
  if (kind == "FAIL" && client != nullptr) {
    const auto failure = ContactsOfProcess().Failed(client, text, is_awaited);
    if (failure) Log(LogLevel::kWarning, kModule, "broker {}", failure->ToString());
    Log(LogLevel::kDebug, kModule, "{}: {}", facility, text);
    return;
  }
  // FAIL says the first two, in better words; the third is a client that ends without a flush,
  // which its owner knows.
  const bool is_echo = kind == "ERROR" || kind == "SSLCERTVRFY" || kind == "TERMINATE";
  const LogLevel as = is_echo                ? LogLevel::kDebug
                      : level <= LOG_ERR     ? LogLevel::kError
                      : level <= LOG_WARNING ? LogLevel::kWarning
                      : level <= LOG_INFO    ? LogLevel::kInfo
                                             : LogLevel::kDebug;
  Log(as, kModule, "{}: {}", facility, text);
}

void OnLog(const rd_kafka_t* client, int level, const char* facility, const char* text) {
  WriteLine(client, level, facility, text, /*is_awaited=*/false);
}
void OnLogOfAwaited(const rd_kafka_t* client, int level, const char* facility, const char* text) {
  WriteLine(client, level, facility, text, /*is_awaited=*/true);
}

// Only says why; OpenSSL has decided.
int OnCertificate(rd_kafka_t* client, const char*, int32_t, int* error, int, const char*, size_t,
                  char* words, size_t size, void*) {
  if (*error == 0) return 1;
  const std::string reason = RefusedCertificate(*error, "kafka.properties.ssl.ca.location");
  std::strncpy(words, reason.c_str(), size - 1);
  words[size - 1] = '\0';
  ContactsOfProcess().Refused(client, reason);
  return 0;
}

bool IsConnected(rd_kafka_t* client, Duration patience) {
  const rd_kafka_metadata_t* metadata = nullptr;
  const rd_kafka_resp_err_t error =
      rd_kafka_metadata(client, 0, nullptr, &metadata, Milliseconds(patience));
  if (metadata != nullptr) rd_kafka_metadata_destroy(metadata);
  // Without an answer in so short a time there was one to ask all the same.
  return error != RD_KAFKA_RESP_ERR__TRANSPORT;
}

}  // namespace

std::optional<BrokerFailure> ReadFailure(std::string_view line, std::string_view certificate) {
  if (Contains(line, "Local: Broker handle destroyed")) return std::nullopt;
  // An exchange of SASL that the connection's end cut off.
  if (Contains(line, "SASL") && Contains(line, ": Local: ")) return std::nullopt;
  // "[thrd:BROKER]: BROKER: TEXT (after 3ms in state CONNECT, 2 identical error(s) suppressed)"
  if (const size_t end = line.find("]: "); line.starts_with("[thrd:") && end != line.npos) {
    line.remove_prefix(end + 3);
  }
  const size_t colon = line.find(": ");
  BrokerFailure failure{.broker = AddressOf(line.substr(0, colon)), .text = {}};
  std::string_view text = colon == line.npos ? line : line.substr(colon + 2);
  if (const size_t after = text.rfind(" (after "); after != text.npos) text = text.substr(0, after);

  if (Contains(text, "certificate verify failed")) {
    failure.refused = true;
    failure.text = certificate.empty() ? text : certificate;
  } else if (Contains(text, "SASL authentication error")) {
    failure.refused = true;
    failure.text =
        "the broker refuses the user or the password. See kafka.properties.sasl.username and "
        "kafka.properties.sasl.password";
  } else if (Contains(text, "mechanism handshake failed")) {
    failure.refused = true;
    failure.text = fmt::format("{}. See kafka.properties.sasl.mechanism", text);
  } else if (Contains(text, "Disconnected while requesting ApiVersion")) {
    failure.text =
        "the broker closes the connection at the first word. Does it speak TLS, or ask for a "
        "password? See kafka.properties.security.protocol";
  } else if (Contains(text, "PLAINTEXT broker listener") ||
             Contains(text, "wrong version number") || Contains(text, "unexpected eof")) {
    failure.text =
        "the broker breaks off the handshake of TLS. Does it speak TLS there? See "
        "kafka.properties.security.protocol and kafka.brokers";
  } else if (Contains(text, "might require SASL authentication")) {
    failure.text =
        "the broker closes the connection. Does it ask for a password? See "
        "kafka.properties.security.protocol";
  } else {
    failure.text = text;
  }
  return failure;
}

void WatchContact(rd_kafka_conf_t* conf, bool is_awaited) {
  rd_kafka_conf_set_log_cb(conf, is_awaited ? OnLogOfAwaited : OnLog);
  rd_kafka_conf_set_ssl_cert_verify_cb(conf, OnCertificate);
}

void DestroyClient(rd_kafka_t* client, int flags) {
  const std::string name = rd_kafka_name(client);
  rd_kafka_destroy_flags(client, flags);
  ContactsOfProcess().Forget(name);
}

std::string LastFailure(rd_kafka_t* client) {
  const auto failure = ContactsOfProcess().Last(client);
  return failure ? ": " + failure->ToString() : "";
}

absl::Status AwaitBroker(rd_kafka_t* client, Duration timeout) {
  Contacts& contacts = ContactsOfProcess();
  const Deadline deadline(timeout);
  std::optional<Deadline> others;
  std::optional<BrokerFailure> failure;
  bool is_connected = false;
  while (true) {
    is_connected = IsConnected(client, std::min(kLookAgain, deadline.Left()));
    if (is_connected) break;
    failure = contacts.Last(client);
    if (failure && failure->refused && !others) others.emplace(kOthersPatience);
    if (others && others->Left() == Duration::zero()) break;
    if (deadline.Left() == Duration::zero()) break;
  }
  if (is_connected) {
    contacts.Connected(client);
    return absl::OkStatus();
  }
  if (failure && failure->refused) return FatalError("reach Kafka at {}", failure->ToString());
  if (failure) return RetryError("reach Kafka at {}", failure->ToString());
  return TimeoutError("reach Kafka: no answer from the brokers");
}

}  // namespace orbweaver::kafka
