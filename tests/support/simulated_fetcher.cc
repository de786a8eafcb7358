#include "tests/support/simulated_fetcher.h"

#include <array>

#include "fmt/format.h"

#include "common/url/fingerprint.h"

namespace orbweaver {

void SimulatedFetcher::Resolve(FetchId id, std::string_view host) {
  Running running{.id = id, .is_missing = missing.contains(host)};
  if (no_names) running.suspect = no_names(host);
  if (const auto found = addresses.find(host); found != addresses.end()) {
    running.address = found->second;
  } else {
    const uint64_t bits = FingerprintOf(host).low;
    const std::array<uint8_t, 4> bytes = {10, static_cast<uint8_t>(bits),
                                          static_cast<uint8_t>(bits >> 8),
                                          static_cast<uint8_t>(bits >> 16)};
    running.address = IpAddress(bytes);
  }
  running_.emplace(clock_.Now(), std::move(running));
}

void SimulatedFetcher::Fetch(FetchId id, const FetchRequest& request) {
  Running running{.id = id,
                  .url = std::string(request.url),
                  .answer = (request.head_only && on_head ? on_head : on_begin_)(id, request.url),
                  .address = request.address,
                  .started_at = clock_.Wall()};
  const SteadyTime end = clock_.Now() + running.answer.takes;
  running_.emplace(end, std::move(running));
}

void SimulatedFetcher::Run(SteadyTime until, FetchListener& listener) {
  bool told = false;
  while (!running_.empty() && running_.begin()->first <= (told ? clock_.Now() : until)) {
    auto node = running_.extract(running_.begin());
    if (node.key() > clock_.Now()) clock_.Advance(node.key() - clock_.Now());
    Tell(node.mapped(), listener);
    told = true;
  }
  if (!told && until > clock_.Now()) clock_.Advance(until - clock_.Now());
}

void SimulatedFetcher::Tell(Running& running, FetchListener& listener) {
  if (running.url.empty()) {
    if (running.is_missing) {
      return listener.OnResolved(
          {.id = running.id, .failure = FailureCause::kDns, .message = "there is no such name"});
    }
    Resolution resolution{.id = running.id,
                          .suspect = running.suspect,
                          .address = running.address,
                          .took = std::chrono::milliseconds(no_names ? 1 : 0)};
    if (running.suspect) resolution.failure = FailureCause::kDnsTemporary;
    return listener.OnResolved(resolution);
  }
  if (on_end_) on_end_(running.id);
  SimulatedAnswer& answer = running.answer;
  FetchResult result;
  result.id = running.id;
  result.failure = answer.failure;
  result.message = answer.failure ? "simulated" : "";
  result.suspect = answer.suspect;
  result.address = running.address;
  result.started_at = running.started_at;
  result.times.total = answer.takes;
  result.stale = answer.stale;
  result.certificate_end = answer.certificate_end;
  if (!answer.failure) {
    result.status = answer.status;
    result.retry_after = answer.retry_after;
    result.request_head = "GET / HTTP/1.1\r\n\r\n";
    // Headers are views into the head, so that they move along with the result.
    std::string& head = result.response_head;
    head = fmt::format("HTTP/1.1 {} Simulated\r\n", answer.status);
    std::vector<std::array<size_t, 3>> places;
    const auto add = [&head, &places](std::string_view name, std::string_view value) {
      places.push_back({head.size(), name.size(), value.size()});
      head += fmt::format("{}: {}\r\n", name, value);
    };
    add("content-type", answer.content_type);
    if (!answer.location.empty()) add("location", answer.location);
    head += "\r\n";
    for (const auto& [at, name, value] : places) {
      const std::string_view text = head;
      result.headers.push_back(
          {.name = text.substr(at, name), .value = text.substr(at + name + 2, value)});
    }
    result.body = answer.body;
    result.body_truncated = answer.truncated;
    result.received_bytes = answer.body.size();
  }
  listener.OnFetched(result);
}

}  // namespace orbweaver
