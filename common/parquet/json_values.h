// Values that JSON has no type for, as text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace orbweaver::parquet {

// False when it is not hexadecimal; appends else.
bool FromHex(std::string_view text, std::string* bytes);
void AppendHex(std::string_view bytes, std::string* text);

// "2026-01-31T12:00:00Z" or with a fraction of one to three digits, in milliseconds since 1970.
bool ParseTime(std::string_view text, int64_t* millis);
// With three digits. False for years that have no four digits.
bool AppendTime(int64_t millis, std::string* text);

}  // namespace orbweaver::parquet
