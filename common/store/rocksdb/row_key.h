// A cell's key: its row, escaped so that no row is the beginning of another, then its column.
//
// In the row 0x00 becomes 0x00 0xFF, and 0x00 0x01 ends it. Keys so sort by row and then by column,
// as the interface promises, and all cells of a row share a prefix that no other row's cells have.
#pragma once

#include <string>
#include <string_view>

namespace orbweaver {

// Appends what all keys of `row` begin with.
void AppendRowPrefix(std::string_view row, std::string* key);

// How much of a key is its row's prefix; 0 when the key is none of ours.
size_t RowPrefixBytes(std::string_view key);

// The row that a prefix stands for.
void DecodeRowPrefix(std::string_view prefix, std::string* row);

// Turns a row's prefix into the first key past all of the row's cells.
void SkipPastRow(std::string* prefix);

}  // namespace orbweaver
