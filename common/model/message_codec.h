// From one description of a message's fields, its decoder and its encoder.
//
//   template <>
//   struct Schema<Link> {
//     using Fields = FieldList<Field<1, "url", &Link::url, Required<Text<kMaxUrlBytes>>>,
//                              Field<3, "rel", &Link::rel>>;
//   };
//
// Place: included by the codecs (spider_log.cc, …) only. Numbers, types and bounds repeat those of
// proto/orbweaver/v1/; differential_test.cc and golden_test.cc hold both against each other.
//
// Stricter than Protocol Buffers ask a parser to be, because what is odd was not written by a
// client of ours: a singular field that comes twice, a known field of another wire type, a number
// that does not fit, groups, and text that is not UTF-8 are faults. Fields of unknown numbers are
// kept as bytes.
//
// The innermost functions are always inlined: they are a handful of instructions each, called for
// every field of every link, and the compiler's own choice costs a tenth.
//
// Long, since decoder, encoder and bounds of a field follow from one description and are read
// together.
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <optional>
#include <span>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>

#include "absl/status/statusor.h"

#include "common/base/clock.h"
#include "common/base/ids.h"
#include "common/base/status.h"
#include "common/base/utf8.h"
#include "common/model/arena.h"
#include "common/model/encode_buffer.h"
#include "common/model/limits.h"
#include "common/model/wire.h"

namespace orbweaver::wire {

template <typename T>
struct Schema;

template <typename T>
bool DecodeFields(Reader& in, Arena& arena, T* message);
template <typename T>
bool EncodeFields(Writer& out, const T& message);

// Cold, and not inlined into the loops (message_codec.cc).
bool FailBound(Fault& fault, size_t bytes, size_t max_bytes);
bool FailCount(Fault& fault, size_t max_count);
bool FailNumber(Fault& fault);
bool FailUtf8(Fault& fault);

// ---- How one value is written. Read and Write are without the tag; IsDefault values are not
// written.

// `string`.
template <size_t kMaxBytes>
struct Text {
  static constexpr WireType kType = WireType::kBytes;
  static bool IsDefault(std::string_view value) { return value.empty(); }
  static bool Check(std::string_view value, Fault& fault) {
    if (value.size() > kMaxBytes) return FailBound(fault, value.size(), kMaxBytes);
    return IsValidUtf8(value) || FailUtf8(fault);
  }
  [[gnu::always_inline]] static bool Read(Reader& in, Arena&, std::string_view* value) {
    return in.ReadBytes(value) && Check(*value, in.fault());
  }
  [[gnu::always_inline]] static bool Write(Writer& out, std::string_view value) {
    out.PrependBytes(value);
    return Check(value, out.fault());
  }
};

// `bytes`.
template <size_t kMaxBytes>
struct Bytes {
  static constexpr WireType kType = WireType::kBytes;
  static bool IsDefault(std::string_view value) { return value.empty(); }
  static bool Check(std::string_view value, Fault& fault) {
    return value.size() <= kMaxBytes || FailBound(fault, value.size(), kMaxBytes);
  }
  [[gnu::always_inline]] static bool Read(Reader& in, Arena&, std::string_view* value) {
    return in.ReadBytes(value) && Check(*value, in.fault());
  }
  [[gnu::always_inline]] static bool Write(Writer& out, std::string_view value) {
    out.PrependBytes(value);
    return Check(value, out.fault());
  }
};

// Types that are a varint on the wire, from kMin to kMax as a 64-bit integer of the same sign.
template <typename V>
struct VarintTraits;
template <>
struct VarintTraits<bool> {
  static bool From(uint64_t wire, bool* value) {
    *value = wire != 0;
    return true;
  }
  static bool To(bool value, uint64_t* wire) {
    *wire = value;
    return true;
  }
};
template <std::unsigned_integral V>
  requires(!std::is_same_v<V, bool>)
struct VarintTraits<V> {
  static bool From(uint64_t wire, V* value) {
    *value = static_cast<V>(wire);
    return wire <= std::numeric_limits<V>::max();
  }
  static bool To(V value, uint64_t* wire) {
    *wire = value;
    return true;
  }
};
// Open, as in proto3: a value that we have no name for is kept.
template <typename V>
  requires std::is_enum_v<V>
struct VarintTraits<V> {
  static_assert(std::is_same_v<std::underlying_type_t<V>, int32_t>);
  static bool From(uint64_t wire, V* value) {
    const auto number = static_cast<int64_t>(wire);
    *value = static_cast<V>(number);
    return number >= std::numeric_limits<int32_t>::min() &&
           number <= std::numeric_limits<int32_t>::max();
  }
  static bool To(V value, uint64_t* wire) {
    *wire = static_cast<uint64_t>(int64_t{static_cast<int32_t>(value)});
    return true;
  }
};
// Offsets.
template <typename Tag>
struct VarintTraits<StrongInt<Tag, int64_t>> {
  static bool From(uint64_t wire, StrongInt<Tag, int64_t>* value) {
    *value = StrongInt<Tag, int64_t>(static_cast<int64_t>(wire));
    return value->value() >= 0;
  }
  static bool To(StrongInt<Tag, int64_t> value, uint64_t* wire) {
    *wire = static_cast<uint64_t>(value.value());
    return value.value() >= 0;
  }
};
template <>
struct VarintTraits<std::chrono::milliseconds> {
  static bool From(uint64_t wire, std::chrono::milliseconds* value) {
    *value = std::chrono::milliseconds(static_cast<int64_t>(wire));
    return wire <= kMaxTimeMs;
  }
  static bool To(std::chrono::milliseconds value, uint64_t* wire) {
    *wire = static_cast<uint64_t>(value.count());
    return *wire <= kMaxTimeMs;
  }
};
template <>
struct VarintTraits<WallTime> {
  using Since = VarintTraits<std::chrono::milliseconds>;
  static bool From(uint64_t wire, WallTime* value) {
    std::chrono::milliseconds since;
    const bool fits = Since::From(wire, &since);
    *value = WallTime(since);
    return fits;
  }
  static bool To(WallTime value, uint64_t* wire) {
    return Since::To(value.time_since_epoch(), wire);
  }
};

template <typename V>
struct Scalar {
  static constexpr WireType kType = WireType::kVarint;
  static bool IsDefault(V value) { return value == V{}; }
  static bool Read(Reader& in, Arena&, V* value) {
    uint64_t wire;
    if (!in.ReadVarint(&wire)) return false;
    return VarintTraits<V>::From(wire, value) || FailNumber(in.fault());
  }
  static bool Write(Writer& out, V value) {
    uint64_t wire;
    const bool fits = VarintTraits<V>::To(value, &wire);
    out.PrependVarint(wire);
    return fits || FailNumber(out.fault());
  }
};

// Finite: NaN compares with nothing, and would lose its way in any order of priorities.
template <std::floating_point V>
struct Scalar<V> {
  using Bits = std::conditional_t<sizeof(V) == 4, uint32_t, uint64_t>;
  static constexpr WireType kType = sizeof(V) == 4 ? WireType::kFixed32 : WireType::kFixed64;
  static bool IsDefault(V value) { return std::bit_cast<Bits>(value) == 0; }
  static bool Read(Reader& in, Arena&, V* value) {
    if (!in.ReadFixed(value)) return false;
    return std::isfinite(*value) || FailNumber(in.fault());
  }
  static bool Write(Writer& out, V value) {
    out.PrependFixed(value);
    return std::isfinite(value) || FailNumber(out.fault());
  }
};

// 16 bytes, big endian; all zero is the same as absent.
template <>
struct Scalar<Fingerprint> {
  static constexpr WireType kType = WireType::kBytes;
  static bool IsDefault(const Fingerprint& value) { return value == Fingerprint{}; }
  static bool Read(Reader& in, Arena&, Fingerprint* value) {
    std::string_view bytes;
    if (!in.ReadBytes(&bytes)) return false;
    if (bytes.empty()) return true;
    char raw[16];
    if (bytes.size() != sizeof raw) return in.fault().Set("not 16 bytes");
    std::memcpy(raw, bytes.data(), sizeof raw);
    *value = Fingerprint::FromBytes(raw);
    return true;
  }
  static bool Write(Writer& out, const Fingerprint& value) {
    const auto bytes = value.ToBytes();
    out.PrependBytes({bytes.data(), bytes.size()});
    return true;
  }
};

template <typename T>
struct Message {
  static constexpr WireType kType = WireType::kBytes;
  static bool IsDefault(const T&) { return false; }
  static bool Read(Reader& in, Arena& arena, T* message) {
    std::string_view bytes;
    if (!in.ReadBytes(&bytes)) return false;
    Reader inner(bytes, in.fault());
    return DecodeFields(inner, arena, message);
  }
  static bool Write(Writer& out, const T& message) {
    const size_t after = out.size();
    if (!EncodeFields(out, message)) return false;
    out.PrependVarint(out.size() - after);
    return true;
  }
};

// Present even when it has its type's default value.
template <typename Inner>
struct Optional {
  static constexpr WireType kType = Inner::kType;
  template <typename V>
  static bool IsDefault(const std::optional<V>& value) {
    return !value.has_value();
  }
  template <typename V>
  static bool Read(Reader& in, Arena& arena, std::optional<V>* value) {
    return Inner::Read(in, arena, &value->emplace());
  }
  template <typename V>
  static bool Write(Writer& out, const std::optional<V>& value) {
    return Inner::Write(out, *value);
  }
};

template <typename V>
struct DefaultCodec {
  using Type = Scalar<V>;
};
template <typename V>
struct DefaultCodec<std::optional<V>> {
  using Type = Optional<Scalar<V>>;
};

// ---- How often a value comes.

// A field without which, or with an empty value, the message makes no sense.
template <typename Inner>
struct Required : Inner {};

// `repeated`, and maps: the entries of a map are messages, in the order in which they came; of two
// with one key the later one counts.
template <typename Inner, size_t kMaxCount>
struct Many : Inner {
  static constexpr size_t kMax = kMaxCount;
};

template <typename Codec>
inline constexpr bool kIsRequired = false;
template <typename Inner>
inline constexpr bool kIsRequired<Required<Inner>> = true;
template <typename Codec>
inline constexpr bool kIsMany = false;
template <typename Inner, size_t kMaxCount>
inline constexpr bool kIsMany<Many<Inner, kMaxCount>> = true;

// ---- Fields.

template <size_t kBytes>
struct FieldName {
  // Names stand as literals in lists of fields. NOLINTNEXTLINE(google-explicit-constructor)
  constexpr FieldName(const char (&literal)[kBytes]) { std::copy_n(literal, kBytes, text); }
  constexpr std::string_view view() const { return {text, kBytes - 1}; }
  char text[kBytes];
};

template <typename M>
struct MemberTraits;
template <typename T, typename V>
struct MemberTraits<V T::*> {
  using Value = V;
};
template <typename V>
struct ElementOf {
  using Type = char;
};
template <typename E>
struct ElementOf<std::span<const E>> {
  using Type = E;
};

// A field, singular or repeated. `State` lives while its message is being decoded.
template <uint32_t kNumber, FieldName kName, auto kMember,
          typename Codec = DefaultCodec<typename MemberTraits<decltype(kMember)>::Value>::Type>
struct Field {
  using Value = typename MemberTraits<decltype(kMember)>::Value;
  using Element = typename ElementOf<Value>::Type;
  struct Nothing {};
  using State = std::conditional_t<kIsMany<Codec>, ArenaList<Element>, Nothing>;

  static constexpr bool Matches(uint32_t tag) { return NumberOf(tag) == kNumber; }

  template <typename T>
  [[gnu::always_inline]] static bool Read(uint32_t tag, Reader& in, Arena& arena, bool seen,
                                          State& state, T* message) {
    if (tag != MakeTag(kNumber, Codec::kType)) {
      in.fault().Set("another wire type than in the schema");
      return in.fault().Within(kName.view());
    }
    bool read;
    if constexpr (kIsMany<Codec>) {
      read = state.size() < Codec::kMax || FailCount(in.fault(), Codec::kMax);
      read = read && Codec::Read(in, arena, state.Append(arena));
    } else {
      read = !seen || in.fault().Set("comes twice");
      read = read && Codec::Read(in, arena, &(message->*kMember));
    }
    return read || in.fault().Within(kName.view());
  }

  template <typename T>
  static bool Finish(Fault& fault, bool seen, const State& state, T* message) {
    if constexpr (kIsMany<Codec>) message->*kMember = state.view();
    if constexpr (kIsRequired<Codec>) return CheckPresent(fault, seen, message->*kMember);
    return true;
  }

  template <typename T>
  static bool Write(Writer& out, const T& message) {
    const Value& value = message.*kMember;
    if constexpr (kIsMany<Codec>) {
      if (value.size() > Codec::kMax) {
        FailCount(out.fault(), Codec::kMax);
        return out.fault().Within(kName.view());
      }
      for (size_t i = value.size(); i-- > 0;) {
        if (!WriteOne(out, value[i])) return false;
      }
      return true;
    } else {
      if constexpr (kIsRequired<Codec>) {
        if (!CheckPresent(out.fault(), true, value)) return false;
      }
      return Codec::IsDefault(value) || WriteOne(out, value);
    }
  }

 private:
  static bool CheckPresent(Fault& fault, bool seen, const Value& value) {
    if (seen && !Codec::IsDefault(value)) return true;
    fault.Set("missing, and required");
    return fault.Within(kName.view());
  }

  template <typename V>
  [[gnu::always_inline]] static bool WriteOne(Writer& out, const V& value) {
    if (!Codec::Write(out, value)) return out.fault().Within(kName.view());
    out.PrependVarint(MakeTag(kNumber, Codec::kType));
    return true;
  }
};

template <uint32_t kNumber, FieldName kName, typename T>
struct Case {
  using Type = T;
  static constexpr uint32_t kTag = MakeTag(kNumber, WireType::kBytes);
  static constexpr bool Matches(uint32_t tag) { return NumberOf(tag) == kNumber; }
  static constexpr std::string_view Name() { return kName.view(); }
};

// A `oneof` of messages, of which there must be one: an entry whose event has a number that we do
// not know says nothing to this version, and is better kept aside than passed over.
template <auto kMember, typename... Cases>
struct OneOf {
  struct State {};

  static constexpr bool Matches(uint32_t tag) { return (Cases::Matches(tag) || ...); }

  template <typename T>
  static bool Read(uint32_t tag, Reader& in, Arena& arena, bool seen, State&, T* message) {
    if (seen) return in.fault().Set("more than one event");
    bool read = false;
    (void)((Cases::Matches(tag) && (read = ReadCase<Cases>(tag, in, arena, message), true)) || ...);
    return read;
  }

  template <typename T>
  static bool Finish(Fault& fault, bool seen, const State&, T*) {
    return seen || fault.Set("no event that this version knows");
  }

  template <typename T>
  static bool Write(Writer& out, const T& message) {
    return (WriteCase<Cases>(out, message) && ...);
  }

 private:
  template <typename C, typename T>
  static bool ReadCase(uint32_t tag, Reader& in, Arena& arena, T* message) {
    auto& event = (message->*kMember).template emplace<typename C::Type>();
    const bool read = tag == C::kTag ? Message<typename C::Type>::Read(in, arena, &event)
                                     : in.fault().Set("another wire type than in the schema");
    return read || in.fault().Within(C::Name());
  }

  template <typename C, typename T>
  static bool WriteCase(Writer& out, const T& message) {
    const auto* event = std::get_if<typename C::Type>(&(message.*kMember));
    if (event == nullptr) return true;
    if (!Message<typename C::Type>::Write(out, *event)) return out.fault().Within(C::Name());
    out.PrependVarint(C::kTag);
    return true;
  }
};

// ---- Messages.

// The fields of unknown numbers: a view of the message as long as they stand together, a copy in
// the arena once they do not.
class UnknownFields {
 public:
  void Add(Arena& arena, const char* begin, const char* end) {
    if (copied_.size() == 0 && view_.data() + view_.size() == begin) {
      view_ = {view_.data(), view_.size() + static_cast<size_t>(end - begin)};
      return;
    }
    if (view_.empty()) {
      view_ = {begin, static_cast<size_t>(end - begin)};
      return;
    }
    if (copied_.size() == 0) copied_.Append(arena, {view_.data(), view_.size()});
    copied_.Append(arena, {begin, static_cast<size_t>(end - begin)});
    view_ = {copied_.view().data(), copied_.size()};
  }
  std::string_view view() const { return view_; }

 private:
  std::string_view view_;
  ArenaList<char> copied_;
};

template <typename... Fields>
struct FieldList {
  static constexpr size_t kCount = sizeof...(Fields);
  static_assert(kCount <= 64);
  using States = std::tuple<typename Fields::State...>;
  template <size_t kIndex>
  using At = std::tuple_element_t<kIndex, std::tuple<Fields...>>;

  // False when no field has this number. Otherwise *read says whether its value could be read.
  template <typename T>
  [[gnu::always_inline]] static bool Read(uint32_t tag, Reader& in, Arena& arena, uint64_t* seen,
                                          States& states, T* message, bool* read) {
    return [&]<size_t... kIndex>(std::index_sequence<kIndex...>) __attribute__((always_inline)) {
      return (
          (Fields::Matches(tag) && (*read = Fields::Read(tag, in, arena, (*seen >> kIndex & 1) != 0,
                                                         std::get<kIndex>(states), message),
                                    *seen |= uint64_t{1} << kIndex, true)) ||
          ...);
    }(std::make_index_sequence<kCount>());
  }

  template <typename T>
  static bool Finish(Fault& fault, uint64_t seen, const States& states, T* message) {
    return [&]<size_t... kIndex>(std::index_sequence<kIndex...>) __attribute__((always_inline)) {
      return (Fields::Finish(fault, (seen >> kIndex & 1) != 0, std::get<kIndex>(states), message) &&
              ...);
    }(std::make_index_sequence<kCount>());
  }

  // Last field first: the writer goes backwards.
  template <typename T>
  static bool Write(Writer& out, const T& message) {
    return [&]<size_t... kIndex>(std::index_sequence<kIndex...>) __attribute__((always_inline)) {
      return (At<kCount - 1 - kIndex>::Write(out, message) && ...);
    }(std::make_index_sequence<kCount>());
  }
};

// Entries of maps have no room for unknown fields: Protocol Buffers drop them there too.
template <typename T>
concept KeepsUnknown = requires(T message) { message.unknown; };

template <typename T>
bool DecodeFields(Reader& in, Arena& arena, T* message) {
  using Fields = typename Schema<T>::Fields;
  typename Fields::States states;
  UnknownFields unknown;
  uint64_t seen = 0;
  while (!in.AtEnd()) {
    const char* const begin = in.position();
    uint32_t tag;
    if (!in.ReadTag(&tag)) return false;
    bool read;
    if (!Fields::Read(tag, in, arena, &seen, states, message, &read)) {
      read = in.Skip(tag);
      if constexpr (KeepsUnknown<T>) unknown.Add(arena, begin, in.position());
    }
    if (!read) return false;
  }
  if constexpr (KeepsUnknown<T>) message->unknown = unknown.view();
  return Fields::Finish(in.fault(), seen, states, message);
}

template <typename T>
bool EncodeFields(Writer& out, const T& message) {
  if constexpr (KeepsUnknown<T>) out.PrependRaw(message.unknown);
  return Schema<T>::Fields::Write(out, message);
}

// ---- Whole messages.

template <typename T>
absl::Status DecodeWhole(std::string_view bytes, Arena* arena, T* message) {
  *message = T();
  Fault fault;
  Reader in(bytes, fault);
  if (DecodeFields(in, *arena, message)) return absl::OkStatus();
  return PoisonError("decode {} ({} bytes): {}.", Schema<T>::kName, bytes.size(), fault.Describe());
}

template <typename T>
absl::StatusOr<std::string_view> EncodeWhole(const T& message, EncodeBuffer* buffer) {
  buffer->Clear();
  Fault fault;
  Writer out(*buffer, fault);
  if (EncodeFields(out, message)) return buffer->written();
  return PoisonError("encode {}: {}.", Schema<T>::kName, fault.Describe());
}

}  // namespace orbweaver::wire
