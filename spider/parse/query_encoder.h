// The queries of a document's links in the document's charset.
#pragma once

#include <string>
#include <string_view>

namespace orbweaver {

// The URL standard's "percent-encode after encoding" (section 1.3): servers of pages in
// windows-1251 or Shift_JIS read the queries of their links in that charset. All else of a URL is
// UTF-8, as are the queries of pages in UTF-8 and UTF-16.
//
// Place: in LinkCollector, before a link is resolved. Not thread-safe; keeps its memory.
class QueryEncoder {
 public:
  // The WHATWG name of the charset of the document whose links come now; it must outlive them.
  void Begin(std::string_view charset);

  // `link`, which is UTF-8, with its query percent-encoded so that whoever resolves it leaves it as
  // it is: in characters that the charset lacks stand their numbers, `%26%23NNNN%3B`. The link
  // itself when nothing has to change, else valid until the next call.
  std::string_view Encode(std::string_view link);

 private:
  std::string_view charset_;
  bool is_utf8_ = true;
  std::string encoded_;
};

}  // namespace orbweaver
