// No bytes that a server sends may crash the spider's fetcher, keep it busy, or make it grow past
// its bounds. Its result must not depend on how they were cut into packets.
//
// Input: a byte that chooses (0 answers, 1 to 4 bodies of each coding, 5 answers to names, 6
// what becomes of a redirect, 7 bodies of several codings, which the next byte chooses, 8 a file of
// cookies or hosts, 9 a SOCKS proxy's answers), a byte that cuts the rest into pieces, then the
// rest.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "common/base/check.h"
#include "common/base/status.h"
#include "common/base/utf8.h"
#include "spider/feed/journey.h"
#include "spider/fetch/answer_reader.h"
#include "spider/fetch/cookie_file.h"
#include "spider/fetch/dns_answer.h"
#include "spider/fetch/fetch_url.h"
#include "spider/fetch/hosts_file.h"
#include "spider/fetch/retry_after.h"
#include "spider/fetch/socks5.h"
#include "tests/fuzz/time_bound.h"

namespace orbweaver {
namespace {

constexpr size_t kMaxBodyBytes = 256 << 10;

FetchOptions Options() {
  FetchOptions options;
  options.max_header_bytes = 4096;
  options.max_body_bytes = kMaxBodyBytes;
  return options;
}

FetchResult Take(std::string_view bytes, size_t piece) {
  static const FetchOptions options = Options();
  static const ContentTypes types(options.content_types);
  static AnswerReader reader(options, types);
  FetchResult result;
  reader.Begin({}, &result);
  auto next = AnswerReader::Next::kRead;
  while (next == AnswerReader::Next::kRead && !bytes.empty()) {
    next = reader.Take(bytes.substr(0, piece));
    bytes.remove_prefix(std::min(bytes.size(), piece));
  }
  if (next == AnswerReader::Next::kRead) next = reader.TakeEnd();
  CHECK(next != AnswerReader::Next::kRead);
  CHECK(result.failure || result.status >= 200);
  CHECK(result.body.size() <= kMaxBodyBytes && (!result.failure || result.body.empty()));
  CHECK(result.response_head.size() <= options.max_header_bytes);
  CHECK(IsValidUtf8(result.message));
  for (const HttpHeader& header : result.headers) CHECK(IsValidUtf8(header.name));
  return result;
}

void Answers(std::string_view bytes, size_t piece) {
  const FetchResult whole = Take(bytes, SIZE_MAX);
  const FetchResult pieces = Take(bytes, piece);
  // A bound may be met by one line more or less, as the bytes come.
  if (whole.failure || pieces.failure) return;
  CHECK(whole.status == pieces.status && whole.body == pieces.body);
  CHECK(whole.response_head == pieces.response_head);
  CHECK(whole.headers.size() == pieces.headers.size());
  CHECK(whole.body_truncated == pieces.body_truncated);
}

std::pair<BodyDecoder::Verdict, std::string> Decode(const ContentCodings& codings,
                                                    std::string_view bytes, size_t piece,
                                                    BodyDecoder::Wanted wanted) {
  BodyDecoder decoder;
  std::string body;
  decoder.Begin(codings, {.max_bytes = kMaxBodyBytes, .max_compression = 100}, &body, wanted);
  auto verdict = BodyDecoder::Verdict::kGoesOn;
  while (verdict == BodyDecoder::Verdict::kGoesOn && !bytes.empty()) {
    verdict = decoder.Take(bytes.substr(0, piece));
    bytes.remove_prefix(std::min(bytes.size(), piece));
  }
  if (verdict == BodyDecoder::Verdict::kGoesOn) {
    verdict = decoder.End();
  } else {
    decoder.Drop();
  }
  CHECK(body.size() <= kMaxBodyBytes);
  return {verdict, body};
}

void Bodies(const ContentCodings& codings, std::string_view bytes, size_t piece) {
  const auto as_it_comes = Decode(codings, bytes, piece, BodyDecoder::Wanted::kAsItComes);
  const auto at_end = Decode(codings, bytes, piece, BodyDecoder::Wanted::kAtEnd);
  // libdeflate may take codes that zlib does not, where the checksum is right all the same.
  if (as_it_comes.first == BodyDecoder::Verdict::kBroken) return;
  CHECK(at_end == as_it_comes);
}

void Layers(std::string_view bytes, size_t piece) {
  if (bytes.empty()) return;
  const auto choice = static_cast<uint8_t>(bytes[0]);
  ContentCodings codings;
  for (const int each : {choice % 5, choice / 5 % 5, choice / 25 % 5}) {
    codings.push_back(static_cast<ContentCoding>(each));
  }
  Bodies(codings, bytes.substr(1), piece);
}

void Names(std::string_view bytes) {
  const std::span message(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
  for (const DnsQuestion question : {DnsQuestion::kV4, DnsQuestion::kV6}) {
    const DnsAnswer answer = ReadDnsAnswer(question, message);
    CHECK(answer.addresses.size() <= kMaxAddresses && answer.age >= std::chrono::seconds(0));
    CHECK((answer.outcome == DnsAnswer::Outcome::kFound) == !answer.addresses.empty());
    for (const IpAddress& address : answer.addresses) {
      CHECK(address.is_v4() == (question == DnsQuestion::kV4));
    }
  }
}

void Locations(std::string_view bytes) {
  static const auto suffixes = PublicSuffixes::Load({}).value();
  static UrlResolver resolver(UrlOptions(), *suffixes);
  Journey journey("http://a.example.com/b", "example.com");
  if (journey.Follow(302, bytes, resolver, 5) != Journey::Next::kFailed) {
    // Where it leads can be asked for, and is nothing that a request line could be forged with.
    CHECK(SplitFetchUrl(journey.url()).has_value());
  }
  SplitFetchUrl(bytes);
  const auto wait = RetryAfter(bytes, WallTime(std::chrono::hours(24 * 365 * 50)));
  CHECK(!wait || (*wait >= wait->zero() && *wait <= std::chrono::hours(24 * 365)));
}

void Cookies(std::string_view bytes) {
  constexpr WallTime kNow{std::chrono::seconds(1'800'000'000)};
  for (const IpAddress& address : HostsFile(bytes).Find("a.test")) CHECK(!address.empty());
  const auto file = CookieFile::Parse(bytes);
  if (!file.ok()) {
    // Its text may be a password.
    CHECK(MessageOf(file.status()).size() < 200);
    return;
  }
  CHECK(file->Expired(kNow) <= file->size());
  for (const std::string_view url :
       {"http://a.test/", "https://www.a.test/b/c?d", "http://127.0.0.1:8000/"}) {
    const std::string sent = file->For(*SplitFetchUrl(url), kNow);
    CHECK(sent.size() <= CookieFile::kMaxSentBytes);
    CHECK(std::ranges::none_of(sent, [](char c) { return (c >= 0 && c < ' ') || c == '\x7f'; }));
  }
}

// A proxy's answers, each as long as it must be.
void Socks(std::string_view bytes, size_t piece) {
  const Proxy proxy{.user = std::string(piece % 255 + 1, 'u'), .password = "p"};
  Socks5Handshake socks(proxy, "a.test", 80);
  auto next = Socks5Handshake::Next::kSend;
  for (int answers = 0;
       next == Socks5Handshake::Next::kSend || next == Socks5Handshake::Next::kRead; ++answers) {
    CHECK(answers < 6 && socks.wanted() > 0 && socks.wanted() < 300);
    const std::string_view answer = bytes.substr(0, socks.wanted());
    bytes.remove_prefix(answer.size());
    next = socks.Take(answer);
  }
  CHECK((next == Socks5Handshake::Next::kFailed) == !socks.message().empty());
}

}  // namespace
}  // namespace orbweaver

static void RunOne(const uint8_t* data, size_t size) {
  using namespace orbweaver;
  if (size < 2) return;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 2, size - 2);
  const size_t piece = size_t{data[1]} + 1;
  switch (data[0] % 10) {
    case 0:
      Answers(bytes, piece);
      break;
    case 1:
    case 2:
    case 3:
    case 4:
      Bodies({static_cast<ContentCoding>(data[0] % 10)}, bytes, piece);
      break;
    case 5:
      Names(bytes);
      break;
    case 6:
      Locations(bytes);
      break;
    case 7:
      Layers(bytes, piece);
      break;
    case 8:
      Cookies(bytes);
      break;
    default:
      Socks(bytes, piece);
      break;
  }
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  // A body may be unpacked from a few bytes, twice.
  return orbweaver::RunWithinTime(data, size, RunOne, [](std::string_view input) {
    return orbweaver::MsForBytes(2 * (input.size() + orbweaver::kMaxBodyBytes));
  });
}
