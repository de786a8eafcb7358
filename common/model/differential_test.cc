// Our codec against the classes that protoc generates from the same .proto files: what either
// writes, the other must read as the same message, at every level, unknown fields included.
#include <string>

#include "google/protobuf/io/coded_stream.h"
#include "google/protobuf/io/zero_copy_stream_impl_lite.h"
#include "google/protobuf/message.h"
#include "gtest/gtest.h"

#include "common/base/random.h"
#include "common/base/status.h"
#include "common/model/limits.h"
#include "common/model/scoring_log.h"
#include "common/model/spider_feed.h"
#include "common/model/spider_log.h"
#include "common/model/stats.h"
#include "orbweaver/v1/scoring_log.pb.h"
#include "orbweaver/v1/spider_feed.pb.h"
#include "orbweaver/v1/spider_log.pb.h"
#include "orbweaver/v1/stats.pb.h"

namespace orbweaver {
namespace {

namespace pb = google::protobuf;
using FieldDescriptor = pb::FieldDescriptor;

// Fills messages of any type with random values of the kind that the contract allows.
class Filler {
 public:
  explicit Filler(uint64_t seed) : random_(seed) {}

  void Fill(pb::Message* message, bool add_unknown) {
    const pb::Descriptor* type = message->GetDescriptor();
    for (int i = 0; i < type->field_count(); ++i) {
      const FieldDescriptor* field = type->field(i);
      const pb::OneofDescriptor* choice = field->real_containing_oneof();
      if (choice != nullptr) continue;
      if (field->is_map()) {
        FillMap(message, field);
      } else if (field->is_repeated()) {
        for (uint64_t n = random_.Below(4); n > 0; --n) FillElement(message, field, add_unknown);
      } else if (IsRequired(*field) || random_.Chance(0.7)) {
        FillSingle(message, field, add_unknown);
      }
    }
    for (int i = 0; i < type->real_oneof_decl_count(); ++i) {
      const pb::OneofDescriptor* choice = type->oneof_decl(i);
      FillSingle(message, choice->field(static_cast<int>(random_.Below(choice->field_count()))),
                 add_unknown);
    }
    if (add_unknown && random_.Chance(0.5)) AddUnknown(message);
  }

 private:
  static bool IsRequired(const FieldDescriptor& field) {
    const std::string& name = field.name();
    return name == "url" || name == "domain" || name == "request" || name == "source" ||
           name == "worker_id";
  }

  std::string RandomText(const FieldDescriptor& field) {
    static constexpr std::string_view kPieces[] = {"a", "Z", "/", "%2F", "ü", "漢", "🕸", " "};
    std::string text = IsRequired(field) ? "x" : "";
    // Now and then long enough for a length of two bytes.
    const uint64_t pieces = random_.Chance(0.1) ? 60 : random_.Below(9);
    const size_t room = field.name() == "language" ? kMaxLanguageBytes : kMaxCharsetBytes;
    for (uint64_t i = 0; i < pieces && text.size() + 4 <= room; ++i) {
      text += kPieces[random_.Below(std::size(kPieces))];
    }
    if (field.name() == "url" && random_.Chance(0.2)) text.append(300, 'u');
    return text;
  }

  std::string RandomBytes(const FieldDescriptor& field) {
    const bool is_hash = field.name() == "fingerprint" || field.name() == "content_hash";
    std::string bytes(is_hash ? 16 : random_.Below(200), '\0');
    for (char& c : bytes) c = static_cast<char>(random_());
    if (is_hash) bytes[0] |= 1;
    return bytes;
  }

  // Small, large and just around the sizes at which varints grow.
  uint64_t RandomInteger(uint64_t max) {
    const uint64_t bits = random_.Below(65);
    const uint64_t value = bits == 0 ? 0 : random_() >> (64 - bits);
    return max == ~uint64_t{0} ? value : value % (max + 1);
  }

  void FillSingle(pb::Message* message, const FieldDescriptor* field, bool add_unknown) {
    const pb::Reflection* r = message->GetReflection();
    switch (field->cpp_type()) {
      case FieldDescriptor::CPPTYPE_INT64: {
        const bool is_time = field->name().ends_with("_ms");
        const uint64_t max = is_time ? kMaxTimeMs : uint64_t{INT64_MAX};
        return r->SetInt64(message, field, static_cast<int64_t>(RandomInteger(max)));
      }
      case FieldDescriptor::CPPTYPE_UINT32:
        return r->SetUInt32(message, field, static_cast<uint32_t>(RandomInteger(UINT32_MAX)));
      case FieldDescriptor::CPPTYPE_UINT64:
        return r->SetUInt64(message, field, RandomInteger(UINT64_MAX));
      case FieldDescriptor::CPPTYPE_FLOAT:
        return r->SetFloat(message, field, static_cast<float>(random_.Unit() * 4 - 2));
      case FieldDescriptor::CPPTYPE_DOUBLE:
        return r->SetDouble(message, field, random_.Unit() * 1e9);
      case FieldDescriptor::CPPTYPE_BOOL:
        return r->SetBool(message, field, random_.Chance(0.5));
      case FieldDescriptor::CPPTYPE_ENUM:
        // Also values that have no name yet.
        return r->SetEnumValue(message, field, static_cast<int>(random_.Below(60)) - 10);
      case FieldDescriptor::CPPTYPE_STRING:
        return r->SetString(message, field,
                            field->type() == FieldDescriptor::TYPE_BYTES ? RandomBytes(*field)
                                                                         : RandomText(*field));
      case FieldDescriptor::CPPTYPE_MESSAGE:
        return Fill(r->MutableMessage(message, field), add_unknown);
      default:
        FAIL() << "a field type that this test has no values for: " << field->full_name();
    }
  }

  void FillElement(pb::Message* message, const FieldDescriptor* field, bool add_unknown) {
    const pb::Reflection* r = message->GetReflection();
    if (field->cpp_type() == FieldDescriptor::CPPTYPE_STRING) {
      r->AddString(message, field, RandomText(*field));
    } else {
      Fill(r->AddMessage(message, field), add_unknown);
    }
  }

  // Keys differ: generated classes drop all but one of equal ones.
  void FillMap(pb::Message* message, const FieldDescriptor* field) {
    const pb::Reflection* r = message->GetReflection();
    for (uint64_t n = random_.Below(4); n > 0; --n) {
      pb::Message* entry = r->AddMessage(message, field);
      const pb::Descriptor* type = entry->GetDescriptor();
      FillSingle(entry, type->map_value(), false);
      entry->GetReflection()->SetString(entry, type->map_key(), "key" + std::to_string(n));
    }
  }

  void AddUnknown(pb::Message* message) {
    pb::UnknownFieldSet* unknown = message->GetReflection()->MutableUnknownFields(message);
    const int number = 1000 + static_cast<int>(random_.Below(1 << 20));
    unknown->AddVarint(number, RandomInteger(UINT64_MAX));
    unknown->AddFixed32(number + 1, 7);
    unknown->AddFixed64(number + 2, 8);
    unknown->AddLengthDelimited(number + 3, std::string(random_.Below(200), 'n'));
  }

  Random random_;
};

// The same bytes for the same message, whatever the order of a map's entries.
std::string Canonical(const pb::Message& message) {
  std::string bytes;
  pb::io::StringOutputStream stream(&bytes);
  pb::io::CodedOutputStream out(&stream);
  out.SetSerializationDeterministic(true);
  EXPECT_TRUE(message.SerializeToCodedStream(&out));
  out.Trim();
  return bytes;
}

template <typename Generated, typename Ours>
void RoundTrip(uint64_t seeds, bool add_unknown) {
  Arena arena;
  EncodeBuffer buffer;
  for (uint64_t seed = 0; seed < seeds; ++seed) {
    Generated sent;
    Filler(seed).Fill(&sent, add_unknown);
    const std::string bytes = sent.SerializeAsString();

    arena.Reset();
    Ours decoded;
    const absl::Status status = Decode(bytes, &arena, &decoded);
    ASSERT_TRUE(status.ok()) << "seed " << seed << ": " << status << "\n" << sent.DebugString();
    const auto encoded = Encode(decoded, &buffer);
    ASSERT_TRUE(encoded.ok()) << "seed " << seed << ": " << encoded.status();

    Generated received;
    ASSERT_TRUE(received.ParseFromString(std::string(*encoded))) << "seed " << seed;
    ASSERT_EQ(Canonical(received), Canonical(sent)) << "seed " << seed << "\n"
                                                    << sent.DebugString() << "\nbecame\n"
                                                    << received.DebugString();
  }
}

TEST(DifferentialTest, SpiderLogEntriesMeanTheSameToProtobuf) {
  RoundTrip<v1::SpiderLogEntry, SpiderLogEntry>(3000, false);
}
TEST(DifferentialTest, SpiderLogEntriesOfANewerSchemaKeepWhatWeDoNotKnow) {
  RoundTrip<v1::SpiderLogEntry, SpiderLogEntry>(3000, true);
}
TEST(DifferentialTest, ScoringLogEntriesMeanTheSameToProtobuf) {
  RoundTrip<v1::ScoringLogEntry, ScoringLogEntry>(1000, false);
}
TEST(DifferentialTest, ScoringLogEntriesOfANewerSchemaKeepWhatWeDoNotKnow) {
  RoundTrip<v1::ScoringLogEntry, ScoringLogEntry>(1000, true);
}
TEST(DifferentialTest, SpiderFeedEntriesMeanTheSameToProtobuf) {
  RoundTrip<v1::SpiderFeedEntry, SpiderFeedEntry>(1000, false);
}
TEST(DifferentialTest, SpiderFeedEntriesOfANewerSchemaKeepWhatWeDoNotKnow) {
  RoundTrip<v1::SpiderFeedEntry, SpiderFeedEntry>(1000, true);
}
TEST(DifferentialTest, WorkerStatsMeanTheSameToProtobuf) {
  RoundTrip<v1::WorkerStats, WorkerStats>(500, true);
}

template <typename Enum>
void ExpectSame(Enum ours, int generated) {
  EXPECT_EQ(static_cast<int>(ours), generated);
}

TEST(DifferentialTest, EnumValuesHaveTheNumbersOfTheSchema) {
  ExpectSame(LinkKind::kAnchor, v1::LINK_KIND_ANCHOR);
  ExpectSame(LinkKind::kFrame, v1::LINK_KIND_FRAME);
  ExpectSame(LinkKind::kEmbed, v1::LINK_KIND_EMBED);
  ExpectSame(LinkKind::kRedirect, v1::LINK_KIND_REDIRECT);
  ExpectSame(LinkKind::kRefresh, v1::LINK_KIND_REFRESH);
  ExpectSame(LinkKind::kCanonical, v1::LINK_KIND_CANONICAL);
  ExpectSame(LinkKind::kSitemapPage, v1::LINK_KIND_SITEMAP_PAGE);
  ExpectSame(LinkKind::kSitemap, v1::LINK_KIND_SITEMAP);
  ExpectSame(LinkKind::kFeedItem, v1::LINK_KIND_FEED_ITEM);
  ExpectSame(LinkKind::kFeed, v1::LINK_KIND_FEED);
  EXPECT_EQ(kRelNofollow, v1::LINK_REL_NOFOLLOW);
  EXPECT_EQ(kRelUgc, v1::LINK_REL_UGC);
  EXPECT_EQ(kRelSponsored, v1::LINK_REL_SPONSORED);
  ExpectSame(FailureCause::kUnspecified, v1::FAILURE_CAUSE_UNSPECIFIED);
  ExpectSame(FailureCause::kDns, v1::FAILURE_CAUSE_DNS);
  ExpectSame(FailureCause::kDnsTemporary, v1::FAILURE_CAUSE_DNS_TEMPORARY);
  ExpectSame(FailureCause::kRefused, v1::FAILURE_CAUSE_REFUSED);
  ExpectSame(FailureCause::kUnreachable, v1::FAILURE_CAUSE_UNREACHABLE);
  ExpectSame(FailureCause::kReset, v1::FAILURE_CAUSE_RESET);
  ExpectSame(FailureCause::kTimeoutConnect, v1::FAILURE_CAUSE_TIMEOUT_CONNECT);
  ExpectSame(FailureCause::kTimeoutTls, v1::FAILURE_CAUSE_TIMEOUT_TLS);
  ExpectSame(FailureCause::kTimeoutFirstByte, v1::FAILURE_CAUSE_TIMEOUT_FIRST_BYTE);
  ExpectSame(FailureCause::kTimeoutTotal, v1::FAILURE_CAUSE_TIMEOUT_TOTAL);
  ExpectSame(FailureCause::kTooSlow, v1::FAILURE_CAUSE_TOO_SLOW);
  ExpectSame(FailureCause::kTls, v1::FAILURE_CAUSE_TLS);
  ExpectSame(FailureCause::kTlsCertificate, v1::FAILURE_CAUSE_TLS_CERTIFICATE);
  ExpectSame(FailureCause::kProtocol, v1::FAILURE_CAUSE_PROTOCOL);
  ExpectSame(FailureCause::kEncoding, v1::FAILURE_CAUSE_ENCODING);
  ExpectSame(FailureCause::kTooLarge, v1::FAILURE_CAUSE_TOO_LARGE);
  ExpectSame(FailureCause::kContentType, v1::FAILURE_CAUSE_CONTENT_TYPE);
  ExpectSame(FailureCause::kRedirect, v1::FAILURE_CAUSE_REDIRECT);
  ExpectSame(FailureCause::kRobots, v1::FAILURE_CAUSE_ROBOTS);
  ExpectSame(FailureCause::kRobotsUnreachable, v1::FAILURE_CAUSE_ROBOTS_UNREACHABLE);
  ExpectSame(FailureCause::kPrivateAddress, v1::FAILURE_CAUSE_PRIVATE_ADDRESS);
  ExpectSame(FailureCause::kPort, v1::FAILURE_CAUSE_PORT);
  ExpectSame(FailureCause::kBadUrl, v1::FAILURE_CAUSE_BAD_URL);
  ExpectSame(FailureCause::kProxy, v1::FAILURE_CAUSE_PROXY);
  ExpectSame(FailureCause::kHttp4xx, v1::FAILURE_CAUSE_HTTP_4XX);
  ExpectSame(FailureCause::kHttp5xx, v1::FAILURE_CAUSE_HTTP_5XX);
  ExpectSame(FailureCause::kHttpOther, v1::FAILURE_CAUSE_HTTP_OTHER);
  ExpectSame(DeferReason::kPoliteness, v1::DEFER_REASON_POLITENESS);
  ExpectSame(DeferReason::kBackOff, v1::DEFER_REASON_BACK_OFF);
  ExpectSame(DeferReason::kShutdown, v1::DEFER_REASON_SHUTDOWN);
  ExpectSame(RobotsOutcome::kRules, v1::ROBOTS_OUTCOME_RULES);
  ExpectSame(RobotsOutcome::kAllowAll, v1::ROBOTS_OUTCOME_ALLOW_ALL);
  ExpectSame(RobotsOutcome::kDisallowAll, v1::ROBOTS_OUTCOME_DISALLOW_ALL);
  ExpectSame(DnsOutcome::kResolved, v1::DNS_OUTCOME_RESOLVED);
  ExpectSame(DnsOutcome::kNoSuchName, v1::DNS_OUTCOME_NO_SUCH_NAME);
  ExpectSame(DnsOutcome::kFailed, v1::DNS_OUTCOME_FAILED);
  ExpectSame(ScheduleAction::kAdd, v1::SCHEDULE_ACTION_ADD);
  ExpectSame(ScheduleAction::kRaise, v1::SCHEDULE_ACTION_RAISE);
  ExpectSame(ScheduleAction::kDelete, v1::SCHEDULE_ACTION_DELETE);
}

}  // namespace
}  // namespace orbweaver
