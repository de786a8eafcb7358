// JSON in, value by value, as RFC 8259 has it: what JsonWriter writes, and any other.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace orbweaver::parquet {

// Each Take says false where something else stands, and then has taken nothing that matters: the
// text is not looked at any further. White space between tokens is passed over. Not thread-safe.
class JsonText {
 public:
  // `text` must outlive this.
  explicit JsonText(std::string_view text) : text_(text) {}

  // The next token's first character; NUL at the end.
  char Peek();
  // Takes one of `{}[]:,`.
  bool Take(char token);
  // Takes `null`, `true`, `false`.
  bool TakeWord(std::string_view word);
  // *text views the input where nothing in it is escaped, else *room. Poor UTF-8 is refused, and so
  // are surrogates that stand alone.
  bool TakeString(std::string* room, std::string_view* text);
  // The characters of a number, whose form is checked.
  bool TakeNumber(std::string_view* number);

  // Within an object or array: takes what leads to its next element, and says whether there is
  // one. `first`: nothing of it was taken yet. *good becomes false where neither stands.
  bool More(char closing, bool first, bool* good);

  bool AtEnd() { return Peek() == '\0' && text_.empty(); }

 private:
  bool TakeEscape(std::string* room);
  bool TakeHex(unsigned* value);

  std::string_view text_;
};

}  // namespace orbweaver::parquet
