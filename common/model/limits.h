// The bounds of the messages, as the comments in proto/orbweaver/v1/ state them to other languages.
// Encoders and decoders refuse what exceeds one, so a reader need not ask again, and a hostile
// message takes little memory. They may be raised, readers first (proto/README.md); lowering one
// breaks what is in the logs.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace orbweaver {

inline constexpr size_t kMaxUrlBytes = 2048;
inline constexpr size_t kMaxDomainBytes = 255;
inline constexpr size_t kMaxAnchorBytes = 256;
inline constexpr size_t kMaxTitleBytes = 1024;
inline constexpr size_t kMaxMessageTextBytes = 1024;  // FetchFailed.message
inline constexpr size_t kMaxEtagBytes = 512;
inline constexpr size_t kMaxLastModifiedBytes = 128;
inline constexpr size_t kMaxContentTypeBytes = 256;
inline constexpr size_t kMaxCharsetBytes = 64;
inline constexpr size_t kMaxLanguageBytes = 35;
inline constexpr size_t kMaxRobotsDirectivesBytes = 512;
inline constexpr size_t kMaxRemoteAddressBytes = 64;
inline constexpr size_t kMaxTlsErrorBytes = 512;
inline constexpr size_t kMaxHostBytes = 261;
inline constexpr size_t kMaxHeaderNameBytes = 128;
inline constexpr size_t kMaxHeaderValueBytes = 8192;
inline constexpr size_t kMaxMetaKeyBytes = 64;
inline constexpr size_t kMaxMetaValueBytes = 512;
inline constexpr size_t kMaxWorkerIdBytes = 255;
inline constexpr size_t kMaxRoleBytes = 64;
inline constexpr size_t kMaxWorkerVersionBytes = 64;
inline constexpr size_t kMaxMetricNameBytes = 128;

inline constexpr size_t kMaxLinks = 1000;
inline constexpr size_t kMaxSeeds = 1000;
inline constexpr size_t kMaxScheduledRequests = 1000;
inline constexpr size_t kMaxRedirects = 32;
inline constexpr size_t kMaxHeaders = 128;
inline constexpr size_t kMaxSitemaps = 256;
inline constexpr size_t kMaxRobotsTxtBytes = size_t{64} << 10;
inline constexpr size_t kMaxMetaEntries = 16;
inline constexpr size_t kMaxMetrics = 1024;

// Times and durations are from 0 to here (the year 2109), so that adding two of them and turning
// the sum into nanoseconds cannot overflow.
inline constexpr int64_t kMaxTimeMs = int64_t{1} << 42;

// The largest message: with key and headers it stays below the 1 MB that Kafka's brokers and
// clients take by default. The writer of a list splits it (split.h).
inline constexpr size_t kDefaultMaxMessageBytes = 900'000;

}  // namespace orbweaver
