// Every option of a program, each declared once, beside the struct that its reader takes:
//
//   struct AdminOptions {
//     std::string listen = "127.0.0.1";
//     int port = 0;
//     std::string token;
//   };
//
//   void DeclareAdminOptions(config::Schema& schema, AdminOptions* options) {
//     schema.Add("admin.listen", &options->listen, {.doc = "Address that the admin server binds"});
//     schema.Add("admin.port", &options->port, {.min = 0, .max = 65535, .doc = "…; 0: any free"});
//     schema.Add("admin.token", &options->token, {.secret = true, .doc = "…"});
//   }
//
// The member's value at its declaration is the default. Load (load.h) then writes the configured
// values into the members; the help, the reference page, the JSON schema and the dump of what is in
// effect are made from the same declarations.
#pragma once

#include <algorithm>
#include <chrono>
#include <concepts>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "common/config/value_text.h"

namespace orbweaver::config {

template <typename T>
concept Number = (std::integral<T> || std::same_as<T, double>) && !std::same_as<T, bool> &&
                 !std::same_as<T, char>;

// The parts of a declaration beside name and member. `doc` is a sentence without its full stop, in
// the reader's words; a number's `unit` is a plural noun ("connections").
template <typename T>
struct About {
  std::string doc;
};
template <Number T>
struct About<T> {
  T min = std::numeric_limits<T>::lowest();
  T max = std::numeric_limits<T>::max();
  std::string unit;
  std::string doc;
};
template <typename Rep, typename Period>
struct About<std::chrono::duration<Rep, Period>> {
  using Duration = std::chrono::duration<Rep, Period>;
  Duration min = Duration::zero();
  Duration max = std::chrono::duration_cast<Duration>(std::chrono::nanoseconds::max());
  std::string doc;
};
template <>
struct About<std::string> {
  bool secret = false;  // masked wherever the configuration is shown
  std::string doc;
};
template <typename V, typename Less>
struct About<std::map<std::string, V, Less>> {
  // The keys whose values are known to be harmless, as patterns (`MatchesAny` in mask.h). All
  // others are secret: nobody can list the names under which secrets stand.
  std::vector<std::string> shown_keys;
  std::string doc;
};

// The names that a value may be given by, in the order they are shown.
template <typename T>
using Choices = std::vector<std::pair<std::string, T>>;

// The type and the bounds of one value of an option.
struct ValueType {
  enum class Kind { kBool, kInteger, kNumber, kShare, kDuration, kBytes, kText, kChoice };
  Kind kind = Kind::kText;
  // As texts of that kind; empty where there is no bound to speak of.
  std::string min;
  std::string max;
  std::string unit;
  std::vector<std::string> choices;
};

// A declared option, its type erased: everything is texts.
struct Option {
  // A map takes any key below its name: `kafka.properties.linger.ms`.
  enum class Shape { kOne, kList, kMap };
  // `key` is empty except in a map.
  struct Entry {
    std::string key;
    std::string text;
  };

  std::string name;
  std::string doc;
  Shape shape = Shape::kOne;
  ValueType type;
  bool secret = false;
  std::vector<std::string> shown_keys;  // of a map of texts
  std::vector<Entry> defaults;

  // Replaces the value, appends to the list or sets the map's key. False, and nothing changed, when
  // `text` is not of `type`.
  std::function<bool(const std::string& key, std::string_view text)> put;
  // Empties a list or a map.
  std::function<void()> clear;
  // One entry, or those of the list or map.
  std::function<std::vector<Entry>()> get;
  // Where each value comes from ("orbweaver.yaml:12", "ORBWEAVER_ADMIN__PORT", "--set"), by the
  // map's key or under the empty one; what is not in here is the default.
  std::map<std::string, std::string, std::less<>> sources;

  bool IsSecret(std::string_view key) const;
  // A value of this option, fit to be shown to anybody: a secret that is set is masked, and so is
  // what may be a password in a URL.
  std::string Shown(const Entry& entry) const;
  // "default" where nothing was configured.
  std::string SourceOf(std::string_view key) const;
  // The expected value as the end of a sentence: "an integer from 0 to 65535", "a list of text".
  std::string Expected() const;
};

// "ORBWEAVER_ADMIN__PORT" for "admin.port".
std::string EnvironmentName(std::string_view name);

// Place: filled by the program's Declare functions, loaded once at the start, then only read. Holds
// pointers to the declared members, which must outlive it. Not thread-safe while it is filled and
// loaded; immutable after that.
//
// Names are lower-case words of letters, digits and single underscores, at least two, joined by
// dots. A name that is malformed, declared twice, or a section of another one is a bug: CHECK.
class Schema {
 public:
  Schema() = default;
  Schema(const Schema&) = delete;
  Schema& operator=(const Schema&) = delete;

  void Add(std::string name, bool* member, About<bool> about);
  void Add(std::string name, std::string* member, About<std::string> about);
  void Add(std::string name, std::vector<std::string>* member,
           About<std::vector<std::string>> about);
  template <Number T>
  void Add(std::string name, T* member, std::type_identity_t<About<T>> about);
  template <typename Rep, typename Period>
  void Add(std::string name, std::chrono::duration<Rep, Period>* member,
           std::type_identity_t<About<std::chrono::duration<Rep, Period>>> about);
  template <typename Less>
  void Add(std::string name, std::map<std::string, std::string, Less>* member,
           std::type_identity_t<About<std::map<std::string, std::string, Less>>> about);

  // A size in bytes, written "64KiB" or "256MB". `about.unit` is not used.
  template <std::integral T>
  void AddBytes(std::string name, T* member, std::type_identity_t<About<T>> about);

  // A share of the whole, written "5%"; the member has it from 0 to 1. `about.unit` is not used.
  void AddShare(std::string name, double* member, About<double> about);

  // One of a few values with names: an enum, or a bool that reads better so. The member's value and
  // those of a map must be among them.
  template <typename T>
  void AddChoice(std::string name, T* member, std::type_identity_t<Choices<T>> choices,
                 About<bool> about);
  template <typename T, typename Less>
  void AddChoice(std::string name, std::map<std::string, T, Less>* member,
                 std::type_identity_t<Choices<T>> choices, About<bool> about);

  // Sections of which this program reads nothing, because others do: what a file or the environment
  // sets in them is not looked at. Sections that have declared options are not passed over.
  void PassOver(std::span<const std::string_view> sections);
  bool PassesOver(std::string_view name) const;

  // The option `old_name` is gone, and `new_name` has come in its place: an error names it. Only
  // what was kept of an earlier run (Inputs::kept) is read under the old one.
  void Renamed(std::string old_name, std::string new_name);
  // Empty when no option ever had that name.
  std::string_view NewNameOf(std::string_view old_name) const;
  // Whether an option that is gone had such a section.
  bool HadSection(std::string_view section) const;

  // Sorted by name, so that a section's options stand together.
  std::span<const Option> options() const { return options_; }
  std::span<Option> options() { return options_; }

 private:
  // How a T is written.
  template <typename T>
  struct Codec {
    ValueType type;
    std::function<bool(std::string_view text, T* value)> parse;
    std::function<std::string(const T& value)> print;
  };
  template <typename T>
  static Codec<T> ChoiceCodec(Choices<T> choices);
  static Codec<std::string> TextCodec();

  template <typename T>
  void AddOne(Option option, T* member, Codec<T> codec);
  template <typename T, typename Less>
  void AddMap(Option option, std::map<std::string, T, Less>* member, Codec<T> codec);
  // Checks the name, keeps the defaults, and puts `option` into its place.
  void Insert(Option option);

  std::vector<Option> options_;
  std::vector<std::string> passed_over_;
  std::map<std::string, std::string, std::less<>> renamed_;
};

}  // namespace orbweaver::config

#include "common/config/schema_inl.h"
