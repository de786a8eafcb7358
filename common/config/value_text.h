// Values as the texts that people write in a file, an environment variable or behind --set.
//
// Every Parse* takes the whole text and nothing around it; false, and `value` untouched, when it is
// something else or does not fit. Every Print* gives the shortest text that parses to the same
// value.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace orbweaver::config {

// "true" and "false" only: YAML 1.1's yes, on and y surprise more often than they help.
bool ParseBool(std::string_view text, bool* value);
std::string PrintBool(bool value);

// Decimal, without leading zeros: 010 is eight to some and ten to others.
bool ParseNumber(std::string_view text, int64_t* value);
bool ParseNumber(std::string_view text, uint64_t* value);
// Finite.
bool ParseNumber(std::string_view text, double* value);
std::string PrintNumber(int64_t value);
std::string PrintNumber(uint64_t value);
std::string PrintNumber(double value);

// A whole number and its unit: ns, us, ms, s, m, h or d. The unit is never optional.
bool ParseDuration(std::string_view text, std::chrono::nanoseconds* value);
// `value` must not be negative.
std::string PrintDuration(std::chrono::nanoseconds value);

// A whole number and its unit: none or B for bytes, KB MB GB TB (powers of 1000), KiB MiB GiB TiB
// (powers of 1024).
bool ParseBytes(std::string_view text, uint64_t* value);
std::string PrintBytes(uint64_t value);

// A share of the whole, from 0 to 1, in per cent: "5%", "0.5%", "0%". Without the sign only 0.
bool ParseShare(std::string_view text, double* value);
std::string PrintShare(double value);

}  // namespace orbweaver::config
