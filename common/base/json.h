// JSON out: what the log, the admin server and the commands with --json print. Nothing here reads
// JSON.
//
//   std::string out;
//   JsonWriter json(&out);
//   json.BeginObject().Key("url").Value(url).Key("links").Value(3).EndObject();
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace orbweaver {

// Appends `text` as a JSON string, quotes included. Any bytes give valid JSON: what is not UTF-8
// becomes U+FFFD, one for each maximal part of a character as browsers do it.
void AppendJsonString(std::string_view text, std::string* out);

// Appends one JSON value to a string; sets the commas. An order of calls that is not JSON (a value
// without its key, an End without its Begin) is a bug of the caller and ends the process.
//
// Not thread-safe.
class JsonWriter {
 public:
  // `out` must outlive the writer.
  explicit JsonWriter(std::string* out) : out_(out) {}

  JsonWriter& BeginObject();
  JsonWriter& EndObject();
  JsonWriter& BeginArray();
  JsonWriter& EndArray();

  // Names the value that comes next. Whether names are unique is up to the caller.
  JsonWriter& Key(std::string_view name);

  JsonWriter& Value(std::string_view text);
  JsonWriter& Value(const char* text) { return Value(std::string_view(text)); }
  // NaN and the infinities, which JSON cannot say, become null.
  JsonWriter& Value(double number);
  JsonWriter& Value(std::same_as<bool> auto truth) { return Raw(truth ? "true" : "false"); }
  template <std::integral Integer>
    requires(!std::same_as<Integer, bool>)
  JsonWriter& Value(Integer number) {
    return Raw(std::to_string(number));
  }
  JsonWriter& Null() { return Raw("null"); }

  // A value that is JSON already.
  JsonWriter& Raw(std::string_view json);

 private:
  struct Level {
    char closing;
    bool empty;
  };

  void BeforeValue();
  JsonWriter& Begin(char opening, char closing);
  JsonWriter& End(char closing);

  std::string* const out_;
  std::vector<Level> levels_;
  bool after_key_ = false;
};

}  // namespace orbweaver
