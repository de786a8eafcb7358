#include "common/store/rocksdb/row_key.h"

#include <cstring>

namespace orbweaver {
namespace {

constexpr char kEscape = '\x00';
constexpr char kEscapedZero = '\xff';
constexpr char kRowEnd = '\x01';
constexpr char kPastRowEnd = '\x02';

}  // namespace

void AppendRowPrefix(std::string_view row, std::string* key) {
  while (true) {
    const size_t zero = row.find(kEscape);
    key->append(row.substr(0, zero));
    if (zero == std::string_view::npos) break;
    key->push_back(kEscape);
    key->push_back(kEscapedZero);
    row.remove_prefix(zero + 1);
  }
  key->push_back(kEscape);
  key->push_back(kRowEnd);
}

size_t RowPrefixBytes(std::string_view key) {
  size_t at = 0;
  while (at + 1 < key.size()) {
    const void* zero = std::memchr(key.data() + at, kEscape, key.size() - 1 - at);
    if (zero == nullptr) return 0;
    at = static_cast<size_t>(static_cast<const char*>(zero) - key.data()) + 2;
    if (key[at - 1] == kRowEnd) return at;
  }
  return 0;
}

void DecodeRowPrefix(std::string_view prefix, std::string* row) {
  row->clear();
  prefix.remove_suffix(2);
  for (size_t i = 0; i < prefix.size(); ++i) {
    row->push_back(prefix[i]);
    if (prefix[i] == kEscape) ++i;
  }
}

void SkipPastRow(std::string* prefix) { prefix->back() = kPastRowEnd; }

}  // namespace orbweaver
